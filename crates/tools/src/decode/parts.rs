//! Parts of a file as fields of a record, each with the place of its bytes.

use super::Source;
use crate::row::Row;
use artifacts::civil_time::CivilTime;
use artifacts::registry::Filetime;
use artifacts::{Damage, Located};
use ledger::{AssumedZone, ByteSpan, Clock, Defect, FieldValue, Precision, Time, Utc};

/// A part as a field, where there is one; `base` is where the data that it was read from stands in the file.
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

/// A whole number as a field.
pub(crate) fn number<T: Copy + Into<i128>>(
    row: Row,
    field: &str,
    base: u64,
    found: Option<&Located<T>>,
) -> Row {
    part(row, field, base, found, |number| FieldValue::Integer(number.into()))
}

/// A FILETIME that the host kept as a field; "never" is no time and gives none.
pub(crate) fn time(row: Row, field: &str, base: u64, found: Option<&Located<Filetime>>) -> Row {
    let found = found.filter(|found| found.value.is_time());
    part(row, field, base, found, |ticks| FieldValue::Time(Time::from_filetime(ticks.0)))
}

/// A time that a program of the host kept in units of its own: `nanoseconds` since 1970-01-01 UTC, `raw` as it is stored.
pub(crate) fn host_time(nanoseconds: i128, raw: String, precision: Precision) -> FieldValue {
    let utc = Utc::from_unix_nanoseconds(nanoseconds);
    FieldValue::Time(Time { utc, raw, clock: Clock::Host, precision, zone: None })
}

/// Where a part stands in the file.
pub(crate) fn place<T>(base: u64, found: &Located<T>) -> ByteSpan {
    ByteSpan::new(base.saturating_add(found.offset as u64), found.length as u64)
}

/// Where data that parts are read from stands in the file: none for bytes that were expanded, or gathered from many places.
#[derive(Clone, Copy)]
pub(crate) struct Base(pub(crate) Option<u64>);

impl Base {
    /// A part as a field, with its place where it has one.
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

    /// A whole number as a field.
    pub(crate) fn number<T: Copy + Into<i128>>(
        self,
        row: Row,
        field: &str,
        found: Option<&Located<T>>,
    ) -> Row {
        self.part(row, field, found, |number| FieldValue::Integer(number.into()))
    }

    /// A FILETIME that the host kept as a field; "never" is no time and gives none.
    pub(crate) fn time(self, row: Row, field: &str, found: Option<&Located<Filetime>>) -> Row {
        let found = found.filter(|found| found.value.is_time());
        self.part(row, field, found, |ticks| FieldValue::Time(Time::from_filetime(ticks.0)))
    }

    /// Where a part stands in the file.
    pub(crate) fn place<T>(self, found: &Located<T>) -> Option<ByteSpan> {
        self.0.map(|base| place(base, found))
    }

    /// Damage of the data; where it stands nowhere, its place in the data is told in words.
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

/// Damage of a piece of the file, which begins at `base`, in the words of the ledger.
pub(crate) fn defects(source: &Source<'_, '_>, base: u64, damage: &[Damage]) -> Vec<Defect> {
    let told = |damage: &Damage| source.defect(Some(base.saturating_add(damage.offset as u64)), damage.what);
    damage.iter().map(told).collect()
}

/// Tells what of a text is none: see [`artifacts::text_lines::damage`].
pub(crate) fn tell_text_damage(source: &mut Source<'_, '_>, bytes: &[u8]) {
    for damage in artifacts::text_lines::damage(bytes) {
        source.damage(Some(damage.offset as u64), damage.what);
    }
}

/// What a time means whose text names no zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unzoned {
    Utc,
    /// The zone of the machine, which the source does not tell.
    Local,
}

/// A date and time of a text as a field, where there is one and the calendar has it.
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

/// The same without its place.
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

/// An account: a SID or a name.
pub(crate) fn account(text: String) -> FieldValue {
    if text.starts_with("S-1-") { FieldValue::Sid(text) } else { FieldValue::Name(text) }
}

/// A whole number that stands there as a text.
pub(crate) fn digits(row: Row, field: &str, base: u64, found: Option<&Located<String>>) -> Row {
    let value = found.and_then(|found| found.value.trim().parse::<u64>().ok());
    row.maybe(
        field,
        value.map(|value| FieldValue::Integer(value.into())),
        found.map(|found| place(base, found)),
    )
}
