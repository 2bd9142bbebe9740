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

/// A file of an archive.
///
/// Its checksum is compared when its bytes have been read up to the end without leaving any out.
pub(super) struct Entry {
    path: EvidencePath,
    length: u64,
    source: Source,
    /// Where it begins in what its source gives.
    begin: u64,
    /// The archive, and where the bytes stand in it if they stand there as they are.
    container: String,
    stored: Option<u64>,
    check: Option<Check>,
    /// What was found to be wrong with it as a whole.
    damage: Option<ArchiveDamage>,
}

enum Source {
    Empty,
    /// A stream of its own, which must end where the entry does.
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
    /// An entry without bytes.
    pub(super) fn new(path: EvidencePath, length: u64, container: String) -> Entry {
        let source = Source::Empty;
        Entry { path, length, source, begin: 0, container, stored: None, check: None, damage: None }
    }

    /// One with a stream of its own; `stored` is where its bytes stand in the archive.
    pub(super) fn alone(self, stream: Stream, stored: Option<u64>) -> Entry {
        Entry { source: Source::Alone(stream), stored, ..self }
    }

    /// A part of what a block expands to.
    pub(super) fn of_block(self, block: Rc<RefCell<Stream>>, begin: u64) -> Entry {
        Entry { source: Source::Block(block), begin, ..self }
    }

    /// A part of a tar.
    pub(super) fn of_tar(self, tar: Rc<RefCell<Bytes>>, begin: u64, stored: Option<u64>) -> Entry {
        Entry { source: Source::Tar(tar), begin, stored, ..self }
    }

    /// With a checksum, where there is one.
    pub(super) fn checked(self, crc: Option<u32>) -> Entry {
        let check = crc.map(|expected| Check { expected, hasher: Hasher::new(), hashed: 0 });
        Entry { check, ..self }
    }

    /// One that declares no bytes is not read: that it has none is checked before.
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
        // Told from the start of the entry.
        result.map_err(|(at, wrong)| (at.saturating_sub(self.begin), wrong))
    }

    /// Looks at what was read last, as far as it belongs to the check.
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

    /// The same; what is found to be wrong stays so.
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

/// The fewest packed bytes behind the end of a stream that are told: fewer hold no entry, and some tools leave a few.
const LEFT: u64 = 30;

/// Whether a stream ends at `length` and takes all of its packed bytes.
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

    /// Packed bytes have no place of their own: they are told as those of the entry.
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
