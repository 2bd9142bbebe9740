//! The bits of compressed chunks, and copying of already expanded bytes, for both algorithms.

/// The bits of 16-bit little-endian words, highest bit first; XPRESS has whole bytes between the words.
///
/// Past the end, all bits are zero, and [`Bits::is_sound`] tells whether one of them was used.
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    /// The next byte to read; may be past the end.
    at: usize,
    /// The bits that were read but not yet used, from the highest on, and their number.
    buffer: u32,
    held: usize,
}

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Bits<'a> {
        Bits { bytes, at: 0, buffer: 0, held: 0 }
    }

    /// Returns the next 16 bits without using them.
    pub(super) fn peek(&mut self) -> u32 {
        if self.held < 16 {
            let word = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk());
            let word = u32::from(word.map_or(0, |word| u16::from_le_bytes(*word)));
            self.buffer |= word << (16 - self.held);
            self.held += 16;
            self.at = self.at.saturating_add(2);
        }
        self.buffer >> 16
    }

    /// Uses up to 16 peeked bits.
    pub(super) fn skip(&mut self, count: usize) {
        let count = count.min(self.held);
        self.buffer <<= count.min(16);
        self.held -= count;
    }

    /// Uses and returns the next bits, at most 16. If fewer than 16 are held, a word is read first, even for no bits.
    pub(super) fn take(&mut self, count: usize) -> usize {
        let value = self.peek() >> (16 - count.min(16));
        self.skip(count);
        usize::try_from(value).unwrap_or(0)
    }

    /// Returns the next byte after the words read so far.
    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    /// Returns the offset of the bytes after the words read so far; a decoder of XPRESS is always a word ahead.
    pub(super) fn position(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// Returns `count` whole bytes from the next word boundary; if the next word is entirely unused, it is
    /// skipped (LZX).
    pub(super) fn aligned(&mut self, count: usize) -> Option<&'a [u8]> {
        let used = self.at.checked_mul(8)?.checked_sub(self.held)?;
        let start = (used / 16 + 1) * 2;
        self.restart(start);
        self.bytes(count)
    }

    /// Returns `count` bytes; no bits may be held.
    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let found = self.bytes.get(self.at..end)?;
        self.restart(end);
        Some(found)
    }

    /// Continues at a byte.
    fn restart(&mut self, at: usize) {
        (self.at, self.buffer, self.held) = (at, 0, 0);
    }

    /// Checks that no bit past the end of the chunk was used.
    pub(super) fn is_sound(&self) -> bool {
        self.held >= self.at.saturating_sub(self.bytes.len()).saturating_mul(8)
    }
}

/// Appends `length` bytes from `distance` back; `None` if `distance` goes back too far, or if the result exceeds
/// `limit` bytes.
pub(super) fn copy_back(out: &mut Vec<u8>, distance: usize, length: usize, limit: usize) -> Option<()> {
    let start = out.len().checked_sub(distance).filter(|_| distance > 0)?;
    if length > limit.checked_sub(out.len())? {
        return None;
    }
    let mut left = length;
    while left > 0 {
        // The source may include bytes that were just appended.
        let count = left.min(out.len() - start);
        out.extend_from_within(start..start + count);
        left -= count;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_from_words_and_bytes_from_behind_them() {
        let mut bits = Bits::new(&[0x34, 0x12, 0x78, 0x56, 0xaa]);
        assert_eq!((bits.take(4), bits.take(12)), (0x1, 0x234));
        assert_eq!((bits.take(8), bits.byte()), (0x56, Some(0xaa)));
        assert_eq!((bits.take(8), bits.is_sound()), (0x78, true));
        assert_eq!((bits.take(1), bits.is_sound()), (0, false));
    }

    #[test]
    fn whole_bytes_begin_behind_the_word_or_behind_one_that_is_unused() {
        let bytes = [0, 0, 1, 1, 2, 2, 3, 3];
        let mut begun = Bits::new(&bytes);
        begun.take(3);
        assert_eq!(begun.aligned(2), Some(&[1, 1][..]));
        let mut full = Bits::new(&bytes);
        full.take(16);
        assert_eq!((full.aligned(2), full.take(16)), (Some(&[2, 2][..]), 0x0303));
        assert_eq!(full.aligned(1), None);
    }

    #[test]
    fn a_copy_stays_within_what_came_out_and_the_limit() {
        let mut out = b"ab".to_vec();
        assert_eq!(copy_back(&mut out, 2, 7, 9), Some(()));
        assert_eq!(out, b"ababababa");
        assert_eq!(copy_back(&mut out, 1, 1, 9), None);
        assert_eq!(copy_back(&mut out, 10, 1, 99), None);
        assert_eq!(copy_back(&mut out, 0, 1, 99), None);
    }
}
