//! LZX as in WIM files, for independent chunks of at most 32 KiB.
//!
//! Format: [MS-PATCH] 2 ("LZX DELTA"), with the differences of WIM files according to the documentation of
//! wimlib: no stream header, block sizes in 1 or 17 bits, a window of 32 KiB, and translation of calls in every
//! case, with a file size of 12,000,000, but not in the last ten bytes.

use super::bits::{Bits, copy_back};
use super::code::Code;

/// Symbols of the main code: literals, and eight lengths for each of 30 distance slots.
const MAIN: usize = 256 + 8 * 30;

/// Symbols of the code for long lengths.
const LONG: usize = 249;

/// The block size that is encoded in one bit.
const USUAL: usize = 32 << 10;

/// The file size assumed when calls are translated, whatever the real size is.
const FILE: i32 = 12_000_000;

/// Expands a chunk to its `size` bytes; `None` if it is damaged.
pub(super) fn expand(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut chunk = Chunk {
        bits: Bits::new(packed),
        out: Vec::with_capacity(size),
        main: [0; MAIN],
        long: [0; LONG],
        recent: [1; 3],
    };
    while chunk.out.len() < size {
        chunk.block(size)?;
    }
    let mut out = chunk.bits.is_sound().then_some(chunk.out)?;
    restore_calls(&mut out);
    Some(out)
}

/// The state that one block passes on to the next.
struct Chunk<'a> {
    bits: Bits<'a>,
    out: Vec<u8>,
    /// Word lengths of both codes; each block encodes how they change.
    main: [u8; MAIN],
    long: [u8; LONG],
    /// The distances used most recently.
    recent: [usize; 3],
}

impl Chunk<'_> {
    fn block(&mut self, size: usize) -> Option<()> {
        let kind = self.bits.take(3);
        let length = if self.bits.take(1) == 1 { USUAL } else { self.bits.take(16) };
        let end = self.out.len().checked_add(length).filter(|end| length > 0 && *end <= size)?;
        match kind {
            1 => self.matches(end, None),
            2 => {
                let mut lengths = [0; 8];
                for length in &mut lengths {
                    *length = u8::try_from(self.bits.take(3)).ok()?;
                }
                self.matches(end, Some(Code::new(&lengths)?))
            }
            3 => self.stored(length),
            _ => None,
        }
    }

    /// Reads an uncompressed block; one of an odd size is followed by a padding byte.
    fn stored(&mut self, length: usize) -> Option<()> {
        let header = self.bits.aligned(12)?;
        for (recent, bytes) in self.recent.iter_mut().zip(header.chunks_exact(4)) {
            *recent = usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()?;
        }
        self.out.extend_from_slice(self.bits.bytes(length)?);
        if length % 2 == 1 {
            self.bits.byte();
        }
        Some(())
    }

    /// Reads a block of literals and matches; `lowest` is the code for the lowest three bits of distances, if
    /// there is one.
    fn matches(&mut self, end: usize, lowest: Option<Code>) -> Option<()> {
        let (literals, slots) = self.main.split_at_mut_checked(256)?;
        read_lengths(&mut self.bits, literals)?;
        read_lengths(&mut self.bits, slots)?;
        read_lengths(&mut self.bits, &mut self.long)?;
        let (main, long) = (Code::new(&self.main)?, Code::new(&self.long)?);
        while self.out.len() < end {
            let symbol = main.next(&mut self.bits)?;
            let Err(_) = u8::try_from(symbol).map(|literal| self.out.push(literal)) else { continue };
            let mut length = usize::from(symbol % 8) + 2;
            if symbol % 8 == 7 {
                length += usize::from(long.next(&mut self.bits)?);
            }
            let distance = self.distance(usize::from(symbol - 256) / 8, lowest.as_ref())?;
            copy_back(&mut self.out, distance, length, end)?;
        }
        Some(())
    }

    /// Returns the distance of a slot: the first three are the most recent distances, the others give it except
    /// for its last bits.
    fn distance(&mut self, slot: usize, lowest: Option<&Code>) -> Option<usize> {
        if slot < self.recent.len() {
            self.recent.swap(0, slot);
            return self.recent.first().copied();
        }
        let width = (slot / 2).saturating_sub(1);
        let base = (2 + slot % 2) << width;
        let rest = match lowest {
            Some(code) if width >= 3 => {
                let high = self.bits.take(width - 3) << 3;
                high + usize::from(code.next(&mut self.bits)?)
            }
            Some(_) | None => self.bits.take(width),
        };
        let distance = (base + rest).checked_sub(2)?;
        self.recent.rotate_right(1);
        *self.recent.first_mut()? = distance;
        Some(distance)
    }
}

/// Reads how word lengths differ from those of the last block.
fn read_lengths(bits: &mut Bits<'_>, lengths: &mut [u8]) -> Option<()> {
    let mut own = [0; 20];
    for length in &mut own {
        *length = u8::try_from(bits.take(4)).ok()?;
    }
    let code = Code::new(&own)?;
    let mut at = 0;
    while at < lengths.len() {
        let old = *lengths.get(at)?;
        let changed = |symbol: u16| u8::try_from((u16::from(old) + 17).checked_sub(symbol)? % 17).ok();
        let (run, length) = match code.next(bits)? {
            17 => (4 + bits.take(4), 0),
            18 => (20 + bits.take(5), 0),
            19 => {
                let run = 4 + bits.take(1);
                (run, changed(code.next(bits).filter(|symbol| *symbol < 17)?)?)
            }
            symbol => (1, changed(symbol)?),
        };
        lengths.get_mut(at..at.checked_add(run)?)?.fill(length);
        at += run;
    }
    Some(())
}

/// Restores the targets after bytes that may be x86 calls, which the compressor made absolute.
fn restore_calls(bytes: &mut [u8]) {
    let mut at = 0;
    while at + 10 < bytes.len() {
        let rest = bytes.get_mut(at..).unwrap_or_default();
        let Some([0xe8, target @ ..]) = rest.first_chunk_mut::<5>() else {
            at += 1;
            continue;
        };
        let (absolute, place) = (i32::from_le_bytes(*target), i32::try_from(at).unwrap_or(0));
        if (0..FILE).contains(&absolute) {
            *target = (absolute - place).to_le_bytes();
        } else if (-place..0).contains(&absolute) {
            *target = (absolute + FILE).to_le_bytes();
        }
        at += 5;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a block of 21 stored bytes.
    fn stored(bytes: &[u8; 21]) -> Vec<u8> {
        // Kind 3, not the usual size, 21 in 16 bits; the rest of the second word is unused.
        let mut packed = vec![0x01, 0x60, 0x00, 0x50];
        packed.extend([1u32, 1, 1].into_iter().flat_map(u32::to_le_bytes));
        packed.extend(bytes);
        packed.push(0);
        packed
    }

    #[test]
    fn targets_of_calls_are_put_back_but_in_the_last_ten_bytes() {
        let mut bytes = [0; 21];
        // Bytes within a target do not begin a call.
        bytes[1..6].copy_from_slice(&[0xe8, 0, 0, 0xe8, 0x7f]);
        bytes[10..15].copy_from_slice(&[0xe8, 0x30, 0, 0, 0]);
        let mut expected = bytes;
        assert_eq!(expand(&stored(&bytes), 21), Some(with(&mut expected, 10, 0x30 - 10)));
        // A target before the chunk becomes one counted back from the assumed size; byte 11 is too late for a call.
        let mut bytes = [0; 21];
        bytes[5..10].copy_from_slice(&[0xe8, 0xfb, 0xff, 0xff, 0xff]);
        bytes[11..16].copy_from_slice(&[0xe8, 0x30, 0, 0, 0]);
        let mut expected = bytes;
        assert_eq!(expand(&stored(&bytes), 21), Some(with(&mut expected, 5, FILE - 5)));
    }

    fn with(bytes: &mut [u8; 21], at: usize, target: i32) -> Vec<u8> {
        bytes[at + 1..at + 5].copy_from_slice(&target.to_le_bytes());
        bytes.to_vec()
    }

    #[test]
    fn blocks_that_are_unknown_cut_or_too_long_are_damaged() {
        let whole = stored(&[7; 21]);
        assert_eq!(expand(&whole, 21), Some(vec![7; 21]));
        assert_eq!(expand(&whole[..37], 21), Some(vec![7; 21]), "the byte behind an odd size is not needed");
        assert_eq!(expand(&whole[..36], 21), None);
        assert_eq!(expand(&whole, 20), None);
        assert_eq!(expand(&whole, 22), None);
        assert_eq!(expand(&[0, 0xe0, 0, 0], 21), None);
        assert_eq!(expand(&[], 1), None);
    }
}
