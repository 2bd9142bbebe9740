//! LZX as in WIM files, for chunks of at most 32 KiB, each of which stands for itself.
//!
//! Format: [MS-PATCH] 2 ("LZX DELTA"), with what WIM files do otherwise, by the documentation of wimlib: no header of the stream, sizes of blocks in 1 or 17 bits, a window of 32 KiB, and the translation of calls always, with a file size of 12,000,000, but not in the last ten bytes.

use super::bits::{Bits, copy_back};
use super::code::Code;

/// Symbols of the main code: literals, and eight lengths for each of 30 slots of distances.
const MAIN: usize = 256 + 8 * 30;

/// Symbols of the code of long lengths.
const LONG: usize = 249;

/// The size of a block that one bit tells.
const USUAL: usize = 32 << 10;

/// The size of the file that calls are translated for, whatever it is.
const FILE: i32 = 12_000_000;

/// The `size` bytes that were compressed; `None` where that is damaged.
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

/// What one block leaves to the next.
struct Chunk<'a> {
    bits: Bits<'a>,
    out: Vec<u8>,
    /// Lengths of the words of both codes; a block tells how they change.
    main: [u8; MAIN],
    long: [u8; LONG],
    /// The distances used last.
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

    /// A block that is not compressed; one of an odd size is followed by a byte.
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

    /// A block of literals and matches; with a code for the lowest three bits of distances where there is one.
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

    /// The distance of a slot: the first three are those used last, the others tell it but for its last bits.
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

/// Reads how lengths of words differ from those of the last block.
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

/// Puts back what the compressor made absolute: the targets behind bytes that may be calls of x86.
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
