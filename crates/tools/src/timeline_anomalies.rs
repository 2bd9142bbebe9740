//! `timeline_anomalies`: what does not fit the order of time.
//!
//! It reads the evidence itself, never an index: each record stands for what it read.
//! It tells facts and no reasons: clocks are set by users and by time services, installers keep old times, computers are switched off.

mod entries;
mod logs;

use crate::catalogue::Call;
use crate::decode::{DECODERS, Decoder, Source};
use crate::error::CallError;
use crate::intake::{Flow, Intake};
use crate::returned::{Return, chain};
use crate::sink::{self, Sink};
use crate::units::Origin;
use crate::{place, source_files, spec};
use ledger::{FieldType, Gap, RecordType, ToolSpec};
use logs::Log;
use std::ops::ControlFlow;

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
    vec![logs::step_type(), sink::count_type(), logs::silence_type(), entries::record_type()]
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let mut sink = Sink::new(arguments, record_types())?;
    let scope = place::under(call.trees, arguments.optional_text("evidence"), arguments.text("under")?)?;
    let mut returned = Return::found(Vec::new(), arguments.normalised(&scope.normalised()));
    let decoders: Vec<_> = DECODERS.iter().filter(|decoder| is_log(decoder)).collect();
    let mut flow = ControlFlow::Continue(());
    if !decoders.is_empty() {
        let files = source_files::find(&scope, call.indexes, &decoders)?;
        files.met(&mut sink);
        for file in &files.files {
            flow = log(call, file, &mut sink)?;
            if flow.is_break() {
                break;
            }
        }
    }
    if flow.is_continue() {
        // Whether it came to the end is in the page of the sink.
        let _: Flow = entries::read(&scope, &mut sink)?;
    }
    sink.fill(&mut returned);
    Ok(returned)
}

/// Whether the records of a decoder are dated entries: such a source can go back in time, or fall silent.
fn is_log(decoder: &Decoder) -> bool {
    (decoder.records)().iter().any(|record| {
        record.fields.get(logs::TIME).is_some_and(|field| field.types.contains(&FieldType::Time))
    })
}

fn log(call: &Call<'_>, file: &source_files::File<'_>, sink: &mut Sink) -> Result<Flow, CallError> {
    let (tree, node) = (file.tree, &file.node);
    sink.begin(format!("{} of {} ({})", node.path, tree.label(), file.decoder.name));
    let mut log = Log::new(sink);
    if file.replay(call, Origin::Decoder(file.decoder), &mut log)?.is_some() {
        return Ok(log.finish(tree, node, file.stream.as_deref()));
    }
    let read = {
        let mut source = Source::new(tree, node, file.stream.as_deref(), call.scratch, &mut log);
        (file.decoder.read)(&mut source)
    };
    if let Err(error) = read {
        log.gap(Gap { path: node.path.as_str().to_owned(), reason: chain(&error) });
    }
    Ok(log.finish(tree, node, file.stream.as_deref()))
}
