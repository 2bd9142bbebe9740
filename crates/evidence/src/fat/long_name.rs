//! Long FAT names: up to 20 parts of 13 letters before the entry, last part first ([FATGEN] section "FAT Long
//! Directory Entries").

use super::entry::utf8;
use super::pieces::Stop;
use super::slots::{SLOT, Slot};

/// The most parts that a name can have.
pub(super) const MAX_PARTS: usize = 20;

/// Set in the number of the part that comes first on disk.
const LAST: u8 = 0x40;

/// Reads the long name of an entry; `None` if no parts precede it, damage if they do not form a name or belong
/// to another entry.
pub(super) fn read(parts: &[Slot], entry: &Slot) -> Result<Option<Vec<u8>>, Stop> {
    let Some(first) = parts.first() else { return Ok(None) };
    let stop = |slot: &Slot, what, expected, found: u8| {
        Err(Stop { what, offset: slot.offset, expected, found: found.into() })
    };
    let sum = checksum(&entry.bytes);
    for (part, number) in parts.iter().zip((1..=parts.len()).rev()) {
        let last = if part.offset == first.offset { LAST } else { 0 };
        let found = part.bytes[0];
        if usize::from(found & !last) != number || found & LAST != last {
            return stop(
                part,
                "number of a part of a long name",
                "the parts in falling order down to 1",
                found,
            );
        }
        if part.bytes[13] != sum {
            let found = part.bytes[13];
            return stop(part, "checksum of a long name", "that of the short name behind it", found);
        }
    }
    let name = assemble(parts);
    if name.is_empty() {
        return stop(first, "long name", "at least one letter", 0);
    }
    Ok(Some(name))
}

/// Reads the long name of a deleted entry, whose parts have lost their numbers; `None` if the parts before it
/// belong to another entry.
///
/// All parts have the same checksum. Together with the other ten bytes it gives the lost first letter, which
/// must be one that a short name can have.
pub(super) fn deleted(parts: &[Slot], entry: &Slot) -> Option<Vec<u8>> {
    let sum = parts.last()?.bytes[13];
    if !can_begin_a_name(lost_letter(&entry.bytes, sum)) {
        return None;
    }
    let mut from = parts.len();
    for part in parts.iter().rev() {
        if part.bytes[13] != sum {
            break;
        }
        from -= 1;
        // A name ends in its last part: anything before that belongs to another.
        if units(part).any(|unit| matches!(unit, 0 | 0xffff)) {
            break;
        }
    }
    parts.get(from..).map(assemble).filter(|name| !name.is_empty())
}

fn assemble(parts: &[Slot]) -> Vec<u8> {
    utf8(parts.iter().rev().flat_map(units).take_while(|unit| *unit != 0))
}

/// Returns the 13 letters of a part.
fn units(part: &Slot) -> impl Iterator<Item = u16> {
    let bytes = part.bytes;
    let ranges = [1..11, 14..26, 28..32];
    ranges.into_iter().flat_map(move |range| {
        let letters = bytes.get(range).unwrap_or_default().chunks_exact(2);
        letters
            .filter_map(|pair| pair.first_chunk().map(|pair| u16::from_le_bytes(*pair)))
            .collect::<Vec<_>>()
    })
}

/// Computes the checksum of a short name.
fn checksum(entry: &[u8; SLOT]) -> u8 {
    let name = entry.iter().take(11);
    name.fold(0, |sum: u8, byte| sum.rotate_right(1).wrapping_add(*byte))
}

/// Returns the first letter of the short name with this checksum and these other ten bytes.
fn lost_letter(entry: &[u8; SLOT], sum: u8) -> u8 {
    let others = entry.get(1..11).unwrap_or_default().iter().rev();
    others.fold(sum, |sum, byte| sum.wrapping_sub(*byte).rotate_left(1))
}

fn can_begin_a_name(letter: u8) -> bool {
    letter > b' '
        && !letter.is_ascii_lowercase()
        && letter != 0x7f
        && !br#""*+,./:;<=>?[\]|"#.contains(&letter)
        || letter == 0x05
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lost_letter_comes_back_from_the_checksum() {
        let mut slot = [b' '; SLOT];
        slot[..11].copy_from_slice(b"REPORT~1PDF");
        let sum = checksum(&slot);
        slot[0] = 0xe5;
        assert_eq!(lost_letter(&slot, sum), b'R');
        assert!(can_begin_a_name(b'R') && !can_begin_a_name(b'r') && !can_begin_a_name(0));
    }
}
