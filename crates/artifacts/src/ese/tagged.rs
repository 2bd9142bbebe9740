//! Tagged values: those of columns that most records do not have (specification, section 4.2.4 "Tagged data types").

use super::catalog::{Column, Table};
use super::long::LongValues;
use super::pack::{Unpacked, unpack};
use super::page::Pages;
use super::record::{Record, Stored, Value};
use crate::fields::{u16_at, u32_at, u64_at};
use std::borrow::Cow;

/// Flag before the offset of a value: its column belongs to the template table.
const OF_TEMPLATE: u16 = 0x8000;
/// On small pages: the value begins with a byte of flags.
const HAS_FLAGS: u16 = 0x4000;
/// On small pages: the value is NULL, although the column has a default.
const NULL: u16 = 0x2000;

const COMPRESSED: u8 = 0x02;
const SEPARATED: u8 = 0x04;
const SEVERAL: u8 = 0x08;
const TWO: u8 = 0x10;
const NULL_FLAG: u8 = 0x20;
const ENCRYPTED: u8 = 0x40;

/// Stands for an encrypted value; it is not the number of any packing.
const ENCRYPTION: u8 = 0xFF;

/// Returns the value of a tagged column as stored.
pub(super) fn find<'d>(record: &Record<'d>, column: &Column) -> Option<Stored<'d>> {
    let (area, at) = record.tagged()?;
    let large = record.is_large();
    let mask = if large { 0x7FFF } else { 0x1FFF };
    let count = usize::from(u16_at(area, 2)? & mask) / 4;
    for index in 0..count {
        let (id, raw) = (u16_at(area, index * 4)?, u16_at(area, index * 4 + 2)?);
        if u32::from(id) != column.id || (raw & OF_TEMPLATE != 0) != column.of_template {
            continue;
        }
        let start = usize::from(raw & mask);
        let end = match index + 1 < count {
            true => usize::from(u16_at(area, index * 4 + 6)? & mask),
            false => area.len(),
        };
        if !large && raw & NULL != 0 {
            return None;
        }
        let value = area.get(start..end)?;
        let (flags, value, skipped) = match value.split_first() {
            Some((flags, rest)) if large || raw & HAS_FLAGS != 0 => (*flags, rest, 1),
            _ => (0, value, 0),
        };
        let offset = record.offset + at + start + skipped;
        return (flags & NULL_FLAG == 0).then_some(Stored { value, offset, flags });
    }
    None
}

/// Returns the value that the stored bytes represent: long values are looked up, packed ones unpacked.
pub(super) fn value<'d>(pages: &Pages<'d>, table: &Table<'d>, stored: Stored<'d>) -> Value<'d> {
    let Stored { value, flags, .. } = stored;
    if flags & ENCRYPTED != 0 {
        return Value::Packed { scheme: ENCRYPTION };
    }
    if flags & SEVERAL != 0 {
        return several(pages, table, value, flags);
    }
    if flags & SEPARATED != 0 {
        return separated(pages, table, value);
    }
    if flags & COMPRESSED != 0 { unpacked(pages, value) } else { Value::One(Cow::Borrowed(value)) }
}

fn unpacked<'d>(pages: &Pages<'d>, value: &[u8]) -> Value<'d> {
    match unpack(value, &pages.unpacked) {
        Unpacked::Bytes(bytes) => Value::One(Cow::Owned(bytes)),
        Unpacked::Unread { scheme } => Value::Packed { scheme },
    }
}

/// Returns a long value by its number.
fn separated<'d>(pages: &Pages<'d>, table: &Table<'d>, number: &[u8]) -> Value<'d> {
    let id = match number.len() {
        8 => u64_at(number, 0),
        _ => u32_at(number, 0).map(u64::from),
    };
    let id = id.unwrap_or_default();
    let long = table.long.get_or_init(|| LongValues::read(pages, table.long_root));
    long.value(id, &pages.unpacked).map_or(Value::Missing { id }, Value::One)
}

/// Reads several values: a list of offsets followed by the values, or two values preceded by the length of the first.
fn several<'d>(pages: &Pages<'d>, table: &Table<'d>, bytes: &'d [u8], flags: u8) -> Value<'d> {
    let plain = |bytes: &'d [u8]| Cow::Borrowed(bytes);
    if flags & TWO != 0 {
        let Some((length, rest)) = bytes.split_first() else { return Value::Several(Vec::new()) };
        let (first, second) = rest.split_at_checked(usize::from(*length)).unwrap_or((rest, &[]));
        return Value::Several(vec![plain(first), plain(second)]);
    }
    let offset = |index: usize| u16_at(bytes, index * 2);
    let count = usize::from(offset(0).unwrap_or(0) & 0x7FFF) / 2;
    let mut values = Vec::new();
    for index in 0..count {
        let Some(raw) = offset(index) else { break };
        let end = match index + 1 < count {
            true => offset(index + 1).map_or(bytes.len(), |next| usize::from(next & 0x7FFF)),
            false => bytes.len(),
        };
        let Some(one) = bytes.get(usize::from(raw & 0x7FFF)..end) else { break };
        // The bit means the same as for a single value: this is the number of a long value. Only the first value
        // can be packed.
        let found = if raw & 0x8000 != 0 {
            separated(pages, table, one)
        } else if index == 0 && flags & COMPRESSED != 0 {
            unpacked(pages, one)
        } else {
            Value::One(plain(one))
        };
        match found {
            Value::One(value) => values.push(value),
            Value::Several(_) => {}
            lost @ (Value::Missing { .. } | Value::Packed { .. }) => return lost,
        }
    }
    Value::Several(values)
}
