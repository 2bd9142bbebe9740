//! Logs: numbered records that go back in time, and long stretches without any.

use crate::intake::{Flow, Intake, Taken};
use crate::row::Row;
use crate::sink::Sink;
use crate::spec;
use crate::ticks::{SECOND, ticks};
use evidence::{Node, Tree};
use ledger::FieldType::{Integer, Name, Path, Text, Time as TimeType};
use ledger::{ByteSpan, Clock, Defect, FieldValue, Gap, Record, RecordType, Time};
use std::ops::ControlFlow;

pub(super) const TIME: &str = "time";
const NUMBER: &str = "record_id";
const CHANNEL: &str = "channel";

/// Smallest step back that is told: threads write their records up to about a second after they have dated them.
const STEP: i64 = SECOND;

/// Fewest records of a log of which it can be said what is usual.
const FEW: usize = 200;

/// Shortest silence that is told: computers are switched off over night.
const SHORTEST: i64 = 24 * 3600 * SECOND;

/// How many times as long as nearly all others (99 of 100) a silence must be.
const LONGER: i64 = 4;

/// Most records of one file that are looked at.
const MOST: usize = 4_000_000;

pub(super) fn step_type() -> RecordType {
    spec::record(
        "clock_step",
        "two records of one log that follow each other by number, of which the later has the earlier time: the clock was set back between them, by a person, a time service or at a start, or the log's writer was late; not that anybody meant to deceive",
        "path",
        &[
            ("path", &[Path], "path of the log"),
            ("channel", &[Text, Name], "channel of the record behind the step, where the log tells one"),
            ("before", &[TimeType], "time of the record before the step"),
            ("after", &[TimeType], "time of the record behind it"),
            ("record_before", &[Integer], "number of the record before the step"),
            ("record_after", &[Integer], "number of the record behind it"),
            ("seconds", &[Integer], "whole seconds by which the time goes back"),
        ],
    )
}

pub(super) fn silence_type() -> RecordType {
    spec::record(
        "silence",
        "a stretch of time without any record of a log, much longer than is usual for it: the computer was off, the log was switched off or cleared, or nothing happened; not that records were removed",
        "source",
        &[
            ("source", &[Path], "path of the log"),
            ("from", &[TimeType], "time of the last record before it"),
            ("to", &[TimeType], "time of the first record behind it"),
            ("seconds", &[Integer], "whole seconds between them"),
            ("usual", &[Integer], "seconds within which 99 of 100 records of the log follow each other"),
            ("counted", &[Integer], "dated records of the log"),
        ],
    )
}

/// The dated records of one log.
pub(super) struct Log<'s> {
    sink: &'s mut Sink,
    entries: Vec<Entry>,
    cut: bool,
}

struct Entry {
    at: i64,
    number: Option<i128>,
    time: Time,
    channel: Option<FieldValue>,
    span: Option<ByteSpan>,
}

impl<'s> Log<'s> {
    pub(super) fn new(sink: &'s mut Sink) -> Log<'s> {
        Log { sink, entries: Vec::new(), cut: false }
    }

    /// Hands over what was found.
    pub(super) fn finish(mut self, tree: &dyn Tree, node: &Node, stream: Option<&str>) -> Flow {
        if self.cut {
            let reason = "more records than are looked at: steps and silences behind are not told".to_owned();
            self.sink.gap(Gap { path: node.path.as_str().to_owned(), reason });
        }
        let row = |kind: &str, span| Row::new(kind, tree, node, span).located_in(stream);
        let path = || FieldValue::Path(node.path.as_str().to_owned());
        self.entries.sort_by_key(|entry| entry.number);
        let pairs = self.entries.iter().zip(self.entries.iter().skip(1));
        for (before, after) in pairs {
            let (Some(first), Some(second)) = (before.number, after.number) else { continue };
            let back = before.at.saturating_sub(after.at);
            if first == second || back <= STEP {
                continue;
            }
            let record = row("clock_step", after.span)
                .field("path", path())
                .maybe("channel", after.channel.clone(), None)
                .field("before", FieldValue::Time(before.time.clone()))
                .field("after", FieldValue::Time(after.time.clone()))
                .field("record_before", FieldValue::Integer(first))
                .field("record_after", FieldValue::Integer(second))
                .field("seconds", FieldValue::Integer((back / SECOND).into()));
            self.sink.push(record.done())?;
        }
        self.entries.sort_by_key(|entry| entry.at);
        let Some(usual) = usual(&self.entries) else { return ControlFlow::Continue(()) };
        let least = usual.saturating_mul(LONGER).max(SHORTEST);
        for (before, after) in self.entries.iter().zip(self.entries.iter().skip(1)) {
            let length = after.at.saturating_sub(before.at);
            if length < least {
                continue;
            }
            let record = row("silence", None)
                .field("source", path())
                .field("from", FieldValue::Time(before.time.clone()))
                .field("to", FieldValue::Time(after.time.clone()))
                .field("seconds", FieldValue::Integer((length / SECOND).into()))
                .field("usual", FieldValue::Integer((usual / SECOND).into()))
                .field("counted", FieldValue::Integer(self.entries.len() as i128));
            self.sink.push(record.done())?;
        }
        ControlFlow::Continue(())
    }
}

/// The time within which 99 of 100 records follow each other; `None` of too few records.
fn usual(entries: &[Entry]) -> Option<i64> {
    if entries.len() < FEW {
        return None;
    }
    let pairs = entries.iter().zip(entries.iter().skip(1));
    let mut lengths: Vec<i64> = pairs.map(|(one, next)| next.at.saturating_sub(one.at)).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() * 99 / 100).copied()
}

impl Intake for Log<'_> {
    fn takes(&self) -> Taken<'_> {
        Taken { fields: Some(vec![TIME, NUMBER, CHANNEL]), ..Taken::default() }
    }

    fn begin(&mut self, source: String) {
        self.sink.begin(source);
    }

    fn push(&mut self, mut record: Record) -> Flow {
        let Some(FieldValue::Time(time)) = record.fields.remove(TIME).map(|field| field.value) else {
            return ControlFlow::Continue(());
        };
        // A local time cannot be held against another across a change of summer time.
        let (Some(utc), Clock::Host, None) = (time.utc, time.clock, time.zone) else {
            return ControlFlow::Continue(());
        };
        if self.entries.len() >= MOST {
            self.cut = true;
            return ControlFlow::Break(());
        }
        let number = match record.fields.remove(NUMBER).map(|field| field.value) {
            Some(FieldValue::Integer(number)) => Some(number),
            _ => None,
        };
        let channel = match record.fields.remove(CHANNEL).map(|field| field.value) {
            Some(channel @ (FieldValue::Text(_) | FieldValue::Name(_))) => Some(channel),
            _ => None,
        };
        self.entries.push(Entry { at: ticks(utc), number, time, channel, span: record.locator.span });
        ControlFlow::Continue(())
    }

    fn defect(&mut self, defect: Defect) {
        self.sink.defect(defect);
    }

    fn hidden(&mut self, defect: Defect) {
        self.sink.hidden(defect);
    }

    fn gap(&mut self, gap: Gap) {
        self.sink.gap(gap);
    }

    fn note(&mut self, note: String) {
        self.sink.note(note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Arguments;
    use crate::returned::Return;
    use evidence::{EvidencePath, open_directory};
    use serde_json::json;

    const TICKS: u64 = 129_779_783_208_392_490;

    /// What is told of a log with these numbers and seconds.
    fn told(entries: impl IntoIterator<Item = (i128, u64)>) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::File::create(folder.path().join("a.log")).unwrap();
        let tree = open_directory(folder.path(), "disk").unwrap();
        let node = tree.node(&EvidencePath::parse("a.log").unwrap()).unwrap().unwrap();
        let spec = super::super::spec();
        let arguments = Arguments::check(&spec, &json!({})).unwrap();
        let mut sink = Sink::new(&arguments, super::super::record_types()).unwrap();
        let mut log = Log::new(&mut sink);
        for (number, seconds) in entries {
            let time = Time::from_filetime(TICKS + seconds * 10_000_000);
            let row = Row::new("entry", &tree, &node, None)
                .field(TIME, FieldValue::Time(time))
                .field(NUMBER, FieldValue::Integer(number));
            assert!(log.push(row.done()).is_continue());
        }
        assert!(log.finish(&tree, &node, None).is_continue());
        let mut returned = Return::found(Vec::new(), json!({}));
        sink.fill(&mut returned);
        let text = |record: &Record, name: &str| {
            record.fields.get(name).map(|field| field.value.to_text().into_owned()).unwrap_or_default()
        };
        let say = |record: &Record| {
            let numbers = ["record_before", "record_after", "seconds"].map(|name| text(record, name));
            format!("{} {}", record.kind, numbers.join(" "))
        };
        returned.records.iter().map(say).collect()
    }

    #[test]
    fn a_log_whose_numbers_contradict_its_times_shows_a_step() {
        // By number, whatever the order in the file; a second is the writer's own delay.
        assert_eq!(told([(1, 10), (3, 5), (2, 20), (4, 4)]), ["clock_step 2 3 15"]);
        assert!(told([(1, 10), (2, 11), (3, 10), (4, 10)]).is_empty());
    }

    #[test]
    fn a_log_that_is_dense_and_then_silent_shows_a_silence() {
        let dense = |from: u64| (0..300).map(move |number| (from, number));
        let gap = 3 * 86_400;
        let entries =
            dense(0).chain(dense(gap)).map(|(from, number)| (i128::from(from + number), from + number * 60));
        let between = gap - 299 * 60;
        assert_eq!(told(entries), [format!("silence   {between}")]);
        // Where days without a record are usual nothing is told, nor of a log of few.
        assert!(told((0..300).map(|number| (i128::from(number), number * 86_400))).is_empty());
        assert!(told([(1, 0), (2, 10 * 86_400)]).is_empty());
    }
}
