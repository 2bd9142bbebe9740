//! The locations of a file's or folder's bytes in its volume.

use crate::error::Damage;
use crate::read::Extent;
use crate::window::Window;

/// A field with a wrong value, which ended the reading of a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stop {
    /// The field.
    pub(crate) what: &'static str,
    /// Offset of the field from the start of the volume, in bytes.
    pub(crate) offset: u64,
    /// The value it must have.
    pub(crate) expected: &'static str,
    /// The value found.
    pub(crate) found: u64,
}

impl From<Stop> for Damage {
    fn from(stop: Stop) -> Damage {
        let Stop { what, offset, expected, found } = stop;
        Damage::Field { what, offset, expected, found }
    }
}

/// Contiguous bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Offset from the start of the file, in bytes.
    start: u64,
    /// Offset from the start of the volume, in bytes.
    pub(crate) offset: u64,
    /// Number of bytes.
    pub(crate) length: u64,
}

/// The pieces of a file in file order, as far as they are known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pieces {
    list: Vec<Piece>,
    /// Why the pieces end before the file does.
    pub(crate) stop: Option<Stop>,
}

impl Pieces {
    /// Creates pieces with one piece.
    pub(crate) fn one(offset: u64, length: u64) -> Pieces {
        Pieces { list: vec![Piece { start: 0, offset, length }], stop: None }
    }

    /// Creates pieces without bytes, and with the reason.
    pub(crate) fn none(stop: Stop) -> Pieces {
        Pieces { list: Vec::new(), stop: Some(stop) }
    }

    /// Appends bytes; begins a new piece only if they do not continue the last one.
    pub(crate) fn push(&mut self, offset: u64, length: u64) {
        let start = self.length();
        match self.list.last_mut() {
            Some(last) if last.offset.saturating_add(last.length) == offset => {
                last.length = last.length.saturating_add(length);
            }
            Some(_) | None => self.list.push(Piece { start, offset, length }),
        }
    }

    /// Returns the number of pieces.
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// Returns the number of bytes.
    pub(crate) fn length(&self) -> u64 {
        self.list.last().map_or(0, |last| last.start.saturating_add(last.length))
    }

    /// Drops everything past `length`.
    pub(crate) fn cut(&mut self, length: u64) {
        while let Some(last) = self.list.last_mut() {
            if last.start < length {
                last.length = last.length.min(length - last.start);
                return;
            }
            self.list.pop();
        }
    }

    /// Returns the offset of byte `position` in the volume, and the number of contiguous bytes from there on.
    pub(crate) fn at(&self, position: u64) -> Option<(u64, u64)> {
        let after = self.list.partition_point(|piece| piece.start <= position);
        let piece = self.list.get(after.checked_sub(1)?)?;
        let within = position - piece.start;
        let left = piece.length.checked_sub(within).filter(|left| *left > 0)?;
        Some((piece.offset.saturating_add(within), left))
    }

    /// Returns the extents in the container of the bytes from `position` up to `end`.
    pub(crate) fn extents(&self, window: &Window, position: u64, end: u64) -> Vec<Extent> {
        let (mut position, mut extents) = (position, Vec::new());
        while position < end {
            let Some((offset, left)) = self.at(position) else { break };
            let length = left.min(end - position);
            extents.extend(window.extents(offset, length));
            position += length;
        }
        extents
    }
}
