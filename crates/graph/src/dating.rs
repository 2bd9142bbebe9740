//! Which of several times says best when that came to be which a fact or a record says.

use ledger::{Dates, FactEntry, FieldValue, Time, dates, is_of_container};

/// The time that dates a fact; `None` where it states none that does.
pub fn dated(fact: &FactEntry) -> Option<&Time> {
    dated_field(fact).map(|(_, time)| time)
}

/// The same with the field that it stands in.
pub fn dated_field(fact: &FactEntry) -> Option<(&str, &Time)> {
    let values = fact.values.iter().map(|bound| (bound.field.as_str(), &bound.value));
    best_field(&fact.predicate.0, &fact.kind, values)
}

/// The best of the times among `values`; that of what holds a record only where the record has none of its own.
pub fn best_time<'t>(
    predicate: &str,
    kind: &str,
    values: impl Iterator<Item = (&'t str, &'t FieldValue)>,
) -> Option<&'t Time> {
    best_field(predicate, kind, values).map(|(_, time)| time)
}

fn best_field<'t>(
    predicate: &str,
    kind: &str,
    values: impl Iterator<Item = (&'t str, &'t FieldValue)>,
) -> Option<(&'t str, &'t Time)> {
    let times = values.filter_map(|(field, value)| match value {
        FieldValue::Time(time) => Some((dates(predicate, kind, field), is_of_container(field), field, time)),
        _ => None,
    });
    let dating = times.filter(|(dates, ..)| *dates != Dates::Nothing);
    dating.min_by_key(|(dates, held, ..)| (*dates, *held)).map(|(.., field, time)| (field, time))
}
