//! Whether no record of the evidence can have been counted by two counts.
//!
//! "4 logons of ann", "25 logons until Monday" and "227 logons" read alike and share records: their sum is no number of anything.

use ledger::{FactEntry, FieldValue};

/// The predicate of counts.
const COUNTED: &str = "counted";
/// The type of counts that the tools make of records.
const RECORD_COUNT: &str = "record_count";
/// The type of counts of times.
const TIME_BUCKET: &str = "time_bucket";

/// Whether two facts are counts of which the one may have counted what the other has.
pub(super) fn may_share(one: &FactEntry, other: &FactEntry) -> bool {
    let are_counts = [one, other].iter().all(|fact| fact.predicate.0 == COUNTED);
    are_counts && !are_disjoint(one, other)
}

fn are_disjoint(one: &FactEntry, other: &FactEntry) -> bool {
    if one.locator.evidence != other.locator.evidence {
        return true;
    }
    match (one.kind.as_str(), other.kind.as_str()) {
        (RECORD_COUNT, RECORD_COUNT) => are_of_other_files(one, other) || have_other_values(one, other),
        (TIME_BUCKET, TIME_BUCKET) => one.subject.value != other.subject.value || are_apart(one, other),
        (a, b) if a == b => are_of_other_files(one, other) || one.subject.value != other.subject.value,
        (_, _) => are_of_other_files(one, other),
    }
}

/// Whether neither is of a file, or of a folder with it, that the other counts.
fn are_of_other_files(one: &FactEntry, other: &FactEntry) -> bool {
    let (one, other) = (&one.locator.path, &other.locator.path);
    let holds = |folder: &str, path: &str| {
        path.strip_prefix(folder)
            .is_some_and(|rest| folder.is_empty() || rest.is_empty() || rest.starts_with('/'))
    };
    !holds(one, other) && !holds(other, one)
}

/// Whether they count records of one type that differ in a field: `values` of the same fields `by`.
fn have_other_values(one: &FactEntry, other: &FactEntry) -> bool {
    let same = |field| value(one, field).is_some() && value(one, field) == value(other, field);
    let values = value(one, "values").zip(value(other, "values"));
    same("counted") && same("by") && values.is_some_and(|(one, other)| one != other)
}

/// Whether two spans of time share no instant.
fn are_apart(one: &FactEntry, other: &FactEntry) -> bool {
    let instant = |fact, field| match value(fact, field) {
        Some(FieldValue::Time(time)) => time.utc,
        _ => None,
    };
    let span = |fact| instant(fact, "from").zip(instant(fact, "to"));
    span(one).zip(span(other)).is_some_and(|(one, other)| one.1 < other.0 || other.1 < one.0)
}

fn value<'f>(fact: &'f FactEntry, field: &str) -> Option<&'f FieldValue> {
    fact.values.iter().find(|bound| bound.field == field).map(|bound| &bound.value)
}
