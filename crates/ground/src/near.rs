//! Near misses: the text that does stand in the evidence and is almost the claimed one.

use crate::refusal::candidate;
use crate::shelf::Held;
use ledger::{Candidate, FieldValue, Record};
use std::borrow::Cow;

/// The least similarity that is worth showing.
const THRESHOLD: f64 = 0.8;

/// The most fields that are compared.
const MOST_FIELDS: usize = 20_000;

/// The longest text that is compared, in characters.
const LONGEST: usize = 512;

/// The most cells of edit-distance tables that are filled, over all fields: some milliseconds.
const MOST_CELLS: usize = 2_000_000;

/// The best near miss of a text so far, and the work that may still be done.
pub(crate) struct Nearest<'t, 's> {
    claimed: String,
    length: usize,
    field: Option<&'t str>,
    fields_left: usize,
    cells_left: usize,
    best: Option<Near<'s>>,
}

struct Near<'s> {
    similarity: f64,
    held: &'s Held,
    record: &'s Record,
    field: &'s str,
    text: Cow<'s, str>,
}

impl<'t, 's> Nearest<'t, 's> {
    /// Starts the comparison for a text that was claimed for `field`, or for no field in particular.
    pub(crate) fn new(text: &str, field: Option<&'t str>) -> Nearest<'t, 's> {
        let claimed = text.trim().to_lowercase();
        let length = claimed.chars().take(LONGEST + 1).count();
        let fields_left = if length > LONGEST { 0 } else { MOST_FIELDS };
        Nearest { claimed, length, field, fields_left, cells_left: MOST_CELLS, best: None }
    }

    /// Compares with the fields of an invocation's records.
    pub(crate) fn look(&mut self, held: &'s Held) {
        let records = held.grounds().map(|stored| stored.records()).unwrap_or_default();
        for record in records {
            for (name, field) in &record.fields {
                if self.fields_left == 0 {
                    return;
                }
                if self.field.is_none_or(|wanted| wanted == name) {
                    self.fields_left -= 1;
                    self.compare_field(held, record, name, &field.value);
                }
            }
        }
    }

    /// Whether a near miss was found.
    pub(crate) fn is_found(&self) -> bool {
        self.best.is_some()
    }

    /// The best near miss.
    pub(crate) fn into_candidate(self) -> Option<Candidate> {
        let near = self.best?;
        Some(candidate(near.held, Some(near.record), Some(near.field), Some(&near.text)))
    }

    fn compare_field(&mut self, held: &'s Held, record: &'s Record, field: &'s str, value: &'s FieldValue) {
        match value {
            FieldValue::List(items) => {
                for item in items {
                    self.compare(held, record, field, Cow::Borrowed(item));
                }
            }
            FieldValue::Text(_)
            | FieldValue::Name(_)
            | FieldValue::Path(_)
            | FieldValue::RegistryPath(_)
            | FieldValue::Time(_)
            | FieldValue::Integer(_)
            | FieldValue::Size(_)
            | FieldValue::Sid(_)
            | FieldValue::Guid(_)
            | FieldValue::Hash(_)
            | FieldValue::Bytes(_)
            | FieldValue::Flag(_) => self.compare(held, record, field, value.to_text()),
        }
    }

    fn compare(&mut self, held: &'s Held, record: &'s Record, field: &'s str, text: Cow<'s, str>) {
        // A text is at most four bytes a character: what is far too long is not even counted.
        if text.len() > self.length.saturating_mul(8) {
            return;
        }
        let floor = self.best.as_ref().map_or(THRESHOLD, |best| best.similarity);
        let length = text.chars().count();
        let (short, long) = (length.min(self.length), length.max(self.length));
        let cells = short * long;
        if (short as f64) < floor * long as f64 || length > LONGEST || cells > self.cells_left {
            return;
        }
        let lower = text.to_lowercase();
        if most_similar(&self.claimed, &lower) < floor {
            return;
        }
        self.cells_left -= cells;
        let similarity = strsim::normalized_levenshtein(&self.claimed, &lower);
        if similarity > floor || self.best.is_none() && similarity >= floor {
            self.best = Some(Near { similarity, held, record, field, text });
        }
    }
}

/// An upper bound of the similarity: each edit changes the counts of at most one byte on either side, or four of one character.
fn most_similar(a: &str, b: &str) -> f64 {
    let mut counts = [0i32; 256];
    a.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    b.bytes().for_each(|byte| counts[usize::from(byte)] -= 1);
    let surplus: i32 = counts.iter().filter(|count| **count > 0).sum();
    let deficit: i32 = -counts.iter().filter(|count| **count < 0).sum::<i32>();
    let widest = if a.is_ascii() && b.is_ascii() { 1.0 } else { 4.0 };
    let edits = f64::from(surplus.max(deficit)) / widest;
    let longer = a.chars().count().max(b.chars().count()).max(1);
    1.0 - edits / longer as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_bound_is_never_below_the_similarity(a in "[abé\u{1F600}]{0,8}", b in "[abé\u{1F600}]{0,8}") {
            prop_assert!(most_similar(&a, &b) >= strsim::normalized_levenshtein(&a, &b) - 1e-9);
        }
    }
}
