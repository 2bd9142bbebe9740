//! `list_event_channels`: what each event log contains, its time span, and what suggests that it is incomplete or altered.

use crate::catalogue::Call;
use crate::decode;
use crate::error::CallError;
use crate::intake::Flow;
use crate::returned::Return;
use crate::sink::{self, Sink};
use crate::spelling::path_spellings;
use crate::units::Origin;
use crate::{glob, logs, place, source_files, spec, unborne};
use ledger::{Listing, RecordType, ToolSpec, pattern};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// The name of the tool.
const NAME: &str = "list_event_channels";

/// Returns the listing of all event logs of the evidence.
pub(crate) fn listing() -> Listing {
    Listing {
        tool: NAME.to_owned(),
        kind: logs::channel_type().name,
        evidence: "evidence".to_owned(),
        required: BTreeMap::from([("under".to_owned(), json!("")), ("offset".to_owned(), json!(0))]),
        free: vec!["limit".to_owned()],
    }
}

pub(crate) fn spec() -> ToolSpec {
    let mut arguments = vec![
        ("under", spec::text_or("folder below which to look, or one log; empty for everything", "")),
        ("evidence", spec::text("label of the evidence to look at; all when left out")),
    ];
    arguments.extend(sink::arguments());
    spec::tool(
        NAME,
        "Lists the Windows event logs (.evtx, .evt): how many records each holds, of which time, computers and channel, whether records are missing, whether it was cleared, and where the times go back while the numbers go on.",
        arguments,
        &[],
        record_types(),
    )
}

fn record_types() -> Vec<RecordType> {
    sink::with_counts(vec![logs::channel_type()])
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let scope = place::under(call.trees, arguments.optional_text("evidence"), arguments.text("under")?)?;
    let mut sink = Sink::new(arguments, record_types())?;
    let mut returned = Return::found(Vec::new(), arguments.normalised(&scope.normalised()));
    let decoders: Vec<_> = decode::named(decode::event_log::DECODER.name).into_iter().collect();
    let files = source_files::find(&scope, call.indexes, &decoders)?;
    // The sink's page knows whether there is room for more.
    let _: Flow = source_files::read_as(call, &files, |file| Origin::Log(file.decoder), &mut sink)?;
    files.met(&mut sink);
    let wanted = files.missing(&decoders);
    returned.notes.extend((!wanted.is_empty()).then(|| CallError::NoFile { wanted }.to_string()));
    sink.fill(&mut returned);
    if let (Some(found), true, true) =
        (arguments.optional_text("name"), returned.records.is_empty(), returned.gaps.is_empty())
    {
        let known: BTreeSet<_> = files.files.iter().map(|file| file.node.path.as_str().to_owned()).collect();
        let names = glob::alternatives(found).unwrap_or_default();
        let is_there = |path: &String| {
            names.iter().flat_map(|name| path_spellings(name)).any(|name| pattern::fits(&name, path))
        };
        if !known.is_empty() && !known.iter().any(is_there) {
            return Err(unborne::refused("path", found.to_owned(), known));
        }
    }
    Ok(returned)
}
