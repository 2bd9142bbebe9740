//! Clock steps between two logs of one channel: an archive, and the log that continues with the next number.

use crate::intake::{Brief, Flow, Intake, Taken, hands_on_remarks};
use crate::logs;
use crate::sink::Sink;
use crate::ticks::{SECOND, ticks};
use ledger::{Field, FieldValue, Record, Utc};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// An intake that passes on what is read from logs, and keeps the summary of each log.
pub(super) struct Across<'s> {
    sink: &'s mut Sink,
    kind: String,
    logs: Vec<Record>,
}

impl Across<'_> {
    pub(super) fn new(sink: &mut Sink) -> Across<'_> {
        Across { sink, kind: logs::channel_type().name, logs: Vec::new() }
    }

    /// Hands over the steps between the logs that were read.
    pub(super) fn finish(self) -> Flow {
        for earlier in &self.logs {
            for later in self.logs.iter().filter(|later| goes_on(earlier, later)) {
                if let Some(step) = step(earlier, later) {
                    self.sink.push(step)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl Intake for Across<'_> {
    hands_on_remarks!(sink);

    // The sink filters again what it is handed.
    fn takes(&self) -> Taken<'_> {
        Taken::default()
    }

    fn passes_over(&mut self, brief: &Brief<'_>) -> bool {
        brief.kind != self.kind && self.sink.passes_over(brief)
    }

    fn push(&mut self, record: Record) -> Flow {
        if record.kind != self.kind {
            return self.sink.push(record);
        }
        self.logs.push(record);
        ControlFlow::Continue(())
    }
}

/// Checks whether the second log begins with the record number after the last one in the first log.
fn goes_on(earlier: &Record, later: &Record) -> bool {
    let number = |log: &Record, field| match value(log, field) {
        Some(FieldValue::Integer(number)) => Some(*number),
        _ => None,
    };
    let folder = |log: &Record| log.locator.path.rsplit_once('/').map(|(folder, _)| folder.to_lowercase());
    let is_next = number(earlier, "last_record_id")
        .zip(number(later, "first_record_id"))
        .is_some_and(|(last, first)| last.checked_add(1) == Some(first));
    is_next
        && earlier.locator.evidence == later.locator.evidence
        && folder(earlier) == folder(later)
        && value(earlier, "channel").is_some()
        && value(earlier, "channel") == value(later, "channel")
}

/// Returns the step from the latest time of the first log to the earliest time of the second, if that is a step back.
fn step(earlier: &Record, later: &Record) -> Option<Record> {
    let (before, behind) = (instant(earlier, "last")?, instant(later, "first")?);
    let back = ticks(before).saturating_sub(ticks(behind));
    if back <= logs::STEP {
        return None;
    }
    let mut fields = BTreeMap::new();
    for (field, log, of_log) in [
        ("path", later, "path"),
        ("channel", later, "channel"),
        ("before", earlier, "last"),
        ("after", later, "first"),
        ("record_before", earlier, "last_record_id"),
        ("record_after", later, "first_record_id"),
    ] {
        fields.insert(field.to_owned(), Field { at: None, value: value(log, of_log)?.clone() });
    }
    let computers = computers(earlier, later);
    if !computers.is_empty() {
        fields.insert("computers".to_owned(), Field { at: None, value: FieldValue::List(computers) });
    }
    let seconds = FieldValue::Integer((back / SECOND).into());
    fields.insert("seconds".to_owned(), Field { at: None, value: seconds });
    Some(Record { kind: logs::step_type().name, fields, defects: Vec::new(), ..later.clone() })
}

/// Returns the computers that either log names, each once.
fn computers(earlier: &Record, later: &Record) -> Vec<String> {
    let named = [earlier, later].into_iter().filter_map(|log| match value(log, "computers") {
        Some(FieldValue::List(names)) => Some(names),
        _ => None,
    });
    let mut known = BTreeSet::new();
    named.flatten().filter(|name| known.insert(name.as_str())).cloned().collect()
}

fn instant(log: &Record, field: &str) -> Option<Utc> {
    match value(log, field) {
        Some(FieldValue::Time(time)) => time.utc,
        _ => None,
    }
}

fn value<'r>(log: &'r Record, field: &str) -> Option<&'r FieldValue> {
    log.fields.get(field).map(|held| &held.value)
}
