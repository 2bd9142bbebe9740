//! `records`: the records of decoders and registry artifacts, filtered, counted and paged in the same way for every source.
//!
//! Records of several sources are returned side by side, each of its own type.
//! What one source proves, another need not, so records are never merged.

pub(crate) mod sources;

pub(crate) use sources::{groups, is_timeless};

use crate::catalogue::Call;
use crate::decode::recycle_bin::orphan;
use crate::decode::{event_log, named, recycle_bin};
use crate::error::CallError;
use crate::hive_state::{self, Logs};
use crate::hives::{HiveSearch, MAX_HIVES};
use crate::intake::{Flow, Intake};
use crate::place::Scope;
use crate::registry_artifact;
use crate::retired::WithoutHive;
use crate::returned::Return;
use crate::sink::{self, Sink};
use crate::units::Origin;
use crate::{hive_file, list_event_channels, place, remains, source_files, spec};
use ledger::{AbsenceForm, Coverage, ToolSpec};
use serde_json::{Value, json};
use sources::{Sources, about, choices, record_types, types_by_source};
use std::collections::BTreeSet;

/// The tool's name.
pub(crate) const NAME: &str = "records";

/// The decoder of change journals.
const JOURNAL: &str = "usn_journal";

pub(crate) fn spec() -> ToolSpec {
    let sources = choices();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let mut arguments = vec![
        (
            "source",
            spec::choice(
                &format!("what to read; may be left out beside \"record\" or \"level\". {}", about()),
                &sources,
            ),
        ),
        (
            "hive",
            spec::text("path of the only registry hive to read; all that can hold the source when left out"),
        ),
        hive_state::argument(),
        ("under", spec::text_or("folder below which to look, or one file; empty for everything", "")),
        ("evidence", spec::text("label of the evidence to look at; all when left out")),
    ];
    arguments.extend(sink::arguments());
    arguments.push((sink::LEVEL, sink::level()));
    let spec = spec::tool(
        NAME,
        "Gives the records of one kind of evidence: a source, a subject that gathers several sources, or a record type; files are found by name and content, hives by content alone. \
         \"where\" chooses by the fields of records; \"count_by\" counts instead, for instance \"event_id\", or with record \"logon_failed\" \"address,account\". \
         An empty and complete answer means that this part of the evidence has no such file, or that those it has hold nothing of the kind: an event log or a change journal goes back to its first record and no further (list_event_channels, and records of type usn_summary, tell to when). Each record type says what it proves.",
        arguments,
        &[],
        record_types(),
    );
    ToolSpec { sources: types_by_source(), covers: vec![absent_events()], ..spec }
}

/// Returns the coverage: an empty search for ids of one channel in all event logs shows that they have no such event.
fn absent_events() -> Coverage {
    let covers = spec::covers(
        AbsenceForm::Events,
        &[("where", "where"), ("from", "from"), ("to", "to"), ("evidence", "evidence")],
        &[("source", json!(event_log::DECODER.name)), ("under", json!("")), ("offset", json!(0))],
        &["limit", "logs"],
    );
    Coverage { reach: Some(list_event_channels::listing()), ..covers }
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    read(call, WithoutHive::IsEmpty)
}

/// Does what `run` does, for a call of a retired tool that needed a hive.
pub(crate) fn run_with_hive(call: &Call<'_>) -> Result<Return, CallError> {
    read(call, WithoutHive::Fails)
}

fn read(call: &Call<'_>, without_hive: WithoutHive) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let sources = Sources::read(arguments)?;
    let mut sink = Sink::new(arguments, sink::with_counts(sources.types()))?;
    let mut reading = Reading {
        call,
        sources: &sources,
        search: HiveSearch::default(),
        more: false,
        without: BTreeSet::new(),
        missing: BTreeSet::new(),
    };
    let normalised = match arguments.optional_text("hive") {
        Some(_) if !arguments.text("under")?.is_empty() => {
            return Err(CallError::OneOf { one: "hive", other: "under" });
        }
        Some(path) => reading.hive(path, &mut sink)?,
        None => {
            let label = arguments.optional_text("evidence");
            let scope = place::under(call.trees, label, arguments.text("under")?)?;
            reading.below(&scope, &mut sink)?;
            scope.normalised()
        }
    };
    let Reading { search, more, without, missing, .. } = reading;
    let no_hive = CallError::NoHive { wanted: without.into_iter().collect() };
    let has_none =
        |no_hive: &CallError| matches!(no_hive, CallError::NoHive { wanted } if !wanted.is_empty());
    if without_hive == WithoutHive::Fails && has_none(&no_hive) && sink.looked_at() == 0 {
        let mut failed = Return::failed(&no_hive);
        (failed.defects, failed.gaps) = (search.defects, search.gaps);
        return Ok(failed);
    }
    let mut returned = Return::found(Vec::new(), arguments.normalised(&normalised));
    if more {
        returned.truncate(format!("stopped after {MAX_HIVES} hives: name one with \"hive\""));
    }
    returned.notes.extend(has_none(&no_hive).then(|| no_hive.to_string()));
    // If other files were read, the answer names those.
    if sink.looked_at() == 0 && !missing.is_empty() {
        let no_file = CallError::NoFile { wanted: missing.into_iter().collect() };
        returned.notes.push(no_file.to_string());
    }
    sink.fill(&mut returned);
    Ok(returned)
}

/// The state of one call.
struct Reading<'c> {
    call: &'c Call<'c>,
    sources: &'c Sources,
    /// What the last search for hives met.
    search: HiveSearch,
    /// Whether there were more hives than are read.
    more: bool,
    /// The types of hives that can have an artifact, if none of those hives was found.
    without: BTreeSet<&'static str>,
    /// The kinds of files of which none was found.
    missing: BTreeSet<&'static str>,
}

impl Reading<'_> {
    /// Reads each artifact that this hive can have; a hive that can have none of them is an error.
    fn hive(&self, path: &str, sink: &mut Sink) -> Result<Vec<(&'static str, Value)>, CallError> {
        let arguments = self.call.arguments;
        if !self.sources.is_of_registry() {
            let expected = "left out, or a source of the registry beside it";
            return Err(CallError::Argument { argument: "hive", expected, found: path.to_owned() });
        }
        let place = remains::whole(place::find(self.call.trees, arguments.optional_text("evidence"), path)?)?;
        let mut refused = None;
        for artifact in &self.sources.artifacts {
            match registry_artifact::one(self.call, artifact, &place, Logs::of(arguments), sink) {
                Err(error @ CallError::WrongHive { .. }) => refused = Some(error),
                read => read?,
            }
        }
        match refused {
            Some(error) if sink.looked_at() == 0 => Err(error),
            _ => {
                let (path, label) = (place.node.path.as_str(), place.tree.label());
                Ok(vec![("hive", json!(path)), ("evidence", json!(label))])
            }
        }
    }

    /// Reads everything in scope, until the page is full.
    fn below(&mut self, scope: &Scope<'_>, sink: &mut Sink) -> Result<(), CallError> {
        self.files(scope, sink)?;
        for artifact in &self.sources.artifacts {
            if sink.is_full() {
                break;
            }
            let (logs, before) = (Logs::of(self.call.arguments), sink.looked_at());
            self.search = registry_artifact::below(self.call, artifact, scope, logs, sink)?;
            self.more |= self.search.more;
            if sink.looked_at() == before {
                self.without.extend(artifact.hives.iter().map(|hive| hive_file::type_name(*hive)));
            }
            self.search.met(sink);
        }
        if self.sources.names && !sink.is_full() {
            self.names(scope, sink)?;
        }
        let has_bins = self.sources.decoders.iter().any(|decoder| decoder.name == recycle_bin::DECODER.name);
        if has_bins && !sink.is_full() {
            self.orphans(scope, sink)?;
        }
        Ok(())
    }

    fn files(&mut self, scope: &Scope<'_>, sink: &mut Sink) -> Result<(), CallError> {
        if self.sources.decoders.is_empty() {
            return Ok(());
        }
        let files = source_files::find(scope, self.call.indexes, &self.sources.decoders)?;
        // The sink's page knows whether there is room for more.
        let _: Flow = source_files::read(self.call, &files, sink)?;
        files.met(sink);
        self.missing.extend(files.missing(&self.sources.decoders));
        Ok(())
    }

    /// Reads what happened to each name, from change journals.
    fn names(&mut self, scope: &Scope<'_>, sink: &mut Sink) -> Result<(), CallError> {
        let decoders: Vec<_> = named(JOURNAL).into_iter().collect();
        let found = source_files::find(scope, self.call.indexes, &decoders)?;
        // The sink's page knows whether there is room for more.
        let _: Flow = source_files::read_as(self.call, &found, |_| Origin::Names, sink)?;
        found.met(sink);
        self.missing.extend(found.missing(&decoders));
        Ok(())
    }

    /// Returns content in the Recycle Bin whose index file, which gives its origin, is missing.
    fn orphans(&self, scope: &Scope<'_>, sink: &mut Sink) -> Result<(), CallError> {
        for (tree, node) in source_files::named(scope, self.call.indexes, "$R*")? {
            if let Some(record) = orphan(tree, &node)?
                && sink.push(record).is_break()
            {
                break;
            }
        }
        Ok(())
    }
}
