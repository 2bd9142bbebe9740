//! Which of several times says best when that came to be which a fact or a record says.

use ledger::{Dates, FieldValue, Time, dates, is_of_container};

/// The best of the times among `values`; that of what holds a record only where the record has none of its own.
pub(crate) fn best<'t>(
    predicate: &str,
    kind: &str,
    values: impl Iterator<Item = (&'t str, &'t FieldValue)>,
) -> Option<&'t Time> {
    let times = values.filter_map(|(field, value)| match value {
        FieldValue::Time(time) => Some((dates(predicate, kind, field), is_of_container(field), time)),
        _ => None,
    });
    let dating = times.filter(|(dates, ..)| *dates != Dates::Nothing);
    dating.min_by_key(|(dates, held, _)| (*dates, *held)).map(|(.., time)| time)
}
