//! The bytes of a file, read piece by piece.

use super::entry::Entry;
use super::pieces::Pieces;
use crate::error::ReadError;
use crate::path::EvidencePath;
use crate::read::{Extent, ReadAt};
use crate::window::Window;
use ledger::ByteSpan;

/// A file that can be read at any offset.
pub(super) struct Stream {
    window: Window,
    pieces: Pieces,
    size: u64,
    /// Bytes that were ever written; the rest reads as zeros.
    written: u64,
    path: EvidencePath,
}

impl Stream {
    pub(super) fn new(window: &Window, pieces: Pieces, entry: &Entry, path: &EvidencePath) -> Stream {
        let (size, written) = (entry.size, entry.written);
        Stream { window: window.clone(), pieces, size, written, path: path.clone() }
    }
}

impl ReadAt for Stream {
    fn len(&self) -> u64 {
        self.size
    }

    fn path(&self) -> &EvidencePath {
        &self.path
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let zeros = offset >= self.written;
        let end = if zeros { self.size } else { self.written };
        let left = end.saturating_sub(offset).min(buffer.len() as u64);
        if left == 0 {
            return Ok(0);
        }
        let (place, together) = if zeros {
            (None, left)
        } else {
            self.pieces.at(offset).map_or((None, 0), |(at, n)| (Some(at), n))
        };
        let wanted = usize::try_from(left.min(together)).unwrap_or(0);
        let buffer = buffer.get_mut(..wanted).unwrap_or_default();
        match (place, self.pieces.stop) {
            (Some(place), _) => self
                .window
                .read_exact_at(place, buffer)
                .map_err(|source| ReadError::Io { path: self.path.clone(), source })?,
            (None, _) if zeros => buffer.fill(0),
            (None, Some(stop)) => {
                return Err(ReadError::Damaged { path: self.path.clone(), source: stop.into() });
            }
            (None, None) => return Ok(0),
        }
        Ok(wanted)
    }

    fn provenance(&self, span: ByteSpan) -> Vec<Extent> {
        self.pieces.extents(&self.window, span.offset, span.end().min(self.written))
    }
}
