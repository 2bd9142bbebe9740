//! Seeded choices: equal seeds produce equal claims.

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
#[derive(Debug, Clone)]
pub(super) struct Draw {
    state: u64,
}

impl Draw {
    /// Makes the choices of one kind of claims. Each kind has its own stream, so that a new kind does not change the others.
    pub(super) fn new(seed: u64, stream: &str) -> Draw {
        // FNV-1a (Fowler, Noll, Vo), 64 bits.
        let hash = stream.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Draw { state: seed ^ hash }
    }

    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`; 0 if `bound` is 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.next().checked_rem(bound as u64).unwrap_or(0) as usize
    }

    /// Draws one of `items`.
    pub(super) fn pick<'t, T>(&mut self, items: &'t [T]) -> Option<&'t T> {
        items.get(self.below(items.len()))
    }

    /// True in `part` out of `whole` draws.
    pub(super) fn once_in(&mut self, part: usize, whole: usize) -> bool {
        self.below(whole) < part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_and_streams_give_equal_choices_and_others_do_not() {
        let draws = |seed, stream| {
            let mut draw = Draw::new(seed, stream);
            [(); 4].map(|()| draw.next())
        };
        assert_eq!(draws(1, "prefix"), draws(1, "prefix"));
        assert_ne!(draws(1, "prefix"), draws(2, "prefix"));
        assert_ne!(draws(1, "prefix"), draws(1, "substring"));
    }

    #[test]
    fn nothing_is_picked_from_nothing() {
        assert_eq!(Draw::new(1, "").pick::<u8>(&[]), None);
    }
}
