//! Parts of a value's data as fields of a record, and what a decoder found damaged as defects of it.

use super::draft::{Draft, shown_name};
use super::values::Held;
use artifacts::registry::Filetime;
use artifacts::shell_item::FatTime;
use artifacts::{Damage, Located};
use ledger::{ByteSpan, Clock, FieldValue, Precision, Time, Utc};

/// Where a decoded part stands in the file, where it stands in one piece.
pub(crate) fn place<T>(held: &Held<'_>, found: &Located<T>) -> Option<ByteSpan> {
    held.part(found.offset as u64, found.length as u64)
}

/// A decoded part as a field, where there is one.
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

/// A whole number as a field.
pub(crate) fn number<T: Copy + Into<i128>>(
    draft: Draft,
    field: &str,
    held: &Held<'_>,
    found: Option<&Located<T>>,
) -> Draft {
    part(draft, field, held, found, |number| FieldValue::Integer(number.into()))
}

/// A FILETIME as a field; "never" is no time and gives none.
pub(crate) fn time(draft: Draft, field: &str, held: &Held<'_>, found: Option<&Located<Filetime>>) -> Draft {
    let found = found.filter(|found| found.value.is_time());
    part(draft, field, held, found, |ticks| FieldValue::Time(Time::from_filetime(ticks.0)))
}

/// A date and time of FAT in UTC as a field; its raw value is the date and the time in hexadecimal.
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

/// Damage in the data of a value as defects of the record.
pub(crate) fn damaged(draft: Draft, held: &Held<'_>, damage: &[Damage]) -> Draft {
    damage.iter().fold(draft, |draft, damage| {
        let at = held.part(damage.offset as u64, 0).map_or(held.value.offset, |place| place.offset);
        draft.defect(Some(at), format!("value {:?}: {}", shown_name(held), damage.what))
    })
}

/// The raw data of a value that could not be decoded, with the reason.
pub(crate) fn undecoded(draft: Draft, held: &Held<'_>, damage: &[Damage]) -> Draft {
    damaged(draft, held, damage).bytes("raw", held)
}
