//! Collecting rows: the intake of a decoder that keeps the times of its records.

use super::layout::{LOCAL, Row, SEVERAL, ticks};
use super::unit::Unit;
use crate::intake::{Flow, Intake};
use crate::units::{Origin, sources};
use ledger::{Clock, Defect, FieldValue, Gap, Record, Time};
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

/// Most times of one unit: a hostile file must not fill the index.
const MOST_OF_UNIT: u64 = 4_000_000;

/// Most times of an index.
const MOST: usize = 20_000_000;

/// Most bytes of texts of an index: their places are 32 bits long.
const MOST_TEXT: usize = 2 << 30;

/// Most bytes of one subject; what is longer is cut.
const LONGEST_TEXT: usize = 64 << 10;

/// Most damage that is told of one unit, and most gaps.
const MOST_REMARKS: usize = 1000;

/// The time of the key that holds a value: the key itself is in the timeline.
const OF_KEY: &str = "key_last_written";

/// An index in the making.
#[derive(Default)]
pub(super) struct Collected {
    pub(super) rows: Vec<Row>,
    pub(super) units: Vec<Unit>,
    pub(super) fields: Vec<String>,
    pub(super) heap: String,
    pub(super) ends: Vec<u32>,
    /// The text with each hash; of two with the same the second is written again.
    known: HashMap<u64, u32>,
    /// The number of each field, by record type and name.
    known_fields: HashMap<String, HashMap<String, u16>>,
    /// The subject field of each record type.
    subjects: HashMap<String, String>,
}

impl Collected {
    pub(super) fn new() -> Collected {
        let types = sources().flat_map(Origin::records);
        Collected {
            subjects: types.map(|record| (record.name, record.subject)).collect(),
            ..Collected::default()
        }
    }

    /// Begins a unit; the intake takes its records. With `copied` the times of a copy are times, too.
    pub(super) fn unit(&mut self, unit: Unit, copied: bool) -> Collect<'_> {
        let number = u32::try_from(self.units.len()).unwrap_or(u32::MAX);
        self.units.push(unit.clone());
        let (defects, gaps, notes) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let (ordinal, rows, cut) = (0, 0, false);
        Collect { all: self, number, unit, copied, ordinal, rows, cut, defects, gaps, notes }
    }

    pub(super) fn text(&mut self, text: &str) -> u32 {
        let text = text.get(..text.floor_char_boundary(LONGEST_TEXT)).unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        if let Some(known) = self.known.get(&hash)
            && self.written(*known) == Some(text)
        {
            return *known;
        }
        let number = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        self.heap.push_str(text);
        self.ends.push(u32::try_from(self.heap.len()).unwrap_or(u32::MAX));
        self.known.insert(hash, number);
        number
    }

    fn written(&self, number: u32) -> Option<&str> {
        let number = usize::try_from(number).ok()?;
        let end = |number: usize| self.ends.get(number).and_then(|end| usize::try_from(*end).ok());
        let start = number.checked_sub(1).map_or(Some(0), end)?;
        self.heap.get(start..end(number)?)
    }

    pub(super) fn field(&mut self, kind: &str, field: &str) -> u16 {
        if let Some(number) = self.known_fields.get(kind).and_then(|fields| fields.get(field)) {
            return *number;
        }
        // Record types and their fields are those of the program: some hundred.
        let number = u16::try_from(self.fields.len()).unwrap_or(u16::MAX);
        self.fields.push(format!("{kind}.{field}"));
        self.known_fields.entry(kind.to_owned()).or_default().insert(field.to_owned(), number);
        number
    }

    fn is_full(&self) -> bool {
        self.rows.len() >= MOST || self.heap.len() >= MOST_TEXT
    }
}

/// Takes the records of one unit.
pub(super) struct Collect<'c> {
    all: &'c mut Collected,
    number: u32,
    unit: Unit,
    copied: bool,
    ordinal: u32,
    rows: u64,
    cut: bool,
    defects: BTreeSet<Defect>,
    gaps: BTreeSet<Gap>,
    notes: BTreeSet<String>,
}

impl Collect<'_> {
    /// Says that something has only the times of a copy, where these do not count.
    pub(super) fn of_copy(&mut self) {
        self.unit.copied |= !self.copied;
    }

    /// Ends the unit.
    pub(super) fn finish(mut self) {
        if self.cut {
            let reason = "it has too many times: not all of them are in the timeline".to_owned();
            self.gaps.insert(Gap { path: self.unit.path.clone(), reason });
        }
        let slot = usize::try_from(self.number).ok().and_then(|number| self.all.units.get_mut(number));
        if let Some(unit) = slot {
            self.unit.defects = self.defects.into_iter().collect();
            self.unit.gaps = self.gaps.into_iter().collect();
            self.unit.notes = self.notes.into_iter().collect();
            *unit = self.unit;
        }
    }

    fn rows(&mut self, record: &Record) {
        let (mut of_host, mut timeless, mut of_copy) = (0, false, false);
        let times = record.fields.iter().filter_map(|(name, field)| match &field.value {
            FieldValue::Time(time) if name != OF_KEY => Some((name, time)),
            _ => None,
        });
        let mut found: Vec<(u16, i64, &Time)> = Vec::new();
        for (name, time) in times {
            match (time.clock, time.utc) {
                (Clock::CollectionCopy, _) if !self.copied => of_copy = true,
                (Clock::Host | Clock::CollectionCopy, Some(utc)) => {
                    of_host += 1;
                    found.push((self.all.field(&record.kind, name), ticks(utc), time));
                }
                (Clock::Host | Clock::CollectionCopy, None) => timeless = true,
            }
        }
        self.unit.copied |= of_copy && of_host == 0;
        self.unit.timeless += u64::from(timeless && of_host == 0);
        if found.is_empty() {
            return;
        }
        let subject = self.all.subjects.get(&record.kind).and_then(|subject| record.fields.get(subject));
        let subject = subject.map(|field| field.value.to_text()).unwrap_or_default();
        let text = self.all.text(&subject);
        let several = if found.len() > 1 { SEVERAL } else { 0 };
        for (field, at, time) in found {
            let flags = several | if time.zone.is_some() { LOCAL } else { 0 };
            let (unit, ordinal) = (self.number, self.ordinal);
            self.all.rows.push(Row { time: at, unit, ordinal, field, flags, text });
            self.rows += 1;
        }
    }
}

impl Intake for Collect<'_> {
    fn begin(&mut self, _: String) {}

    fn push(&mut self, record: Record) -> Flow {
        if self.rows >= MOST_OF_UNIT || self.ordinal == u32::MAX || self.all.is_full() {
            self.cut = true;
            return ControlFlow::Break(());
        }
        self.rows(&record);
        self.ordinal += 1;
        ControlFlow::Continue(())
    }

    fn defect(&mut self, defect: Defect) {
        if self.defects.len() < MOST_REMARKS {
            self.defects.insert(defect);
        }
    }

    fn hidden(&mut self, defect: Defect) {
        self.defect(defect);
    }

    fn gap(&mut self, gap: Gap) {
        if self.gaps.len() < MOST_REMARKS {
            self.gaps.insert(gap);
        }
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < MOST_REMARKS {
            self.notes.insert(note);
        }
    }
}
