//! Records that stand out, by the rules of `detect`: a way to choose records, which says nothing about any of them.

use crate::arguments::Arguments;
use crate::error::CallError;
use detect::{Level, Trace, shipped};
use ledger::Record;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The argument that asks for them.
pub(crate) const LEVEL: &str = "level";

/// The most rules that an answer names.
const MAX_TOLD: usize = 40;

/// A filter for records that match a rule of a level or above.
pub(crate) struct Standout {
    least: Level,
    /// The rules that were matched, and by how many records.
    met: BTreeMap<(Reverse<Level>, &'static str), (&'static str, u64)>,
}

impl Standout {
    /// Reads the argument; `None` if it is not given.
    pub(crate) fn read(arguments: &Arguments) -> Result<Option<Standout>, CallError> {
        let Some(name) = arguments.optional_text(LEVEL) else { return Ok(None) };
        match Level::of_name(name).filter(|level| *level > Level::Ordinary) {
            Some(least) => Ok(Some(Standout { least, met: BTreeMap::new() })),
            None => Err(CallError::ArgumentChoice {
                argument: LEVEL.to_owned(),
                allowed: choices().into_iter().map(str::to_owned).collect(),
                found: name.to_owned(),
            }),
        }
    }

    /// Returns the types of records with a rule of this level or above.
    pub(crate) fn kinds(&self) -> BTreeSet<&'static str> {
        shipped().record_types(self.least)
    }

    pub(super) fn wants(&self, record: &Record) -> bool {
        shipped().level(&Trace::of_record(record)).is_some_and(|level| level >= self.least)
    }

    /// Counts the rules that a wanted record matches.
    pub(super) fn meet(&mut self, record: &Record) {
        for hit in shipped().hits(&Trace::of_record(record)).into_iter().filter(|hit| hit.level >= self.least)
        {
            self.met.entry((Reverse(hit.level), hit.rule)).or_insert((hit.note, 0)).1 += 1;
        }
    }

    /// Says which rules were matched, the highest level first.
    pub(super) fn told(self) -> impl Iterator<Item = String> {
        let more = self.met.len().saturating_sub(MAX_TOLD);
        let line = |((level, rule), (note, number)): ((Reverse<Level>, &str), (&str, u64))| {
            let records = if number == 1 { "record fits" } else { "records fit" };
            format!("{number} {records} the rule {rule} ({}): {note}", level.0.name())
        };
        let more = (more > 0).then(|| format!("records fit {more} more rules"));
        self.met.into_iter().take(MAX_TOLD).map(line).chain(more)
    }
}

/// Returns the levels that can be asked for, the lowest first.
pub(crate) fn choices() -> Vec<&'static str> {
    Level::ALL.iter().rev().filter(|level| **level > Level::Ordinary).map(|level| level.name()).collect()
}
