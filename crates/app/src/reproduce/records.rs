//! How two outputs of one call differ, by record.
//!
//! Records have numbers and no names, so that those of both sides are paired: first what is the same, then what stands at the same place and tells of the same, then what shares one of both.
//! What finds no partner is missing or was added.

use super::fields::{FieldDiffers, compare, place, subject};
use ledger::{Output, Record, RecordId, canonical};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;

/// The field that names what a record is about, by record type.
pub(crate) type Subjects = BTreeMap<String, String>;

/// How the records of two outputs differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordsDiffer {
    /// Records of the recorded output.
    pub recorded: u64,
    /// Records of the new one.
    pub now: u64,
    /// Records that did not come again.
    pub missing: u64,
    /// Records that were not there before.
    pub added: u64,
    /// Records that came again with something else in them.
    pub differing: u64,
    /// Records that came again in another order.
    pub moved: u64,
    /// The first of the missing, of the added and of the differing ones.
    pub examples: Vec<RecordDiffers>,
}

/// One record that is not the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordDiffers {
    /// What became of it.
    pub change: RecordChange,
    /// Its number in the recorded output.
    pub record: Option<RecordId>,
    /// Its number in the new one.
    pub now: Option<RecordId>,
    /// Its type.
    pub kind: String,
    /// What it is about, where it says.
    pub subject: Option<String>,
    /// Where it stands in the evidence.
    pub place: String,
    /// What differs in it.
    pub fields: Vec<FieldDiffers>,
}

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordChange {
    /// It did not come again.
    Missing,
    /// It was not there before.
    Added,
    /// It came with something else in it.
    Differs,
}

/// Compares two outputs; `most` examples of each change are told.
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

/// Which record of one side is which of the other, by place.
struct Pairs {
    /// For each recorded one its partner, and whether it is the same.
    partners: Vec<Option<(usize, bool)>>,
    /// Whether a new one has a partner.
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

    /// Pairs records that are still alone and have the same key, in their order.
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

    /// Records that come before one that they came after.
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
