//! Searches a task's own outputs, for an agent that no longer has them in its conversation.

use engine::{Found, Place, Sought};
use ground::Shelf;
use ledger::Record;
use store::{TextIndex, TextIndexError};

/// The most records of each ranking; the engine limits how much of them is shown.
const MOST: u32 = 200;

/// Finds texts in the outputs of one task. The index is built on the first search and grows with the shelf.
#[derive(Debug, Default)]
pub(crate) struct Finder {
    index: Option<TextIndex>,
    /// The record of each indexed text.
    places: Vec<Place>,
    /// The number of invocations on the shelf that are indexed.
    held: usize,
}

impl Finder {
    /// Returns the records that match, by their words and by the literal text.
    pub(crate) fn find(&mut self, shelf: &Shelf, sought: &Sought) -> Result<Found, TextIndexError> {
        let mut index = match self.index.take() {
            Some(index) => index,
            None => TextIndex::new()?,
        };
        self.catch_up(&mut index, shelf)?;
        let places = |numbers: Vec<i64>| {
            let place = |number| self.places.get(usize::try_from(number).ok()?).copied();
            numbers.into_iter().filter_map(place).collect()
        };
        let by_words = places(index.by_words(&sought.text, MOST)?);
        let by_text = places(index.by_text(&sought.text, MOST)?);
        self.index = Some(index);
        Ok(Found { by_words, by_text })
    }

    fn catch_up(&mut self, index: &mut TextIndex, shelf: &Shelf) -> Result<(), TextIndexError> {
        let held = shelf.held();
        let mut texts = Vec::new();
        for held in held.iter().skip(self.held) {
            for record in held.output.iter().flat_map(|output| output.records()) {
                texts.push((self.places.len() as i64, text(record)));
                self.places.push(Place { invocation: held.invocation, record: record.id });
            }
        }
        self.held = held.len();
        index.add(texts)
    }
}

/// Returns a record as one text: its path, its type, its values.
fn text(record: &Record) -> String {
    let mut text = format!("{} {}", record.locator.path, record.kind);
    for field in record.fields.values() {
        text.push('\n');
        text.push_str(&field.value.to_text());
    }
    text
}
