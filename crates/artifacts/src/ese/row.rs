//! The records of a table, with values by column name.

use super::catalog::{Column, ColumnType, Table};
use super::long::LongValues;
use super::page::{Entry, Pages};
use super::record::{Cell, Record, Value};
use super::tagged;
use super::tree::Entries;
use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, u16_at, u32_at, u64_at, utf16};
use crate::registry::Filetime;
use std::borrow::Cow;

/// The code page of UTF-16LE.
const UTF16: u32 = 1200;

/// The records of a table.
pub struct Rows<'b, 'd> {
    pages: &'b Pages<'d>,
    table: &'b Table<'d>,
    entries: Entries<'b, 'd>,
    damage: Vec<Damage>,
}

impl<'b, 'd> Rows<'b, 'd> {
    pub(super) fn new(pages: &'b Pages<'d>, table: &'b Table<'d>) -> Rows<'b, 'd> {
        Rows { pages, table, entries: Entries::below(pages, table.root), damage: Vec::new() }
    }

    /// Returns the damage in the pages read since the last request: records may be missing.
    pub fn take_damage(&mut self) -> Vec<Damage> {
        let mut damage = std::mem::take(&mut self.damage);
        damage.extend(self.entries.take_damage());
        damage.extend(self.table.long.get().map(LongValues::take_damage).unwrap_or_default());
        damage
    }
}

impl<'b, 'd> Iterator for Rows<'b, 'd> {
    type Item = Row<'b, 'd>;

    fn next(&mut self) -> Option<Row<'b, 'd>> {
        loop {
            let Entry { data, offset, page, .. } = self.entries.next()?;
            if let Some(record) = Record::read(data, offset, self.pages.large) {
                let (pages, table) = (self.pages, self.table);
                return Some(Row { pages, table, record, page, damage: Vec::new() });
            }
            let (what, length) = ("the columns of a record", data.len());
            self.damage.push(Damage::at(offset, DamageKind::Outside { what, length, available: length }));
        }
    }
}

/// One record.
pub struct Row<'b, 'd> {
    pages: &'b Pages<'d>,
    table: &'b Table<'d>,
    record: Record<'d>,
    /// Number of the page that holds the record.
    pub page: u32,
    /// The damage in the requested values.
    pub damage: Vec<Damage>,
}

impl<'b, 'd> Row<'b, 'd> {
    /// Returns the location of the record in the file: offset and length.
    pub fn place(&self) -> (usize, usize) {
        (self.record.offset, self.record.data.len())
    }

    /// Returns the columns of its table.
    pub fn columns(&self) -> &'b [Column] {
        &self.table.columns
    }

    /// Returns the value of a column; `None` if it is NULL or left out.
    pub fn cell(&self, column: &Column) -> Option<Cell<'d>> {
        let stored = self.record.stored(column)?;
        let (offset, length) = (stored.offset, stored.value.len());
        Some(Cell { value: tagged::value(self.pages, self.table, stored), offset, length })
    }

    /// Returns the bytes of a column; if there are several values, those of the first.
    pub fn bytes(&mut self, name: &str) -> Option<Located<Cow<'d, [u8]>>> {
        let Cell { value, offset, length } = self.cell(self.table.column(name)?)?;
        let value = match value {
            Value::One(value) => value,
            Value::Several(values) => values.into_iter().next()?,
            Value::Missing { .. } => {
                let what = DamageKind::Outside { what: "a long value", length, available: 0 };
                self.damage.push(Damage::at(offset, what));
                return None;
            }
            Value::Packed { scheme } => {
                let (what, actual) = ("the packing of a value", u64::from(scheme));
                self.damage.push(Damage::at(offset, DamageKind::Field { what, expected: 3, actual }));
                return None;
            }
        };
        Some(Located::new(value, offset, length))
    }

    /// Returns a whole number.
    pub fn integer(&mut self, name: &str) -> Option<Located<i128>> {
        let kind = self.table.column(name)?.kind;
        let Located { value, offset, length } = self.bytes(name)?;
        Some(Located::new(integer(kind, &value)?, offset, length))
    }

    /// Returns a text without the NUL at its end; ASCII, or UTF-16LE if the column says so.
    pub fn text(&mut self, name: &str) -> Option<Located<String>> {
        let column = self.table.column(name)?;
        let Located { value, offset, length } = self.bytes(name)?;
        Some(Located::new(text(column, &value, offset, &mut self.damage), offset, length))
    }

    /// Returns a FILETIME from a column of eight bytes.
    pub fn filetime(&mut self, name: &str) -> Option<Located<Filetime>> {
        let Located { value, offset, length } = self.bytes(name)?;
        Some(Located::new(Filetime(u64_at(&value, 0).filter(|_| value.len() == 8)?), offset, length))
    }

    /// Returns days since 1899-12-30, as in OLE Automation.
    pub fn days(&mut self, name: &str) -> Option<Located<f64>> {
        let found = self.filetime(name)?;
        let Located { value, offset, length } = found;
        Some(Located::new(f64::from_bits(value.0), offset, length))
    }
}

/// Converts the bytes of a column to a number.
pub(super) fn integer(kind: ColumnType, bytes: &[u8]) -> Option<i128> {
    let wide = || u64_at(bytes, 0);
    match kind {
        ColumnType::Bit => bytes.first().map(|byte| i128::from(*byte != 0)),
        ColumnType::U8 => bytes.first().map(|byte| i128::from(*byte)),
        ColumnType::I16 => u16_at(bytes, 0).map(|number| i128::from(number.cast_signed())),
        ColumnType::U16 => u16_at(bytes, 0).map(i128::from),
        ColumnType::I32 => u32_at(bytes, 0).map(|number| i128::from(number.cast_signed())),
        ColumnType::U32 => u32_at(bytes, 0).map(i128::from),
        ColumnType::I64 => wide().map(|number| i128::from(number.cast_signed())),
        ColumnType::U64 => wide().map(i128::from),
        ColumnType::F32
        | ColumnType::F64
        | ColumnType::DateTime
        | ColumnType::Guid
        | ColumnType::Binary
        | ColumnType::Text
        | ColumnType::Other(_) => None,
    }
}

/// Converts the bytes of a column to a text.
pub(super) fn text(column: &Column, bytes: &[u8], offset: usize, damage: &mut Vec<Damage>) -> String {
    let text = if column.code_page == UTF16 {
        utf16(bytes, offset, "a text", damage)
    } else {
        let foreign = bytes.iter().filter(|byte| !byte.is_ascii()).count();
        if foreign > 0 {
            damage.push(Damage::at(offset, DamageKind::Text { what: "a text", count: foreign }));
        }
        let letter =
            |byte: &u8| if byte.is_ascii() { char::from(*byte) } else { char::REPLACEMENT_CHARACTER };
        bytes.iter().map(letter).collect()
    };
    text.trim_end_matches('\0').to_owned()
}
