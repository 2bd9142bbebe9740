//! Turns parts of a file into fields of a record, each with the place of its bytes.

use super::Source;
use crate::row::Row;
use artifacts::civil_time::CivilTime;
use artifacts::registry::Filetime;
use artifacts::{Damage, Located};
use ledger::{AssumedZone, ByteSpan, Clock, Defect, FieldValue, Precision, Time, Utc};

/// Adds a part as a field, if it exists; `base` is the file offset of the data that it was read from.
pub(crate) fn part<T: Clone>(
    row: Row,
    field: &str,
    base: u64,
    found: Option<&Located<T>>,
    make: impl FnOnce(T) -> FieldValue,
) -> Row {
    match found {
        Some(found) => row.field_at(field, make(found.value.clone()), Some(place(base, found))),
        None => row,
    }
}

/// Adds a whole number as a field.
pub(crate) fn number<T: Copy + Into<i128>>(
    row: Row,
    field: &str,
    base: u64,
    found: Option<&Located<T>>,
) -> Row {
    part(row, field, base, found, |number| FieldValue::Integer(number.into()))
}

/// Adds a FILETIME kept by the host as a field; "never" is not a time and adds none.
pub(crate) fn time(row: Row, field: &str, base: u64, found: Option<&Located<Filetime>>) -> Row {
    let found = found.filter(|found| found.value.is_time());
    part(row, field, base, found, |ticks| FieldValue::Time(Time::from_filetime(ticks.0)))
}

/// Makes a time that a program of the host kept in units of its own: `nanoseconds` since 1970-01-01 UTC, `raw` as it is stored.
pub(crate) fn host_time(nanoseconds: i128, raw: String, precision: Precision) -> FieldValue {
    let utc = Utc::from_unix_nanoseconds(nanoseconds);
    FieldValue::Time(Time { utc, raw, clock: Clock::Host, precision, zone: None })
}

/// Returns the place of a part in the file.
pub(crate) fn place<T>(base: u64, found: &Located<T>) -> ByteSpan {
    ByteSpan::new(base.saturating_add(found.offset as u64), found.length as u64)
}

/// The file offset of the data that parts are read from; none for bytes that were expanded, or gathered from many places.
#[derive(Clone, Copy)]
pub(crate) struct Base(pub(crate) Option<u64>);

impl Base {
    /// Adds a part as a field, with its place if it has one.
    pub(crate) fn part<T: Clone>(
        self,
        row: Row,
        field: &str,
        found: Option<&Located<T>>,
        make: impl FnOnce(T) -> FieldValue,
    ) -> Row {
        match found {
            Some(found) => row.field_at(field, make(found.value.clone()), self.place(found)),
            None => row,
        }
    }

    /// Adds a whole number as a field.
    pub(crate) fn number<T: Copy + Into<i128>>(
        self,
        row: Row,
        field: &str,
        found: Option<&Located<T>>,
    ) -> Row {
        self.part(row, field, found, |number| FieldValue::Integer(number.into()))
    }

    /// Adds a FILETIME kept by the host as a field; "never" is not a time and adds none.
    pub(crate) fn time(self, row: Row, field: &str, found: Option<&Located<Filetime>>) -> Row {
        let found = found.filter(|found| found.value.is_time());
        self.part(row, field, found, |ticks| FieldValue::Time(Time::from_filetime(ticks.0)))
    }

    /// Returns the place of a part in the file, if the data has one.
    pub(crate) fn place<T>(self, found: &Located<T>) -> Option<ByteSpan> {
        self.0.map(|base| place(base, found))
    }

    /// Returns the damage of the data as defects. If the data has no place in the file, the offset within the data is part of the words.
    pub(crate) fn defects(self, source: &Source<'_, '_>, damage: &[Damage]) -> Vec<Defect> {
        let told = |one: &Damage| {
            source
                .defect(None, format!("at {} of what was expanded or put together: {}", one.offset, one.what))
        };
        match self.0 {
            Some(base) => defects(source, base, damage),
            None => damage.iter().map(told).collect(),
        }
    }
}

/// Returns the damage of a piece of the file, which begins at `base`, as ledger defects.
pub(crate) fn defects(source: &Source<'_, '_>, base: u64, damage: &[Damage]) -> Vec<Defect> {
    let told = |damage: &Damage| source.defect(Some(base.saturating_add(damage.offset as u64)), damage.what);
    damage.iter().map(told).collect()
}

/// Reports what is not text in a text file: see [`artifacts::text_lines::damage`].
pub(crate) fn tell_text_damage(source: &mut Source<'_, '_>, bytes: &[u8]) {
    for damage in artifacts::text_lines::damage(bytes) {
        source.damage(Some(damage.offset as u64), damage.what);
    }
}

/// How to read a time whose text names no zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unzoned {
    Utc,
    /// The zone of the machine, which the source does not give.
    Local,
}

/// Adds a date and time from a text as a field, if it is present and exists in the calendar.
pub(crate) fn civil(
    row: Row,
    field: &str,
    base: u64,
    found: Option<&Located<CivilTime>>,
    unzoned: Unzoned,
) -> Row {
    let value = found.and_then(|found| civil_value(&found.value, unzoned));
    row.maybe(field, value, found.map(|found| place(base, found)))
}

/// Converts a date and time from a text to a field value, without its place.
pub(crate) fn civil_value(time: &CivilTime, unzoned: Unzoned) -> Option<FieldValue> {
    let local = Utc::from_date_and_time(time.date, time.time, time.nanosecond)?;
    let ahead = i128::from(time.offset.unwrap_or(0)) * 60_000_000_000;
    let utc = Utc::from_unix_nanoseconds(local.unix_nanoseconds() - ahead)?;
    let precision = match time.decimals {
        0 => Precision::Second,
        1..=3 => Precision::Millisecond,
        4..=6 => Precision::Microsecond,
        7 => Precision::Filetime,
        _ => Precision::Nanosecond,
    };
    let zone = match (time.offset, unzoned) {
        (Some(_), _) | (None, Unzoned::Utc) => None,
        (None, Unzoned::Local) => Some(AssumedZone::Utc),
    };
    let raw = time.raw.clone();
    Some(FieldValue::Time(Time { utc: Some(utc), raw, clock: Clock::Host, precision, zone }))
}

/// Returns an account as a field value: a SID or a name.
pub(crate) fn account(text: String) -> FieldValue {
    if text.starts_with("S-1-") { FieldValue::Sid(text) } else { FieldValue::Name(text) }
}

/// Adds a whole number that is stored as text.
pub(crate) fn digits(row: Row, field: &str, base: u64, found: Option<&Located<String>>) -> Row {
    let value = found.and_then(|found| found.value.trim().parse::<u64>().ok());
    row.maybe(
        field,
        value.map(|value| FieldValue::Integer(value.into())),
        found.map(|found| place(base, found)),
    )
}
