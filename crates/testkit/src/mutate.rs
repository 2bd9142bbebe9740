//! Damaged copies of a file, reproducible from a seed.

use crate::random::Random;

/// Values that lengths, counts and offsets should never have.
const NASTY: [u32; 8] = [0, 1, 0x7F, 0xFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF];

/// Returns `count` copies of `bytes`, each truncated, bit-flipped, overwritten, zeroed, or with a piece of itself moved.
pub fn mutants(bytes: &[u8], count: u64) -> impl Iterator<Item = Vec<u8>> + '_ {
    (0..count).map(|seed| mutant(bytes, seed))
}

fn mutant(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ bytes.len() as u64);
    let mut mutant = bytes.to_vec();
    if mutant.is_empty() {
        return mutant;
    }
    for _ in 0..=random.below(3) {
        let at = random.below(mutant.len());
        match random.below(6) {
            0 => mutant.truncate(at.max(1)),
            1 => (0..=random.below(32)).for_each(|_| {
                let at = random.below(mutant.len());
                flip(&mut mutant, at, 1 << random.below(8));
            }),
            2 => {
                let value = random.pick(&NASTY).copied().unwrap_or_default();
                write(&mut mutant, at, &value.to_le_bytes());
            }
            3 => write(&mut mutant, at, &[0; 512]),
            4 => {
                let piece: Vec<u8> =
                    mutant.iter().skip(random.below(bytes.len())).take(256).copied().collect();
                write(&mut mutant, at, &piece);
            }
            // The beginning decides most of what is read.
            _ => {
                let at = random.below(mutant.len().min(512));
                flip(&mut mutant, at, (random.below(255) + 1) as u8);
            }
        }
    }
    mutant
}

fn flip(bytes: &mut [u8], at: usize, bits: u8) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= bits;
    }
}

fn write(bytes: &mut [u8], at: usize, with: &[u8]) {
    for (byte, new) in bytes.iter_mut().skip(at).zip(with) {
        *byte = *new;
    }
}
