//! Fields that bound what a fact tells: a sentence that left one out would say more than the fact does.
//!
//! Which they are is data (`data/obligatory.toml`), each with its reason.

use crate::value::has_caveat;
use ledger::{FactEntry, Placement, state_field};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rules {
    /// Fields by name, in every record type that has them.
    #[serde(default)]
    pub(crate) field: BTreeMap<String, Rule>,
    /// Fields of one record type.
    #[serde(default)]
    pub(crate) record: BTreeMap<String, RecordRule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    /// Why.
    pub(crate) because: String,
    /// Record types in which the field means something else.
    #[serde(default)]
    pub(crate) unless: BTreeSet<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordRule {
    /// The fields.
    pub(crate) fields: BTreeSet<String>,
    /// Why.
    pub(crate) because: String,
    /// Whether their values are never shortened.
    #[serde(default)]
    pub(crate) whole: bool,
}

impl Rules {
    pub(crate) fn read() -> Result<Rules, toml::de::Error> {
        toml::from_str(include_str!("../data/obligatory.toml"))
    }
}

/// Embedded, and read by a test: it is never empty.
static RULES: LazyLock<Rules> = LazyLock::new(|| Rules::read().unwrap_or_default());

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
            || reason(&fact.kind, field).is_some()
    };
    held.filter(|bound| is_bound(&bound.field) || has_caveat(bound))
        .map(|bound| bound.field.as_str())
        .collect()
}

/// Why a field of a record type is obligatory by the data; `None` where it is not.
pub fn reason(record: &str, field: &str) -> Option<&'static str> {
    let own =
        RULES.record.get(record).filter(|rule| rule.fields.contains(field)).map(|rule| rule.because.as_str());
    let by_name = RULES.field.get(field).filter(|rule| !rule.unless.contains(record));
    own.or(by_name.map(|rule| rule.because.as_str()))
}

/// Whether a value of this field is said whole, however long it is.
pub(crate) fn is_whole(record: &str, field: &str) -> bool {
    RULES.record.get(record).is_some_and(|rule| rule.whole && rule.fields.contains(field))
}
