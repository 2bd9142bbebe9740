//! `query_events` and `logons`: events of all logs in scope, chosen before records are made of them.

use crate::catalogue::Call;
use crate::decode::{self, Source, event_log};
use crate::error::CallError;
use crate::events::{self, LOGONS, Wanted};
use crate::intake::Intake;
use crate::returned::{Return, chain};
use crate::sink::{self, Sink};
use crate::tables::{RowTest, StoredRow};
use crate::units::Origin;
use crate::{place, source_files, spec};
use ledger::{Gap, RecordType, ToolSpec};
use serde_json::Value;

const PLACE: [(&str, &str); 2] = [
    ("under", "folder below which to look for logs, or one log; empty for everything"),
    ("evidence", "label of the evidence to look at; all when left out"),
];

pub(crate) fn spec() -> ToolSpec {
    let mut arguments = events::arguments();
    arguments.extend(shared());
    spec::tool(
        "query_events",
        "Gives events of the Windows event logs (.evtx, .evt): those of certain meaning as records of their own types, the others as \"event\". \
         Ask by channel and ids first: they are tested before anything else. count_by counts instead, for instance \"event_id\" or \"address,account\". \
         An empty and complete answer means that none of the logs in this part of the evidence holds such an event within the time it was kept for: list_event_channels tells from when on, and whether a log was cleared.",
        arguments,
        &[],
        record_types(),
    )
}

fn record_types() -> Vec<RecordType> {
    sink::with_counts(events::record_types())
}

fn shared() -> Vec<(&'static str, Value)> {
    let mut arguments: Vec<_> = PLACE
        .into_iter()
        .map(|(name, about)| {
            (name, if name == "under" { spec::text_or(about, "") } else { spec::text(about) })
        })
        .collect();
    arguments.extend(sink::arguments());
    arguments
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    gather(call, record_types(), &Wanted::read(call.arguments)?)
}

pub(crate) fn logons_spec() -> ToolSpec {
    let user = events::arguments().into_iter().filter(|(name, _)| *name == "user");
    let mut arguments: Vec<_> = user.collect();
    arguments.extend(shared());
    spec::tool(
        "logons",
        "Gives logons, failed logons, logoffs, given credentials, privileged sessions, and sessions and connections of the remote desktop from all event logs in scope. \
         count_by \"record,logon_type_name,account\" or, with record \"logon_failed\", \"address,account\" gives numbers with first and last time instead.",
        arguments,
        &[],
        sink::with_counts(events::types(LOGONS)),
    )
}

pub(crate) fn run_logons(call: &Call<'_>) -> Result<Return, CallError> {
    let wanted = Wanted::of_types(LOGONS, call.arguments.optional_text("user"));
    gather(call, sink::with_counts(events::types(LOGONS)), &wanted)
}

fn gather(call: &Call<'_>, types: Vec<RecordType>, wanted: &Wanted) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let scope = place::under(call.trees, arguments.optional_text("evidence"), arguments.text("under")?)?;
    let mut sink = Sink::new(arguments, types)?;
    let mut returned = Return::found(Vec::new(), arguments.normalised(&scope.normalised()));
    let decoder = decode::named(event_log::DECODER.name);
    let files = source_files::find(&scope, call.indexes, &decoder.into_iter().collect::<Vec<_>>())?;
    for file in &files.files {
        sink.begin(format!("{} of {}", file.node.path, file.tree.label()));
        if !wanted.needs_event() {
            let holds = |row: &StoredRow<'_>| wanted.row(row);
            let test = RowTest { reads: &Wanted::READS, holds: &holds };
            if let Some(flow) = file.replay(call, Origin::Decoder(file.decoder), Some(&test), &mut sink)? {
                if flow.is_break() {
                    break;
                }
                continue;
            }
        }
        let mut source = Source::new(file.tree, &file.node, file.stream.as_deref(), call.scratch, &mut sink);
        match event_log::wanted(&mut source, wanted) {
            Ok(flow) if flow.is_break() => break,
            Ok(_) => {}
            Err(error) => {
                let path = file.node.path.as_str().to_owned();
                sink.gap(Gap { path, reason: chain(&error) });
            }
        }
    }
    files.met(&mut sink);
    sink.fill(&mut returned);
    Ok(returned)
}
