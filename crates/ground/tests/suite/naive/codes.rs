//! The codes with which a reading that is not grounded may be refused.
//!
//! Open: which reason comes first if several hold; each reason that holds is right.

use super::{Case, Sure, grounds, held, stands, times, written};
use ledger::{ClaimedValue, Field, Outcome, Record, RejectionCode};
use std::collections::BTreeSet;

/// Returns every code that readings are refused with.
pub fn every() -> BTreeSet<RejectionCode> {
    [
        RejectionCode::UnknownInvocation,
        RejectionCode::WrongField,
        RejectionCode::ForeignInvocation,
        RejectionCode::FailedInvocation,
        RejectionCode::ValueAbsent,
        RejectionCode::SplitAcrossRecords,
        RejectionCode::Ambiguous,
        RejectionCode::TooWeak,
        RejectionCode::NaiveTime,
        RejectionCode::Overclaim,
        RejectionCode::Malformed,
    ]
    .into()
}

/// Returns the reasons that hold for the citation as it was made.
pub fn of(case: &Case<'_>) -> BTreeSet<RejectionCode> {
    let mut codes = forms(case);
    let cited = case.own.iter().find(|own| own.id.to_string() == written(&case.reading.invocation));
    match cited {
        None => {
            let foreign = case.foreign.iter().any(|id| id.to_string() == written(&case.reading.invocation));
            let foreign =
                if foreign { RejectionCode::ForeignInvocation } else { RejectionCode::UnknownInvocation };
            codes.insert(foreign);
        }
        Some(own) if own.outcome != Outcome::Ok => {
            codes.insert(RejectionCode::FailedInvocation);
        }
        Some(own) => match own.output.as_deref() {
            None => {
                codes.insert(RejectionCode::FailedInvocation);
            }
            Some(output) => codes.extend(in_records(case, output.records())),
        },
    }
    codes
}

/// Returns what is wrong with the claim wherever it is searched for.
fn forms(case: &Case<'_>) -> BTreeSet<RejectionCode> {
    let mut codes = BTreeSet::new();
    let reading = case.reading;
    let mut texts = reading.values.iter().map(|value| &value.value).chain([&reading.subject]);
    if texts.any(|text| times::is_naive(text)) {
        codes.insert(RejectionCode::NaiveTime);
    }
    let empty = reading.values.iter().any(|value| value.value.trim().is_empty());
    let readable = |id: &String| id.strip_prefix('r').is_some_and(|digits| digits.parse::<u32>().is_ok());
    // Open: whether a claim may state two values of one field, such as two items of a list.
    let named: Vec<_> = reading.values.iter().filter_map(|value| value.field.as_ref()).collect();
    let unnamed = named.len() < reading.values.len() && reading.values.len() > 1;
    let twice = unnamed || named.iter().collect::<BTreeSet<_>>().len() < named.len();
    if empty || twice || !reading.record.as_ref().is_none_or(readable) {
        codes.insert(RejectionCode::Malformed);
    }
    if super::enough(case, reading.record.is_some()) < Sure::Yes {
        codes.insert(RejectionCode::TooWeak);
    }
    codes
}

/// Returns what is wrong with the claim as a claim about these records.
fn in_records(case: &Case<'_>, records: &[Record]) -> BTreeSet<RejectionCode> {
    let reading = case.reading;
    let mut codes = BTreeSet::new();
    for record in records {
        codes.extend(in_record(case, record));
    }
    for value in &reading.values {
        codes.extend(of_value(case, value, records));
    }
    if !reading.subject.is_empty() {
        // Open: whether a subject that does not belong to the values is absent, under a wrong name or separated from them.
        codes.extend([RejectionCode::ValueAbsent, RejectionCode::WrongField]);
    }
    let subject = Some(&reading.subject).filter(|subject| !subject.is_empty());
    let texts: Vec<_> = reading.values.iter().map(|value| &value.value).chain(subject).collect();
    let all_stand = texts.iter().all(|text| records.iter().any(|record| anywhere(record, text)));
    let elsewhere = reading.record.is_some();
    if all_stand && (texts.len() > 1 || elsewhere) {
        codes.insert(RejectionCode::SplitAcrossRecords);
    }
    if codes.is_empty() || elsewhere {
        codes.insert(RejectionCode::ValueAbsent);
    }
    codes
}

/// Returns what is wrong with a claim about a record that has its values, at least in part.
fn in_record(case: &Case<'_>, record: &Record) -> Vec<RejectionCode> {
    let mut codes = Vec::new();
    let stood = stands(case, record).0;
    if stood > Sure::No && grounds(case, record).0 == Sure::No || part_of_text(case, record) {
        codes.push(RejectionCode::Overclaim);
    }
    let doubled = |text: &str| record.fields.values().filter(|field| holds(text, field)).count() > 1;
    if case.reading.values.iter().any(|value| value.field.is_none() && doubled(&value.value)) {
        codes.push(RejectionCode::Ambiguous);
    }
    codes
}

/// Returns what is wrong with one value: it is not certainly where the claim says, or it is elsewhere, too.
///
/// Open: the code for an unnamed value that is in no free text, if the claim is a quotation.
fn of_value(case: &Case<'_>, value: &ClaimedValue, records: &[Record]) -> Vec<RejectionCode> {
    let (quotes, text) = (case.reading.predicate == "quoted", &value.value);
    let named = value.field.as_ref();
    let cited =
        |record: &&Record| case.reading.record.as_ref().is_none_or(|cited| *cited == record.id.to_string());
    let mine = |name: &String| named.is_none_or(|named| named == name);
    let surely = |record: &Record| {
        let sure = |field: &Field| held(text, &field.value, quotes).sure() == Sure::Yes;
        record.fields.iter().any(|(name, field)| mine(name) && sure(field))
    };
    let other = |record: &Record| record.fields.iter().any(|(name, field)| !mine(name) && holds(text, field));
    let mut codes = Vec::new();
    if !records.iter().filter(cited).any(surely) || (quotes && named.is_none()) {
        codes.push(RejectionCode::ValueAbsent);
    }
    if records.iter().any(other) {
        codes.push(RejectionCode::WrongField);
    }
    codes
}

fn anywhere(record: &Record, text: &str) -> bool {
    record.fields.values().any(|field| holds(text, field))
}

/// Checks whether a field holds the text. Parts of a text count here: the refusal may call them an overclaim or absent.
fn holds(text: &str, field: &Field) -> bool {
    held(text, &field.value, true).sure() > Sure::No
}

/// Checks whether the record has the values, one of them as part of a text that is not quoted.
fn part_of_text(case: &Case<'_>, record: &Record) -> bool {
    case.reading.values.iter().all(|value| {
        let fields =
            record.fields.iter().filter(|(name, _)| value.field.as_ref().is_none_or(|field| field == *name));
        fields.into_iter().any(|(_, field)| held(&value.value, &field.value, true).sure() > Sure::No)
    })
}
