//! What an omission leaves out, and whether the gateway's result states it.
//!
//! A count without its condition, words without the line around them, an absence without the similar names: each may be accepted only
//! together with what changes its meaning, and code must add that.

use super::counts::Counts;
use ledger::{AbsenceEntry, FactEntry, FieldValue};

/// What a claim leaves out.
#[derive(Debug, Clone)]
pub(super) enum LeftOut {
    /// The conditions of a count, whichever of the run's counts the fact turns out to be about.
    Bounds(Vec<(String, FieldValue)>),
    /// A piece of the line around quoted words, from them to the word that may change their meaning.
    Line(String),
    /// What searches list as similar to the thing that they did not find.
    Near(Vec<String>),
}

impl LeftOut {
    /// Whether a fact of a task states it.
    pub(super) fn is_told_by(&self, task: usize, fact: &FactEntry, counts: &Counts) -> bool {
        let tells = |(field, value): &(String, FieldValue)| {
            fact.values.iter().any(|bound| bound.field == *field && bound.value == *value)
        };
        match self {
            // The gateway may find another count with the same number; then the conditions of that count matter.
            LeftOut::Bounds(_) => counts.bounds(task, fact).is_some_and(|own| own.iter().all(tells)),
            // This is what people and models see of a fact; words that are not shown are not out of context.
            LeftOut::Line(line) => {
                let title = graph::fact_title(fact);
                title.contains(line.as_str()) || !shows_words(&title, fact)
            }
            LeftOut::Near(_) => false,
        }
    }

    /// Whether an absence states it, also in its sentence: each item by name, or the ones beyond the maximum by their number.
    pub(super) fn is_told_by_absence(&self, absence: &AbsenceEntry) -> bool {
        let LeftOut::Near(near) = self else { return false };
        let (named, words) = (absence.absence.near(), absence.absence.to_string());
        let unnamed = near.iter().filter(|near| !named.contains(near)).count();
        let counts =
            |told: &String| told.split(' ').next().and_then(|word| word.parse().ok()) == Some(unnamed);
        let is_whole = unnamed == 0 || named.iter().filter(|told| !near.contains(told)).any(counts);
        is_whole && named.iter().all(|named| words.contains(named.as_str()))
    }

    /// Describes what is left out.
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

/// Whether a title shows the words that a fact quotes; it does not show those quoted from its subject.
fn shows_words(title: &str, fact: &FactEntry) -> bool {
    // The subject may also be in quotation marks, if it looks like several values, and may begin like the words quoted from it.
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
