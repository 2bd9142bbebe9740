//! Near misses: text in the evidence that is almost the claimed text.
//!
//! The search is bounded, so that its cost does not grow with the run:
//!
//! - in the cited output, up to [`MOST_FIELDS`] fields;
//! - else in the latest records, from the last output back, up to [`LATEST_FIELDS`] fields;
//! - else in the records that the index names, from the last output back, up to [`OTHER_FIELDS`] fields:
//!   those with a text that has all pieces of the claimed text but one.
//!
//! So in an output that is neither cited nor among the latest,
//! a text of 16 bytes or more is found if its changes are within one of two to six pieces.
//! A shorter text, a time and a number are not found there.
//! Comparing fills at most [`MOST_CELLS`] cells in the cited output and [`OTHER_CELLS`] elsewhere.

use crate::index::{EVERYTHING, Pieces, Query};
use crate::refusal::candidate;
use crate::shelf::{Held, Shelf};
use ledger::{Candidate, FieldValue, Record};
use std::borrow::Cow;

/// The lowest similarity that is worth showing.
const THRESHOLD: f64 = 0.8;

/// The most fields that are compared in the cited output.
const MOST_FIELDS: usize = 20_000;

/// The most fields that are compared in the latest records, whatever they hold.
const LATEST_FIELDS: usize = 1_000;

/// The most fields that are compared in records that the index names.
const OTHER_FIELDS: usize = 400;

/// The longest text that is compared, in characters.
const LONGEST: usize = 512;

/// The most cells of edit-distance tables that are filled, over all fields: some milliseconds of work.
const MOST_CELLS: usize = 2_000_000;

/// The most cells over the other outputs.
const OTHER_CELLS: usize = 300_000;

/// The best near miss of a text so far, and the remaining work budget.
pub(crate) struct Nearest<'t, 's> {
    claimed: String,
    length: usize,
    field: Option<&'t str>,
    fields_left: usize,
    cells_left: usize,
    /// The pieces of which a text must have all but one to be compared at all.
    pieces: Option<Pieces>,
    folded: Vec<u8>,
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
        let (fields_left, cells_left) = (MOST_FIELDS, MOST_CELLS);
        Nearest {
            claimed,
            length,
            field,
            fields_left,
            cells_left,
            pieces: None,
            folded: Vec::new(),
            best: None,
        }
    }

    /// Compares with the fields of an invocation's records.
    pub(crate) fn look(&mut self, held: &'s Held, records: impl IntoIterator<Item = &'s Record>) {
        if self.length > LONGEST {
            return;
        }
        for record in records {
            let named = self.field.map(|name| record.fields.get_key_value(name));
            let all = named.is_none().then(|| record.fields.iter()).into_iter().flatten();
            for (name, field) in named.flatten().into_iter().chain(all) {
                self.compare_field(held, record, name, &field.value);
            }
            let looked = if self.field.is_some() { 1 } else { record.fields.len().max(1) };
            self.fields_left = self.fields_left.saturating_sub(looked);
            if self.fields_left == 0 {
                return;
            }
        }
    }

    /// Compares with the latest records, then with texts that share much with the claimed one.
    pub(crate) fn look_elsewhere(&mut self, shelf: &'s Shelf) {
        if self.length > LONGEST {
            return;
        }
        let index = shelf.index();
        (self.fields_left, self.cells_left) = (LATEST_FIELDS, OTHER_CELLS);
        let look = |nearest: &mut Self, query: &Query| {
            for hit in index.hits_back(query, shelf.held()) {
                nearest.look(hit.held, hit.records);
                if nearest.is_found() || nearest.fields_left == 0 {
                    break;
                }
            }
        };
        look(self, &EVERYTHING);
        if self.is_found() {
            return;
        }
        self.pieces = Pieces::of(&self.claimed);
        if let Some(query) = self.pieces.as_ref().map(Pieces::query) {
            self.fields_left = OTHER_FIELDS;
            look(self, &query);
        }
    }

    /// Checks whether a near miss was found.
    pub(crate) fn is_found(&self) -> bool {
        self.best.is_some()
    }

    /// Returns the best near miss.
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
            | FieldValue::Sid(_)
            | FieldValue::Guid(_)
            | FieldValue::Hash(_)
            | FieldValue::Bytes(_) => self.compare(held, record, field, value.to_text()),
            FieldValue::Time(_) | FieldValue::Integer(_) | FieldValue::Size(_) | FieldValue::Flag(_) => {
                // Values that are not text have no pieces in the index.
                if self.pieces.is_none() {
                    self.compare(held, record, field, value.to_text());
                }
            }
        }
    }

    fn compare(&mut self, held: &'s Held, record: &'s Record, field: &'s str, text: Cow<'s, str>) {
        // A text has at most four bytes a character: one that is far too long is not even counted.
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
        if self.pieces.as_ref().is_some_and(|pieces| !pieces.are_in(&text, &mut self.folded)) {
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

/// Returns an upper bound of the similarity: each edit changes the count of at most one byte on either side, or four for one character.
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
