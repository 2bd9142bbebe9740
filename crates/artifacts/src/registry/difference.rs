//! The differences between two states of one hive.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use super::{Filetime, Hive, Value, Visit, WalkSummary};

/// How two states of a hive differ, in numbers; keys are identified by path, values by key and name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The result of walking the first state.
    pub before: WalkSummary,
    /// The result of walking the second state.
    pub after: WalkSummary,
    /// Keys that only the second state has.
    pub keys_added: u64,
    /// Keys that only the first state has.
    pub keys_removed: u64,
    /// Keys of both states whose last-written times differ.
    pub keys_rewritten: u64,
    /// Values that only the second state has, in keys that both have.
    pub values_added: u64,
    /// Values that only the first state has, in keys that both have.
    pub values_removed: u64,
    /// Values of both states whose types or data differ.
    pub values_changed: u64,
}

impl Difference {
    /// Returns the sum of all differences.
    pub fn total(&self) -> u64 {
        let keys = self.keys_added + self.keys_removed + self.keys_rewritten;
        keys + self.values_added + self.values_removed + self.values_changed
    }
}

/// What is kept of a key: its time, and a number for the type and data of each value.
struct Kept {
    written: Filetime,
    values: BTreeMap<String, u64>,
}

/// Compares two states of a hive, key by key and value by value.
pub fn difference(before: &Hive<'_>, after: &Hive<'_>) -> Difference {
    let mut keys = BTreeMap::new();
    let first = before.walk(|visit| {
        let (path, kept) = keep(visit);
        keys.insert(path, kept);
        ControlFlow::Continue(())
    });
    let mut found = Difference { before: first, ..Difference::default() };
    found.after = after.walk(|visit| {
        let (path, kept) = keep(visit);
        match keys.remove(&path) {
            None => found.keys_added += 1,
            Some(old) => found.key(old, kept),
        }
        ControlFlow::Continue(())
    });
    found.keys_removed = keys.len() as u64;
    found
}

impl Difference {
    fn key(&mut self, mut old: Kept, new: Kept) {
        self.keys_rewritten += u64::from(old.written != new.written);
        for (name, data) in new.values {
            match old.values.remove(&name) {
                None => self.values_added += 1,
                Some(before) => self.values_changed += u64::from(before != data),
            }
        }
        self.values_removed += old.values.len() as u64;
    }
}

fn keep(visit: Visit<'_>) -> (String, Kept) {
    let values = visit.values.into_iter().map(|value| (number(&value), value.name));
    let values = values.map(|(number, name)| (name, number)).collect();
    (visit.key.path, Kept { written: visit.key.last_written, values })
}

fn number(value: &Value<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (value.kind, &value.raw).hash(&mut hasher);
    hasher.finish()
}
