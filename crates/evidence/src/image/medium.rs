//! Bytes of the medium itself, regardless of volumes and files.

use super::Container;
use crate::error::ReadError;
use crate::path::EvidencePath;
use crate::read::{Extent, ReadAt};
use crate::window::Window;
use ledger::ByteSpan;
use std::rc::Rc;

/// A part of the medium, read like a file.
pub(super) struct MediumPart {
    window: Window,
    length: u64,
    path: EvidencePath,
}

impl MediumPart {
    /// Creates a part with the `length` bytes at `offset`, as far as the medium has them.
    pub(super) fn new(container: &Rc<Container>, offset: u64, length: u64) -> MediumPart {
        let length = length.min(container.length().saturating_sub(offset));
        MediumPart { window: Window::new(container, offset, length), length, path: EvidencePath::root() }
    }
}

impl ReadAt for MediumPart {
    fn len(&self) -> u64 {
        self.length
    }

    fn path(&self) -> &EvidencePath {
        &self.path
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let left = usize::try_from(self.length.saturating_sub(offset)).unwrap_or(usize::MAX);
        let wanted = left.min(buffer.len());
        let Some(buffer) = buffer.get_mut(..wanted).filter(|buffer| !buffer.is_empty()) else { return Ok(0) };
        let error = |source| ReadError::Io { path: self.path.clone(), source };
        self.window.read_exact_at(offset, buffer).map_err(error)?;
        Ok(wanted)
    }

    fn provenance(&self, span: ByteSpan) -> Vec<Extent> {
        self.window.extents(span.offset, span.length)
    }
}
