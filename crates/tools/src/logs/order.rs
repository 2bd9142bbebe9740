//! The order of a log: numbered records that go back in time, and long stretches without records.

use crate::decode::Source;
use crate::intake::{Flow, Intake, Taken, hands_on_remarks};
use crate::spec;
use crate::ticks::{SECOND, ticks};
use ledger::FieldType::{Integer, List, Name, Path, Text, Time as TimeType};
use ledger::{ByteSpan, Clock, FieldValue, Record, RecordType, Time, Utc};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

pub(super) const TIME: &str = "time";
const NUMBER: &str = "record_id";
const CHANNEL: &str = "channel";

const CLOCK_STEP: &str = "clock_step";
const SILENCE: &str = "silence";

/// The smallest backward step that is reported: threads write their records up to about a second after they date them.
pub(crate) const STEP: i64 = SECOND;

/// The fewest records from which it can be judged what is usual in a log.
const FEW: usize = 200;

/// The shortest silence that is reported: computers are switched off overnight.
const SHORTEST: i64 = 24 * 3600 * SECOND;

/// How many times longer than nearly all others (99 of 100) a silence must be.
const LONGER: i64 = 4;

/// The most records of one file that are used.
const MOST: usize = 4_000_000;

pub(crate) fn step_type() -> RecordType {
    spec::record(
        CLOCK_STEP,
        "two records of one log that follow each other by number, of which the later has the earlier time: the clock was set back between them, by a person, a time service or at a start, or the log's writer was late; or one record that says that the clock was set back, which is then the record before and behind; or two logs of one channel of which the later goes on with the next number and has an earlier time, which is then told by the latest time of the one and the earliest of the other; not that anybody meant to deceive",
        "path",
        &[
            ("path", &[Path], "path of the log; of two logs, of the later one"),
            ("channel", &[Text, Name], "channel of the record behind the step, where the log tells one"),
            ("computers", &[List], "computers that wrote the two records, where the log tells them"),
            ("before", &[TimeType], "time of the record before the step, or what the clock showed before it"),
            ("after", &[TimeType], "time of the record behind it, or what the clock showed then"),
            ("record_before", &[Integer], "number of the record before the step"),
            ("record_after", &[Integer], "number of the record behind it"),
            ("seconds", &[Integer], "whole seconds by which the time goes back"),
        ],
    )
}

pub(crate) fn silence_type() -> RecordType {
    spec::record(
        SILENCE,
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
#[derive(Default)]
pub(super) struct Order {
    entries: Vec<Entry>,
    /// The records that say that the clock was set back: their numbers, and the FILETIMEs before and after the step.
    set_back: Vec<(i128, u64, u64)>,
    cut: bool,
}

/// There can be millions, so what is large and seldom reported is boxed or shared.
struct Entry {
    at: i64,
    number: Option<i128>,
    stamp: Stamp,
    channel: Option<Rc<FieldValue>>,
    computer: Option<Rc<str>>,
    span: Option<ByteSpan>,
}

/// Who wrote a record, according to the log.
#[derive(Default)]
pub(super) struct Written<'a> {
    pub(super) channel: Option<FieldValue>,
    pub(super) computer: Option<&'a str>,
}

/// The time of an entry.
pub(super) enum Stamp {
    /// A host time, exact to the tick.
    Filetime(u64),
    /// Any other.
    Other(Box<Time>),
}

impl Stamp {
    /// Returns the time in ticks; `None` if it cannot be compared with other times.
    fn at(&self) -> Option<i64> {
        match self {
            Stamp::Filetime(time) => Utc::from_filetime(*time).map(ticks),
            // A local time cannot be compared with another across a change to or from daylight saving time.
            Stamp::Other(time) if time.clock == Clock::Host && time.zone.is_none() => time.utc.map(ticks),
            Stamp::Other(_) => None,
        }
    }

    fn field(&self) -> FieldValue {
        FieldValue::Time(match self {
            Stamp::Filetime(time) => Time::from_filetime(*time),
            Stamp::Other(time) => Time::clone(time),
        })
    }
}

impl Order {
    /// Adds a record; breaks if no more are used.
    pub(super) fn add(
        &mut self,
        number: Option<i128>,
        stamp: Stamp,
        written: Written<'_>,
        span: Option<ByteSpan>,
    ) -> Flow {
        let Some(at) = stamp.at() else { return ControlFlow::Continue(()) };
        if self.entries.len() >= MOST {
            self.cut = true;
            return ControlFlow::Break(());
        }
        let channel = written.channel.map(|channel| self.shared(channel));
        let computer = written.computer.map(|name| self.known(name));
        self.entries.push(Entry { at, number, stamp, channel, computer, span });
        ControlFlow::Continue(())
    }

    /// Notes that the record of this number says that the clock was set; setting it forward is not a backward step.
    pub(super) fn clock_was_set(&mut self, number: i128, before: u64, after: u64) {
        if before > after {
            self.set_back.push((number, before, after));
        }
    }

    /// Reuses the previous entry's computer name, if it is the same.
    fn known(&self, name: &str) -> Rc<str> {
        let last = self.entries.last().and_then(|entry| entry.computer.as_ref());
        last.filter(|last| last.as_ref() == name).map_or_else(|| name.into(), Rc::clone)
    }

    /// Reuses the previous entry's channel, if it is the same.
    fn shared(&self, channel: FieldValue) -> Rc<FieldValue> {
        let last = self.entries.last().and_then(|entry| entry.channel.as_ref());
        last.filter(|last| ***last == channel).map_or_else(|| Rc::new(channel), Rc::clone)
    }

    /// Hands over what was found.
    pub(super) fn finish(mut self, log: &mut Source<'_, '_>) -> Flow {
        if self.cut {
            log.gap("more records than are looked at: steps and silences behind are not told");
        }
        self.entries.sort_by_key(|entry| entry.number);
        self.steps(log)?;
        self.stated_steps(log)?;
        self.entries.sort_by_key(|entry| entry.at);
        self.silences(log)
    }

    fn steps(&self, log: &mut Source<'_, '_>) -> Flow {
        let mut last_of: BTreeMap<&str, &Entry> = BTreeMap::new();
        for (place, after) in self.entries.iter().enumerate() {
            // If several computers wrote into a log, each has its own clock.
            let own = after.computer.as_deref().and_then(|name| last_of.insert(name, after));
            let before = place.checked_sub(1).and_then(|place| self.entries.get(place));
            let others = before.filter(|before| own.is_none_or(|own| !std::ptr::eq(own, *before)));
            for before in others.into_iter().chain(own) {
                step(log, before, after)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Reports the steps that a record states but no two records show, because nothing was logged before it for as long as the step.
    fn stated_steps(&self, log: &mut Source<'_, '_>) -> Flow {
        for (number, before, after) in &self.set_back {
            let Ok(place) = self.entries.binary_search_by_key(&Some(*number), |entry| entry.number) else {
                continue;
            };
            let beside = place.saturating_sub(1)..self.entries.len().min(place + 2);
            let around = self.entries.get(beside).unwrap_or_default();
            let is_shown = pairs(around).any(|(one, next)| one.at.saturating_sub(next.at) > STEP);
            let (Some(entry), false) = (self.entries.get(place), is_shown) else { continue };
            let stated = |ticks: u64| Entry {
                at: Stamp::Filetime(ticks).at().unwrap_or_default(),
                number: entry.number,
                stamp: Stamp::Filetime(ticks),
                channel: entry.channel.clone(),
                computer: entry.computer.clone(),
                span: entry.span,
            };
            tell_step(log, &stated(*before), &stated(*after))?;
        }
        ControlFlow::Continue(())
    }

    fn silences(&self, log: &mut Source<'_, '_>) -> Flow {
        let Some(usual) = usual(&self.entries) else { return ControlFlow::Continue(()) };
        let least = usual.saturating_mul(LONGER).max(SHORTEST);
        for (before, after) in pairs(&self.entries) {
            let length = after.at.saturating_sub(before.at);
            if length < least {
                continue;
            }
            let row = log
                .row(SILENCE, None)
                .field("source", path(log))
                .field("from", before.stamp.field())
                .field("to", after.stamp.field())
                .field("seconds", FieldValue::Integer((length / SECOND).into()))
                .field("usual", FieldValue::Integer((usual / SECOND).into()))
                .field("counted", FieldValue::Integer(self.entries.len() as i128));
            log.push(row)?;
        }
        ControlFlow::Continue(())
    }
}

/// Reports a backward step in time between two records, if there is one.
fn step(log: &mut Source<'_, '_>, before: &Entry, after: &Entry) -> Flow {
    if before.number == after.number { ControlFlow::Continue(()) } else { tell_step(log, before, after) }
}

fn tell_step(log: &mut Source<'_, '_>, before: &Entry, after: &Entry) -> Flow {
    let (Some(first), Some(second)) = (before.number, after.number) else {
        return ControlFlow::Continue(());
    };
    let back = before.at.saturating_sub(after.at);
    if back <= STEP {
        return ControlFlow::Continue(());
    }
    let mut computers: Vec<String> =
        [before, after].iter().filter_map(|entry| entry.computer.as_deref().map(str::to_owned)).collect();
    computers.dedup();
    let row = log
        .row(CLOCK_STEP, after.span)
        .field("path", path(log))
        .maybe("channel", after.channel.as_deref().cloned(), None)
        .maybe("computers", (!computers.is_empty()).then_some(FieldValue::List(computers)), None)
        .field("before", before.stamp.field())
        .field("after", after.stamp.field())
        .field("record_before", FieldValue::Integer(first))
        .field("record_after", FieldValue::Integer(second))
        .field("seconds", FieldValue::Integer((back / SECOND).into()));
    log.push(row)
}

fn path(log: &Source<'_, '_>) -> FieldValue {
    FieldValue::Path(log.node.path.as_str().to_owned())
}

/// Pairs each entry with the next.
fn pairs(entries: &[Entry]) -> impl Iterator<Item = (&Entry, &Entry)> {
    entries.iter().zip(entries.iter().skip(1))
}

/// Returns the interval within which 99 of 100 records follow each other; `None` if there are too few records.
fn usual(entries: &[Entry]) -> Option<i64> {
    if entries.len() < FEW {
        return None;
    }
    let mut lengths: Vec<i64> = pairs(entries).map(|(one, next)| next.at.saturating_sub(one.at)).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() * 99 / 100).copied()
}

/// An intake that collects the records of a log to check their order, and passes on everything else.
pub(super) struct Dated<'o> {
    pub(super) order: &'o mut Order,
    pub(super) out: &'o mut dyn Intake,
}

impl Intake for Dated<'_> {
    hands_on_remarks!(out);

    fn takes(&self) -> Taken<'_> {
        Taken { fields: Some(vec![TIME, NUMBER, CHANNEL]), ..Taken::default() }
    }

    fn date(&mut self, ticks: u64, span: ByteSpan) -> Option<Flow> {
        Some(self.order.add(None, Stamp::Filetime(ticks), Written::default(), Some(span)))
    }

    fn push(&mut self, mut record: Record) -> Flow {
        let mut value = |name: &str| record.fields.remove(name).map(|field| field.value);
        let Some(FieldValue::Time(time)) = value(TIME) else {
            return ControlFlow::Continue(());
        };
        let number = match value(NUMBER) {
            Some(FieldValue::Integer(number)) => Some(number),
            _ => None,
        };
        let channel =
            value(CHANNEL).filter(|channel| matches!(channel, FieldValue::Text(_) | FieldValue::Name(_)));
        let written = Written { channel, computer: None };
        self.order.add(number, Stamp::Other(Box::new(time)), written, record.locator.span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Arguments;
    use crate::returned::Return;
    use crate::sink::Sink;
    use evidence::{EvidencePath, Tree, open_directory};
    use serde_json::json;

    const TICKS: u64 = 129_779_783_208_392_490;

    /// Returns what is reported of a log with these record numbers and seconds.
    fn told(entries: impl IntoIterator<Item = (i128, u64)>) -> Vec<String> {
        told_of(entries.into_iter().map(|(number, seconds)| (number, seconds, "A")))
    }

    fn told_of<'a>(entries: impl IntoIterator<Item = (i128, u64, &'a str)>) -> Vec<String> {
        told_by(Order::default(), entries)
    }

    fn told_by<'a>(mut order: Order, entries: impl IntoIterator<Item = (i128, u64, &'a str)>) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::File::create(folder.path().join("a.log")).unwrap();
        let tree = open_directory(folder.path(), "disk").unwrap();
        let node = tree.node(&EvidencePath::parse("a.log").unwrap()).unwrap().unwrap();
        let spec = crate::timeline_anomalies::spec();
        let arguments = Arguments::check(&spec, &json!({})).unwrap();
        let mut sink = Sink::new(&arguments, vec![step_type(), silence_type()]).unwrap();
        for (number, seconds, computer) in entries {
            let time = TICKS + seconds * 10_000_000;
            let written = Written { channel: None, computer: Some(computer) };
            assert!(order.add(Some(number), Stamp::Filetime(time), written, None).is_continue());
        }
        let mut source = Source::new(&tree, &node, None, folder.path(), &mut sink);
        assert!(order.finish(&mut source).is_continue());
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
        // Ordered by number, whatever the order in the file; one second is the writer's own delay.
        assert_eq!(told([(1, 10), (3, 5), (2, 20), (4, 4)]), ["clock_step 2 3 15"]);
        assert!(told([(1, 10), (2, 11), (3, 10), (4, 10)]).is_empty());
    }

    #[test]
    fn a_step_that_a_record_states_is_told_where_no_two_records_show_it() {
        let second = 10_000_000;
        let with = |entries: &[(i128, u64)], stated: &[(i128, u64, u64)]| {
            let mut order = Order::default();
            for (number, before, after) in stated {
                order.clock_was_set(*number, TICKS + before * second, TICKS + after * second);
            }
            told_by(order, entries.iter().map(|(number, seconds)| (*number, *seconds, "A")))
        };
        // Written with the new time, after a silence as long as the step; as the first and the last record of a log.
        assert_eq!(with(&[(1, 0), (2, 1_000), (3, 1_010)], &[(2, 2_800, 1_000)]), ["clock_step 2 2 1800"]);
        assert_eq!(with(&[(1, 1_000), (2, 1_010)], &[(1, 2_800, 1_000)]), ["clock_step 1 1 1800"]);
        assert_eq!(with(&[(1, 0), (2, 2_800)], &[(2, 2_800, 1_000)]), ["clock_step 2 2 1800"]);
        // A step that two records show is reported once; one second, or setting the clock forward, is not a backward step.
        assert_eq!(with(&[(1, 2_790), (2, 1_000)], &[(2, 2_800, 1_000)]), ["clock_step 1 2 1790"]);
        assert!(with(&[(1, 0), (2, 9), (3, 20)], &[(2, 10, 9), (3, 10, 20)]).is_empty());
    }

    #[test]
    fn a_record_of_another_computer_hides_no_step() {
        assert_eq!(
            told_of([(1, 50, "A"), (2, 10, "B"), (3, 30, "A")]),
            ["clock_step 1 2 40", "clock_step 1 3 20"]
        );
        assert_eq!(told_of([(1, 50, "A"), (2, 60, "B"), (3, 55, "A"), (4, 70, "B")]), ["clock_step 2 3 5"]);
    }

    #[test]
    fn a_log_that_is_dense_and_then_silent_shows_a_silence() {
        let dense = |from: u64| (0..300).map(move |number| (from, number));
        let gap = 3 * 86_400;
        let entries =
            dense(0).chain(dense(gap)).map(|(from, number)| (i128::from(from + number), from + number * 60));
        let between = gap - 299 * 60;
        assert_eq!(told(entries), [format!("silence   {between}")]);
        // Nothing is reported if days without a record are usual, or if the log has few records.
        assert!(told((0..300).map(|number| (i128::from(number), number * 86_400))).is_empty());
        assert!(told([(1, 0), (2, 10 * 86_400)]).is_empty());
    }
}
