//! What an omission leaves out, and whether what the gateway made of it tells that.
//!
//! A count without what narrowed it, words without the line around them, an absence without what is near: each may be accepted only together with what turns it, and that must be put in by code.

use super::counts::Counts;
use ledger::{AbsenceEntry, FactEntry, FieldValue};

/// What a claim leaves out.
#[derive(Debug, Clone)]
pub(super) enum LeftOut {
    /// What bounds a count, whichever of the run's counts it comes to be about.
    Bounds(Vec<(String, FieldValue)>),
    /// A piece of the line in which quoted words stand, from them to what may turn them.
    Line(String),
    /// What searches say to be near the thing that they did not find.
    Near(Vec<String>),
}

impl LeftOut {
    /// Whether a fact of the task at a place tells it.
    pub(super) fn is_told_by(&self, task: usize, fact: &FactEntry, counts: &Counts) -> bool {
        let tells = |(field, value): &(String, FieldValue)| {
            fact.values.iter().any(|bound| bound.field == *field && bound.value == *value)
        };
        match self {
            // Another count of that number may be found in its place: its own bounds turn it.
            LeftOut::Bounds(_) => counts.bounds(task, fact).is_some_and(|own| own.iter().all(tells)),
            // What people and models are shown of a fact; words that are not shown are torn out of nothing.
            LeftOut::Line(line) => {
                let title = graph::fact_title(fact);
                title.contains(line.as_str()) || !shows_words(&title, fact)
            }
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
            LeftOut::Bounds(fields) => {
                let told = |(field, value): &(String, FieldValue)| format!("{field} = {:?}", value.to_text());
                fields.iter().map(told).collect::<Vec<_>>().join(", ")
            }
            LeftOut::Line(line) => format!("{line:?}"),
            LeftOut::Near(near) => format!("near it: {}", near.join(", ")),
        }
    }
}

/// Whether a title shows the words that a fact quotes: of those from what it is about it does not.
fn shows_words(title: &str, fact: &FactEntry) -> bool {
    // The subject stands in marks, too, where it reads like several values, and begins like words quoted from it.
    let of_others = fact.values.iter().filter(|bound| bound.field != fact.subject.field);
    let quoted = of_others.filter_map(|bound| bound.quotation.as_deref());
    let begins = |words: &str| format!("“{}", words.chars().take(24).collect::<String>());
    quoted.map(begins).any(|words| title.contains(&graph::printable(&words)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{Absence, AbsenceId};

    fn absence(near: &[&str]) -> AbsenceEntry {
        let near = near.iter().map(|near| (*near).to_owned()).collect();
        let id: AbsenceId = "abs-00000001".parse().unwrap();
        let absence = Absence::File { name: "a".into(), under: String::new(), evidence: None, near };
        AbsenceEntry { id, absence, searches: Vec::new() }
    }

    #[test]
    fn an_absence_tells_what_is_near_by_name_or_by_number() {
        let near = LeftOut::Near(["x", "y", "z"].map(str::to_owned).into());
        assert!(near.is_told_by_absence(&absence(&["x", "y", "z"])));
        assert!(near.is_told_by_absence(&absence(&["x", "2 more"])));
        for told in [&[][..], &["x", "y"], &["x", "1 more"], &["x", "3 more"]] {
            assert!(!near.is_told_by_absence(&absence(told)), "{told:?}");
        }
    }
}
