//! Pseudo-random numbers that are reproducible from a seed.

/// SplitMix64, by Sebastiano Vigna.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts the sequence for `seed`.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns the next number below `limit`; 0 if `limit` is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) as usize % limit.max(1)
    }

    /// Returns one of `items`; `None` if there are none.
    pub fn pick<'t, T>(&mut self, items: &'t [T]) -> Option<&'t T> {
        items.get(self.below(items.len()))
    }
}
