//! The slots of a folder, 32 bytes each, read without holding the whole folder.

use super::pieces::{Pieces, Stop};
use crate::window::Window;

/// Bytes of a slot.
pub(crate) const SLOT: usize = 32;

/// Bytes read at once.
const CHUNK: u64 = 16 * 1024;

/// A slot and its offset from the start of the volume, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) offset: u64,
    pub(crate) bytes: [u8; SLOT],
}

/// The slots of a folder; damage if a part of it cannot be read.
pub(crate) struct Slots {
    window: Window,
    pieces: Pieces,
    /// Offset in the folder of the next byte to read.
    position: u64,
    /// The bytes read last, with their offset.
    chunk: (u64, Vec<u8>),
    /// How many of these bytes were returned.
    given: usize,
}

impl Slots {
    pub(crate) fn new(window: &Window, pieces: Pieces) -> Slots {
        Slots { window: window.clone(), pieces, position: 0, chunk: (0, Vec::new()), given: 0 }
    }

    /// Reads the next bytes; `None` at the end.
    fn fill(&mut self) -> Option<Result<(), Stop>> {
        let (offset, left) = self.pieces.at(self.position)?;
        let length = left.min(CHUNK);
        self.position += length;
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        self.given = 0;
        if self.window.read_exact_at(offset, &mut bytes).is_err() {
            self.chunk = (offset, Vec::new());
            let (what, expected) = ("entries of a folder", "bytes on the medium");
            return Some(Err(Stop { what, offset, expected, found: 0 }));
        }
        self.chunk = (offset, bytes);
        Some(Ok(()))
    }
}

impl Iterator for Slots {
    type Item = Result<Slot, Stop>;

    fn next(&mut self) -> Option<Result<Slot, Stop>> {
        loop {
            let (offset, bytes) = &self.chunk;
            let found = bytes.get(self.given..).and_then(|rest| rest.first_chunk::<SLOT>());
            if let Some(bytes) = found {
                let slot = Slot { offset: offset.saturating_add(self.given as u64), bytes: *bytes };
                self.given += SLOT;
                return Some(Ok(slot));
            }
            if let Err(stop) = self.fill()? {
                return Some(Err(stop));
            }
        }
    }
}
