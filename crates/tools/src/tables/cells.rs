//! Converts values to columns and back.

use super::schema::Column;
use ledger::{ByteSpan, Clock, FieldType, FieldValue, Time, Utc};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use std::ops::Range;

/// A value as its column stores it, and whether the column represents it fully.
pub(super) struct Stored<'v> {
    pub(super) cell: ToSqlOutput<'v>,
    pub(super) is_whole: bool,
}

/// Converts a value to its form in a column.
pub(super) fn store<'v>(value: &'v FieldValue, column: &Column) -> Stored<'v> {
    let is_usual = value.field_type() == column.usual();
    let whole = |cell| Stored { cell, is_whole: is_usual };
    match value {
        FieldValue::Text(text)
        | FieldValue::Name(text)
        | FieldValue::Path(text)
        | FieldValue::RegistryPath(text)
        | FieldValue::Sid(text)
        | FieldValue::Guid(text)
        | FieldValue::Hash(text)
        | FieldValue::Bytes(text) => whole(ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes()))),
        FieldValue::Integer(number) => whole(integer(*number)),
        FieldValue::Size(number) => whole(integer(i128::from(*number))),
        FieldValue::Flag(flag) => whole(ToSqlOutput::Owned(Value::Integer(i64::from(*flag)))),
        FieldValue::List(items) => {
            // Texts always have a JSON form.
            let json = serde_json::to_string(items).unwrap_or_default();
            whole(ToSqlOutput::Owned(Value::Text(json)))
        }
        FieldValue::Time(time) => Stored { cell: instant(time), is_whole: is_usual && is_plain(time) },
    }
}

/// Returns the value of a column that `_exact` does not list; `None` if there is none, or it is not of the column's type.
pub(super) fn restore(cell: ValueRef<'_>, column: &Column) -> Option<FieldValue> {
    let text = || cell.as_str().ok().map(str::to_owned);
    Some(match column.usual() {
        FieldType::Text => FieldValue::Text(text()?),
        FieldType::Name => FieldValue::Name(text()?),
        FieldType::Path => FieldValue::Path(text()?),
        FieldType::RegistryPath => FieldValue::RegistryPath(text()?),
        FieldType::Sid => FieldValue::Sid(text()?),
        FieldType::Guid => FieldValue::Guid(text()?),
        FieldType::Hash => FieldValue::Hash(text()?),
        FieldType::Bytes => FieldValue::Bytes(text()?),
        FieldType::Integer => FieldValue::Integer(number(cell)?),
        FieldType::Size => FieldValue::Size(u64::try_from(number(cell)?).ok()?),
        FieldType::Flag => match number(cell)? {
            0 => FieldValue::Flag(false),
            1 => FieldValue::Flag(true),
            _ => return None,
        },
        FieldType::List => FieldValue::List(serde_json::from_str(cell.as_str().ok()?).ok()?),
        FieldType::Time => FieldValue::Time(plain(cell.as_str().ok()?)?),
    })
}

/// Stores a whole number; if SQLite cannot represent it, as its digits.
pub(super) fn integer(number: i128) -> ToSqlOutput<'static> {
    ToSqlOutput::Owned(match i64::try_from(number) {
        Ok(number) => Value::Integer(number),
        Err(_) => Value::Text(number.to_string()),
    })
}

pub(super) fn number(cell: ValueRef<'_>) -> Option<i128> {
    match cell {
        ValueRef::Integer(number) => Some(i128::from(number)),
        ValueRef::Text(_) => cell.as_str().ok()?.parse().ok(),
        ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => None,
    }
}

/// The suffix of a time kept by the machine that has a copy: it does not date an event on the host.
pub(super) const OF_COPY: &str = " copy";

/// Returns the text of a time, which sorts correctly; NULL if it has no instant.
fn instant(time: &Time) -> ToSqlOutput<'static> {
    // A `Z` would sort after the fraction of a second that another source stores.
    let mut text = time.to_text();
    if text.ends_with('Z') {
        text.pop();
    }
    if time.clock == Clock::CollectionCopy {
        text.push_str(OF_COPY);
    }
    ToSqlOutput::Owned(time.utc.map_or(Value::Null, |_| Value::Text(text)))
}

/// Checks whether a time can be restored from its text alone: it is a FILETIME kept by the host.
fn is_plain(time: &Time) -> bool {
    time.utc.is_some() && time.raw.parse().is_ok_and(|ticks| Time::from_filetime(ticks) == *time)
}

/// Returns the FILETIME that a text gives.
pub(super) fn plain(text: &str) -> Option<Time> {
    const UNIX_EPOCH: i128 = 116_444_736_000_000_000;
    let utc = instant_of(text)?;
    let ticks = utc.unix_nanoseconds() / 100 + UNIX_EPOCH;
    u64::try_from(ticks).ok().map(Time::from_filetime)
}

/// Parses `YYYY-MM-DDThh:mm:ss.fffffff`, the form of most times in columns; other forms go to the general parser.
fn instant_of(text: &str) -> Option<Utc> {
    let number = |range: Range<usize>| text.get(range)?.parse::<i16>().ok();
    let small = |start: usize| number(start..start + 2).and_then(|number| i8::try_from(number).ok());
    let fraction = text.get(20..27).filter(|_| text.len() == 27 && text.as_bytes().get(19) == Some(&b'.'));
    let usual = fraction.and_then(|fraction| {
        let date = [number(0..4)?, number(5..7)?, number(8..10)?];
        Utc::from_date_and_time(
            date,
            [small(11)?, small(14)?, small(17)?],
            fraction.parse::<i32>().ok()? * 100,
        )
    });
    usual.or_else(|| format!("{text}Z").parse().ok())
}

/// Adds the bytes of the next field to a layout: `offset+length`, or nothing if the field has no bytes of its own.
///
/// The offset counts from `base`, where the record begins, so that records of the same form share a layout.
/// After `=` it counts from the start of the file.
pub(super) fn add_place(layout: &mut String, at: Option<ByteSpan>, base: u64) {
    if let Some(span) = at {
        let offset = span.offset.checked_sub(base).unwrap_or_else(|| {
            layout.push('=');
            span.offset
        });
        push_number(layout, offset);
        layout.push('+');
        push_number(layout, span.length);
    }
    layout.push(' ');
}

/// Writes the digits of a number: `write!` costs several times as much, and a row has dozens.
fn push_number(text: &mut String, mut number: u64) {
    let (mut digits, mut at) = ([b'0'; 20], 20);
    while at == 20 || number > 0 {
        at -= 1;
        if let Some(digit) = digits.get_mut(at) {
            *digit = b'0' + (number % 10) as u8;
        }
        number /= 10;
    }
    text.push_str(digits.get(at..).and_then(|digits| std::str::from_utf8(digits).ok()).unwrap_or_default());
}

/// Reads a layout: the bytes of each field of the row, in the order of the columns.
pub(super) fn places(layout: &str, base: u64) -> impl Iterator<Item = Option<Option<ByteSpan>>> {
    layout.split(' ').map(move |place| {
        if place.is_empty() {
            return Some(None);
        }
        let (offset, length) = place.split_once('+')?;
        let offset = match offset.strip_prefix('=') {
            Some(offset) => offset.parse().ok()?,
            None => offset.parse::<u64>().ok()?.checked_add(base)?,
        };
        Some(Some(ByteSpan::new(offset, length.parse().ok()?)))
    })
}
