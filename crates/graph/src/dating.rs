//! Picks the time that best says when the statement of a fact or record became true.

use ledger::{Dates, FactEntry, FieldValue, Time, dates, is_of_container};

/// Returns the time that dates a fact; `None` if none of its times does.
pub fn dated(fact: &FactEntry) -> Option<&Time> {
    dated_field(fact).map(|(_, time)| time)
}

/// Returns the time that dates a fact, with the name of its field.
pub fn dated_field(fact: &FactEntry) -> Option<(&str, &Time)> {
    let values = fact.values.iter().map(|bound| (bound.field.as_str(), &bound.value));
    best_field(&fact.predicate.0, &fact.kind, values)
}

/// Returns the best of the times among `values`. A container's time is used only if the record has no time of its own.
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
