//! The records of a shelf's outputs in blocks, each with a signature.

use super::entry::{Entry, entries, text_length};
use super::matrix::{Columns, Matrix};
use super::signature::{Key, LOG_ROWS, ROWS, Signature, grams, words};
use super::{Buffers, OVERLAP, Query, SPLIT, loose};
use ledger::Record;
use std::ops::Range;

/// The least text of a block in bytes: its signature is a sixth of that.
///
/// Blocks are small in unit tests, so that few records fill many blocks.
const LEAST_TEXT: usize = if cfg!(test) { 64 } else { ROWS * 3 / 4 };

/// The most text of a block, unless one record has more.
const MOST_TEXT: usize = 4 * LEAST_TEXT;

/// The number of set bits from which a signature is too full to be selective.
const FULL: usize = if cfg!(test) { 128 } else { ROWS / 5 };

/// Bytes of text for each word of a record's sketch: a sketch is a third of the text's size.
const SKETCHED: usize = 24;

/// The most words of a sketch.
const MOST_WORDS: usize = 64;

/// Blocks of consecutive records across outputs; a record with very much text has several blocks of its own.
///
/// Besides its block's signature, each record has a sketch: the same bits, folded into a few words.
/// Reading a record costs some cache misses, so it pays to know which records of a block may match.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    matrix: Matrix,
    /// Where each block begins; the blocks of a shared record begin at the same place.
    starts: Vec<Start>,
    /// The ranges of blocks that share one record.
    shared: Vec<Range<usize>>,
    /// The number of words in each record's sketch; 0 if it has none and may hold anything.
    lengths: Vec<u8>,
    /// The sketches, one after another.
    sketches: Vec<u64>,
    /// The number of each output's first record, counted over all outputs.
    outputs: Vec<u32>,
    /// The bytes of text in the last block.
    text: usize,
    buffers: Buffers,
}

/// Where a block begins: the number of its first record, and the position of that record's sketch.
#[derive(Debug, Clone, Copy)]
struct Start {
    record: u32,
    word: usize,
}

/// A record, by its output and its position in that output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) slot: usize,
    pub(super) record: usize,
}

impl Blocks {
    /// Adds the records of the next output.
    pub(super) fn add(&mut self, records: &[Record]) {
        self.outputs.push(self.lengths.len() as u32);
        for record in records {
            let length = record.fields.values().map(|field| text_length(&field.value)).sum();
            if length > MOST_TEXT {
                self.add_alone(record);
                continue;
            }
            if self.is_full(length) {
                self.begin();
            }
            self.text += length;
            self.add_record(record, length);
        }
    }

    /// Checks whether a record with this much text must begin a new block.
    fn is_full(&mut self, length: usize) -> bool {
        let Some(last) = self.matrix.last() else { return true };
        self.text + length > MOST_TEXT || self.text >= LEAST_TEXT && last.count() >= FULL
    }

    /// Begins a block at the next record.
    fn begin(&mut self) {
        self.matrix.push();
        self.starts.push(Start { record: self.lengths.len() as u32, word: self.sketches.len() });
        self.text = 0;
    }

    /// Adds a record to the last block.
    fn add_record(&mut self, record: &Record, length: usize) {
        let words = (length / SKETCHED).clamp(1, MOST_WORDS);
        let start = self.sketches.len();
        self.sketches.resize(start + words, 0);
        if let (Some(block), Some(sketch)) = (self.matrix.last(), self.sketches.get_mut(start..)) {
            for field in record.fields.values() {
                entries(&field.value, |entry| add_entry(block, sketch, &entry, &mut self.buffers));
            }
        }
        self.lengths.push(words as u8);
    }

    /// Gives a record blocks of its own, as many as its text needs.
    fn add_alone(&mut self, record: &Record) {
        let first = self.starts.len();
        self.begin();
        for field in record.fields.values() {
            entries(&field.value, |entry| match entry {
                Entry::Free(text) | Entry::Text(text) => self.add_text(text),
                Entry::Whole(_) | Entry::Number(_) | Entry::Instant(_) => {
                    if let Some(block) = self.matrix.last() {
                        add_entry(block, &mut [], &entry, &mut self.buffers);
                    }
                }
            });
        }
        if self.starts.len() > first + 1 {
            self.shared.push(first..self.starts.len());
        }
        self.lengths.push(0);
        // The next record begins a new block, however short it is.
        self.text = MOST_TEXT + 1;
    }

    /// Adds a text. A long text is added in overlapping parts, so that what is searched for is complete in one of them.
    fn add_text(&mut self, text: &str) {
        let mut folded = std::mem::take(&mut self.buffers.folded);
        loose::fold(text, &mut folded);
        let key = Key::of_folded(&folded, &mut self.buffers.scratch);
        let mut start = 0;
        loop {
            let part = folded.get(start..).unwrap_or_default();
            let part = part.get(..SPLIT).unwrap_or(part);
            if self.is_full(part.len()) {
                self.begin();
            }
            self.text += part.len();
            if let Some(block) = self.matrix.last() {
                grams(part).chain(words(part)).chain(key.rows()).for_each(|row| block.add(row));
            }
            if start + part.len() >= folded.len() {
                break;
            }
            start += SPLIT - OVERLAP;
        }
        self.buffers.folded = folded;
    }

    /// Returns the blocks among `within` that have all of `rows`.
    pub(super) fn with(&self, rows: &[u32], within: &Columns) -> Columns {
        self.matrix.with(rows, within)
    }

    pub(super) fn all(&self) -> Columns {
        self.matrix.all()
    }

    /// Adds to some blocks the blocks that share a record with them: what one lacks may be in the other.
    pub(super) fn spread(&self, columns: &mut Columns) {
        for blocks in &self.shared {
            if blocks.clone().any(|block| columns.has(block)) {
                blocks.clone().for_each(|block| columns.add(block));
            }
        }
    }

    /// Returns the records of some blocks that may match the query, in order, each once.
    pub(super) fn places<'q>(
        &'q self,
        columns: Columns,
        query: &'q Query,
    ) -> impl DoubleEndedIterator<Item = Place> + 'q {
        let first = |block: &usize| {
            let before = block.checked_sub(1).and_then(|before| self.starts.get(before));
            let start = self.starts.get(*block);
            before.is_none_or(|before| start.is_none_or(|start| start.record != before.record))
        };
        columns.into_iter().filter(first).flat_map(|block| self.places_in(block, query))
    }

    fn places_in(&self, block: usize, query: &Query) -> Vec<Place> {
        let Some(start) = self.starts.get(block) else { return Vec::new() };
        let behind = self.starts.get(block..).unwrap_or_default();
        let end = behind.iter().map(|other| other.record).find(|record| *record != start.record);
        let end = end.map_or(self.lengths.len(), |end| end as usize);
        let (mut word, mut places) = (start.word, Vec::new());
        // The last output that begins at the record or before it; empty outputs begin there too.
        let mut slot = self.outputs.partition_point(|first| *first <= start.record).saturating_sub(1);
        for (number, length) in self.lengths.iter().enumerate().take(end).skip(start.record as usize) {
            let sketch = self.sketches.get(word..word + usize::from(*length)).unwrap_or_default();
            word += sketch.len();
            while self.outputs.get(slot + 1).is_some_and(|next| *next as usize <= number) {
                slot += 1;
            }
            if sketch.is_empty() || query.fits(&|row| has(sketch, row)) {
                let first = self.outputs.get(slot).map_or(0, |first| *first as usize);
                places.push(Place { slot, record: number - first });
            }
        }
        places
    }
}

/// Adds an entry to a block's signature and to its record's sketch.
fn add_entry(block: &mut Signature, sketch: &mut [u64], entry: &Entry<'_>, buffers: &mut Buffers) {
    let mut add = |row: u32| {
        block.add(row);
        let (word, bit) = in_sketch(sketch.len(), row);
        if let Some(word) = sketch.get_mut(word) {
            *word |= bit;
        }
    };
    let key = match entry {
        Entry::Free(text) => {
            loose::fold(text, &mut buffers.folded);
            grams(&buffers.folded).chain(words(&buffers.folded)).for_each(&mut add);
            Key::of_folded(&buffers.folded, &mut buffers.scratch)
        }
        Entry::Text(text) => {
            loose::fold(text, &mut buffers.folded);
            grams(&buffers.folded).for_each(&mut add);
            Key::of_folded(&buffers.folded, &mut buffers.scratch)
        }
        Entry::Whole(text) => {
            loose::fold(text, &mut buffers.folded);
            Key::of_folded(&buffers.folded, &mut buffers.scratch)
        }
        Entry::Number(number) => Key::of_number(*number),
        Entry::Instant(unix_nanoseconds) => Key::of_instant(*unix_nanoseconds),
    };
    key.rows().for_each(add);
}

fn has(sketch: &[u64], row: u32) -> bool {
    let (word, bit) = in_sketch(sketch.len(), row);
    sketch.get(word).is_some_and(|word| word & bit != 0)
}

/// Returns the word and bit that represent a row in a sketch of this many words.
fn in_sketch(words: usize, row: u32) -> (usize, u64) {
    // Both numbers are small; nothing can overflow.
    let place = row.wrapping_mul(words as u32 * 64) >> LOG_ROWS;
    (place as usize / 64, 1 << (place % 64))
}
