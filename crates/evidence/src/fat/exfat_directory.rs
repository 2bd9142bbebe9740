//! exFAT folders ([exFAT] sections 6 and 7): an entry is a set of slots, first the file, then its stream, then
//! its name.

use super::bytes::{u8_at, u16_at, u32_at, u64_at};
use super::entry::{Entry, Found, utf8};
use super::pieces::Stop;
use super::slots::Slot;
use super::time::{Stamp, Stamps};

/// Set in the type of a slot that is in use.
const IN_USE: u8 = 0x80;
const BITMAP: u8 = 0x81;
const LABEL: u8 = 0x83;
const FILE: u8 = 0x85;
const STREAM: u8 = 0xc0;
const NAME: u8 = 0xc1;
/// Set in the type of a slot that belongs to the one before.
const SECONDARY: u8 = 0x40;
const DIRECTORY: u16 = 0x10;
/// The clusters are contiguous: the FAT does not describe them.
const NO_FAT_CHAIN: u8 = 0x02;
/// Letters in one name slot.
const LETTERS: usize = 15;

/// Reads the slots of a folder.
pub(super) fn entries(
    slots: impl Iterator<Item = Result<Slot, Stop>> + 'static,
) -> impl Iterator<Item = Found> + 'static {
    Reader { slots, held: None, damage: None, ended: false }
}

struct Reader<I> {
    slots: I,
    /// A slot that ended a set too early, and must be read itself.
    held: Option<Slot>,
    /// Damage to an entry that was returned anyway.
    damage: Option<Stop>,
    ended: bool,
}

impl<I: Iterator<Item = Result<Slot, Stop>>> Iterator for Reader<I> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        if let Some(stop) = self.damage.take() {
            return Some(Found::Damage(stop));
        }
        while !self.ended {
            let slot = match self.held.take().map(Ok).or_else(|| self.slots.next())? {
                Ok(slot) => slot,
                Err(stop) => return Some(Found::Damage(stop)),
            };
            let found = match slot.bytes[0] {
                0 => {
                    self.ended = true;
                    None
                }
                BITMAP => Some(Found::Bitmap {
                    second: slot.bytes[1] & 1 == 1,
                    first: u32_at(&slot.bytes, 20),
                    size: u64_at(&slot.bytes, 24),
                    offset: slot.offset,
                }),
                LABEL => {
                    let count = usize::from(slot.bytes[1].min(11));
                    Some(Found::Label(utf8(letters(&slot, 11).take(count))))
                }
                kind if kind | IN_USE == FILE => Some(self.set(slot)),
                // Other slots, and parts of overwritten sets, do not name a file.
                _ => None,
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

impl<I: Iterator<Item = Result<Slot, Stop>>> Reader<I> {
    /// Reads the set that begins with `file`.
    fn set(&mut self, file: Slot) -> Found {
        let deleted = file.bytes[0] & IN_USE == 0;
        let count = usize::from(file.bytes[1]);
        let mut sum = add(0, &file, true);
        let mut parts = Vec::new();
        for _ in 0..count {
            let slot = match self.slots.next() {
                Some(Ok(slot)) => slot,
                Some(Err(stop)) => return Found::Damage(stop),
                None => break,
            };
            let kind = slot.bytes[0];
            if kind & SECONDARY == 0 || (kind & IN_USE == 0) != deleted {
                self.held = Some(slot);
                break;
            }
            sum = add(sum, &slot, false);
            parts.push(slot);
        }
        let stop = |what, expected, found: u64| Stop { what, offset: file.offset, expected, found };
        if parts.len() < count {
            let found = parts.len() as u64;
            return Found::Damage(stop("slots of an entry", "as many as it counts", found));
        }
        let Some(entry) = entry(&file, &parts) else {
            return Found::Damage(stop("slots of an entry", "a stream and a name", count as u64));
        };
        let found = u16_at(&file.bytes, 2);
        if found != sum {
            let (what, expected) = ("checksum of an entry", "that of its bytes");
            self.damage = Some(stop(what, expected, found.into()));
        }
        Found::Entry(entry)
    }
}

/// Adds another slot to the checksum; types count as in use, and the checksum itself is left out.
fn add(sum: u16, slot: &Slot, first: bool) -> u16 {
    let bytes = slot.bytes.iter().enumerate().filter(|(index, _)| !first || !matches!(index, 2 | 3));
    bytes.fold(sum, |sum, (index, byte)| {
        let byte = if index == 0 { byte | IN_USE } else { *byte };
        sum.rotate_right(1).wrapping_add(byte.into())
    })
}

fn entry(file: &Slot, parts: &[Slot]) -> Option<Entry> {
    let (stream, names) = parts.split_first()?;
    let stream = Some(&stream.bytes).filter(|bytes| bytes[0] | IN_USE == STREAM)?;
    let length = usize::from(u8_at(stream, 3));
    let names = names.iter().take_while(|slot| slot.bytes[0] | IN_USE == NAME);
    let name: Vec<_> = names.flat_map(|slot| letters(slot, LETTERS)).take(length).collect();
    if name.is_empty() || name.len() < length {
        return None;
    }
    let bytes = &file.bytes;
    let directory = u16_at(bytes, 4) & DIRECTORY != 0;
    let size = u64_at(stream, 24);
    let stamp = |at: usize, tens: Option<usize>, offset: usize| Stamp {
        date: u16_at(bytes, at + 2),
        time: Some(u16_at(bytes, at)),
        tens: tens.map(|at| u8_at(bytes, at)),
        offset: Some(u8_at(bytes, offset)),
    };
    Some(Entry {
        offset: file.offset,
        name: utf8(name),
        directory,
        deleted: u8_at(bytes, 0) & IN_USE == 0,
        first: u32_at(stream, 20),
        contiguous: u8_at(stream, 1) & NO_FAT_CHAIN != 0,
        size,
        written: if directory { size } else { u64_at(stream, 8).min(size) },
        stamps: Stamps {
            born: stamp(8, Some(20), 22),
            modified: stamp(12, Some(21), 23),
            accessed: stamp(16, None, 24),
        },
    })
}

/// Returns the first letters of a slot, from byte 2 on.
fn letters(slot: &Slot, count: usize) -> impl Iterator<Item = u16> + use<> {
    let bytes = slot.bytes;
    (0..count).map(move |index| u16_at(&bytes, 2 + 2 * index))
}
