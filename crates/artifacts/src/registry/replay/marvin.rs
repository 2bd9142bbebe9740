//! Marvin32, the keyed hash of log entries (designed by Niels Ferguson; the seed is given in section "Log entries").

const SEED: (u32, u32) = (0x7A4E_55C5, 0x82EF_4D88);

/// Returns the hash of `data`.
pub(super) fn hash(data: &[u8]) -> u64 {
    let mut state = SEED;
    let (words, rest) = data.as_chunks();
    for word in words {
        state = mix(state, u32::from_le_bytes(*word));
    }
    // The remaining bytes, followed by an end mark, are the last word.
    let last = rest.iter().rev().fold(0x80, |word: u32, byte| word << 8 | u32::from(*byte));
    let (low, high) = mix(mix(state, last), 0);
    u64::from(high) << 32 | u64::from(low)
}

fn mix((low, high): (u32, u32), word: u32) -> (u32, u32) {
    let low = low.wrapping_add(word);
    let high = high ^ low;
    let low = low.rotate_left(20).wrapping_add(high);
    let high = high.rotate_left(9) ^ low;
    let low = low.rotate_left(27).wrapping_add(high);
    (low, high.rotate_left(19))
}
