//! Signatures: what stands in a block of records, as bits in a fixed number of rows.

use super::loose;
use crate::typed;

/// The rows of a signature, as a power of two.
pub(super) const LOG_ROWS: u32 = 14;

/// The rows of a signature.
pub(super) const ROWS: usize = 1 << LOG_ROWS;

/// The words of a signature, each of 64 rows.
pub(super) const WORDS: usize = ROWS / 64;

/// The bytes of a gram.
pub(super) const GRAM: usize = 4;

/// The rows of one key: as many as leave few blocks that have them all by chance.
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

    /// The number of bits that are set.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The 64 rows from `64 * word` on.
    pub(super) fn word(&self, word: usize) -> u64 {
        self.words[word % WORDS]
    }

    /// Whether all of `rows` are set.
    pub(super) fn has(&self, rows: &[u32]) -> bool {
        rows.iter().all(|row| self.word(*row as usize / 64) >> (row % 64) & 1 == 1)
    }

    pub(super) fn add(&mut self, row: u32) {
        let word = &mut self.words[row as usize / 64 % WORDS];
        let bit = 1 << (row % 64);
        // There are fewer bits than a count can hold: a check would cost as much as the rest.
        self.count = self.count.wrapping_add(usize::from(*word & bit == 0));
        *word |= bit;
    }
}

/// What one whole value is found by: a hash of its text in the loosest fold, of its number, or of its second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key(u64);

impl Key {
    /// The key of a folded text.
    pub(super) fn of_folded(folded: &[u8], scratch: &mut Vec<u8>) -> Key {
        let (root, rest) = loose::whole(folded, scratch);
        Key(hash(hash(1, root), rest))
    }

    pub(super) fn of_number(number: i128) -> Key {
        Key(hash(2, &number.to_le_bytes()))
    }

    /// The key of the second in which an instant lies: no claim and no source is coarser and still an instant.
    pub(super) fn of_instant(unix_nanoseconds: i128) -> Key {
        Key(hash(3, &typed::second(unix_nanoseconds).to_le_bytes()))
    }

    /// The rows of the key.
    pub(super) fn rows(self) -> impl Iterator<Item = u32> {
        let (start, step) = (self.0 & u64::from(u32::MAX), self.0 >> 32 | 1);
        (0..KEY_ROWS).map(move |turn| (start.wrapping_add(turn.wrapping_mul(step)) % ROWS as u64) as u32)
    }
}

/// The rows of the grams of a folded text, in its order.
pub(super) fn grams(folded: &[u8]) -> impl Iterator<Item = u32> {
    folded.array_windows().map(|gram: &[u8; GRAM]| {
        // Fibonacci hashing: the upper bits of the product depend on every byte.
        u32::from_le_bytes(*gram).wrapping_mul(0x9e37_79b1) >> (u32::BITS - LOG_ROWS)
    })
}

/// The rows of the words of a folded text: two for each, and one for each two that follow each other.
///
/// A word is a run of ASCII letters, digits and `_`. A quotation cuts none in two, so that its words are words of the text.
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
    // The length twice: of a state of nothing but zeros it still makes a difference.
    let length = bytes.len() as u64;
    mix(mix(state, u64::from_le_bytes(last)), length) ^ length.rotate_left(32)
}
