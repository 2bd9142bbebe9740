//! One record of a table: fixed-size, variable-size and tagged values (specification, section 4 "Data definition").

use super::catalog::Column;
use super::tagged;
use crate::fields::{bytes, u16_at};
use std::borrow::Cow;

/// The first variable-size column, and the first tagged one.
const VARIABLE: u32 = 128;
const TAGGED: u32 = 256;

/// A value, and the location of its bytes in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell<'d> {
    /// The value.
    pub value: Value<'d>,
    /// Offset in the file of what the record holds: the value, or the number of a long value.
    pub offset: usize,
    /// Length of these bytes.
    pub length: usize,
}

/// A value of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'d> {
    /// One value.
    One(Cow<'d, [u8]>),
    /// Several values of one column.
    Several(Vec<Cow<'d, [u8]>>),
    /// A long value that is missing from the database.
    Missing {
        /// Its number.
        id: u64,
    },
    /// A value in an unsupported packing, such as Xpress9, or one that is encrypted or cannot be unpacked.
    Packed {
        /// Number of the packing.
        scheme: u8,
    },
}

/// A record that is read column by column.
#[derive(Clone, Debug)]
pub(super) struct Record<'d> {
    pub(super) data: &'d [u8],
    /// Offset of the record in the file.
    pub(super) offset: usize,
    large: bool,
    last_fixed: u32,
    /// Number of variable-size columns it has room for.
    variables: usize,
    /// Offset of the list of their ends.
    ends: usize,
}

impl<'d> Record<'d> {
    pub(super) fn read(data: &'d [u8], offset: usize, large: bool) -> Option<Record<'d>> {
        let last_fixed = u32::from(*data.first()?);
        let variables = usize::from(*data.get(1)?).saturating_sub(127);
        let ends = usize::from(u16_at(data, 2)?);
        bytes(data, ends, variables * 2)?;
        ends.checked_sub(last_fixed.div_ceil(8) as usize).filter(|bits| *bits >= 4)?;
        Some(Record { data, offset, large, last_fixed, variables, ends })
    }

    /// Returns the bytes of a column that are in the record; for tagged values with their flags.
    pub(super) fn stored(&self, column: &Column) -> Option<Stored<'d>> {
        if column.id >= TAGGED {
            return tagged::find(self, column);
        }
        let (value, at) = if column.id >= VARIABLE {
            self.variable(column.id)?
        } else {
            (self.fixed(column.id, column.offset, column.size)?, column.offset)
        };
        Some(Stored { value, offset: self.offset + at, flags: 0 })
    }

    /// Returns a fixed-size value, unless it is NULL.
    pub(super) fn fixed(&self, id: u32, at: usize, size: usize) -> Option<&'d [u8]> {
        let bit = id.checked_sub(1)?;
        let bits = self.ends - self.last_fixed.div_ceil(8) as usize;
        let null = self.data.get(bits + (bit / 8) as usize)? >> (bit % 8) & 1;
        // An offset of 0 to 3 is in the record's own header.
        let inside = id <= self.last_fixed && null == 0 && at >= 4 && at.checked_add(size)? <= bits;
        if inside { bytes(self.data, at, size) } else { None }
    }

    /// Returns a variable-size value and its offset in the record, unless it is NULL.
    pub(super) fn variable(&self, id: u32) -> Option<(&'d [u8], usize)> {
        let index = id.checked_sub(VARIABLE)? as usize;
        let end = self.end(index)?;
        let start = match index.checked_sub(1) {
            Some(before) => usize::from(self.end(before)? & 0x7FFF),
            None => 0,
        };
        if end & 0x8000 != 0 {
            return None;
        }
        let at = self.ends + self.variables * 2 + start;
        Some((bytes(self.data, at, usize::from(end & 0x7FFF).checked_sub(start)?)?, at))
    }

    /// Returns the bytes after the variable-size values, and their offset in the record.
    pub(super) fn tagged(&self) -> Option<(&'d [u8], usize)> {
        let length = match self.variables.checked_sub(1) {
            Some(last) => usize::from(self.end(last)? & 0x7FFF),
            None => 0,
        };
        let at = self.ends + self.variables * 2 + length;
        Some((self.data.get(at..)?, at))
    }

    pub(super) fn is_large(&self) -> bool {
        self.large
    }

    fn end(&self, index: usize) -> Option<u16> {
        if index < self.variables { u16_at(self.data, self.ends + index * 2) } else { None }
    }
}

/// A value as stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored<'d> {
    pub(super) value: &'d [u8],
    /// Offset of the value in the file.
    pub(super) offset: usize,
    /// The flags of a tagged value.
    pub(super) flags: u8,
}
