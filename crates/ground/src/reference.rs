//! Readings that name fields instead of values.
//! The values are copied from the record, so that nothing can be mistyped, and then judged like any others.

use crate::bind::{Bound, Fit};
use crate::judge::{Setting, cited};
use crate::refusal::{list, quote, refuse};
use ledger::{
    ClaimedValue, Clock, Field, FieldValue, Output, Predicate, Reading, Record, Rejection, RejectionCode,
    Tier,
};

use crate::shelf::{Held, Shelf};

/// What a reading names instead of fields to leave the choice to the gateway.
pub const MOST_TELLING: &str = "*";

/// The most fields of a record that a hint names.
const MOST_FIELDS: usize = 24;
/// The most values that are copied if the reading leaves the choice to the gateway, and the longest such value, in bytes.
const MOST_TOLD: usize = 32;
const LONGEST_TOLD: usize = 200;
/// The most values in runs before [`ledger::Behaviour::DatedFirst`].
const MOST_TOLD_BEFORE: usize = 16;

/// Returns the reading with the values of its named fields; `None` if it states its values itself.
pub(crate) fn copied(
    reading: &Reading,
    shelf: &Shelf,
    setting: &Setting<'_>,
) -> Result<Option<Reading>, Rejection> {
    if !setting.by_reference || reading.fields.is_empty() {
        return Ok(None);
    }
    let (held, stored) = cited(&reading.invocation, shelf).map_err(|miss| {
        let hint = "Cite the invocation that returned the record, as its answer has it.".to_owned();
        refuse(miss.code, miss.reason, hint, Vec::new())
    })?;
    let record = meant(reading, held, stored)?;
    let mut values = reading.values.clone();
    for name in names(reading, record, setting) {
        if values.iter().any(|stated| stated.field.as_deref() == Some(name)) {
            continue;
        }
        let held = record.fields.get(name).ok_or_else(|| no_field(record, name))?;
        values.extend(texts(&held.value).map(|value| ClaimedValue { field: Some(name.to_owned()), value }));
    }
    if values.is_empty() {
        let reason = format!("the fields that are named are empty in {}", record.id);
        return Err(refuse(RejectionCode::ValueAbsent, reason, fields_of(record), Vec::new()));
    }
    Ok(Some(Reading { values, record: Some(record.id.to_string()), ..reading.clone() }))
}

/// Returns the named record, or the only one.
fn meant<'o>(reading: &Reading, held: &Held, stored: &'o Output) -> Result<&'o Record, Rejection> {
    let named = reading.record.as_deref().map(str::trim).filter(|named| !named.is_empty());
    match (named, stored.records()) {
        (None, [only]) => Ok(only),
        (None, _) => Err(refuse(
            RejectionCode::Malformed,
            "a reading whose values are to be copied names its record".to_owned(),
            format!("Add \"record\": {} has {}.", held.invocation, span(stored)),
            Vec::new(),
        )),
        (Some(named), records) => {
            let found = records.iter().find(|record| record.id.to_string() == named);
            found.ok_or_else(|| {
                refuse(
                    RejectionCode::ValueAbsent,
                    format!("{} has no record {}", held.invocation, quote(named)),
                    format!("It has {}.", span(stored)),
                    Vec::new(),
                )
            })
        }
    }
}

fn span(stored: &Output) -> String {
    match stored.records() {
        [] => "no records".to_owned(),
        [only] => format!("the record {}", only.id),
        [first, .., last] => format!("the records {} to {}", first.id, last.id),
    }
}

/// Returns the named fields, or the most informative ones.
/// Those are the record's subject, the fields that the predicate needs, the qualifiers of the record type, and then its other short values.
fn names<'r>(reading: &'r Reading, record: &'r Record, setting: &Setting<'r>) -> Vec<&'r str> {
    let named = reading.fields.iter().map(|name| name.trim());
    if reading.fields.iter().all(|name| name.trim() != MOST_TELLING) {
        return named.collect();
    }
    let predicate = Predicate(reading.predicate.clone());
    if predicate.is_quoted() {
        // Words are quoted only from texts.
        let is_text =
            |field: &Field| matches!(&field.value, FieldValue::Text(text) if !text.trim().is_empty());
        return record
            .fields
            .iter()
            .filter(|(_, field)| is_text(field))
            .map(|(name, _)| name.as_str())
            .collect();
    }
    let kind = setting.types.get(&record.kind);
    let needed = setting.vocabulary.meaning(&predicate).and_then(|meaning| meaning.states.get(&record.kind));
    let about = kind.map(|kind| &kind.subject).into_iter().chain(needed);
    let about = about.chain(kind.into_iter().flat_map(|kind| &kind.qualifiers)).map(String::as_str);
    let is_short = |field: &Field| match &field.value {
        FieldValue::List(items) => {
            setting.dated && !items.is_empty() && items.iter().map(String::len).sum::<usize>() <= LONGEST_TOLD
        }
        FieldValue::Time(time) => time.utc.is_some() && time.clock != Clock::CollectionCopy,
        other => (1..=LONGEST_TOLD).contains(&other.to_text().len()),
    };
    let most = if setting.dated { MOST_TOLD } else { MOST_TOLD_BEFORE };
    let is_time = |field: &Field| matches!(field.value, FieldValue::Time(_));
    let short = || record.fields.iter().filter(|(_, field)| is_short(field));
    let times = short().filter(|(_, field)| setting.dated && is_time(field));
    let others = times.chain(short()).map(|(name, _)| name.as_str());
    let known = named.filter(|name| *name != MOST_TELLING).chain(about).chain(others);
    let mut names: Vec<&str> = Vec::new();
    for name in known.filter(|name| record.fields.contains_key(*name)) {
        if !names.contains(&name) && names.len() < most {
            names.push(name);
        }
    }
    names
}

/// Returns the texts with which a claim states a value: one for each item of a list, none for an empty value.
fn texts(value: &FieldValue) -> impl Iterator<Item = String> {
    let texts = match value {
        FieldValue::List(items) => items.clone(),
        single => vec![single.to_text().into_owned()],
    };
    texts.into_iter().filter(|text| !text.trim().is_empty())
}

fn no_field(record: &Record, name: &str) -> Rejection {
    let reason = format!("{} has no field {}", record.id, quote(name));
    refuse(RejectionCode::WrongField, reason, fields_of(record), Vec::new())
}

/// Lists the fields of a record, as a hint.
pub(crate) fn fields_of(record: &Record) -> String {
    format!("It has {}.", list(record.fields.keys().map(String::as_str), MOST_FIELDS))
}

/// Returns the fields that a predicate needs for such a record, and the record type's qualifiers.
/// If a reading cites the record, they are stated with it.
pub(crate) fn completed<'o>(
    predicate: &Predicate,
    record: &'o Record,
    values: &[Bound<'o>],
    setting: &Setting<'_>,
) -> Vec<Bound<'o>> {
    let needed = setting.vocabulary.meaning(predicate).and_then(|meaning| meaning.states.get(&record.kind));
    let qualifiers = setting.types.get(&record.kind).map(|kind| kind.qualifiers.as_slice());
    let names = needed.into_iter().chain(qualifiers.unwrap_or_default());
    let held = names.filter_map(|name| record.fields.get_key_value(name));
    let is_left = |(name, held): &(&String, &Field)| {
        let says = match &held.value {
            FieldValue::Time(time) => time.utc.is_some(),
            FieldValue::List(_) => false,
            other => !other.to_text().trim().is_empty(),
        };
        says && !values.iter().any(|bound| bound.field == *name)
    };
    held.filter(is_left)
        .map(|(field, held)| Bound { field, held, tier: Tier::Exact, quotation: None, item: None })
        .collect()
}

/// Lists the predicates that the record proves, as a hint.
pub(crate) fn proved(fit: &Fit<'_>, setting: &Setting<'_>) -> String {
    let record = fit.record;
    let proved: Vec<&str> = setting
        .vocabulary
        .entries()
        .filter(|(predicate, meaning)| !predicate.is_quoted() && meaning.is_proved_by(record))
        .map(|(predicate, _)| predicate.0.as_str())
        .collect();
    match proved.as_slice() {
        [] => "This record proves nothing that can be said; cite another source.".to_owned(),
        [only] => format!("It proves `{only}`: cite {} and say that.", record.id),
        _ => format!("It proves {}: cite {} and say one of them.", list(proved, MOST_FIELDS), record.id),
    }
}
