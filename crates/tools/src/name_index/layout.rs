//! The format of an index.
//!
//! All numbers are little-endian. The parts follow one another:
//!
//! | part | bytes |
//! |---|---|
//! | head: magic `LOCARDNI`, version, flags, number of rows, names and remarks (`u32` each), bytes of the three texts and of the listing (`u64` each) | 64 |
//! | names, sorted by (extension, folded name, name), and an extra one that ends the last | 16 each |
//! | rows: the entries in the order of the walk | 32 each |
//! | postings: for each name the rows that have it, ascending | 4 each |
//! | remarks: what the walk met besides entries, in its order | 32 each |
//! | the folded names, one after another in the order of the names | |
//! | names that differ from their folded form | |
//! | the texts of remarks | |
//! | for an archive its listing ([`Tree::listing`](evidence::Tree::listing)), with which it is opened again | |
//!
//! A name is *folded* letter by letter ([`ledger::pattern::fold`]); its extension is what follows the last dot of the folded name.

use super::blocks::Blocks;
use super::error::IndexError;
use evidence::{FileReference, NodeKind};

pub(super) const MAGIC: [u8; 8] = *b"LOCARDNI";

/// The version of the format; every change raises it.
pub(super) const VERSION: u32 = 2;

/// Flag: some folder is so deep that the walk from the root did not enter it.
pub(super) const TOO_DEEP: u32 = 1;

pub(super) const HEAD: u64 = 64;
pub(super) const NAME: u64 = 16;
pub(super) const ROW: u64 = 32;
pub(super) const POSTING: u64 = 4;
pub(super) const REMARK: u64 = 32;

/// The number for no row, and for a name that equals its folded form.
pub(super) const NONE: u32 = u32::MAX;

/// The offsets of all parts.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) rows: u32,
    pub(super) names: u32,
    pub(super) remarks: u32,
    pub(super) too_deep: bool,
    rows_at: u64,
    postings_at: u64,
    remarks_at: u64,
    pub(super) folded_at: u64,
    pub(super) written_at: u64,
    pub(super) texts_at: u64,
    pub(super) listing_at: u64,
    end: u64,
}

/// The numbers in the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) flags: u32,
    pub(super) rows: u32,
    pub(super) names: u32,
    pub(super) remarks: u32,
    /// Bytes of the folded names, of the written names, of the texts of remarks.
    pub(super) texts: [u64; 3],
    /// Bytes of the listing.
    pub(super) listing: u64,
}

impl Head {
    pub(super) fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, self.flags, self.rows, self.names, self.remarks, 0] {
            bytes.extend(number.to_le_bytes());
        }
        for number in self.texts.into_iter().chain([self.listing]) {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    }

    fn read(bytes: &[u8; 64]) -> Result<Head, IndexError> {
        let (magic, found) = (u64::from_le_bytes(MAGIC), long(bytes, 0));
        if found != magic {
            return Err(IndexError::value("its first bytes", magic, found));
        }
        let version = int(bytes, 8);
        if version != VERSION {
            return Err(IndexError::value("its version", u64::from(VERSION), u64::from(version)));
        }
        Ok(Head {
            flags: int(bytes, 12),
            rows: int(bytes, 16),
            names: int(bytes, 20),
            remarks: int(bytes, 24),
            texts: [long(bytes, 32), long(bytes, 40), long(bytes, 48)],
            listing: long(bytes, 56),
        })
    }
}

impl Layout {
    /// Reads the head, and checks it against the length of the file.
    pub(super) fn read(blocks: &mut Blocks) -> Result<Layout, IndexError> {
        let head = Head::read(&blocks.array(0)?)?;
        let layout = Layout::of(&head);
        match layout {
            Some(layout) if layout.end == blocks.length() => Ok(layout),
            Some(layout) => Err(IndexError::value("its length", layout.end, blocks.length())),
            None => Err(IndexError::value("its length", u64::MAX, blocks.length())),
        }
    }

    fn of(head: &Head) -> Option<Layout> {
        let part = |at: u64, count: u64, size: u64| at.checked_add(count.checked_mul(size)?);
        let [folded, written, texts] = head.texts;
        let (rows, names) = (u64::from(head.rows), u64::from(head.names));
        let rows_at = part(HEAD, names + 1, NAME)?;
        let postings_at = part(rows_at, rows, ROW)?;
        let remarks_at = part(postings_at, rows, POSTING)?;
        let folded_at = part(remarks_at, u64::from(head.remarks), REMARK)?;
        let written_at = part(folded_at, folded, 1)?;
        let texts_at = part(written_at, written, 1)?;
        let listing_at = part(texts_at, texts, 1)?;
        Some(Layout {
            rows: head.rows,
            names: head.names,
            remarks: head.remarks,
            too_deep: head.flags & TOO_DEEP != 0,
            rows_at,
            postings_at,
            remarks_at,
            folded_at,
            written_at,
            texts_at,
            listing_at,
            end: part(listing_at, head.listing, 1)?,
        })
    }

    /// Returns the offset of the name `number`; the one after the last is valid, as its end.
    pub(super) fn name(&self, number: u32) -> Result<u64, IndexError> {
        place("the number of a name", HEAD, NAME, number, u64::from(self.names) + 1)
    }

    /// Returns the offset of the row `number`.
    pub(super) fn row(&self, number: u32) -> Result<u64, IndexError> {
        place("the number of a row", self.rows_at, ROW, number, u64::from(self.rows))
    }

    /// Returns the offset of the posting `number`; the one after the last is valid, as an end.
    pub(super) fn posting(&self, number: u32) -> Result<u64, IndexError> {
        place("the number of a posting", self.postings_at, POSTING, number, u64::from(self.rows) + 1)
    }

    /// Returns the offset of the remark `number`.
    pub(super) fn remark(&self, number: u32) -> Result<u64, IndexError> {
        place("the number of a remark", self.remarks_at, REMARK, number, u64::from(self.remarks))
    }

    /// Returns the offset of a piece of the folded names; `offset` counts from their beginning.
    pub(super) fn folded(&self, offset: u32, length: u64) -> Result<u64, IndexError> {
        within(self.folded_at, u64::from(offset), length, self.written_at)
    }

    /// Returns the offset of a piece of the written names.
    pub(super) fn written(&self, offset: u32, length: u64) -> Result<u64, IndexError> {
        within(self.written_at, u64::from(offset), length, self.texts_at)
    }

    /// Returns the offset of a piece of the texts of remarks.
    pub(super) fn text(&self, offset: u64, length: u64) -> Result<u64, IndexError> {
        within(self.texts_at, offset, length, self.listing_at)
    }

    /// Returns the length of the listing in bytes; 0 if there is none.
    pub(super) fn listing_length(&self) -> u64 {
        self.end - self.listing_at
    }
}

fn place(what: &'static str, start: u64, size: u64, number: u32, count: u64) -> Result<u64, IndexError> {
    let number = u64::from(number);
    if number >= count {
        return Err(IndexError::value(what, count, number));
    }
    // The whole part fits into the file: `Layout::of` has made sure.
    Ok(start + number * size)
}

fn within(start: u64, offset: u64, length: u64, end: u64) -> Result<u64, IndexError> {
    let at = start.saturating_add(offset);
    if at.saturating_add(length) > end {
        return Err(IndexError::Outside { offset: at, length, end });
    }
    Ok(at)
}

/// A name of one or more entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    /// Offset and length of its folded form.
    pub(super) folded: u32,
    pub(super) folded_length: u16,
    /// Offset of the written name; [`NONE`] if that equals the folded form.
    pub(super) written: u32,
    pub(super) written_length: u16,
    /// The index of its first posting.
    pub(super) posting: u32,
}

impl Name {
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.folded.to_le_bytes());
        bytes.extend(self.folded_length.to_le_bytes());
        bytes.extend(self.written_length.to_le_bytes());
        bytes.extend(self.written.to_le_bytes());
        bytes.extend(self.posting.to_le_bytes());
    }

    pub(super) fn read(blocks: &mut Blocks, at: u64) -> Result<Name, IndexError> {
        let bytes: [u8; 16] = blocks.array(at)?;
        Ok(Name {
            folded: int(&bytes, 0),
            folded_length: short(&bytes, 4),
            written_length: short(&bytes, 6),
            written: int(&bytes, 8),
            posting: int(&bytes, 12),
        })
    }
}

/// An entry of the evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// The row of the folder that contains it; `None` for the root.
    pub(super) parent: Option<u32>,
    pub(super) name: u32,
    /// The row after everything below it.
    pub(super) end: u32,
    pub(super) kind: Kind,
    pub(super) size: u64,
    pub(super) reference: Option<FileReference>,
}

/// What an entry is, as far as searches distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    /// A file that begins as a registry hive, or whose beginning could not be read.
    Hive,
    Link,
    Other,
}

impl Kind {
    /// Returns what an entry is; `may_be_hive` is only called for files.
    pub(super) fn of(kind: &NodeKind, may_be_hive: impl FnOnce() -> bool) -> Kind {
        match kind {
            NodeKind::File if may_be_hive() => Kind::Hive,
            NodeKind::File => Kind::File,
            NodeKind::Symlink { .. } => Kind::Link,
            NodeKind::Directory | NodeKind::Other => Kind::Other,
        }
    }

    const fn code(self) -> u8 {
        match self {
            Kind::Other => 0,
            Kind::File => 1,
            Kind::Link => 2,
            Kind::Hive => 3,
        }
    }

    fn read(code: u8) -> Result<Kind, IndexError> {
        match code {
            0 => Ok(Kind::Other),
            1 => Ok(Kind::File),
            2 => Ok(Kind::Link),
            3 => Ok(Kind::Hive),
            other => Err(IndexError::value("the kind of an entry", 3, u64::from(other))),
        }
    }
}

/// The offset of an entry's kind in its row.
const KIND_AT: usize = 12;

/// Checks whether the bytes of a row are of an entry of this kind.
pub(super) fn is_row_of(row: &[u8], kind: Kind) -> bool {
    row.get(KIND_AT).is_some_and(|code| *code == kind.code())
}

impl Row {
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let (tag, number, sequence) = match self.reference {
            None => (0, 0, 0),
            Some(FileReference::Inode(number)) => (1, number, 0),
            Some(FileReference::Mft { entry, sequence }) => (2, entry, sequence),
            Some(FileReference::DirectoryEntry(offset)) => (3, offset, 0),
        };
        for part in [self.parent.unwrap_or(NONE), self.name, self.end] {
            bytes.extend(part.to_le_bytes());
        }
        bytes.push(self.kind.code());
        bytes.push(tag);
        bytes.extend(u16::to_le_bytes(sequence));
        bytes.extend(self.size.to_le_bytes());
        bytes.extend(u64::to_le_bytes(number));
    }

    pub(super) fn read(blocks: &mut Blocks, at: u64) -> Result<Row, IndexError> {
        let bytes: [u8; 32] = blocks.array(at)?;
        let [kind, tag] = [bytes[KIND_AT], bytes[13]];
        let number = long(&bytes, 24);
        let reference = match tag {
            0 => None,
            1 => Some(FileReference::Inode(number)),
            2 => Some(FileReference::Mft { entry: number, sequence: short(&bytes, 14) }),
            3 => Some(FileReference::DirectoryEntry(number)),
            other => return Err(IndexError::value("the kind of a reference", 3, u64::from(other))),
        };
        Ok(Row {
            parent: Some(int(&bytes, 0)).filter(|parent| *parent != NONE),
            name: int(&bytes, 4),
            end: int(&bytes, 8),
            kind: Kind::read(kind)?,
            size: long(&bytes, 16),
            reference,
        })
    }
}

pub(super) fn int(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(part(bytes, at))
}

pub(super) fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(part(bytes, at))
}

fn short(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(part(bytes, at))
}

fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
}
