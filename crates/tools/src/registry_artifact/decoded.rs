//! Turns parts of a value's data into fields of a record, and damage found by a decoder into its defects.

use super::draft::{Draft, shown_name};
use super::values::Held;
use artifacts::registry::Filetime;
use artifacts::shell_item::FatTime;
use artifacts::{Damage, Located};
use ledger::{ByteSpan, Clock, FieldValue, Precision, Time, Utc};

/// Returns the place of a decoded part in the file, if it is in one piece.
pub(crate) fn place<T>(held: &Held<'_>, found: &Located<T>) -> Option<ByteSpan> {
    held.part(found.offset as u64, found.length as u64)
}

/// Adds a decoded part as a field, if it exists.
pub(crate) fn part<T: Clone>(
    draft: Draft,
    field: &str,
    held: &Held<'_>,
    found: Option<&Located<T>>,
    make: impl FnOnce(T) -> FieldValue,
) -> Draft {
    match found {
        Some(found) => draft.set(field, make(found.value.clone()), place(held, found)),
        None => draft,
    }
}

/// Adds a whole number as a field.
pub(crate) fn number<T: Copy + Into<i128>>(
    draft: Draft,
    field: &str,
    held: &Held<'_>,
    found: Option<&Located<T>>,
) -> Draft {
    part(draft, field, held, found, |number| FieldValue::Integer(number.into()))
}

/// Adds a FILETIME as a field; "never" is not a time and adds none.
pub(crate) fn time(draft: Draft, field: &str, held: &Held<'_>, found: Option<&Located<Filetime>>) -> Draft {
    let found = found.filter(|found| found.value.is_time());
    part(draft, field, held, found, |ticks| FieldValue::Time(Time::from_filetime(ticks.0)))
}

/// Adds a FAT date and time in UTC as a field; its raw value is the date and the time in hexadecimal.
pub(crate) fn fat_time(
    draft: Draft,
    field: &str,
    held: &Held<'_>,
    found: Option<&Located<FatTime>>,
) -> Draft {
    part(draft, field, held, found, |found| {
        let nanoseconds = found.unix_seconds().map(|seconds| i128::from(seconds) * 1_000_000_000);
        FieldValue::Time(Time {
            utc: nanoseconds.and_then(Utc::from_unix_nanoseconds),
            raw: format!("{:04x}:{:04x}", found.date, found.time),
            clock: Clock::Host,
            precision: Precision::TwoSeconds,
            zone: None,
        })
    })
}

/// Adds damage in the data of a value as defects of the record.
pub(crate) fn damaged(draft: Draft, held: &Held<'_>, damage: &[Damage]) -> Draft {
    damage.iter().fold(draft, |draft, damage| {
        let at = held.part(damage.offset as u64, 0).map_or(held.value.offset, |place| place.offset);
        draft.defect(Some(at), format!("value {:?}: {}", shown_name(held), damage.what))
    })
}

/// Adds the raw data of a value that could not be decoded, and the reason.
pub(crate) fn undecoded(draft: Draft, held: &Held<'_>, damage: &[Damage]) -> Draft {
    damaged(draft, held, damage).bytes("raw", held)
}
