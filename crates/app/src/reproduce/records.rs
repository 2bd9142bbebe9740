//! Compares two outputs of one call, record by record.
//!
//! Records have numbers but no names, so the records of both sides are paired: first equal ones, then those with the same place and
//! subject, then those that share only one of these.
//! A record without a partner is missing or was added.

use super::fields::{FieldDiffers, compare, place, subject};
use ledger::{Output, Record, RecordId, canonical};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;

/// The subject field of each record type.
pub(crate) type Subjects = BTreeMap<String, String>;

/// How the records of two outputs differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordsDiffer {
    /// The number of recorded records.
    pub recorded: u64,
    /// The number of new records.
    pub now: u64,
    /// The number of missing records.
    pub missing: u64,
    /// The number of added records.
    pub added: u64,
    /// The number of records with changed contents.
    pub differing: u64,
    /// The number of records in another order.
    pub moved: u64,
    /// The first records that differ, are missing or were added.
    pub examples: Vec<RecordDiffers>,
}

/// One record that differs between the sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordDiffers {
    /// The kind of change.
    pub change: RecordChange,
    /// Its number in the recorded output.
    pub record: Option<RecordId>,
    /// Its number in the new output.
    pub now: Option<RecordId>,
    /// Its type.
    pub kind: String,
    /// Its subject, if it has one.
    pub subject: Option<String>,
    /// Its place in the evidence.
    pub place: String,
    /// The differences in its fields.
    pub fields: Vec<FieldDiffers>,
}

/// How a record has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordChange {
    /// It is missing now.
    Missing,
    /// It was added.
    Added,
    /// Its contents changed.
    Differs,
}

/// Compares two outputs; returns at most `most` examples of each kind of change.
pub(crate) fn differences(
    recorded: &Output,
    now: &Output,
    subjects: &Subjects,
    most: usize,
) -> RecordsDiffer {
    let (old, new) = (recorded.records(), now.records());
    let pairs = Pairs::of(old, new, subjects);
    let moved = pairs.moved();
    let mut examples = Vec::new();
    let differing: Vec<(usize, usize)> = pairs.unequal().collect();
    let told = |change, record: Option<&Record>, now: Option<&Record>| {
        let shown = record.or(now)?;
        Some(RecordDiffers {
            change,
            record: record.map(|record| record.id),
            now: now.map(|record| record.id),
            kind: shown.kind.clone(),
            subject: subject(shown, subjects),
            place: place(&shown.locator),
            fields: record.zip(now).map(|(record, now)| compare(record, now)).unwrap_or_default(),
        })
    };
    let both = differing.iter().take(most);
    examples.extend(both.filter_map(|(a, b)| told(RecordChange::Differs, old.get(*a), new.get(*b))));
    let (missing, added) = (pairs.alone(Side::Recorded), pairs.alone(Side::Now));
    let gone = missing.iter().take(most);
    examples.extend(gone.filter_map(|place| told(RecordChange::Missing, old.get(*place), None)));
    let come = added.iter().take(most);
    examples.extend(come.filter_map(|place| told(RecordChange::Added, None, new.get(*place))));
    RecordsDiffer {
        recorded: old.len() as u64,
        now: new.len() as u64,
        missing: missing.len() as u64,
        added: added.len() as u64,
        differing: differing.len() as u64,
        moved,
        examples,
    }
}

#[derive(Clone, Copy)]
enum Side {
    Recorded,
    Now,
}

/// The pairs of records of both sides, by index.
struct Pairs {
    /// For each recorded record, its partner, and whether both are equal.
    partners: Vec<Option<(usize, bool)>>,
    /// Whether each new record has a partner.
    taken: Vec<bool>,
}

impl Pairs {
    fn of(old: &[Record], new: &[Record], subjects: &Subjects) -> Pairs {
        let mut pairs = Pairs { partners: vec![None; old.len()], taken: vec![false; new.len()] };
        let content = |record: &Record| {
            let unnumbered = Record { id: RecordId(0), ..record.clone() };
            canonical::to_vec(&unnumbered).unwrap_or_default()
        };
        pairs.join(old, new, true, content);
        let about = |record: &Record| (record.kind.clone(), subject(record, subjects));
        pairs.join(old, new, false, |record| (about(record), place(&record.locator)));
        pairs.join(old, new, false, |record| (record.kind.clone(), place(&record.locator)));
        pairs.join(old, new, false, |record| (about(record), record.locator.path.clone()));
        pairs
    }

    /// Pairs records that have no partner yet and share a key, in order.
    fn join<K: Hash + Eq>(&mut self, old: &[Record], new: &[Record], same: bool, key: impl Fn(&Record) -> K) {
        let mut waiting: HashMap<K, VecDeque<usize>> = HashMap::new();
        for (place, record) in new.iter().enumerate() {
            if self.taken.get(place) == Some(&false) {
                waiting.entry(key(record)).or_default().push_back(place);
            }
        }
        for (record, partner) in old.iter().zip(&mut self.partners) {
            if partner.is_some() || waiting.is_empty() {
                continue;
            }
            let found = waiting.get_mut(&key(record)).and_then(VecDeque::pop_front);
            if let Some(taken) = found.and_then(|found| self.taken.get_mut(found)) {
                *taken = true;
                *partner = found.map(|found| (found, same));
            }
        }
    }

    fn unequal(&self) -> impl Iterator<Item = (usize, usize)> {
        let pairs = self.partners.iter().enumerate();
        pairs
            .filter_map(|(place, partner)| partner.filter(|(_, same)| !same).map(|(other, _)| (place, other)))
    }

    fn alone(&self, side: Side) -> Vec<usize> {
        let places = |alone: Vec<bool>| {
            alone.into_iter().enumerate().filter(|(_, alone)| *alone).map(|(place, _)| place).collect()
        };
        match side {
            Side::Recorded => places(self.partners.iter().map(Option::is_none).collect()),
            Side::Now => places(self.taken.iter().map(|taken| !taken).collect()),
        }
    }

    /// Counts the records that now come before one that they followed.
    fn moved(&self) -> u64 {
        let mut last = None;
        let mut moved = 0;
        for (place, _) in self.partners.iter().flatten() {
            match last {
                Some(last) if *place < last => moved += 1,
                _ => last = Some(*place),
            }
        }
        moved
    }
}
