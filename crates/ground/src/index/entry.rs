//! The entries under which a field's value is indexed.

use crate::typed;
use ledger::{FieldValue, Time};
use std::borrow::Cow;

/// One entry of a value.
#[derive(Debug)]
pub(super) enum Entry<'v> {
    /// A free text from which words can be quoted: indexed as a whole, by its grams, and by its words.
    Free(&'v str),
    /// A name, a path or the like: indexed as a whole, and by its grams, which near misses share.
    Text(&'v str),
    /// A text that is indexed only as a whole.
    Whole(Cow<'v, str>),
    /// A number.
    Number(i128),
    /// An instant in nanoseconds since 1970-01-01 UTC: indexed by its second.
    Instant(i128),
}

/// Passes each entry of a value to `take`: every text that [`crate::matching`] accepts for the value is looked up by one of them.
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

/// Adds an IPv6 address in one canonical spelling, whatever its spelling in the record.
fn address<'v>(text: &str, take: &mut impl FnMut(Entry<'v>)) {
    if let Some(address) = typed::address(text) {
        take(Entry::Whole(Cow::Owned(address.to_string())));
    }
}

/// Adds the entries of a time: an instant is claimed as such or as the stored number, a local time as its text or as the stored value.
fn time_entries<'v>(time: &'v Time, mut take: impl FnMut(Entry<'v>)) {
    if time.zone.is_some() {
        take(Entry::Whole(Cow::Borrowed(&time.raw)));
        return take(Entry::Whole(Cow::Owned(time.to_text())));
    }
    if let Some(utc) = time.utc {
        take(Entry::Instant(utc.unix_nanoseconds()));
    }
    // Most are parsed faster this way than as a claimed number.
    let number = time.raw.parse::<u64>().map(i128::from);
    if let Ok(number) = number.or_else(|_| time.raw.parse()) {
        take(Entry::Number(number));
    }
}

/// Returns the bytes of a value's text; for a time or number, a lower bound. Blocks are measured by it.
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

/// The length of `2012-04-04T01:58:40Z` without the `Z`, which a local time lacks.
const SHORTEST_TIME: usize = 19;

fn digits(number: u128) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}
