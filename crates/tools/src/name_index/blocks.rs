//! Reads the file of an index in blocks, so that a search reads only what it uses.

use super::error::IndexError;
use evidence::platform::FileExt;
use std::fs::File;
use std::io;
use std::path::Path;

/// The size of a block in bytes.
const BLOCK: usize = 4096;

/// How many bytes a scan reads at once: they fit in the processor's cache.
const PIECE: usize = 256 << 10;

pub(super) struct Blocks {
    file: File,
    length: u64,
    /// The blocks read so far; every block is read at most once.
    read: Vec<Option<Box<[u8]>>>,
}

impl Blocks {
    pub(super) fn open(path: &Path) -> Result<Blocks, IndexError> {
        let file = File::open(path).map_err(IndexError::Open)?;
        let metadata = file.metadata().map_err(IndexError::Open)?;
        if !metadata.is_file() {
            return Err(IndexError::Open(io::Error::from(io::ErrorKind::InvalidInput)));
        }
        let length = metadata.len();
        let count = usize::try_from(length.div_ceil(BLOCK as u64)).unwrap_or(usize::MAX);
        let mut read = Vec::new();
        read.try_reserve_exact(count).map_err(|_| IndexError::Open(io::ErrorKind::OutOfMemory.into()))?;
        read.resize_with(count, || None);
        Ok(Blocks { file, length, read })
    }

    /// Returns the length of the file in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Fills `into` with the bytes from `offset` on.
    pub(super) fn fill(&mut self, offset: u64, into: &mut [u8]) -> Result<(), IndexError> {
        let mut at = offset;
        let mut into = into;
        while !into.is_empty() {
            let outside = IndexError::Outside { offset: at, length: into.len() as u64, end: self.length };
            let (number, start) = (at / BLOCK as u64, usize::try_from(at % BLOCK as u64).unwrap_or(0));
            let block = self.block(number)?.get(start..).unwrap_or_default();
            let taken = block.len().min(into.len());
            let (Some(from), Some((head, rest))) = (block.get(..taken), into.split_at_mut_checked(taken))
            else {
                return Err(outside);
            };
            if taken == 0 {
                return Err(outside);
            }
            head.copy_from_slice(from);
            into = rest;
            at = at.saturating_add(taken as u64);
        }
        Ok(())
    }

    /// Reads `N` bytes at `offset`.
    pub(super) fn array<const N: usize>(&mut self, offset: u64) -> Result<[u8; N], IndexError> {
        let mut bytes = [0; N];
        self.fill(offset, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads `length` bytes without keeping them.
    pub(super) fn bytes(&self, offset: u64, length: u64) -> Result<Vec<u8>, IndexError> {
        let outside = IndexError::Outside { offset, length, end: self.length };
        if offset.checked_add(length).is_none_or(|end| end > self.length) {
            return Err(outside);
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| outside)?];
        self.file.read_exact_at(&mut bytes, offset).map_err(|source| IndexError::Read { offset, source })?;
        Ok(bytes)
    }

    /// Reads a text of `length` bytes.
    pub(super) fn text(&mut self, offset: u64, length: u64) -> Result<String, IndexError> {
        if offset.checked_add(length).is_none_or(|end| end > self.length) {
            return Err(IndexError::Outside { offset, length, end: self.length });
        }
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        self.fill(offset, &mut bytes)?;
        String::from_utf8(bytes).map_err(|_| IndexError::Text { offset })
    }

    /// Hands `see` the bytes from `start` to `end` in pieces, with the offset of each.
    /// Each piece begins with the last `overlap` bytes of the one before it.
    pub(super) fn scan(
        &self,
        start: u64,
        end: u64,
        overlap: usize,
        mut see: impl FnMut(u64, &[u8]),
    ) -> Result<(), IndexError> {
        let mut buffer = vec![0; PIECE.max(overlap.saturating_mul(2))];
        let step = (buffer.len() - overlap) as u64;
        let mut at = start;
        while at < end {
            let length = usize::try_from(end - at).unwrap_or(usize::MAX).min(buffer.len());
            let piece = buffer.get_mut(..length).unwrap_or_default();
            self.file.read_exact_at(piece, at).map_err(|source| IndexError::Read { offset: at, source })?;
            see(at, piece);
            if at.saturating_add(length as u64) >= end {
                break;
            }
            at = at.saturating_add(step);
        }
        Ok(())
    }

    fn block(&mut self, number: u64) -> Result<&[u8], IndexError> {
        let offset = number.saturating_mul(BLOCK as u64);
        let outside = IndexError::Outside { offset, length: 1, end: self.length };
        let Some(slot) = usize::try_from(number).ok().and_then(|number| self.read.get_mut(number)) else {
            return Err(outside);
        };
        if slot.is_none() {
            let length = usize::try_from(self.length.saturating_sub(offset)).unwrap_or(BLOCK).min(BLOCK);
            let mut block = vec![0; length].into_boxed_slice();
            self.file
                .read_exact_at(&mut block, offset)
                .map_err(|source| IndexError::Read { offset, source })?;
            *slot = Some(block);
        }
        slot.as_deref().ok_or(outside)
    }
}
