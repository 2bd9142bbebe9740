//! A bounds-checked view of the cells of a hive (section "Cell").

use super::defect::{Defect, DefectKind};
use super::header::BASE_BLOCK;

/// The reference that means "none".
pub(crate) const NONE: u32 = u32::MAX;

/// The bytes of a hive, addressed by cell references.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    bytes: &'a [u8],
    bins: &'a [u8],
}

/// The content of one allocated cell, after its size.
#[derive(Clone, Copy)]
pub(crate) struct Cell<'a> {
    /// The reference by which it was found.
    pub(crate) reference: u32,
    /// Offset of the content in the file.
    pub(crate) at: u64,
    pub(crate) data: &'a [u8],
}

impl<'a> Cells<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, bins: bytes.get(BASE_BLOCK..).unwrap_or_default() }
    }

    /// Returns the whole file.
    pub(crate) fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Returns everything after the base block.
    pub(crate) fn bins(self) -> &'a [u8] {
        self.bins
    }

    /// Returns the size of the file.
    pub(crate) fn size(self) -> u64 {
        self.bytes.len() as u64
    }

    /// Returns the allocated cell at a reference that is stored at file offset `from`.
    ///
    /// A wrong size is reported in `defects`, and the cell is read as far as possible;
    /// a cell that is outside, free or empty is an `Err`.
    pub(crate) fn get(
        self,
        reference: u32,
        from: u64,
        defects: &mut Vec<Defect>,
    ) -> Result<Cell<'a>, Defect> {
        let outside = || {
            let limit = self.bins.len() as u64;
            Defect::at(from, DefectKind::CellOutside { reference, limit })
        };
        let rest = self.bins.get(reference as usize..).ok_or_else(outside)?;
        let (size, content) = rest.split_first_chunk().ok_or_else(outside)?;
        let (size, available) = (i32::from_le_bytes(*size), rest.len() as u64);
        let start = u64::from(reference) + BASE_BLOCK as u64;
        let length = size.unsigned_abs();
        if size > 0 {
            return Err(Defect::at(start, DefectKind::CellFree { reference, size: length }));
        }
        let wrong = Defect::at(start, DefectKind::CellSize { reference, actual: length, available });
        let Some(data_length) = (length as usize).checked_sub(4) else { return Err(wrong) };
        if length % 8 != 0 || data_length > content.len() {
            defects.push(wrong);
        }
        let data = content.get(..data_length).unwrap_or(content);
        Ok(Cell { reference, at: start + 4, data })
    }
}

impl<'a> Cell<'a> {
    /// Returns the first two bytes.
    pub(crate) fn signature(&self) -> [u8; 2] {
        self.data.first_chunk().copied().unwrap_or_default()
    }

    pub(crate) fn u16(&self, at: usize) -> Option<u16> {
        self.data.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
    }

    pub(crate) fn u32(&self, at: usize) -> Option<u32> {
        u32_at(self.data, at)
    }

    /// Returns `length` bytes from `at`, or as many as there are.
    pub(crate) fn up_to(&self, at: usize, length: usize) -> &'a [u8] {
        let rest = self.data.get(at..).unwrap_or_default();
        rest.get(..length).unwrap_or(rest)
    }
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}
