//! Files and directories (sections "File entry shell item", "File entry extension block (0xbeef0004)").

use super::{FatTime, note_foreign};
use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, ansi_to_nul, bytes, u16_at, u32_at, u64_at, utf16_to_nul};

const IS_DIRECTORY: u8 = 0x01;
const IS_UNICODE: u8 = 0x04;

/// Signature of a file entry in a delegate item.
const DELEGATE: &[u8] = b"CFSF";

/// Signature of the extension block with the long name.
const LONG_NAME: u32 = 0xBEEF_0004;

/// The most extension blocks of an item that are examined.
const BLOCKS: usize = 16;

/// A file or directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Whether it is a directory.
    pub directory: bool,
    /// Lower 32 bits of the size; 0 for directories, and if it was not known.
    pub size: u32,
    /// Lower 16 bits of the attributes.
    pub attributes: u16,
    /// The primary name: usually the short one.
    pub primary: Located<String>,
    /// The long name from the extension block.
    pub long: Option<Located<String>>,
    /// When it was last modified, UTC.
    pub modified: Option<Located<FatTime>>,
    /// When it was created, UTC.
    pub created: Option<Located<FatTime>>,
    /// When it was last accessed, UTC.
    pub accessed: Option<Located<FatTime>>,
    /// Number and sequence number of its record in the `$MFT`, if it was on NTFS; from Windows Vista on.
    pub file_reference: Option<Located<(u64, u16)>>,
}

impl FileEntry {
    /// Returns the long name, or the primary one if there is none.
    pub fn name(&self) -> &Located<String> {
        self.long.as_ref().unwrap_or(&self.primary)
    }

    pub(super) fn moved(self, by: usize) -> FileEntry {
        FileEntry {
            primary: self.primary.moved(by),
            long: self.long.map(|long| long.moved(by)),
            modified: self.modified.map(|time| time.moved(by)),
            created: self.created.map(|time| time.moved(by)),
            accessed: self.accessed.map(|time| time.moved(by)),
            file_reference: self.file_reference.map(|reference| reference.moved(by)),
            ..self
        }
    }
}

/// Reads a file entry that is an item of its own.
pub(super) fn plain(item: &[u8], damage: &mut Vec<Damage>) -> Option<FileEntry> {
    read(item, 0, damage)
}

/// Reads a file entry inside a delegate item: its fields begin 10 bytes later, its extension blocks are those of
/// the item.
pub(super) fn delegate(item: &[u8], damage: &mut Vec<Damage>) -> Option<FileEntry> {
    if bytes(item, 6, DELEGATE.len())? == DELEGATE { read(item, 10, damage) } else { None }
}

/// Reads a file entry; `base` is the offset of its size field.
fn read(item: &[u8], base: usize, damage: &mut Vec<Damage>) -> Option<FileEntry> {
    let class = *item.get(base + 2)?;
    let attributes = u16_at(item, base + 12)?;
    let (primary, foreign) = if class & IS_UNICODE != 0 {
        (utf16_to_nul(item, base + 14, "name", damage)?, 0)
    } else {
        ansi_to_nul(item, base + 14, "name", damage)?
    };
    let mut entry = FileEntry {
        directory: class & IS_DIRECTORY != 0,
        size: u32_at(item, base + 4)?,
        attributes,
        primary,
        long: None,
        modified: fat_time(item, base + 8),
        created: None,
        accessed: None,
        file_reference: None,
    };
    if let Some(block) = block(item) {
        extend(&mut entry, item, block, damage);
    }
    if entry.long.is_none() {
        note_foreign(&entry.primary, foreign, "name", damage);
    }
    (!entry.name().value.is_empty()).then_some(entry)
}

/// Returns the offset of the block with the long name; the last two bytes of the item give the offset of the
/// first block.
///
/// Windows before XP wrote no blocks: there these bytes are the end of a name.
fn block(item: &[u8]) -> Option<usize> {
    let mut at = usize::from(u16_at(item, item.len().checked_sub(2)?)?);
    for _ in 0..BLOCKS {
        let (size, signature) = (u16_at(item, at)?, u32_at(item, at + 4)?);
        if signature == LONG_NAME {
            return Some(at);
        }
        if signature >> 16 != LONG_NAME >> 16 || size == 0 {
            return None;
        }
        at += usize::from(size);
    }
    None
}

/// Reads the block with the long name; the version decides where its fields are.
fn extend(entry: &mut FileEntry, item: &[u8], at: usize, damage: &mut Vec<Damage>) {
    let (size, version) = (u16_at(item, at).unwrap_or_default(), u16_at(item, at + 2).unwrap_or_default());
    let end = at + usize::from(size);
    if end > item.len() {
        let (length, available) = (usize::from(size), item.len());
        let what = DamageKind::Outside { what: "extension block", length, available };
        damage.push(Damage::at(at, what));
    }
    let block = item.get(..end).unwrap_or(item);
    entry.created = fat_time(block, at + 8);
    entry.accessed = fat_time(block, at + 12);
    if version >= 7 {
        entry.file_reference = file_reference(block, at + 20);
    }
    let name_at = match version {
        0..=2 => return,
        3..=6 => 20,
        7 => 38,
        8 => 42,
        _ => 46,
    };
    entry.long = utf16_to_nul(block, at + name_at, "long name", damage).filter(|name| !name.value.is_empty());
}

/// Reads a FAT date and time; 0 means "not set".
fn fat_time(data: &[u8], at: usize) -> Option<Located<FatTime>> {
    let time = FatTime { date: u16_at(data, at)?, time: u16_at(data, at + 2)? };
    (time.date != 0).then(|| Located::new(time, at, 4))
}

/// Reads a file reference (section "NTFS file reference"): 6 bytes of number, 2 of sequence number.
fn file_reference(data: &[u8], at: usize) -> Option<Located<(u64, u16)>> {
    let (whole, sequence) = (u64_at(data, at)?, u16_at(data, at + 6)?);
    let number = whole & 0xFFFF_FFFF_FFFF;
    // Other file systems leave the sequence number empty.
    (number != 0 && sequence != 0).then(|| Located::new((number, sequence), at, 8))
}
