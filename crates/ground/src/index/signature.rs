//! Signatures: the contents of a block of records, as bits in a fixed number of rows.

use super::loose;
use crate::typed;

/// The number of rows of a signature, as a power of two.
pub(super) const LOG_ROWS: u32 = 14;

/// The number of rows of a signature.
pub(super) const ROWS: usize = 1 << LOG_ROWS;

/// The number of 64-row words of a signature.
pub(super) const WORDS: usize = ROWS / 64;

/// The number of bytes in a gram.
pub(super) const GRAM: usize = 4;

/// The number of rows of one key: enough that few blocks have them all by chance.
const KEY_ROWS: u64 = 6;

/// The bits of one block.
#[derive(Debug)]
pub(super) struct Signature {
    words: Box<[u64; WORDS]>,
    count: usize,
}

impl Signature {
    pub(super) fn new() -> Signature {
        Signature { words: Box::new([0; WORDS]), count: 0 }
    }

    /// Returns the number of set bits.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the 64 rows from `64 * word` on.
    pub(super) fn word(&self, word: usize) -> u64 {
        self.words[word % WORDS]
    }

    /// Checks whether all of `rows` are set.
    pub(super) fn has(&self, rows: &[u32]) -> bool {
        rows.iter().all(|row| self.word(*row as usize / 64) >> (row % 64) & 1 == 1)
    }

    pub(super) fn add(&mut self, row: u32) {
        let word = &mut self.words[row as usize / 64 % WORDS];
        let bit = 1 << (row % 64);
        // There are fewer bits than the counter can hold: a check would cost as much as the rest.
        self.count = self.count.wrapping_add(usize::from(*word & bit == 0));
        *word |= bit;
    }
}

/// The key of one whole value: a hash of its text in the loosest fold, of its number, or of its second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key(u64);

impl Key {
    /// Returns the key of a folded text.
    pub(super) fn of_folded(folded: &[u8], scratch: &mut Vec<u8>) -> Key {
        let (root, rest) = loose::whole(folded, scratch);
        Key(hash(hash(1, root), rest))
    }

    pub(super) fn of_number(number: i128) -> Key {
        Key(hash(2, &number.to_le_bytes()))
    }

    /// Returns the key of an instant's second: no claim and no source of an instant is coarser.
    pub(super) fn of_instant(unix_nanoseconds: i128) -> Key {
        Key(hash(3, &typed::second(unix_nanoseconds).to_le_bytes()))
    }

    /// Returns the rows of the key.
    pub(super) fn rows(self) -> impl Iterator<Item = u32> {
        let (start, step) = (self.0 & u64::from(u32::MAX), self.0 >> 32 | 1);
        (0..KEY_ROWS).map(move |turn| (start.wrapping_add(turn.wrapping_mul(step)) % ROWS as u64) as u32)
    }
}

/// Returns the rows of the grams of a folded text, in order.
pub(super) fn grams(folded: &[u8]) -> impl Iterator<Item = u32> {
    folded.array_windows().map(|gram: &[u8; GRAM]| {
        // Fibonacci hashing: the upper bits of the product depend on every byte.
        u32::from_le_bytes(*gram).wrapping_mul(0x9e37_79b1) >> (u32::BITS - LOG_ROWS)
    })
}

/// Returns the rows of the words of a folded text: two for each word, and one for each pair of neighbours.
///
/// A word is a run of ASCII letters, digits and `_`. A quotation never cuts a word, so its words are words of the text.
pub(super) fn words(folded: &[u8]) -> impl Iterator<Item = u32> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let words = folded.split(move |byte| !is_word(byte)).filter(|word| !word.is_empty());
    let mut before = None;
    words.flat_map(move |word| {
        let own = hash(4, word);
        let both = before.replace(own).map(|before: u64| hash(before, &own.to_le_bytes()));
        [Some(own), Some(own >> 32), both].into_iter().flatten().map(|bits| (bits % ROWS as u64) as u32)
    })
}

/// Mixes `bytes` into `seed`, eight at a time; the same on every machine.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mix = |state: u64, word: u64| {
        let product = u128::from(state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (product >> 64) as u64 ^ product as u64
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let state = words.iter().fold(seed, |state, word| mix(state, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    // The length is mixed in twice: it still matters if the state is all zeros.
    let length = bytes.len() as u64;
    mix(mix(state, u64::from_le_bytes(last)), length) ^ length.rotate_left(32)
}
