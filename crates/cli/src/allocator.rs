//! The allocator of the static program. musl's own is slow and has a single lock for all threads
//! (`docs/releasing.md` has figures).
//!
//! A fork copies the allocator's locks in their current state. The zygote has only one thread, so no other thread can hold a lock then.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[cfg(test)]
mod tests {
    /// `native/memory.c` replaces the C library's functions: this copies many lengths, at many alignments, overlapping in both directions.
    #[test]
    fn copies_hold_what_was_copied() {
        let original: Vec<u8> = (0..1024_u32).map(|at| u8::try_from(at * 131 % 251).unwrap()).collect();
        for length in 0..300 {
            for (from, to) in [(0, 400), (401, 3), (17, 18), (18, 17), (5, 69), (69, 5), (100, 100)] {
                let mut copy = original.clone();
                copy.copy_within(from..from + length, to);
                let same = |at: usize| match at.checked_sub(to) {
                    Some(inner) if inner < length => copy[at] == original[from + inner],
                    _ => copy[at] == original[at],
                };
                assert!((0..copy.len()).all(same), "{length} bytes from {from} to {to}");
                let mut other = vec![0; length + 2];
                other[1..=length].copy_from_slice(&original[from..from + length]);
                assert_eq!(other[1..=length], original[from..from + length]);
                assert_eq!((other[0], other[length + 1]), (0, 0));
            }
        }
    }
}
