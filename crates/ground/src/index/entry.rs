//! What a field's value is found by.

use crate::typed;
use ledger::{FieldValue, Time};
use std::borrow::Cow;

/// One thing that a value is found by.
#[derive(Debug)]
pub(super) enum Entry<'v> {
    /// A free text, of which parts can be quoted: as a whole, by its grams, and by its words.
    Free(&'v str),
    /// A name, a path and the like: as a whole, and by its grams, which near misses share.
    Text(&'v str),
    /// A text as a whole only.
    Whole(Cow<'v, str>),
    /// A number.
    Number(i128),
    /// An instant in nanoseconds since 1970-01-01 UTC: by its second.
    Instant(i128),
}

/// Gives `take` each entry of a value: whatever [`crate::matching`] takes for the value is looked up by one of them.
pub(super) fn entries<'v>(value: &'v FieldValue, mut take: impl FnMut(Entry<'v>)) {
    match value {
        FieldValue::Text(text) => {
            address(text, &mut take);
            take(Entry::Free(text));
        }
        FieldValue::List(items) => items.iter().for_each(|item| {
            address(item, &mut take);
            take(Entry::Free(item));
        }),
        FieldValue::Name(text) => {
            address(text, &mut take);
            take(Entry::Text(text));
        }
        FieldValue::Path(text)
        | FieldValue::RegistryPath(text)
        | FieldValue::Sid(text)
        | FieldValue::Guid(text)
        | FieldValue::Hash(text)
        | FieldValue::Bytes(text) => take(Entry::Text(text)),
        FieldValue::Time(time) => time_entries(time, take),
        FieldValue::Integer(number) => take(Entry::Number(*number)),
        FieldValue::Size(size) => take(Entry::Number((*size).into())),
        FieldValue::Flag(flag) => take(Entry::Whole(Cow::Borrowed(if *flag { "true" } else { "false" }))),
    }
}

/// An address of IPv6 has one spelling here, whichever it has in the record.
fn address<'v>(text: &str, take: &mut impl FnMut(Entry<'v>)) {
    if let Some(address) = typed::address(text) {
        take(Entry::Whole(Cow::Owned(address.to_string())));
    }
}

/// An instant is claimed as such or as the number that is stored; a local time as its text or as what is stored.
fn time_entries<'v>(time: &'v Time, mut take: impl FnMut(Entry<'v>)) {
    if time.zone.is_some() {
        take(Entry::Whole(Cow::Borrowed(&time.raw)));
        return take(Entry::Whole(Cow::Owned(time.to_text())));
    }
    if let Some(utc) = time.utc {
        take(Entry::Instant(utc.unix_nanoseconds()));
    }
    // Most are read faster so than as what a claim states.
    let number = time.raw.parse::<u64>().map(i128::from);
    if let Ok(number) = number.or_else(|_| time.raw.parse()) {
        take(Entry::Number(number));
    }
}

/// The bytes of a value's text, and of a time or number never more than that: what a block is measured by.
pub(super) fn text_length(value: &FieldValue) -> usize {
    match value {
        FieldValue::Text(text)
        | FieldValue::Name(text)
        | FieldValue::Path(text)
        | FieldValue::RegistryPath(text)
        | FieldValue::Sid(text)
        | FieldValue::Guid(text)
        | FieldValue::Hash(text)
        | FieldValue::Bytes(text) => text.len(),
        FieldValue::List(items) => items.iter().map(String::len).sum(),
        FieldValue::Time(time) => time.utc.map_or(time.raw.len(), |_| SHORTEST_TIME),
        FieldValue::Integer(number) => digits(number.unsigned_abs()),
        FieldValue::Size(size) => digits((*size).into()),
        FieldValue::Flag(_) => 4,
    }
}

/// The length of `2012-04-04T01:58:40Z`, without the letter that a local time has not.
const SHORTEST_TIME: usize = 19;

fn digits(number: u128) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}
