//! The values of a row, by their roles.

use crate::spans::Span;
use crate::topic::{OWNER, Source};
use crate::world::Row;

/// Returns the times of a row, each with its field.
pub(crate) fn times<'r>(row: &'r Row, source: &'r Source) -> Vec<(&'r str, &'r str)> {
    let fields = source.time.iter().chain(&source.first);
    let mut times: Vec<(&str, &str)> =
        fields.filter_map(|field| Some((field.as_str(), row.get(field)?))).collect();
    times.dedup();
    times
}

/// Returns the values of a role, each with its field.
pub(crate) fn role<'r>(row: &'r Row, fields: &'r [String]) -> Vec<(&'r str, &'r str)> {
    let fields = fields.iter().filter(|field| *field != OWNER);
    fields.filter_map(|field| Some((field.as_str(), row.get(field)?))).collect()
}

/// Whether a row has a time in a span.
pub(super) fn lies_in(row: &Row, source: &Source, span: &Span) -> bool {
    times(row, source).iter().any(|(_, time)| span.holds(time))
}

/// Whether a row may cover an occasion in a span without showing it: it has no time, or only the time of a later occasion.
pub(super) fn may_hide(row: &Row, source: &Source, span: &Span) -> bool {
    let times = times(row, source);
    let is_later = |time: &str| span.to.as_deref().is_some_and(|to| time > to && !time.starts_with(to));
    times.is_empty() || !source.every && times.iter().any(|(_, time)| is_later(time))
}
