//! `timeline_anomalies`: records that do not fit the order of time.
//!
//! It gives facts, not reasons: users and time services set clocks, installers keep old times, computers are switched off.

mod across;
mod entries;

use crate::catalogue::Call;
use crate::error::{CallError, NO_NTFS};
use crate::intake::Flow;
use crate::returned::Return;
use crate::sink::{self, Sink};
use crate::units::Origin;
use crate::{logs, place, source_files, spec};
use across::Across;
use ledger::{RecordType, ToolSpec};

pub(crate) fn spec() -> ToolSpec {
    let mut arguments = vec![
        ("under", spec::text_or("folder below which to look; empty for everything", "")),
        ("evidence", spec::text("label of the evidence to look at; all when left out")),
    ];
    arguments.extend(sink::arguments());
    spec::tool(
        "timeline_anomalies",
        "Looks for what does not fit the order of time: logs whose numbered records go back in time (clock_step), logs that have none for much longer than usual (silence), and on NTFS files whose times of $STANDARD_INFORMATION do not fit those of $FILE_NAME (timestomp_indicator). Each is a fact with several ordinary reasons, which its type names.",
        arguments,
        &[],
        record_types(),
    )
}

fn record_types() -> Vec<RecordType> {
    sink::with_counts(vec![logs::step_type(), logs::silence_type(), entries::record_type()])
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    read(call, true)
}

/// Returns the anomalies of logs alone, for a tool that asks for nothing else: no folder is walked.
pub(crate) fn of_logs(call: &Call<'_>) -> Result<Return, CallError> {
    read(call, false)
}

fn read(call: &Call<'_>, with_entries: bool) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let mut sink = Sink::new(arguments, record_types())?;
    let scope = place::under(call.trees, arguments.optional_text("evidence"), arguments.text("under")?)?;
    let mut returned = Return::found(Vec::new(), arguments.normalised(&scope.normalised()));
    let files = source_files::find(&scope, call.indexes, &logs::decoders().collect::<Vec<_>>())?;
    files.met(&mut sink);
    let no_logs = files.files.is_empty() && files.gaps.is_empty();
    let mut across = Across::new(&mut sink);
    let flow = source_files::read_as(call, &files, |file| Origin::Log(file.decoder), &mut across)?;
    if flow.is_continue() && across.finish().is_continue() && with_entries {
        // The flow is not needed: the sink's page knows whether it reached the end.
        let _: Flow = entries::read(&scope, call.indexes, &mut sink)?;
    }
    let wants = |kind: &str| arguments.optional_text("record").is_none_or(|wanted| wanted == kind);
    if no_logs && (wants(&logs::step_type().name) || wants(&logs::silence_type().name)) {
        let wanted = logs::decoders().map(|decoder| decoder.name).collect();
        returned.notes.push(CallError::NoFile { wanted }.to_string());
    }
    if wants(&entries::record_type().name) && scope.places.iter().all(|place| place.tree.layout().is_none()) {
        returned.notes.push(NO_NTFS.to_owned());
    }
    sink.fill(&mut returned);
    Ok(returned)
}
