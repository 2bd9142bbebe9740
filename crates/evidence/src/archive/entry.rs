//! The bytes of one entry.

use super::damage::{ArchiveDamage, Wrong};
use super::stream::{self, Stream};
use super::tar::Bytes;
use crate::error::ReadError;
use crate::path::EvidencePath;
use crate::read::{Extent, ReadAt};
use crc32fast::Hasher;
use ledger::ByteSpan;
use std::cell::RefCell;
use std::rc::Rc;

/// A file in an archive.
///
/// Its checksum is compared once its bytes were read to the end without skipping any.
pub(super) struct Entry {
    path: EvidencePath,
    length: u64,
    source: Source,
    /// Where the entry begins in its source.
    begin: u64,
    /// The archive's file name. `stored` is the offset of the entry's bytes in the archive, if they are not
    /// compressed.
    container: String,
    stored: Option<u64>,
    check: Option<Check>,
    /// Damage found in the entry as a whole.
    damage: Option<ArchiveDamage>,
}

enum Source {
    Empty,
    /// A stream of its own, which must end where the entry ends.
    Alone(Stream),
    Block(Rc<RefCell<Stream>>),
    Tar(Rc<RefCell<Bytes>>),
}

struct Check {
    expected: u32,
    hasher: Hasher,
    hashed: u64,
}

impl Entry {
    /// Creates an entry without bytes.
    pub(super) fn new(path: EvidencePath, length: u64, container: String) -> Entry {
        let source = Source::Empty;
        Entry { path, length, source, begin: 0, container, stored: None, check: None, damage: None }
    }

    /// Gives the entry a stream of its own; `stored` is the offset of its bytes in the archive if they are not
    /// compressed.
    pub(super) fn alone(self, stream: Stream, stored: Option<u64>) -> Entry {
        Entry { source: Source::Alone(stream), stored, ..self }
    }

    /// Makes the entry a part of an expanded block.
    pub(super) fn of_block(self, block: Rc<RefCell<Stream>>, begin: u64) -> Entry {
        Entry { source: Source::Block(block), begin, ..self }
    }

    /// Makes the entry a part of a tar.
    pub(super) fn of_tar(self, tar: Rc<RefCell<Bytes>>, begin: u64, stored: Option<u64>) -> Entry {
        Entry { source: Source::Tar(tar), begin, stored, ..self }
    }

    /// Adds a checksum, if there is one.
    pub(super) fn checked(self, crc: Option<u32>) -> Entry {
        let check = crc.map(|expected| Check { expected, hasher: Hasher::new(), hashed: 0 });
        Entry { check, ..self }
    }

    /// Checks an entry that declares no bytes at once, because it will never be read.
    pub(super) fn or_not_empty(mut self) -> Result<Entry, ReadError> {
        if self.length == 0 {
            self.checked_at(0, &[])?;
        }
        Ok(self)
    }

    fn read(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, (u64, Wrong)> {
        let at = self.begin.saturating_add(offset);
        let result = match &mut self.source {
            Source::Empty => Ok(0),
            Source::Alone(stream) => stream.read_at(at, buffer),
            Source::Block(block) => block.borrow_mut().read_at(at, buffer),
            Source::Tar(bytes) => bytes.borrow_mut().read_at(at, buffer),
        };
        // Offsets are relative to the start of the entry.
        result.map_err(|(at, wrong)| (at.saturating_sub(self.begin), wrong))
    }

    /// Adds the bytes read last to the checksum, as far as they belong to it.
    fn check(&mut self, offset: u64, bytes: &[u8]) -> Result<(), ArchiveDamage> {
        let end = offset.saturating_add(bytes.len() as u64);
        if end >= self.length
            && let Source::Alone(stream) = &mut self.source
        {
            ends(stream, self.length)?;
        }
        let Some(check) = &mut self.check else { return Ok(()) };
        let known = check.hashed.checked_sub(offset).and_then(|known| usize::try_from(known).ok());
        let Some(fresh) = known.and_then(|known| bytes.get(known..)) else { return Ok(()) };
        check.hasher.update(fresh);
        check.hashed = check.hashed.saturating_add(fresh.len() as u64);
        if check.hashed < self.length {
            return Ok(());
        }
        let (expected, actual) = (check.expected, check.hasher.clone().finalize());
        self.check = None;
        match expected == actual {
            true => Ok(()),
            false => Err(ArchiveDamage::Checksum { offset: self.length, expected, actual }),
        }
    }

    /// The same; damage found is remembered.
    fn checked_at(&mut self, offset: u64, bytes: &[u8]) -> Result<(), ReadError> {
        self.check(offset, bytes).map_err(|damage| {
            self.damage = Some(damage.clone());
            self.damaged(damage)
        })
    }

    fn damaged(&self, damage: ArchiveDamage) -> ReadError {
        ReadError::Damaged { path: self.path.clone(), source: damage.into() }
    }
}

/// The fewest packed bytes after the end of a stream that are reported: fewer hold no entry, and some tools
/// leave a few.
const LEFT: u64 = 30;

/// Checks that a stream ends at `length` and consumes all of its packed bytes.
fn ends(stream: &mut Stream, length: u64) -> Result<(), ArchiveDamage> {
    if stream.read_at(length, &mut [0]).is_ok_and(|more| more > 0) {
        return Err(ArchiveDamage::Longer { declared: length });
    }
    match stream.behind() {
        Some((offset, rest)) if rest.length() >= LEFT => {
            Err(ArchiveDamage::Behind { offset, length: rest.length() })
        }
        Some(_) | None => Ok(()),
    }
}

impl ReadAt for Entry {
    fn len(&self) -> u64 {
        self.length
    }

    fn path(&self) -> &EvidencePath {
        &self.path
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
        if let Some(damage) = &self.damage {
            return Err(self.damaged(damage.clone()));
        }
        let left = usize::try_from(self.length.saturating_sub(offset)).unwrap_or(usize::MAX);
        let wanted = left.min(buffer.len());
        let Some(buffer) = buffer.get_mut(..wanted).filter(|buffer| !buffer.is_empty()) else { return Ok(0) };
        let read = self.read(offset, buffer).map_err(|wrong| stream::error(&self.path, wrong))?;
        match read {
            0 => Err(self.damaged(ArchiveDamage::Ends { offset })),
            read => self.checked_at(offset, buffer.get(..read).unwrap_or_default()).map(|()| read),
        }
    }

    /// Packed bytes have no offset in the archive: their extents are those within the entry.
    fn provenance(&self, span: ByteSpan) -> Vec<Extent> {
        let end = span.end().min(self.length);
        if span.offset >= end {
            return Vec::new();
        }
        let length = end - span.offset;
        vec![match self.stored {
            Some(at) => {
                Extent { container: self.container.clone(), offset: at.saturating_add(span.offset), length }
            }
            None => Extent { container: self.path.as_str().to_owned(), offset: span.offset, length },
        }]
    }
}
