//! Tools that gather one subject from several sources: files of decoders, and artifacts of the registry.
//!
//! Their records stand side by side, each of its own type: what one source proves another need not, and none is merged with another.

mod tables;

pub(crate) use tables::{BROWSER_HISTORY, MFT, PERSISTENCE, PROGRAM_EXECUTION, USER_ACTIVITY};

use crate::catalogue::Call;
use crate::decode::{self, Decoder};
use crate::error::CallError;
use crate::place::Scope;
use crate::registry_artifact;
use crate::returned::Return;
use crate::sink::{self, Sink};
use crate::tables::{TableGroup, groups_of_sources};
use crate::{place, source_files, spec};
use ledger::{RecordType, ToolSpec};
use serde_json::{Value, json};

/// What such a tool gathers.
pub(crate) struct Gathered {
    pub(crate) tool: &'static str,
    pub(crate) about: &'static str,
    /// Names of decoders.
    pub(crate) decoders: &'static [&'static str],
    /// Names of artifacts of the registry.
    pub(crate) artifacts: &'static [&'static str],
}

impl Gathered {
    /// The names of its sources.
    fn sources(&self) -> impl Iterator<Item = &'static str> {
        self.decoders.iter().chain(self.artifacts).copied()
    }
}

pub(crate) fn spec(gathered: &Gathered) -> ToolSpec {
    let sources: Vec<_> = gathered.sources().collect();
    let mut arguments = vec![
        ("source", spec::choice("the only source to read; all when left out", &sources)),
        ("under", spec::text_or("folder below which to look; empty for everything", "")),
        ("evidence", spec::text("label of the evidence to look at; all when left out")),
    ];
    arguments.extend(sink::arguments());
    let about = format!(
        "{} The sources are {}. An empty and complete answer means that none of them is in this part of the evidence, or holds anything of the kind; each record type says what it proves.",
        gathered.about,
        sources.join(", ")
    );
    spec::tool(gathered.tool, &about, arguments, &[], record_types(gathered))
}

fn record_types(gathered: &Gathered) -> Vec<RecordType> {
    let decoders = gathered.decoders.iter().filter_map(|name| decode::named(name));
    let artifacts = gathered.artifacts.iter().filter_map(|name| registry_artifact::named(name));
    let mut types: Vec<_> = decoders.flat_map(decode::gathered).collect();
    types.extend(artifacts.flat_map(|artifact| (artifact.records)()));
    sink::with_counts(types)
}

/// The tools that gather.
const ALL: [&Gathered; 5] = [&BROWSER_HISTORY, &MFT, &PERSISTENCE, &PROGRAM_EXECUTION, &USER_ACTIVITY];

/// The case tables that a call of a gathering tool reads; `source` is the only source that it asks for, or empty.
pub(crate) fn groups(tool: &str, source: &str) -> Vec<TableGroup> {
    let Some(gathered) = ALL.into_iter().find(|gathered| gathered.tool == tool) else { return Vec::new() };
    let wanted = |name: &&str| source.is_empty() || *name == source;
    let decoders = gathered.decoders.iter().copied().filter(wanted);
    groups_of_sources(decoders, gathered.artifacts.iter().copied().filter(wanted))
}

pub(crate) fn run(gathered: &Gathered, call: &Call<'_>) -> Result<Return, CallError> {
    run_with(gathered, call, |_, _| Ok(()))
}

/// The same, with what `further` finds behind the sources.
pub(crate) fn run_with(
    gathered: &Gathered,
    call: &Call<'_>,
    further: impl FnOnce(&Scope<'_>, &mut Sink) -> Result<(), CallError>,
) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let source = arguments.optional_text("source");
    let wanted = |name: &&&str| source.is_none_or(|source| source == **name);
    let decoders: Vec<&'static Decoder> =
        gathered.decoders.iter().filter(wanted).filter_map(|name| decode::named(name)).collect();
    let scope = place::under(call.trees, arguments.optional_text("evidence"), arguments.text("under")?)?;
    let mut sink = Sink::new(arguments, record_types(gathered))?;
    let mut normalised: Vec<(&str, Value)> = scope.normalised();
    normalised.extend(source.map(|source| ("source", json!(source))));
    let mut returned = Return::found(Vec::new(), arguments.normalised(&normalised));
    let files = source_files::find(&scope, call.indexes, &decoders)?;
    let flow = source_files::read(call, &files, &mut sink)?;
    files.met(&mut sink);
    for name in gathered.artifacts.iter().filter(wanted) {
        if flow.is_break() || sink.is_full() {
            break;
        }
        let Some(artifact) = registry_artifact::named(name) else { continue };
        let search = registry_artifact::below(call, artifact, &scope, &mut sink)?;
        search.met(&mut sink);
    }
    if flow.is_continue() && !sink.is_full() {
        further(&scope, &mut sink)?;
    }
    sink.fill(&mut returned);
    Ok(returned)
}
