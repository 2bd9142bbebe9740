//! Explains what is wrong with a claim that fits no record of its cited output.

use crate::bind::{Bound, fields_with, stands, subject};
use crate::claim::{Claim, Wanted};
use crate::judge::Setting;
use crate::matching::Manner;
use crate::refusal::{candidate, choose_predicate, list, quote, refuse};
use crate::shelf::Held;
use ledger::{FieldType, Record, Rejection, RejectionCode};

/// Finds mistakes that no other output can fix: a wrong field, a time without a zone, a quotation from a field that is not text.
pub(crate) fn explain(
    claim: &Claim<'_>,
    held: &Held,
    records: &[Record],
    setting: &Setting<'_>,
) -> Option<Rejection> {
    let wrong_field = || records.iter().find_map(|record| wrong_field(claim, held, record, setting));
    let naive_time = || claim.values.iter().find_map(|wanted| naive_time(wanted, held, records, setting));
    let no_text = || records.iter().find_map(|record| no_text(claim, held, record, setting));
    wrong_field().or_else(naive_time).or_else(no_text)
}

/// Refuses a claim whose values are all in the record, but not all under the named fields.
fn wrong_field(claim: &Claim<'_>, held: &Held, record: &Record, setting: &Setting<'_>) -> Option<Rejection> {
    let tiers = &setting.rules.tiers;
    let mut misplaced: Option<(&Wanted<'_>, Vec<Bound<'_>>)> = None;
    for wanted in &claim.values {
        if stands(wanted, record, claim.manner(), tiers) {
            continue;
        }
        let fields = fields_with(&wanted.needle, record, claim.manner(), tiers);
        if fields.is_empty() {
            return None;
        }
        misplaced.get_or_insert((wanted, fields));
    }
    let (wanted, fields) = misplaced?;
    if !is_meant(claim, record, setting) {
        return None;
    }
    let names = list(fields.iter().map(|bound| bound.field), 5);
    let claimed = list(wanted.field, 1);
    let first = fields.first()?;
    let text = first.held.value.to_text();
    Some(refuse(
        RejectionCode::WrongField,
        format!("{} stands in {} under {names}, not under {claimed}", quote(wanted.needle.raw()), record.id),
        format!("State it as {names} if that is what you mean."),
        vec![candidate(held, Some(record), Some(first.field), Some(&text))],
    ))
}

/// Checks whether the claim is about this record: the record has the claimed subject.
fn is_meant(claim: &Claim<'_>, record: &Record, setting: &Setting<'_>) -> bool {
    let own = setting.types.get(&record.kind).map(|kind| kind.subject.as_str());
    let found = |needle| subject(needle, record, own, &setting.rules.tiers).is_some();
    claim.subject.as_ref().is_none_or(found)
}

/// Refuses a date and time without a zone that was claimed for a field with an instant.
fn naive_time(
    wanted: &Wanted<'_>,
    held: &Held,
    records: &[Record],
    setting: &Setting<'_>,
) -> Option<Rejection> {
    let tiers = &setting.rules.tiers;
    if !wanted.needle.is_zoneless() || records.iter().any(|r| stands(wanted, r, Manner::Whole, tiers)) {
        return None;
    }
    let is_time = |name: &&String, record: &Record| {
        record.fields.get(*name).is_some_and(|field| field.value.field_type() == FieldType::Time)
    };
    let (record, field) = records.iter().find_map(|record| {
        let named = |name: &&String| wanted.field.is_none_or(|field| field == name.as_str());
        Some((record, record.fields.keys().find(|name| named(name) && is_time(name, record))?))
    })?;
    Some(refuse(
        RejectionCode::NaiveTime,
        format!("{} has no zone, so it names no instant", quote(wanted.needle.raw())),
        "Write the time as the record does, in RFC 3339 with `Z` or an offset.".to_owned(),
        vec![candidate(held, Some(record), Some(field), None)],
    ))
}

/// Refuses a quotation from fields that are not text: a name or a path must be stated whole.
fn no_text(claim: &Claim<'_>, held: &Held, record: &Record, setting: &Setting<'_>) -> Option<Rejection> {
    let whole = |wanted| stands(wanted, record, Manner::Whole, &setting.rules.tiers);
    if claim.manner() != Manner::Quoting
        || !claim.values.iter().all(whole)
        || !is_meant(claim, record, setting)
    {
        return None;
    }
    Some(refuse(
        RejectionCode::Overclaim,
        format!("the values stand in {}, but not as words of a text that could be quoted", record.id),
        choose_predicate(setting.vocabulary.proved_by(&record.kind).filter(|name| !name.is_quoted())),
        vec![candidate(held, Some(record), None, None)],
    ))
}
