//! Fields that bound what a fact tells: a sentence that left one out would say more than the fact does.
//!
//! Which they are is data of `ledger` (`data/bounds.toml`), each with its reason.

use crate::value::has_caveat;
use ledger::bounds::bound;
use ledger::{FactEntry, Placement, state_field};
use std::collections::BTreeSet;

/// Fields that name the computer that wrote a log.
const OF_COMPUTERS: [&str; 2] = ["computer", "computers"];

/// The fields of a fact that each sentence of it says.
///
/// These are its subject; what was quoted, and not read whole; times of an unknown zone or of a copy; whether the thing is in force; and what the data name, such as the outcome of what was tried.
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
