//! Hive bins and their cells (sections "Hive bin", "Cell").

use super::BASE_BLOCK;

const BIN_HEADER: usize = 32;
const BIN_UNIT: usize = 4096;

/// Bins under construction; cells are only added.
pub(crate) struct Bins {
    bytes: Vec<u8>,
    /// The end of the current bin, counted from the first bin.
    bin_end: usize,
}

/// The offset of a cell from the first bin, as stored in records.
pub(crate) type CellRef = u32;

/// The offset that means "none".
pub(crate) const NONE: CellRef = u32::MAX;

impl Bins {
    pub(crate) fn new() -> Self {
        Self { bytes: Vec::new(), bin_end: 0 }
    }

    /// Adds an allocated cell with this content.
    pub(crate) fn add(&mut self, data: &[u8]) -> CellRef {
        let size = (data.len() + 4).next_multiple_of(8);
        if self.bytes.len() + size > self.bin_end {
            self.close_bin();
            self.open_bin(size);
        }
        let cell = number(self.bytes.len());
        let end = self.bytes.len() + size;
        self.bytes.extend(number(size).wrapping_neg().to_le_bytes());
        self.bytes.extend(data);
        self.bytes.resize(end, 0);
        cell
    }

    /// Overwrites part of a cell's content.
    pub(crate) fn patch(&mut self, cell: CellRef, at: usize, data: &[u8]) {
        let start = cell as usize + 4 + at;
        self.bytes[start..start + data.len()].copy_from_slice(data);
    }

    /// Returns the current end: the next cell goes here, after a new bin header if the bin is full.
    pub(crate) fn end(&self) -> usize {
        self.bytes.len()
    }

    /// Frees all cells from an earlier end position on.
    pub(crate) fn free_from(&mut self, start: usize) {
        let mut at = start;
        while at < self.bytes.len() {
            if self.bytes[at..].starts_with(b"hbin") {
                at += BIN_HEADER;
                continue;
            }
            let word =
                self.bytes[at..at + 4].iter().rev().fold(0, |word: u32, byte| word << 8 | u32::from(*byte));
            let size = word.cast_signed().unsigned_abs();
            self.bytes[at..at + 4].copy_from_slice(&size.to_le_bytes());
            at += size as usize;
        }
    }

    /// Closes the last bin and returns all bins.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.close_bin();
        self.bytes
    }

    fn open_bin(&mut self, cell: usize) {
        let size = (cell + BIN_HEADER).next_multiple_of(BIN_UNIT);
        self.bytes.extend(b"hbin");
        self.bytes.extend(number(self.bin_end).to_le_bytes());
        self.bytes.extend(number(size).to_le_bytes());
        self.bytes.extend([0; 20]);
        self.bin_end += size;
    }

    /// Fills the rest of the bin with one free cell, which has a positive size.
    fn close_bin(&mut self) {
        let left = self.bin_end - self.bytes.len();
        if left > 0 {
            self.bytes.extend(number(left).to_le_bytes());
            self.bytes.resize(self.bin_end, 0);
        }
    }
}

/// Returns the file offset of a cell's content.
pub(crate) fn file_offset(cell: CellRef) -> u64 {
    u64::from(cell) + BASE_BLOCK as u64 + 4
}

/// Converts a size or offset to its stored form; hives end at 2 GiB.
pub(crate) fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
