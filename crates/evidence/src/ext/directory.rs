//! Folders ("Directory Entries"): the names in them, and the deleted names left between entries.
//!
//! A hash tree keeps its entries in blocks of the same form; its own blocks look like blocks without entries.

use super::Volume;
use super::bytes::{u8_at, u16_at, u32_at};
use super::checksum::crc32c;
use super::content::{Content, Piece, content};
use super::inode::Inode;
use super::map::{Map, Run};
use crate::error::Damage;
use std::collections::HashSet;
use std::rc::Rc;

/// The most bytes of a folder that are read.
const MAX_SIZE: u64 = 256 << 20;
/// The most entries of a folder that are read.
const MAX_ENTRIES: usize = 2 << 20;
/// The most damaged places of a folder that are reported.
const MAX_DAMAGE: usize = 16;
/// Size of an entry before its name, in bytes.
const HEADER: usize = 8;

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// 0 for a deleted entry that was the first of its block.
    pub(crate) inode: u64,
    pub(crate) name: Vec<u8>,
    /// Whether the entry says that it names a folder; `None` if it does not say.
    pub(crate) is_folder: Option<bool>,
}

/// The content of a folder.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The entries except `.` and `..`, in the order of their offsets.
    pub(crate) entries: Vec<Entry>,
    /// The inode that `..` names.
    pub(crate) parent: Option<u64>,
    /// Deleted entries, if they were requested.
    pub(crate) slack: Vec<Entry>,
    /// Damage at which entries may be missing.
    pub(crate) damage: Vec<Damage>,
    /// Damage that hides no entries: wrong checksums.
    pub(crate) doubts: Vec<String>,
    /// Why existing entries were left out.
    pub(crate) cut: Option<&'static str>,
}

/// What to read from a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Entries,
    /// Also deleted entries.
    Slack,
    /// Only `..`, which is in the first block.
    Parent,
}

struct Reader<'a> {
    volume: &'a Volume,
    folder: &'a Inode,
    wanted: Wanted,
    names: Names,
}

/// Reads the names in a folder.
pub(crate) fn names(volume: &Rc<Volume>, folder: &Inode, wanted: Wanted) -> Result<Names, Damage> {
    let mut reader = Reader { volume, folder, wanted, names: Names::default() };
    match content(volume, folder)? {
        Content::Inline(pieces) => reader.inline(&pieces),
        Content::Blocks(map) => reader.blocks(&map),
    }
    Ok(reader.names)
}

impl Reader<'_> {
    /// Reads the number of the parent folder, then entries; those in the attribute follow separately.
    fn inline(&mut self, pieces: &[Piece]) {
        let mut left = usize::try_from(self.folder.size).unwrap_or(usize::MAX);
        for (index, piece) in pieces.iter().enumerate() {
            let bytes = piece.bytes.get(..left.min(piece.bytes.len())).unwrap_or_default();
            left -= bytes.len();
            let start = if index == 0 { 4 } else { 0 };
            if index == 0 {
                self.names.parent = Some(u64::from(u32_at(bytes, 0)));
            }
            let entries = bytes.get(start..).unwrap_or_default();
            self.entries(entries, piece.offset.saturating_add(start as u64));
        }
    }

    fn blocks(&mut self, map: &Map) {
        let block = self.volume.superblock.block;
        let mut seen = HashSet::new();
        if self.folder.size > MAX_SIZE {
            self.names.cut = Some("a folder of more than 256 MiB is read no further");
        }
        let mut end = self.folder.size.min(MAX_SIZE).div_ceil(block);
        if self.wanted == Wanted::Parent {
            end = end.min(1);
        }
        let mut logical = 0;
        while logical < end {
            match map.at(logical) {
                Ok(Run { block: Some(first), is_written: true, length }) => {
                    for number in (first..first.saturating_add(length)).take((end - logical) as usize) {
                        // Without this check, a block that occurs twice could keep the reader in a loop.
                        match seen.insert(number) {
                            true => self.block(number, logical + (number - first)),
                            false => self.damage(self.place(number, "block that a folder has once", number)),
                        }
                    }
                    logical = logical.saturating_add(length);
                }
                Ok(run) => {
                    self.damage(self.place(0, "block of a folder, not a hole", logical));
                    logical = logical.saturating_add(run.length);
                }
                Err(damage) => {
                    self.damage(damage);
                    logical += 1;
                }
            }
            if self.names.entries.len() > MAX_ENTRIES {
                self.names.cut = Some("a folder of more than 2097152 entries is read no further");
                return;
            }
        }
    }

    fn place(&self, number: u64, expected: &'static str, found: u64) -> Damage {
        let offset = match number {
            0 => self.folder.offset,
            number => number.saturating_mul(self.volume.superblock.block),
        };
        Damage::Field { what: "block of a folder", offset, expected, found }
    }

    fn damage(&mut self, damage: Damage) {
        if self.names.damage.len() < MAX_DAMAGE {
            self.names.damage.push(damage);
        }
    }

    fn block(&mut self, number: u64, logical: u64) {
        let offset = number.saturating_mul(self.volume.superblock.block);
        match self.volume.block(number, "block of a folder") {
            Ok(bytes) => {
                self.check(&bytes, offset);
                self.entries_of_block(&bytes, offset, logical);
            }
            Err(damage) => self.damage(damage),
        }
    }

    /// Compares the checksum at the end of a block of entries, if it has one.
    fn check(&mut self, bytes: &[u8], offset: u64) {
        const TAIL: [u8; 8] = [0, 0, 0, 0, 12, 0, 0, 0xde];
        let Some(seed) = self.folder.seed(&self.volume.superblock) else { return };
        let Some((entries, tail)) = bytes.split_last_chunk::<12>() else { return };
        if !tail.starts_with(&TAIL) || crc32c(seed, entries) == u32_at(tail, 8) {
            return;
        }
        if self.names.doubts.len() < MAX_DAMAGE {
            let what = "the checksum of a block of entries is not its own";
            self.names.doubts.push(format!("byte {offset} of the volume: {what}"));
        }
    }

    fn entries_of_block(&mut self, bytes: &[u8], offset: u64, logical: u64) {
        let index = self.folder.is_indexed();
        let is_empty = u32_at(bytes, 0) == 0 && length(bytes, 0) == bytes.len() && u8_at(bytes, 6) == 0;
        if index && is_empty {
            // An inner block of the hash tree: its hashes and block numbers are not deleted entries.
            return;
        }
        if index && logical == 0 {
            // `.` and `..`, followed by the root of the tree; after the tree's entries there may be names.
            self.names.parent = Some(u64::from(u32_at(bytes, 12)));
            const ROOT_INFO: usize = 24;
            let tree = ROOT_INFO + HEADER + 8 * usize::from(u16_at(bytes, ROOT_INFO + HEADER + 2));
            self.slack(bytes, tree, bytes.len());
            return;
        }
        self.entries(bytes, offset);
    }

    fn entries(&mut self, bytes: &[u8], offset: u64) {
        let mut at = 0;
        while at + HEADER <= bytes.len() {
            let length = length(bytes, at);
            let entry = entry(self.volume, bytes, at);
            let used = match entry.inode {
                0 => 0,
                _ => HEADER + entry.name.len().next_multiple_of(4),
            };
            let end = at + length;
            let fits = length >= HEADER.max(used) && length.is_multiple_of(4) && end <= bytes.len();
            if !fits || entry.inode > self.volume.superblock.inodes {
                let (what, expected) =
                    ("entry of a folder", "one within its block, of an inode that there is");
                let offset = offset.saturating_add(at as u64);
                let found = if fits { entry.inode } else { length as u64 };
                self.damage(Damage::Field { what, offset, expected, found });
                return;
            }
            self.take(entry, bytes, at);
            self.slack(bytes, at + used.max(HEADER), end);
            at = end;
        }
    }

    fn take(&mut self, entry: Entry, bytes: &[u8], at: usize) {
        match entry.name.as_slice() {
            b".." if entry.inode != 0 => self.names.parent = Some(entry.inode),
            b"." | b"" => {}
            _ if entry.inode != 0 => self.names.entries.push(entry),
            // The first entry of a block is deleted by clearing its inode.
            _ if self.wanted == Wanted::Slack && is_plausible(self.volume, bytes, at, 0) => {
                self.names.slack.push(entry);
            }
            _ => {}
        }
    }

    /// Finds deleted entries between two offsets of a block.
    fn slack(&mut self, bytes: &[u8], from: usize, to: usize) {
        if self.wanted != Wanted::Slack || self.names.slack.len() > MAX_ENTRIES {
            return;
        }
        let mut at = from.next_multiple_of(4);
        while at + HEADER + 4 <= to {
            if is_plausible(self.volume, bytes, at, self.volume.superblock.first_inode) {
                let entry = entry(self.volume, bytes, at);
                at += HEADER + entry.name.len().next_multiple_of(4);
                self.names.slack.push(entry);
            } else {
                at += 4;
            }
        }
    }
}

/// Returns the length of an entry; blocks of 64 KiB encode theirs in a special way.
fn length(bytes: &[u8], at: usize) -> usize {
    const WHOLE: usize = 1 << 16;
    match u16_at(bytes, at + 4) {
        0 | 0xffff if bytes.len() == WHOLE => WHOLE,
        length if bytes.len() == WHOLE => usize::from(length & 0xfffc) | usize::from(length & 3) << 16,
        length => length.into(),
    }
}

fn entry(volume: &Volume, bytes: &[u8], at: usize) -> Entry {
    const FOLDER: u8 = 2;
    let typed = volume.superblock.has_file_type();
    let kind = u8_at(bytes, at + 7);
    let length = match typed {
        true => usize::from(u8_at(bytes, at + 6)),
        false => usize::from(u16_at(bytes, at + 6)),
    };
    Entry {
        inode: u32_at(bytes, at).into(),
        name: bytes.get(at + HEADER..).and_then(|rest| rest.get(..length)).unwrap_or_default().to_vec(),
        is_folder: (typed && kind != 0).then_some(kind == FOLDER),
    }
}

/// Checks whether the bytes at `at` could be an entry for an inode whose number is at least `first`.
fn is_plausible(volume: &Volume, bytes: &[u8], at: usize, first: u64) -> bool {
    let superblock = &volume.superblock;
    let found = entry(volume, bytes, at);
    let length = length(bytes, at);
    let typed = !superblock.has_file_type() || (1..=7).contains(&u8_at(bytes, at + 7));
    let named = !found.name.is_empty() && !matches!(found.name.as_slice(), b"." | b"..");
    let used = HEADER + found.name.len().next_multiple_of(4);
    let placed = length.is_multiple_of(4) && length >= used && at + length <= bytes.len();
    let is_inode = (first..=superblock.inodes).contains(&found.inode);
    typed && named && placed && is_inode && !found.name.iter().any(|byte| matches!(byte, 0 | b'/'))
}
