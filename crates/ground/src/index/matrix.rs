//! The signatures of all blocks, stored by row: a lookup reads only the few rows that it needs.
//!
//! Blocks are columns.
//! The last columns stay as they were made. 64 columns are transposed into a stripe, which has a word for each row.
//! 64 stripes are joined into a segment, whose rows are long enough to be read at the speed of memory.
//! So no block is copied more than twice, and the part that is being filled stays small.

use super::signature::{ROWS, Signature, WORDS};

/// The number of columns in a word.
const WORD: usize = 64;

/// The number of words in a segment's row.
const ROW: usize = 64;

/// The number of rows that are read at once, so that their memory latencies overlap.
const AT_ONCE: usize = 4;

#[derive(Debug, Default)]
pub(super) struct Matrix {
    /// Row by row, [`ROW`] words each.
    segments: Vec<Box<[u64]>>,
    /// Each stripe has a word for each row.
    stripes: Vec<Box<[u64]>>,
    /// The columns of the last, unfinished stripe.
    columns: Vec<Signature>,
}

/// A set of columns, one word for each 64 columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns(Vec<u64>);

impl Matrix {
    /// Returns the number of columns.
    pub(super) fn len(&self) -> usize {
        (self.segments.len() * ROW + self.stripes.len()) * WORD + self.columns.len()
    }

    /// Returns the last column, which may still be filled.
    pub(super) fn last(&mut self) -> Option<&mut Signature> {
        self.columns.last_mut()
    }

    /// Adds an empty column.
    pub(super) fn push(&mut self) {
        if self.columns.len() == WORD {
            self.stripes.push(stripe(&self.columns));
            self.columns.clear();
        }
        if self.stripes.len() == ROW {
            self.segments.push(segment(&self.stripes));
            self.stripes.clear();
        }
        self.columns.push(Signature::new());
    }

    /// Returns all columns.
    pub(super) fn all(&self) -> Columns {
        let mut all = vec![u64::MAX; self.len() / WORD];
        if !self.len().is_multiple_of(WORD) {
            all.push(u64::MAX >> (WORD - self.len() % WORD));
        }
        Columns(all)
    }

    /// Returns the columns among `within` that have all of `rows`.
    pub(super) fn with(&self, rows: &[u32], within: &Columns) -> Columns {
        let mut found = within.0.clone();
        let middle = (self.segments.len() * ROW).min(found.len());
        let (long, rest) = found.split_at_mut(middle);
        for (segment, words) in self.segments.iter().zip(long.as_chunks_mut().0) {
            and_segment(words, segment, rows);
        }
        let mut rest = rest.iter_mut();
        for (stripe, word) in self.stripes.iter().zip(rest.by_ref()) {
            and_stripe(word, stripe, rows);
        }
        if let Some(word) = rest.next() {
            let fits = self.columns.iter().enumerate().filter(|(_, column)| column.has(rows));
            *word &= fits.fold(0, |bits, (at, _)| bits | 1 << at);
        }
        Columns(found)
    }
}

/// Keeps in `words` only the columns that have all of `rows`; stops early if none is left.
fn and_segment(words: &mut [u64; ROW], segment: &[u64], rows: &[u32]) {
    let row = |row: &u32| segment.as_chunks::<ROW>().0.get(*row as usize);
    for some in rows.chunks(AT_ONCE) {
        if words.iter().all(|word| *word == 0) {
            return;
        }
        match some {
            [a, b, c, d] => {
                let (Some(a), Some(b), Some(c), Some(d)) = (row(a), row(b), row(c), row(d)) else { return };
                for (at, word) in words.iter_mut().enumerate() {
                    *word &= a[at] & b[at] & c[at] & d[at];
                }
            }
            fewer => {
                for row in fewer.iter().filter_map(row) {
                    words.iter_mut().zip(row).for_each(|(word, bits)| *word &= bits);
                }
            }
        }
    }
}

fn and_stripe(word: &mut u64, stripe: &[u64], rows: &[u32]) {
    for row in rows {
        if *word == 0 {
            return;
        }
        *word &= stripe.get(*row as usize).copied().unwrap_or_default();
    }
}

/// Transposes 64 columns into a word for each row.
fn stripe(columns: &[Signature]) -> Box<[u64]> {
    let mut rows = Vec::with_capacity(ROWS);
    for word in 0..WORDS {
        let mut block = [0; WORD];
        block.iter_mut().zip(columns).for_each(|(bits, column)| *bits = column.word(word));
        transpose(&mut block);
        rows.extend_from_slice(&block);
    }
    rows.into_boxed_slice()
}

/// Joins 64 stripes, row by row.
fn segment(stripes: &[Box<[u64]>]) -> Box<[u64]> {
    let mut words = vec![0; ROWS * ROW];
    // One fetch from memory brings eight rows of a stripe.
    for (group, rows) in words.chunks_mut(8 * ROW).enumerate() {
        for (at, stripe) in stripes.iter().enumerate() {
            let from = stripe.get(group * 8..).unwrap_or_default();
            rows.iter_mut().skip(at).step_by(ROW).zip(from).for_each(|(to, bits)| *to = *bits);
        }
    }
    words.into_boxed_slice()
}

/// Transposes a square of 64 by 64 bits, by halves, quarters and so on.
fn transpose(square: &mut [u64; WORD]) {
    let (mut width, mut mask) = (32, u64::MAX >> 32);
    while width != 0 {
        for at in (0..WORD).filter(|at| at & width == 0) {
            let swapped = (square[at] >> width ^ square[at + width]) & mask;
            square[at] ^= swapped << width;
            square[at + width] ^= swapped;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

impl Columns {
    /// Returns an empty set over as many columns as `like`.
    pub(super) fn none(like: &Columns) -> Columns {
        Columns(vec![0; like.0.len()])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Combines both sets word by word.
    pub(super) fn combine(&mut self, other: &Columns, with: impl Fn(u64, u64) -> u64) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word = with(*word, *other));
    }

    pub(super) fn has(&self, column: usize) -> bool {
        self.0.get(column / WORD).is_some_and(|word| word >> (column % WORD) & 1 == 1)
    }

    pub(super) fn add(&mut self, column: usize) {
        if let Some(word) = self.0.get_mut(column / WORD) {
            *word |= 1 << (column % WORD);
        }
    }

    /// Returns the columns in order.
    pub(super) fn into_iter(self) -> impl DoubleEndedIterator<Item = usize> {
        let words = self.0.into_iter().enumerate().filter(|(_, word)| *word != 0);
        words.flat_map(|(at, word)| {
            (0..WORD).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * WORD + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::signature::grams;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_square_is_mirrored() {
        let square: [u64; WORD] =
            std::array::from_fn(|row| (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut mirrored = square;
        transpose(&mut mirrored);
        for (row, bits) in square.iter().enumerate() {
            for (column, mirror) in mirrored.iter().enumerate() {
                assert_eq!(bits >> column & 1, mirror >> row & 1, "{row} {column}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        /// The numbers of columns fill segments and stripes, with and without a remainder.
        #[test]
        fn a_column_is_found_by_its_rows_wherever_it_has_moved(
            columns in prop::sample::select(vec![0usize, 1, 63, 64, 65, 4095, 4096, 4097, 4300]),
            asked in prop::collection::vec(0..9u8, 1..7),
        ) {
            let texts: Vec<[u8; 5]> = (0..columns).map(|column| [b'a' + (column % 9) as u8; 5]).collect();
            let mut matrix = Matrix::default();
            for text in &texts {
                matrix.push();
                grams(text).for_each(|row| matrix.last().unwrap().add(row));
            }
            let all = matrix.all();
            prop_assert_eq!(all.clone().into_iter().collect::<Vec<_>>(), (0..columns).collect::<Vec<_>>());
            let rows: Vec<u32> = asked.iter().flat_map(|digit| grams(&[b'a' + digit; 4]).collect::<Vec<_>>()).collect();
            let expected: Vec<_> = texts.iter().enumerate().filter(|(_, text)| asked.iter().all(|digit| text[0] == b'a' + digit)).map(|(at, _)| at).collect();
            prop_assert_eq!(matrix.with(&rows, &all).into_iter().collect::<Vec<_>>(), expected);
        }
    }
}
