//! Answers a request for a nonexistent field with the existing fields, the most similar first.

use ledger::{FieldType, RecordType};
use std::collections::BTreeSet;

/// The least similarity (Jaro-Winkler) at which a field is suggested for another.
const ALIKE: f64 = 0.8;

/// The most fields that a refusal names.
const NAMED: usize = 60;

/// Returns the fields of these types, each once, those most similar to `wanted` first.
pub(super) fn nearest(wanted: &str, records: &[RecordType]) -> Vec<String> {
    nearest_names(wanted, records.iter().flat_map(|record| record.fields.keys()))
}

/// Returns what `nearest` returns, but only fields that can have a value of one of these types.
pub(super) fn nearest_of(wanted: &str, records: &[RecordType], types: &[FieldType]) -> Vec<String> {
    let fields = records.iter().flat_map(|record| &record.fields);
    let can_hold = |kinds: &[FieldType]| kinds.iter().any(|kind| types.contains(kind));
    nearest_names(wanted, fields.filter(|(_, meaning)| can_hold(&meaning.types)).map(|(name, _)| name))
}

/// Returns these names, each once, those most similar to `wanted` first.
pub(crate) fn nearest_names<'f>(wanted: &str, fields: impl Iterator<Item = &'f String>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let own: BTreeSet<&String> = fields.collect();
    let mut own: Vec<(f64, &String)> =
        own.into_iter().map(|field| (strsim::jaro_winkler(&wanted, field), field)).collect();
    // Equally similar ones stay in alphabetical order.
    own.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    own.into_iter().map(|(_, field)| field.clone()).collect()
}

/// Lists fields that are sorted by their similarity to `wanted`, and asks whether the first is meant.
pub(crate) fn told(wanted: &str, nearest: &[String]) -> String {
    let first = nearest.first().filter(|field| strsim::jaro_winkler(&wanted.to_lowercase(), field) >= ALIKE);
    let meant = first.map_or(String::new(), |field| format!(" (is {field:?} meant?)"));
    let more = nearest.len().saturating_sub(NAMED);
    let named: Vec<&str> = nearest.iter().take(NAMED).map(String::as_str).collect();
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{meant}; the fields are {}{more}", named.join(", "))
}
