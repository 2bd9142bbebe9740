//! Decides whether two counts could have counted the same record.
//!
//! "4 logons of ann", "25 logons until Monday" and "227 logons" look alike and share records: their sum counts nothing.

use ledger::{FactEntry, FieldValue, placement::tells_of_host};

/// The predicate of counts.
const COUNTED: &str = "counted";
/// The type of counts that tools make over records.
const RECORD_COUNT: &str = "record_count";
/// The type of counts of times.
const TIME_BUCKET: &str = "time_bucket";

/// Checks whether two facts are counts that may have counted the same record.
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

/// Checks whether the counts are of separate files: neither counts the other's file, or a folder that contains it.
fn are_of_other_files(one: &FactEntry, other: &FactEntry) -> bool {
    let (one, other) = (&one.locator.path, &other.locator.path);
    let holds = |folder: &str, path: &str| {
        path.strip_prefix(folder)
            .is_some_and(|rest| folder.is_empty() || rest.is_empty() || rest.starts_with('/'))
    };
    !holds(one, other) && !holds(other, one)
}

/// Checks whether two counts are of files that may be copies of each other.
/// Such a file is in a place where anyone could have put it, or is a log whose name extends the name of another log.
///
/// Names that Windows gives to archived logs do not count as copies.
pub(super) fn may_be_copies(one: &FactEntry, other: &FactEntry) -> bool {
    let are_counts = [one, other].iter().all(|fact| fact.predicate.0 == COUNTED);
    let counted = value(one, "counted").zip(value(other, "counted"));
    let is_one_type = one.kind == other.kind && counted.is_none_or(|(one, other)| one == other);
    if !are_counts || !is_one_type || have_other_values(one, other) || !are_of_other_files(one, other) {
        return false;
    }
    let is_loose = |fact: &FactEntry| !tells_of_host(fact.placement);
    is_loose(one) || is_loose(other) || are_named_alike(&one.locator.path, &other.locator.path)
}

/// Checks whether one log's name is the other's with words added: `Security.evtx`, `Security (2).evtx`, `Copy of Security.evtx`.
fn are_named_alike(one: &str, other: &str) -> bool {
    let goes_on = |long: &str, short: &str| {
        let is_apart = |rest: &str, at: Option<char>| {
            rest.is_empty() || at.is_some_and(|c| !c.is_alphanumeric() && c != '%')
        };
        let behind = long.strip_prefix(short).is_some_and(|rest| is_apart(rest, rest.chars().next()));
        behind || long.strip_suffix(short).is_some_and(|rest| rest.ends_with(' '))
    };
    match (log_name(one), log_name(other)) {
        (Some(one), Some(other)) => goes_on(&one, &other) || goes_on(&other, &one),
        _ => false,
    }
}

/// Returns the name of an event log without its extension, in lower case; `None` for other files and for archives.
fn log_name(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?.to_lowercase();
    let bare = name.strip_suffix(".evtx").or_else(|| name.strip_suffix(".evt"))?;
    (!bare.starts_with("archive-")).then(|| bare.to_owned())
}

/// Checks whether both count records of one type with different `values` of the same fields `by`.
fn have_other_values(one: &FactEntry, other: &FactEntry) -> bool {
    let same = |field| value(one, field).is_some() && value(one, field) == value(other, field);
    let values = value(one, "values").zip(value(other, "values"));
    same("counted") && same("by") && values.is_some_and(|(one, other)| one != other)
}

/// Checks whether two time spans share no instant.
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
