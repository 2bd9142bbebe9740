//! Hashing zeros that are not stored in a file: the holes of a sparse one.
//!
//! The state of SHA-256 after a given number of gibibytes of zeros is a constant. A file that begins with a
//! hole, as collected change journals do, is hashed starting from the nearest such state; the hash is the same.

use sha2::digest::common::hazmat::{SerializableState, SerializedState};
use sha2::{Digest as _, Sha256};

/// Number of zeros from one state to the next.
const STEP: u64 = 1 << 30;

/// The states after 1, 2, 3, … times [`STEP`] zeros: the chaining value as FIPS 180-4 writes it, 64 hex digits
/// per line.
static STATES: &str = include_str!("zeros.txt");

/// Hashes `count` zeros after the `hashed` bytes that came before.
pub(super) fn feed(hashed: u64, count: u64, hasher: &mut Sha256) {
    static ZEROS: [u8; 64 << 10] = [0; 64 << 10];
    let mut left = count;
    if hashed == 0
        && let Some((known, state)) = nearest(count)
    {
        *hasher = state;
        left -= known;
    }
    while left > 0 {
        let piece = usize::try_from(left).unwrap_or(ZEROS.len()).min(ZEROS.len());
        hasher.update(ZEROS.get(..piece).unwrap_or_default());
        left -= piece as u64;
    }
}

/// Returns the last known state for at most `count` zeros, and its number of zeros.
fn nearest(count: u64) -> Option<(u64, Sha256)> {
    let most = usize::try_from(count / STEP).unwrap_or(usize::MAX);
    let (number, line) = STATES.lines().take(most).enumerate().last()?;
    let zeros = (number as u64 + 1) * STEP;
    restored(line, zeros).map(|state| (zeros, state))
}

/// Restores the state with this chaining value after `hashed` bytes, a whole number of blocks.
fn restored(chaining: &str, hashed: u64) -> Option<Sha256> {
    let mut state = SerializedState::<Sha256>::default();
    // The words of the chaining value and the number of blocks, each in little-endian order; then an empty buffer.
    let (words, rest) = state.split_at_mut_checked(32)?;
    for (word, text) in words.chunks_exact_mut(4).zip(chaining.as_bytes().chunks_exact(8)) {
        let value = u32::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok()?;
        word.copy_from_slice(&value.to_le_bytes());
    }
    rest.get_mut(..8)?.copy_from_slice(&(hashed / 64).to_le_bytes());
    Sha256::deserialize(&state).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashes `count` more zeros without using the known states.
    fn plainly(mut hasher: Sha256, count: u64) -> Sha256 {
        feed(1, count, &mut hasher);
        hasher
    }

    fn stored(number: usize) -> Sha256 {
        nearest(number as u64 * STEP).unwrap().1
    }

    #[test]
    fn known_states_are_those_of_hashing_every_zero() {
        assert_eq!(stored(1).finalize(), plainly(Sha256::new(), STEP).finalize());
        for number in [1, 19, STATES.lines().count() - 1] {
            assert_eq!(stored(number + 1).finalize(), plainly(stored(number), STEP).finalize(), "{number}");
        }
    }

    #[test]
    fn zeros_at_the_beginning_and_behind_a_state_give_one_hash() {
        let mut hasher = Sha256::new();
        feed(0, STEP + 100, &mut hasher);
        hasher.update(b"end");
        let mut plain = plainly(Sha256::new(), STEP + 100);
        plain.update(b"end");
        assert_eq!(hasher.finalize(), plain.finalize());
    }

    #[test]
    fn a_hole_behind_other_bytes_is_hashed_zero_by_zero() {
        let mut hasher = Sha256::new();
        hasher.update(b"head");
        feed(4, 3 * 64, &mut hasher);
        let mut plain = Sha256::new();
        plain.update([b"head".as_slice(), &[0; 3 * 64]].concat());
        assert_eq!(hasher.finalize(), plain.finalize());
    }
}
