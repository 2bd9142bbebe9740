//! How a record of one type proves a predicate, and how it denies one.

use crate::pattern;
use crate::record::Record;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// Fields of a record type, each with patterns of the values that deny a predicate.
pub type Denials = BTreeMap<String, BTreeSet<String>>;

/// How a record proves a predicate: see [`super::Meaning`].
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Proof {
    pub(super) states: Option<String>,
    #[serde(default)]
    pub(super) unless: BTreeSet<String>,
    pub(super) unlike: Option<String>,
    #[serde(default)]
    pub(super) denied_by: Denials,
}

impl Proof {
    /// Checks whether the record says the opposite in one of its fields.
    pub(crate) fn is_denied_by(&self, record: &Record) -> bool {
        denying(&self.denied_by, record).is_some()
    }
}

/// Returns the field with which a record denies.
pub(super) fn denying<'d>(denials: &'d Denials, record: &Record) -> Option<&'d str> {
    let denies = |(field, patterns): &(&String, &BTreeSet<String>)| {
        let held = record.fields.get(*field).map(|held| held.value.to_text());
        held.is_some_and(|held| patterns.iter().any(|pattern| pattern::fits(pattern, &held)))
    };
    denials.iter().find(denies).map(|(field, _)| field.as_str())
}
