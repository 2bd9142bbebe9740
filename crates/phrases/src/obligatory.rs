//! Fields that limit what a fact says: a sentence that left one out would say more than the fact does.
//!
//! `ledger` lists them as data (`data/bounds.toml`), each with its reason.

use crate::value::has_caveat;
use ledger::bounds::bound;
use ledger::{FactEntry, Placement, state_field};
use std::collections::BTreeSet;

/// Fields with the computer that wrote a log.
const OF_COMPUTERS: [&str; 2] = ["computer", "computers"];

/// Returns the fields of a fact that every sentence about it must say.
///
/// These are its subject; values that were quoted and not read whole; times with an unknown zone or from a copy;
/// whether the thing is in force; and the fields that the data names, such as the outcome of an attempt.
pub fn obligatory(fact: &FactEntry) -> BTreeSet<&str> {
    let held = fact.values.iter().chain([&fact.subject]);
    let state = state_field(&fact.kind).map(|state| state.field.as_str());
    let is_foreign = fact.placement == Some(Placement::Foreign);
    let is_bound = |field: &str| {
        is_foreign && OF_COMPUTERS.contains(&field)
            || field == fact.subject.field
            || state == Some(field)
            || bound(&fact.kind, field).is_some()
    };
    held.filter(|held| is_bound(&held.field) || has_caveat(held)).map(|held| held.field.as_str()).collect()
}
