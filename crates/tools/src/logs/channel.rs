//! The summary of an event log: its time span, its computers, what is missing, what suggests tampering.

use crate::decode::Source;
use crate::events::ticks_of;
use crate::row::Row;
use crate::spec;
use artifacts::evtx::{Event, LogHead};
use ledger::FieldType::{Flag, Integer, List, Name, Path, Time};
use ledger::{FieldValue, RecordType};
use std::collections::BTreeSet;

const KIND: &str = "event_log";

/// The smallest backward step of the clock that is counted, in ticks of 100 ns: threads write slightly out of order.
const STEP: u64 = 10_000_000;

/// The most names of one kind that a record lists.
const MOST: usize = 100;

pub(crate) fn record_type() -> RecordType {
    spec::record(
        KIND,
        "what one event log holds; what was before its first record is not known",
        "path",
        &[
            ("path", &[Path], "path of the log in the evidence"),
            ("channel", &[Name], "channel of its first record"),
            ("channels", &[List], "all channels, where it holds several"),
            ("records", &[Integer], "how many records were read"),
            ("first", &[Time], "earliest time of a record"),
            ("last", &[Time], "latest time of a record"),
            ("first_record_id", &[Integer], "smallest number of a record"),
            ("last_record_id", &[Integer], "largest number of a record"),
            ("missing", &[Integer], "how many numbers between them no record has"),
            ("missing_after", &[Integer], "number of the record before the first missing ones"),
            ("computers", &[List], "names of computers in the order in which they appear"),
            ("providers", &[Integer], "how many providers wrote to it"),
            ("cleared", &[Integer], "how many events in it say that a log was cleared"),
            (
                "backwards",
                &[Integer],
                "how often a record is more than a second older than the one numbered before it: the clock was set back, or the record came late",
            ),
            ("backwards_at", &[Time], "time of the first such record"),
            ("backwards_record_id", &[Integer], "number of that record"),
            ("backwards_seconds", &[Integer], "largest such step"),
            (
                "imitations",
                &[Integer],
                "how many events bear the provider and id of another's without its GUID",
            ),
            ("damaged", &[Integer], "how many places could not be read"),
            ("changed_chunks", &[Integer], "how many chunks are not as their checksums say"),
            ("dirty", &[Flag], "whether the head says that it was not closed"),
            ("full", &[Flag], "whether the head says that it was full"),
        ],
    )
}

/// What is known of a log so far.
#[derive(Default)]
pub(super) struct Summary {
    pub(super) head: Option<LogHead>,
    records: u64,
    span: Option<(u64, u64)>,
    ids: Option<(u64, u64)>,
    before: Option<(u64, u64)>,
    missing: u64,
    missing_after: Option<u64>,
    channels: Vec<String>,
    computers: Vec<String>,
    providers: BTreeSet<String>,
    cleared: u64,
    backwards: u64,
    first_back: Option<(u64, u64)>,
    largest_back: u64,
    imitations: u64,
    pub(super) damaged: u64,
    pub(super) changed: u64,
    old: bool,
}

impl Summary {
    pub(super) fn add(&mut self, event: &Event<'_>) {
        let system = &event.system;
        self.records += 1;
        self.old |= event.is_old();
        let ticks = ticks_of(event);
        let widen = |span: Option<(u64, u64)>, one: u64| {
            span.map_or((one, one), |(first, last)| (first.min(one), last.max(one)))
        };
        self.span = Some(widen(self.span, ticks));
        self.ids = Some(widen(self.ids, event.record_id));
        // In an export, somebody chose the events and their order.
        if let Some((id, time)) = self.before.filter(|_| event.exported.is_none()) {
            self.step(id, time, event.record_id, ticks);
        }
        self.before = Some((event.record_id, ticks));
        for (names, name) in [(&mut self.channels, &system.channel), (&mut self.computers, &system.computer)]
        {
            if !name.is_empty() && names.len() < MOST && !names.iter().any(|known| known == name.as_ref()) {
                names.push(name.clone().into_owned());
            }
        }
        if !self.providers.contains(system.provider.as_ref()) {
            self.providers.insert(system.provider.clone().into_owned());
        }
        match crate::events::standing(system) {
            Some(("log_cleared", true)) => self.cleared += 1,
            Some((_, false)) => self.imitations += 1,
            Some((_, true)) | None => {}
        }
    }

    fn step(&mut self, id: u64, time: u64, next: u64, ticks: u64) {
        let missing = next.saturating_sub(id.saturating_add(1));
        if missing > 0 {
            self.missing = self.missing.saturating_add(missing);
            self.missing_after = self.missing_after.or(Some(id));
        }
        let back = time.saturating_sub(ticks);
        if next > id && back > STEP {
            self.backwards += 1;
            self.first_back = self.first_back.or(Some((next, ticks)));
            self.largest_back = self.largest_back.max(back / 10_000_000);
        }
    }

    pub(super) fn row(self, source: &Source<'_, '_>) -> Row {
        let number = |number: u64| FieldValue::Integer(number.into());
        let some = |count: u64| (count > 0).then(|| number(count));
        let old = self.old;
        let time = move |ticks: u64| {
            let time = ledger::Time::from_filetime(ticks);
            let precision = if old { ledger::Precision::Second } else { time.precision };
            FieldValue::Time(ledger::Time { precision, ..time })
        };
        let list = |names: &[String]| (!names.is_empty()).then(|| FieldValue::List(names.to_vec()));
        let span = self.span.filter(|(first, _)| *first != 0);
        source
            .row(KIND, None)
            .field("path", FieldValue::Path(source.node.path.as_str().to_owned()))
            .field("records", number(self.records))
            .maybe("channel", self.channels.first().cloned().map(FieldValue::Name), None)
            .maybe("channels", list(&self.channels).filter(|_| self.channels.len() > 1), None)
            .maybe("first", span.map(|(first, _)| time(first)), None)
            .maybe("last", span.map(|(_, last)| time(last)), None)
            .maybe("first_record_id", self.ids.map(|(first, _)| number(first)), None)
            .maybe("last_record_id", self.ids.map(|(_, last)| number(last)), None)
            .maybe("missing", some(self.missing), None)
            .maybe("missing_after", self.missing_after.map(number), None)
            .maybe("computers", list(&self.computers), None)
            .maybe("providers", some(self.providers.len() as u64), None)
            .field("cleared", number(self.cleared))
            .maybe("backwards", some(self.backwards), None)
            .maybe("backwards_at", self.first_back.map(|(_, ticks)| time(ticks)), None)
            .maybe("backwards_record_id", self.first_back.map(|(id, _)| number(id)), None)
            .maybe("backwards_seconds", some(self.largest_back), None)
            .maybe("imitations", some(self.imitations), None)
            .maybe("damaged", some(self.damaged), None)
            .maybe("changed_chunks", some(self.changed), None)
            .maybe("dirty", self.head.map(|head| FieldValue::Flag(head.dirty)), None)
            .maybe("full", self.head.map(|head| FieldValue::Flag(head.full)), None)
    }
}
