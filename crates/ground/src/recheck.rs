//! Examines a finished fact again, for a verifier that does not trust the gateway.
//!
//! **Invariant:** this shares no code with [`judge`](crate::judge), so a mistake in the gateway's matching cannot hide itself.
//! It does not look at what the agent wrote, only at whether the fact says what is in the stored output.

mod writer;

use ledger::placement::tells_of_host;
use ledger::{
    BoundValue, ByteSpan, Clock, Digest, FactEntry, FieldValue, Locator, Output, Record, RecordId,
    RecordType, Tier, Vocabulary, Writer, Writers,
};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;
use unicode_normalization::char::is_combining_mark;

/// Why a stored fact does not hold.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RecheckError {
    /// The output is a different one.
    #[error("recheck a fact: expected output {expected}, found {found}")]
    Output {
        /// The digest that the fact names.
        expected: Digest,
        /// The digest of the bytes.
        found: Digest,
    },
    /// The output has no such record.
    #[error("recheck a fact: the output has no record {record}")]
    Record {
        /// The record that the fact names.
        record: RecordId,
    },
    /// The record is of a different type.
    #[error("recheck a fact: {record}: expected type {expected:?}, found {found:?}")]
    Kind {
        /// The record.
        record: RecordId,
        /// The type that the fact names.
        expected: String,
        /// The record's type.
        found: String,
    },
    /// The record is at a different place in the evidence.
    #[error("recheck a fact: {record}: expected locator {expected}, found {found}")]
    Locator {
        /// The record.
        record: RecordId,
        /// The locator that the fact names.
        expected: Box<Locator>,
        /// The record's locator.
        found: Box<Locator>,
    },
    /// The record has no such field.
    #[error("recheck a fact: the record has no field {field:?}")]
    Field {
        /// The field that the fact names.
        field: String,
    },
    /// The span is not where the field's value is in the stored bytes.
    #[error("recheck a fact: field {field:?}: its value does not stand at the span {span}")]
    Span {
        /// The field.
        field: String,
        /// The span that the fact names.
        span: ledger::ByteSpan,
    },
    /// The bytes at the span hold a different value.
    #[error("recheck a fact: field {field:?}: the stored output holds another value")]
    Value {
        /// The field.
        field: String,
    },
    /// The raw bytes are at a different place in the evidence.
    #[error("recheck a fact: field {field:?}: its raw bytes stand elsewhere in the evidence")]
    At {
        /// The field.
        field: String,
    },
    /// A quotation is not in the text at word boundaries, or a quotation is missing or out of place.
    #[error("recheck a fact: field {field:?}: the quotation does not hold")]
    Quotation {
        /// The field.
        field: String,
    },
    /// A time that a copying machine wrote cannot prove an event.
    #[error("recheck a fact: field {field:?}: the time was kept by the machine that holds a copy")]
    CopiedTime {
        /// The field.
        field: String,
    },
    /// The field is not the record's subject.
    #[error("recheck a fact: field {field:?} is no subject of a {kind:?}")]
    Subject {
        /// The field.
        field: String,
        /// The record's type.
        kind: String,
    },
    /// The record is not about its subject alone, and the fact does not state the field that says so.
    #[error("recheck a fact: field {field:?} of a {kind:?} is not stated")]
    Qualifier {
        /// The field.
        field: String,
        /// The record's type.
        kind: String,
    },
    /// The fact names a different writer for a value than the run's tables.
    #[error("recheck a fact: field {field:?}: expected writer {expected:?}, found {found:?}")]
    Writer {
        /// The field.
        field: String,
        /// The writer in the tables.
        expected: Option<Writer>,
        /// The writer in the fact.
        found: Option<Writer>,
    },
    /// The fact has no values, or two for one field.
    #[error("recheck a fact: it has no values, or two of one field")]
    Values,
    /// A record of a file at this place does not prove the predicate, or the fact names a different place.
    #[error(
        "recheck a fact: a record of {path:?} does not prove {predicate:?}, or the fact says otherwise of its place"
    )]
    Placement {
        /// The predicate.
        predicate: String,
        /// The path of the record's file.
        path: String,
    },
    /// A record of this type does not prove the predicate.
    #[error("recheck a fact: a {kind:?} does not prove {predicate:?}")]
    Predicate {
        /// The predicate.
        predicate: String,
        /// The record's type.
        kind: String,
    },
}

/// Checks that a stored fact says what the stored output holds.
pub fn recheck(
    entry: &FactEntry,
    output: &Output,
    vocabulary: &Vocabulary,
    types: &BTreeMap<String, RecordType>,
    writers: &Writers,
) -> Result<(), RecheckError> {
    // An output hashes its bytes when it is made; nothing can change them afterwards.
    let found = output.digest();
    if found != entry.output {
        return Err(RecheckError::Output { expected: entry.output, found });
    }
    let record = output.record(entry.record).ok_or(RecheckError::Record { record: entry.record })?;
    check_record(entry, record)?;
    check_predicate(entry, record, vocabulary)?;
    check_placement(entry, record, vocabulary)?;
    check_subject(entry, types)?;
    check_qualifiers(entry, record, types)?;
    let spans = output.value_spans(record.id).unwrap_or_default();
    for value in entry.values.iter().chain([&entry.subject]) {
        check_value(value, record, output, &spans)?;
        writer::check(value, record, writers)?;
    }
    check_values(entry)?;
    let quoted = entry.predicate.is_quoted();
    let beside = |value: &&BoundValue| quoted && !is_text(&value.value);
    if let Some(value) = entry.values.first().filter(|_| entry.values.iter().all(|value| beside(&value))) {
        return Err(RecheckError::Quotation { field: value.field.clone() });
    }
    entry
        .values
        .iter()
        .filter(|value| !beside(value) || value.quotation.is_some() || value.tier == Tier::Quoted)
        .try_for_each(|value| check_quotation(value, quoted))
}

fn check_record(entry: &FactEntry, record: &Record) -> Result<(), RecheckError> {
    if record.kind != entry.kind {
        let (expected, found) = (entry.kind.clone(), record.kind.clone());
        return Err(RecheckError::Kind { record: record.id, expected, found });
    }
    if record.locator != entry.locator {
        let (expected, found) = (Box::new(entry.locator.clone()), Box::new(record.locator.clone()));
        return Err(RecheckError::Locator { record: record.id, expected, found });
    }
    Ok(())
}

fn check_predicate(entry: &FactEntry, record: &Record, vocabulary: &Vocabulary) -> Result<(), RecheckError> {
    let meaning = vocabulary.meaning(&entry.predicate);
    let proves = meaning.is_some_and(|meaning| meaning.proved_by.contains(&entry.kind));
    let needed = meaning.and_then(|meaning| meaning.states.get(&entry.kind));
    let stated = |field: &String| {
        entry.values.iter().any(|value| {
            let instant = !matches!(&value.value, FieldValue::Time(time) if time.utc.is_none());
            value.field == *field && instant
        })
    };
    let opposite = meaning.and_then(|meaning| meaning.unless.get(&entry.kind));
    let denied = |field: &String| {
        entry.values.iter().any(|value| {
            value.field == *field
                && opposite.is_some_and(|values| values.contains(value.value.to_text().as_ref()))
        })
    };
    // A change to the same value is not a change.
    let unlike = meaning.and_then(|meaning| record.fields.get(meaning.unlike.get(&entry.kind)?));
    let changed = needed.and_then(|field| record.fields.get(field));
    let changes =
        unlike.zip(changed).is_none_or(|(now, before)| now.value.to_text() != before.value.to_text());
    let is_denied = meaning.is_some_and(|meaning| meaning.denied_by(record).is_some());
    if proves && changes && !is_denied && needed.is_none_or(|field| stated(field) && !denied(field)) {
        return Ok(());
    }
    Err(RecheckError::Predicate { predicate: entry.predicate.0.clone(), kind: entry.kind.clone() })
}

/// Checks, by the record itself, that the place of its file lets it prove the predicate.
fn check_placement(entry: &FactEntry, record: &Record, vocabulary: &Vocabulary) -> Result<(), RecheckError> {
    let is_anywhere = vocabulary.meaning(&entry.predicate).is_some_and(|meaning| meaning.anywhere);
    if entry.placement == record.placement && (is_anywhere || tells_of_host(record.placement)) {
        return Ok(());
    }
    Err(RecheckError::Placement { predicate: entry.predicate.0.clone(), path: record.locator.path.clone() })
}

fn check_subject(entry: &FactEntry, types: &BTreeMap<String, RecordType>) -> Result<(), RecheckError> {
    let own = types.get(&entry.kind).is_some_and(|kind| kind.subject == entry.subject.field);
    if own && entry.subject.tier != Tier::Quoted && entry.subject.quotation.is_none() {
        return Ok(());
    }
    Err(RecheckError::Subject { field: entry.subject.field.clone(), kind: entry.kind.clone() })
}

fn check_qualifiers(
    entry: &FactEntry,
    record: &Record,
    types: &BTreeMap<String, RecordType>,
) -> Result<(), RecheckError> {
    let mut fields =
        types.get(&entry.kind).into_iter().flat_map(|kind| kind.qualifiers.iter().chain(&kind.scope));
    let stated: BTreeSet<_> = entry.values.iter().map(|value| &value.field).collect();
    match fields.find(|field| record.fields.contains_key(*field) && !stated.contains(field)) {
        Some(field) => Err(RecheckError::Qualifier { field: field.clone(), kind: entry.kind.clone() }),
        None => Ok(()),
    }
}

/// Reads the value again from the bytes at its span.
fn check_value(
    value: &BoundValue,
    record: &Record,
    output: &Output,
    spans: &BTreeMap<&str, ByteSpan>,
) -> Result<(), RecheckError> {
    let field = || value.field.clone();
    let held = record.fields.get(&value.field).ok_or_else(|| RecheckError::Field { field: field() })?;
    if spans.get(value.field.as_str()) != Some(&value.span) {
        return Err(RecheckError::Span { field: field(), span: value.span });
    }
    let range = usize::try_from(value.span.offset).ok().zip(usize::try_from(value.span.end()).ok());
    let bytes = range.and_then(|(start, end)| output.bytes().get(start..end)).unwrap_or_default();
    if serde_json::from_slice::<FieldValue>(bytes).ok().as_ref() != Some(&value.value) {
        return Err(RecheckError::Value { field: field() });
    }
    if held.at != value.at {
        return Err(RecheckError::At { field: field() });
    }
    if matches!(&value.value, FieldValue::Time(time) if time.clock == Clock::CollectionCopy) {
        return Err(RecheckError::CopiedTime { field: field() });
    }
    Ok(())
}

fn check_values(entry: &FactEntry) -> Result<(), RecheckError> {
    let single = entry.values.iter().filter(|value| !matches!(value.value, FieldValue::List(_)));
    let fields: Vec<_> = single.map(|value| &value.field).collect();
    let distinct: BTreeSet<_> = fields.iter().collect();
    if entry.values.is_empty() || distinct.len() != fields.len() {
        return Err(RecheckError::Values);
    }
    Ok(())
}

fn is_text(value: &FieldValue) -> bool {
    matches!(value, FieldValue::Text(_) | FieldValue::List(_))
}

/// Checks a quotation: it comes from a text, and belongs to the predicate `quoted`, which accepts only texts.
fn check_quotation(value: &BoundValue, quoted: bool) -> Result<(), RecheckError> {
    let text = if let FieldValue::Text(text) = &value.value { Some(text) } else { None };
    let items = if let FieldValue::List(items) = &value.value { items.as_slice() } else { &[] };
    let texts: Vec<_> = text.into_iter().chain(items).collect();
    let holds = match (value.tier, &value.quotation) {
        (Tier::Quoted, Some(words)) => quoted && texts.iter().any(|text| has_words(text, words)),
        (Tier::Exact, None) => !quoted || !texts.is_empty(),
        (Tier::Normalised | Tier::Typed, None) => !quoted,
        (Tier::Quoted, None) | (Tier::Exact | Tier::Normalised | Tier::Typed, Some(_)) => false,
    };
    if holds { Ok(()) } else { Err(RecheckError::Quotation { field: value.field.clone() }) }
}

/// Checks whether `words` (four characters or more) occur in `text` without cutting a word.
fn has_words(text: &str, words: &str) -> bool {
    let in_word =
        |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || is_combining_mark(c));
    let digit = |c: Option<char>| c.is_some_and(char::is_numeric);
    let whole = |(at, _): (usize, &str)| {
        let mut before = text.get(..at).unwrap_or_default().chars().rev();
        let mut after = text.get(at + words.len()..).unwrap_or_default().chars();
        let (left, right) = (before.next(), after.next());
        let (first, last) = (words.chars().next(), words.chars().next_back());
        let cut_before = in_word(left) && in_word(first);
        let cut_after = in_word(right) && in_word(last);
        // A number includes its sign and the marks between its digits.
        let signed = matches!(left, Some('-' | '+')) && digit(first) && !in_word(before.next());
        let mark = |c: Option<char>| matches!(c, Some('.' | ',' | ':' | '/' | '-'));
        let split_before =
            mark(left) && digit(first) && digit(text.get(..at).and_then(|t| t.chars().rev().nth(1)));
        let split_after = mark(right) && digit(last) && digit(after.next());
        let joined =
            [left, right].iter().any(|c| matches!(c, Some('\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}')));
        !(cut_before || cut_after || signed || split_before || split_after || joined)
    };
    words.trim().chars().count() >= 4 && text.match_indices(words).any(whole)
}
