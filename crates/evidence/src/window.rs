//! A window onto the medium: the part of it that a file system reader sees.

use crate::image::Container;
use crate::read::Extent;
use std::io;
use std::rc::Rc;

/// The bytes of a volume.
#[derive(Clone)]
pub(crate) struct Window {
    container: Rc<Container>,
    offset: u64,
    length: u64,
}

impl Window {
    /// Creates a window of the `length` bytes at `offset` of the medium.
    pub(crate) fn new(container: &Rc<Container>, offset: u64, length: u64) -> Window {
        Window { container: container.clone(), offset, length }
    }

    /// Returns the number of bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Fills `buffer` from byte `offset` of the volume; if the range is not entirely within the volume, that is
    /// an unexpected end.
    pub(crate) fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        if offset.saturating_add(buffer.len() as u64) > self.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.container.read_exact_at(self.offset.saturating_add(offset), buffer)
    }

    /// Returns the extents in the container of bytes of the volume.
    pub(crate) fn extents(&self, offset: u64, length: u64) -> Vec<Extent> {
        let length = length.min(self.length.saturating_sub(offset));
        self.container.extents(self.offset.saturating_add(offset), length)
    }
}
