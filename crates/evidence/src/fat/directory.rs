//! Folders of FAT ([FATGEN] section "FAT Directory Structure").

use super::bytes::{u8_at, u16_at, u32_at};
use super::entry::{Entry, Found};
use super::long_name;
use super::pieces::Stop;
use super::slots::{SLOT, Slot};
use super::time::{Stamp, Stamps};
use std::collections::VecDeque;

const VOLUME: u8 = 0x08;
const DIRECTORY: u8 = 0x10;
/// Read-only, hidden, system and label all at once: a part of a long name.
const LONG: u8 = 0x0f;
/// The bits that decide whether a slot is a part of a long name.
const LONG_MASK: u8 = 0x3f;
/// First byte of a deleted slot.
const DELETED: u8 = 0xe5;
/// First byte that represents 0xe5 in a name.
const STANDS_FOR_E5: u8 = 0x05;

/// Reads the slots of a folder; `wide` means that first clusters have 32 bits (FAT32).
pub(super) fn entries(
    slots: impl Iterator<Item = Result<Slot, Stop>> + 'static,
    wide: bool,
) -> impl Iterator<Item = Found> + 'static {
    Reader { slots, wide, long: Vec::new(), ready: VecDeque::new(), ended: false }
}

struct Reader<I> {
    slots: I,
    wide: bool,
    /// The parts of a long name that wait for their entry.
    long: Vec<Slot>,
    ready: VecDeque<Found>,
    ended: bool,
}

impl<I: Iterator<Item = Result<Slot, Stop>>> Iterator for Reader<I> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            if let Some(found) = self.ready.pop_front() {
                return Some(found);
            }
            if self.ended {
                return None;
            }
            match self.slots.next() {
                Some(Ok(slot)) => self.take(slot),
                Some(Err(stop)) => {
                    // Its entry may be in the part that cannot be read.
                    self.long.clear();
                    self.ready.push_back(Found::Damage(stop));
                }
                None => {
                    self.orphan();
                    self.ended = true;
                }
            }
        }
    }
}

impl<I> Reader<I> {
    fn take(&mut self, slot: Slot) {
        let (first, attributes) = (slot.bytes[0], slot.bytes[11]);
        if first == 0 {
            self.orphan();
            self.ended = true;
        } else if attributes & LONG_MASK == LONG {
            self.take_part(slot);
        } else if attributes & VOLUME != 0 {
            self.orphan();
            if first != DELETED {
                let label = slot.bytes.get(..11).unwrap_or_default().trim_ascii_end();
                self.ready.push_back(Found::Label(label.to_vec()));
            }
        } else if first == b'.' && matches!(slot.bytes.get(1..11), Some(b"          " | b".         ")) {
            self.orphan();
        } else {
            self.take_entry(&slot);
        }
    }

    /// Keeps a part. Parts of another state, and more parts than a name can have, do not belong to the same name.
    fn take_part(&mut self, slot: Slot) {
        let deleted = |slot: &Slot| slot.bytes[0] == DELETED;
        if self.long.last().is_some_and(|last| deleted(last) != deleted(&slot)) {
            self.orphan();
        }
        if self.long.len() >= long_name::MAX_PARTS {
            if !deleted(&slot) {
                self.orphan();
            } else {
                self.long.remove(0);
            }
        }
        self.long.push(slot);
    }

    /// Reports parts of a long name that no entry follows; deleted parts may have lost their entry to another file.
    fn orphan(&mut self) {
        let first = self.long.first().filter(|slot| slot.bytes[0] != DELETED);
        if let Some(first) = first {
            let (what, expected) = ("part of a long name", "the entry that it belongs to behind it");
            let found = first.bytes[0].into();
            self.ready.push_back(Found::Damage(Stop { what, offset: first.offset, expected, found }));
        }
        self.long.clear();
    }

    fn take_entry(&mut self, slot: &Slot) {
        let deleted = slot.bytes[0] == DELETED;
        if self.long.last().is_some_and(|last| (last.bytes[0] == DELETED) != deleted) {
            self.orphan();
        }
        let parts = std::mem::take(&mut self.long);
        let name = if deleted {
            long_name::deleted(&parts, slot)
        } else {
            long_name::read(&parts, slot).unwrap_or_else(|stop| {
                self.ready.push_back(Found::Damage(stop));
                None
            })
        };
        let name = name.unwrap_or_else(|| short_name(&slot.bytes));
        self.ready.push_back(Found::Entry(entry(slot, name, self.wide)));
    }
}

fn entry(slot: &Slot, name: Vec<u8>, wide: bool) -> Entry {
    let bytes = &slot.bytes;
    let high = if wide { u32::from(u16_at(bytes, 20)) << 16 } else { 0 };
    let directory = u8_at(bytes, 11) & DIRECTORY != 0;
    let size = if directory { 0 } else { u64::from(u32_at(bytes, 28)) };
    let stamp = |date: usize, time: Option<usize>, tens: Option<usize>| Stamp {
        date: u16_at(bytes, date),
        time: time.map(|at| u16_at(bytes, at)),
        tens: tens.map(|at| u8_at(bytes, at)),
        offset: None,
    };
    Entry {
        offset: slot.offset,
        name,
        directory,
        deleted: u8_at(bytes, 0) == DELETED,
        first: high | u32::from(u16_at(bytes, 26)),
        contiguous: false,
        size,
        written: size,
        stamps: Stamps {
            modified: stamp(24, Some(22), None),
            accessed: stamp(18, None, None),
            born: stamp(16, Some(14), Some(13)),
        },
    }
}

/// Returns the short name, with letters in the case that Windows NT marks in byte 12, and `_` for the lost first
/// letter of a deleted one.
fn short_name(slot: &[u8; SLOT]) -> Vec<u8> {
    let part = |range: std::ops::Range<usize>, lower: u8| {
        let part = slot.get(range).unwrap_or_default();
        let end = part.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
        let part = part.get(..end).unwrap_or_default();
        if slot[12] & lower == 0 { part.to_vec() } else { part.to_ascii_lowercase() }
    };
    let (mut name, extension) = (part(0..8, 0x08), part(8..11, 0x10));
    if let Some(first) = name.first_mut() {
        *first = match *first {
            DELETED => b'_',
            STANDS_FOR_E5 => 0xe5,
            other => other,
        };
    }
    if !extension.is_empty() {
        name.push(b'.');
        name.extend(extension);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(name: &[u8; 11], case: u8) -> Vec<u8> {
        let mut slot = [0; SLOT];
        slot[..11].copy_from_slice(name);
        slot[12] = case;
        short_name(&slot)
    }

    #[test]
    fn short_names_are_read_as_they_are_marked() {
        assert_eq!(short(b"README  TXT", 0), b"README.TXT");
        assert_eq!(short(b"README  TXT", 0x08), b"readme.TXT");
        assert_eq!(short(b"README  TXT", 0x18), b"readme.txt");
        assert_eq!(short(b"NO EXT     ", 0x10), b"NO EXT");
        assert_eq!(short(b"\x05A      B  ", 0), b"\xe5A.B");
        assert_eq!(short(b"\xe5EADME  TXT", 0), b"_EADME.TXT");
        assert_eq!(short(b"\x8eRGER   TXT", 0), b"\x8eRGER.TXT");
    }
}
