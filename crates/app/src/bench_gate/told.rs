//! What an omission leaves out, and whether what the gateway made of it tells that.
//!
//! A count without what narrowed it, words without the line around them, an absence without what is near: each may be accepted only together with what turns it, and that must be put in by code.

use ledger::{AbsenceEntry, FactEntry, FieldValue};

/// What a claim leaves out.
#[derive(Debug, Clone)]
pub(super) enum LeftOut {
    /// Values of the record, each with its field.
    Fields(Vec<(String, FieldValue)>),
    /// A piece of the line in which quoted words stand, from them to what may turn them.
    Line(String),
    /// What searches say to be near the thing that they did not find.
    Near(Vec<String>),
}

impl LeftOut {
    /// Whether a fact tells it.
    pub(super) fn is_told_by(&self, fact: &FactEntry) -> bool {
        match self {
            LeftOut::Fields(fields) => fields.iter().all(|(field, value)| {
                fact.values.iter().any(|bound| bound.field == *field && bound.value == *value)
            }),
            // What people and models are shown of a fact.
            LeftOut::Line(line) => graph::fact_title(fact).contains(line.as_str()),
            LeftOut::Near(_) => false,
        }
    }

    /// Whether an absence tells it, in its words as well: each thing by itself, or those that have no room by their number.
    pub(super) fn is_told_by_absence(&self, absence: &AbsenceEntry) -> bool {
        let LeftOut::Near(near) = self else { return false };
        let (named, words) = (absence.absence.near(), absence.absence.to_string());
        let unnamed = near.iter().filter(|near| !named.contains(near)).count();
        let counts =
            |told: &String| told.split(' ').next().and_then(|word| word.parse().ok()) == Some(unnamed);
        let is_whole = unnamed == 0 || named.iter().filter(|told| !near.contains(told)).any(counts);
        is_whole && named.iter().all(|named| words.contains(named.as_str()))
    }

    /// In words.
    pub(super) fn words(&self) -> String {
        match self {
            LeftOut::Fields(fields) => {
                let told = |(field, value): &(String, FieldValue)| format!("{field} = {:?}", value.to_text());
                fields.iter().map(told).collect::<Vec<_>>().join(", ")
            }
            LeftOut::Line(line) => format!("{line:?}"),
            LeftOut::Near(near) => format!("near it: {}", near.join(", ")),
        }
    }
}
