//! The records of a shelf's outputs in blocks, and a signature for each.

use super::entry::{Entry, entries, text_length};
use super::matrix::{Columns, Matrix};
use super::signature::{Key, ROWS, Signature};
use super::{Buffers, OVERLAP, SPLIT, loose};
use ledger::Record;
use std::ops::Range;

/// The least text of a block in bytes: its signature has half as many.
///
/// In unit tests blocks are small, so that few records make many.
const LEAST_TEXT: usize = if cfg!(test) { 64 } else { ROWS / 4 };

/// The most text of a block, unless one record has more: what is verified for each block that is found.
const MOST_TEXT: usize = 4 * LEAST_TEXT;

/// The bits of a signature from which on it tells too little.
const FULL: usize = if cfg!(test) { 128 } else { ROWS / 5 };

/// Consecutive records, whichever output they stand in; a record with very much text has several blocks of its own.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    matrix: Matrix,
    /// The first record of each block. Blocks of one record have the same.
    starts: Vec<Place>,
    /// The blocks that share a record: the first of them, and their end.
    shared: Vec<Range<usize>>,
    /// The text in the last block.
    text: usize,
    /// The number of outputs.
    outputs: u32,
    buffers: Buffers,
}

/// The place of a record: which of the outputs, and which of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    slot: u32,
    record: u32,
}

/// Consecutive records of one output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) slot: usize,
    /// The records; the end may lie behind the last.
    pub(super) records: Range<usize>,
}

impl Blocks {
    /// Adds the records of the next output.
    pub(super) fn add(&mut self, slot: u32, records: &[Record]) {
        self.outputs = slot + 1;
        let mut before: Option<&Record> = None;
        for (record, at) in records.iter().zip(0u32..) {
            let length = record.fields.values().map(|field| text_length(&field.value)).sum();
            let place = Place { slot, record: at };
            if length > MOST_TEXT {
                self.add_alone(place, record);
                before = None;
                continue;
            }
            if self.is_full(length) {
                self.begin(place);
                before = None;
            }
            self.text += length;
            self.add_record(record, before);
            before = Some(record);
        }
    }

    /// Whether a record of this much text begins another block.
    fn is_full(&mut self, length: usize) -> bool {
        let Some(last) = self.matrix.last() else { return true };
        self.text + length > MOST_TEXT || self.text >= LEAST_TEXT && last.count() >= FULL
    }

    fn begin(&mut self, place: Place) {
        self.matrix.push();
        self.starts.push(place);
        self.text = 0;
    }

    /// Adds a record to the last block; what the record before it holds in the same field is there already.
    fn add_record(&mut self, record: &Record, before: Option<&Record>) {
        let Some(block) = self.matrix.last() else { return };
        let mut known = before.map(|before| before.fields.iter()).into_iter().flatten();
        for (name, field) in &record.fields {
            let repeated =
                known.next().is_some_and(|(other, held)| other == name && held.value == field.value);
            if !repeated {
                entries(&field.value, |entry| add_entry(block, &entry, &mut self.buffers));
            }
        }
    }

    /// Gives a record blocks of its own, as many as its text needs.
    fn add_alone(&mut self, place: Place, record: &Record) {
        let first = self.starts.len();
        self.begin(place);
        for field in record.fields.values() {
            entries(&field.value, |entry| match entry {
                Entry::Text(text) => self.add_text(place, text),
                Entry::Whole(_) | Entry::Number(_) | Entry::Instant(_) => {
                    if let Some(block) = self.matrix.last() {
                        add_entry(block, &entry, &mut self.buffers);
                    }
                }
            });
        }
        if self.starts.len() > first + 1 {
            self.shared.push(first..self.starts.len());
        }
        // The next record begins a block, however short it is.
        self.text = MOST_TEXT + 1;
    }

    /// Adds a text, in parts that overlap where it is long, so that what is looked for stands whole in one of them.
    fn add_text(&mut self, place: Place, text: &str) {
        let mut folded = std::mem::take(&mut self.buffers.folded);
        loose::fold(text, &mut folded);
        let key = Key::of_folded(&folded, &mut self.buffers.scratch);
        let mut start = 0;
        loop {
            let part = folded.get(start..).unwrap_or_default();
            let part = part.get(..SPLIT).unwrap_or(part);
            if self.is_full(part.len()) {
                self.begin(place);
            }
            self.text += part.len();
            if let Some(block) = self.matrix.last() {
                block.add_grams(part);
                block.add_key(key);
            }
            if start + part.len() >= folded.len() {
                break;
            }
            start += SPLIT - OVERLAP;
        }
        self.buffers.folded = folded;
    }

    /// The blocks among `within` that have all of `rows`.
    pub(super) fn with(&self, rows: &[u32], within: &Columns) -> Columns {
        self.matrix.with(rows, within)
    }

    pub(super) fn all(&self) -> Columns {
        self.matrix.all()
    }

    /// Adds to some blocks those that share a record with them: what one lacks may stand in the other.
    pub(super) fn spread(&self, columns: &mut Columns) {
        for blocks in &self.shared {
            if blocks.clone().any(|block| columns.has(block)) {
                blocks.clone().for_each(|block| columns.add(block));
            }
        }
    }

    /// The records of some blocks in their order, each once.
    pub(super) fn pieces<'c>(&'c self, columns: &'c Columns) -> impl DoubleEndedIterator<Item = Piece> + 'c {
        let first = |block: &usize| {
            let before = block.checked_sub(1).and_then(|before| self.starts.get(before));
            before.is_none_or(|before| self.starts.get(*block) != Some(before))
        };
        columns.iter().filter(first).flat_map(|block| self.records(block))
    }

    /// The records of a block, output by output.
    fn records(&self, block: usize) -> impl DoubleEndedIterator<Item = Piece> + use<> {
        let start = self.starts.get(block).copied();
        let behind = self.starts.get(block..).unwrap_or_default();
        let end = behind.iter().find(|place| Some(**place) != start).copied();
        let start = start.unwrap_or(Place { slot: 0, record: 0 });
        let end = end.unwrap_or(Place { slot: self.outputs, record: 0 });
        (start.slot..=end.slot).filter_map(move |slot| {
            let from = if slot == start.slot { start.record } else { 0 };
            let to = if slot == end.slot { end.record } else { u32::MAX };
            let records = from as usize..to as usize;
            (from < to).then_some(Piece { slot: slot as usize, records })
        })
    }
}

fn add_entry(block: &mut Signature, entry: &Entry<'_>, buffers: &mut Buffers) {
    match entry {
        Entry::Text(text) => {
            loose::fold(text, &mut buffers.folded);
            block.add_grams(&buffers.folded);
            block.add_key(Key::of_folded(&buffers.folded, &mut buffers.scratch));
        }
        Entry::Whole(text) => {
            loose::fold(text, &mut buffers.folded);
            block.add_key(Key::of_folded(&buffers.folded, &mut buffers.scratch));
        }
        Entry::Number(number) => block.add_key(Key::of_number(*number)),
        Entry::Instant(unix_nanoseconds) => block.add_key(Key::of_instant(*unix_nanoseconds)),
    }
}
