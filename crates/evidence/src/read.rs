//! Bytes at any offset, and where they come from.

use crate::error::ReadError;
use crate::path::EvidencePath;
use crate::platform::FileExt;
use ledger::ByteSpan;
use std::fs::File;
use std::io;

/// A range of bytes in a container: a file of a folder, or the disk image that holds the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// The container: a path in the evidence, or the image file.
    pub container: String,
    /// Offset from the container's start, in bytes.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
}

/// The bytes of one file or stream.
pub trait ReadAt {
    /// Returns the number of bytes.
    fn len(&self) -> u64;

    /// Checks whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the path of the file, for messages.
    fn path(&self) -> &EvidencePath;

    /// Reads up to `buffer.len()` bytes at `offset`; 0 only at or past the end, or for an empty buffer.
    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError>;

    /// Returns the first byte from `offset` on that is stored: anything before it is a hole and reads as zeros.
    /// Returns the end of the file if only a hole is left.
    ///
    /// Returns `offset` itself if it is stored, or if that is unknown: reading a hole costs nothing but time.
    fn stored_from(&mut self, offset: u64) -> u64 {
        offset
    }

    /// Returns the locations in the containers of the bytes of `span`, in file order; bytes past the end are
    /// left out.
    fn provenance(&self, span: ByteSpan) -> Vec<Extent>;
}

/// Bytes of a whole file that are read at once, between two checks for a hole.
const PIECE: usize = 1 << 20;

/// Fills as much of `buffer` as the file has bytes at `offset`; returns the number of bytes read.
pub fn read_full_at(reader: &mut dyn ReadAt, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match reader.read_at(offset.saturating_add(filled as u64), rest)? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

/// Reads the whole file; one of more than `limit` bytes is refused, and one that ends early is an error.
pub fn read_all(reader: &mut dyn ReadAt, limit: u64) -> Result<Vec<u8>, ReadError> {
    let expected = reader.len();
    let too_large = || ReadError::TooLarge { path: reader.path().clone(), limit, actual: expected };
    if expected > limit {
        return Err(too_large());
    }
    let mut bytes = vec![0; usize::try_from(expected).map_err(|_| too_large())?];
    let read = read_stored(reader, &mut bytes)? as u64;
    if read < expected {
        return Err(ReadError::Short { path: reader.path().clone(), offset: 0, expected, actual: read });
    }
    Ok(bytes)
}

/// Copies the stored bytes into a buffer of zeros; returns how far the file goes. Memory for holes is never
/// touched, so it costs nothing.
fn read_stored(reader: &mut dyn ReadAt, bytes: &mut [u8]) -> Result<usize, ReadError> {
    let mut at = 0;
    while at < bytes.len() {
        let stored = usize::try_from(reader.stored_from(at as u64)).unwrap_or(bytes.len());
        at = stored.clamp(at, bytes.len());
        let end = at.saturating_add(PIECE).min(bytes.len());
        let piece = bytes.get_mut(at..end).unwrap_or_default();
        let read = read_full_at(reader, at as u64, piece)?;
        at += read;
        if at < end {
            break;
        }
    }
    Ok(at)
}

/// Returns the first `length` bytes of a file of the examiner's machine, or all if it has fewer.
pub(crate) fn head(file: &File, length: usize) -> io::Result<Vec<u8>> {
    let mut head = vec![0; length];
    let mut filled = 0;
    while let Some(rest) = head.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, filled as u64)? {
            0 => break,
            read => filled += read,
        }
    }
    head.truncate(filled);
    Ok(head)
}
