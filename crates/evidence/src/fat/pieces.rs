//! Where the bytes of a file or a folder stand in its volume.

use crate::error::Damage;
use crate::read::Extent;
use crate::window::Window;

/// Why no more of a structure is known: a field that is not what it must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stop {
    /// The field.
    pub(crate) what: &'static str,
    /// Where it stands, in bytes from the start of the volume.
    pub(crate) offset: u64,
    /// What must stand there.
    pub(crate) expected: &'static str,
    /// What stands there.
    pub(crate) found: u64,
}

impl From<Stop> for Damage {
    fn from(stop: Stop) -> Damage {
        let Stop { what, offset, expected, found } = stop;
        Damage::Field { what, offset, expected, found }
    }
}

/// Bytes that stand together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Bytes from the start of the file.
    start: u64,
    /// Bytes from the start of the volume.
    pub(crate) offset: u64,
    /// Number of bytes.
    pub(crate) length: u64,
}

/// The pieces of a file in its order, as far as they are known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pieces {
    list: Vec<Piece>,
    /// Why they end before the file does.
    pub(crate) stop: Option<Stop>,
}

impl Pieces {
    /// One piece.
    pub(crate) fn one(offset: u64, length: u64) -> Pieces {
        Pieces { list: vec![Piece { start: 0, offset, length }], stop: None }
    }

    /// No bytes at all, and why.
    pub(crate) fn none(stop: Stop) -> Pieces {
        Pieces { list: Vec::new(), stop: Some(stop) }
    }

    /// Appends bytes; a new piece only where they do not go on from the last one.
    pub(crate) fn push(&mut self, offset: u64, length: u64) {
        let start = self.length();
        match self.list.last_mut() {
            Some(last) if last.offset.saturating_add(last.length) == offset => {
                last.length = last.length.saturating_add(length);
            }
            Some(_) | None => self.list.push(Piece { start, offset, length }),
        }
    }

    /// Number of pieces.
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// Number of bytes.
    pub(crate) fn length(&self) -> u64 {
        self.list.last().map_or(0, |last| last.start.saturating_add(last.length))
    }

    /// Leaves out what lies past `length`.
    pub(crate) fn cut(&mut self, length: u64) {
        while let Some(last) = self.list.last_mut() {
            if last.start < length {
                last.length = last.length.min(length - last.start);
                return;
            }
            self.list.pop();
        }
    }

    /// Where byte `position` stands in the volume, and how many follow it without a break.
    pub(crate) fn at(&self, position: u64) -> Option<(u64, u64)> {
        let after = self.list.partition_point(|piece| piece.start <= position);
        let piece = self.list.get(after.checked_sub(1)?)?;
        let within = position - piece.start;
        let left = piece.length.checked_sub(within).filter(|left| *left > 0)?;
        Some((piece.offset.saturating_add(within), left))
    }

    /// Where the bytes from `position` up to `end` stand in the container.
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
