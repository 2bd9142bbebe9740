//! The hive that logs are applied to, with the origin of its bytes.

use super::{BASE_BLOCK, COPIED, Place, Why};
use crate::registry::header;
use std::collections::BTreeMap;

/// Offset of the size of all hive bins in a base block.
const BINS_SIZE: usize = 0x28;

/// A hive being rebuilt.
pub(super) struct Target {
    bytes: Vec<u8>,
    pieces: Pieces,
    /// The most bytes of hive bins.
    limit: u64,
}

impl Target {
    pub(super) fn new(hive: &[u8], limit: u64) -> Self {
        Self { bytes: hive.to_vec(), pieces: Pieces::default(), limit }
    }

    /// Replaces the hive's base block by a log's copy.
    pub(super) fn base_block(&mut self, log: &[u8]) {
        for (slot, byte) in self.bytes.iter_mut().zip(log.iter().take(COPIED)) {
            *slot = *byte;
        }
        // The file type in a log's copy is that of a log.
        self.put(0x1C, &0u32.to_le_bytes());
    }

    /// Checks that all pages (offset from the first hive bin, length) fit into bins of this size.
    pub(super) fn has_room(&self, size: u32, pages: impl Iterator<Item = (u64, u64)>) -> Result<(), Why> {
        let size = u64::from(size);
        if size > self.limit {
            return Err(Why::TooLarge { size, limit: self.limit });
        }
        for (offset, length) in pages {
            if offset.saturating_add(length) > size {
                return Err(Why::Outside { offset, limit: size });
            }
        }
        Ok(())
    }

    /// Sets the size of the hive bins, and enlarges the file if needed.
    pub(super) fn grow(&mut self, size: u32) {
        let needed = (size as usize).saturating_add(BASE_BLOCK);
        if self.bytes.len() < needed {
            self.bytes.resize(needed, 0);
        }
        self.put(BINS_SIZE, &size.to_le_bytes());
    }

    /// Writes a page from offset `from` of a log; it was checked to fit.
    pub(super) fn page(&mut self, offset: u64, data: &[u8], log: usize, from: u64) {
        let start = offset.saturating_add(BASE_BLOCK as u64);
        self.put(usize::try_from(start).unwrap_or(usize::MAX), data);
        self.pieces.insert(start, data.len() as u64, log, from);
    }

    /// Sets the flags of the base block.
    pub(super) fn flags(&mut self, flags: u32) {
        // Logs keep only the lowest bit.
        if let Some(slot) = self.bytes.get_mut(0x90) {
            *slot = *slot & !1 | (flags & 1) as u8;
        }
    }

    /// Returns the hive, clean, as it is after the change with this sequence number.
    pub(super) fn finish(mut self, sequence: u32) -> (Vec<u8>, Pieces) {
        self.put(4, &sequence.to_le_bytes());
        self.put(8, &sequence.to_le_bytes());
        let sum = header::checksum(&self.bytes);
        self.put(0x1FC, &sum.to_le_bytes());
        (self.bytes, self.pieces)
    }

    fn put(&mut self, at: usize, data: &[u8]) {
        for (slot, byte) in self.bytes.iter_mut().skip(at).zip(data) {
            *slot = *byte;
        }
    }
}

/// Runs of bytes that came from logs, by their start in the hive; they do not overlap.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces(BTreeMap<u64, Piece>);

#[derive(Clone, Copy, Debug)]
struct Piece {
    length: u64,
    log: usize,
    from: u64,
}

impl Pieces {
    /// Adds a run, which replaces the covered parts of earlier ones.
    fn insert(&mut self, start: u64, length: u64, log: usize, from: u64) {
        let end = start.saturating_add(length);
        if length == 0 {
            return;
        }
        let before = self.0.range(..start).next_back().map(|(at, piece)| (*at, *piece));
        let covered = self.0.range(start..end).map(|(at, piece)| (*at, *piece));
        let touched: Vec<(u64, Piece)> = before.into_iter().chain(covered).collect();
        for (at, piece) in touched {
            let last = at.saturating_add(piece.length);
            if last <= start {
                continue;
            }
            self.0.remove(&at);
            if at < start {
                self.0.insert(at, Piece { length: start - at, ..piece });
            }
            if last > end {
                let rest = Piece { length: last - end, from: piece.from.saturating_add(end - at), ..piece };
                self.0.insert(end, rest);
            }
        }
        self.0.insert(start, Piece { length, log, from });
    }

    /// Returns the location of a run of bytes in one piece of a log; pieces that are also adjacent in the log
    /// count as one.
    pub(super) fn place(&self, offset: u64, length: u64) -> Place {
        let Some((start, first)) = self.0.range(..=offset).next_back() else { return Place::Nowhere };
        let from = first.from.saturating_add(offset - start);
        let end = offset.saturating_add(length);
        let mut reached = start.saturating_add(first.length);
        if reached <= offset {
            return Place::Nowhere;
        }
        while reached < end {
            match self.0.get(&reached) {
                Some(next) if next.log == first.log && next.from == from.saturating_add(reached - offset) => {
                    reached = reached.saturating_add(next.length);
                }
                _ => return Place::Nowhere,
            }
        }
        Place::Log { log: first.log, offset: from }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_pages_take_over_what_they_cover() {
        let mut pieces = Pieces::default();
        pieces.insert(100, 100, 0, 1000);
        pieces.insert(150, 10, 1, 0);
        assert_eq!(pieces.place(100, 50), Place::Log { log: 0, offset: 1000 });
        assert_eq!(pieces.place(149, 2), Place::Nowhere);
        assert_eq!(pieces.place(155, 5), Place::Log { log: 1, offset: 5 });
        assert_eq!(pieces.place(160, 40), Place::Log { log: 0, offset: 1060 });
        assert_eq!(pieces.place(160, 41), Place::Nowhere);
        assert_eq!(pieces.place(99, 1), Place::Nowhere);
        pieces.insert(200, 50, 0, 1100);
        assert_eq!(pieces.place(190, 20), Place::Log { log: 0, offset: 1090 });
    }
}
