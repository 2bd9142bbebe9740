//! Folds timeline rows about the same thing into one: how many, first and last. Their other fields may differ.
//!
//! A fold shows where to look. A thing that occurs once is its stored record.
//! For one that occurs more often, the row is located at the first record and proves nothing.

use super::asked::{Asked, RARE_FIRST};
use super::lines::Lines;
use super::{Hit, MAX_DATA, tell};
use crate::catalogue::Call;
use crate::error::CallError;
use crate::page::Page;
use crate::returned::Return;
use crate::tables::Times;
use crate::{sink, spec};
use ledger::FieldType::{Integer, Name, Path, Text, Time};
use ledger::{Field, FieldValue, Record, RecordId, RecordType};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::ops::ControlFlow;

const KIND: &str = "record_fold";

/// The fields that identify the kind of an event.
const OF_EVENTS: [&str; 3] = ["channel", "provider", "event_id"];

/// The most rows that are kept: some hundred bytes each.
const MOST: usize = 1_000_000;

pub(super) fn record_type() -> RecordType {
    spec::record(
        KIND,
        "how many records of one file are about the same, as far as a timeline was asked for them: of one type and subject, and of events of one channel, provider and id; what else they say may differ; it stands where the first of them does, shows where to look, and of what the call passed over it says nothing",
        "subject",
        &[
            ("subject", &[Text], "what all of them are about; their type where they name nothing"),
            ("record", &[Name], "their record type"),
            ("channel", &[Name, Text], "channel of the events"),
            ("provider", &[Name, Text], "provider of the events"),
            ("event_id", &[Integer], "event id"),
            ("count", &[Integer], "how many there are"),
            ("first", &[Time], "time of the first"),
            ("last", &[Time], "time of the last"),
            ("file", &[Path], "path of the file that they stand in"),
        ],
    )
}

/// Records about the same thing.
struct Fold {
    count: u64,
    first: Hit,
    last: Hit,
}

/// The line, the table and the source of records; together they mean one file.
type Of = (usize, usize, usize);

#[derive(Default)]
struct Folds {
    all: Vec<Fold>,
    known: HashMap<Of, HashMap<String, usize>>,
    /// The text being looked up, kept so that only new ones are allocated.
    said: String,
}

impl Folds {
    /// Adds a record; `false` if there are too many different ones.
    fn add(&mut self, hit: Hit, times: &Times<'_>) -> bool {
        self.said.clear();
        for part in times.kind.iter().chain([&times.subject]) {
            // With the lengths, no text can be mistaken for two others.
            let _ = write!(self.said, "{}:{part}", part.len());
        }
        let known = self.known.entry((hit.line, hit.table, times.source)).or_default();
        if let Some(fold) = known.get(&self.said).and_then(|place| self.all.get_mut(*place)) {
            fold.count += 1;
            fold.first = fold.first.min(hit);
            fold.last = fold.last.max(hit);
            return true;
        }
        if self.all.len() >= MOST {
            return false;
        }
        known.insert(self.said.clone(), self.all.len());
        self.all.push(Fold { count: 1, first: hit, last: hit });
        true
    }
}

/// Runs a call that folds.
pub(super) fn run(call: &Call<'_>, asked: &Asked<'_>, lines: Lines<'_, '_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let (offset, limit) = (arguments.count("offset")?, arguments.count("limit")?);
    let Some(mut folds) = folds(asked, &lines)? else {
        let expected = "a shorter span or fewer sources: more than 1,000,000 records differ";
        return Err(CallError::Argument { argument: super::asked::FOLD, expected, found: "true".to_owned() });
    };
    match arguments.is_set(RARE_FIRST) {
        true => folds.sort_by_key(|fold| (fold.count, fold.first)),
        false => folds.sort_by_key(|fold| fold.first),
    }
    let (mut records, mut data) = (Vec::new(), 0usize);
    for fold in folds.iter().skip(offset).take(limit) {
        let Some(record) = record(&lines, fold)?.filter(|_| data < MAX_DATA) else { break };
        data = data.saturating_add(sink::size(&record));
        records.push(record);
    }
    let (held, all) = (records.len(), folds.len());
    let behind = offset.saturating_add(held);
    let mut returned = Return::found(Vec::new(), arguments.normalised(&lines.normalised));
    Page::of(records, offset, held.max(1), behind < all).fill(&mut returned, "rows");
    returned.notes.push(match held {
        0 => format!("{all} rows in all"),
        _ => format!("rows {} to {behind} of {all}", offset + 1),
    });
    tell(asked, lines, folds.iter().map(|fold| fold.count).sum(), &mut returned);
    Ok(returned)
}

/// Returns the first stored record of each of the things that appeared last, the latest first; `None` if too many of them differ.
pub(crate) fn latest(
    asked: &Asked<'_>,
    lines: &Lines<'_, '_>,
    most: usize,
) -> Result<Option<Vec<Record>>, CallError> {
    let Some(mut folds) = folds(asked, lines)? else { return Ok(None) };
    folds.sort_by_key(|fold| Reverse(fold.first));
    let first = |fold: &Fold| {
        let line = lines.lines.get(fold.first.line)?;
        Some(line.kept.record_of(fold.first.table, fold.first.row))
    };
    let records: Result<Vec<_>, _> = folds.iter().take(most).filter_map(first).collect();
    Ok(Some(records?))
}

/// Folds all records that are asked for; `None` if too many of them differ.
fn folds(asked: &Asked<'_>, lines: &Lines<'_, '_>) -> Result<Option<Vec<Fold>>, CallError> {
    let (mut folds, mut has_room) = (Folds::default(), true);
    for (number, line) in lines.lines.iter().enumerate() {
        line.scan(asked, |times, wanted| {
            let Some(hit) = Hit::of(asked, number, times, wanted) else { return ControlFlow::Continue(()) };
            has_room = folds.add(hit, times);
            if has_room { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
    }
    Ok(has_room.then_some(folds.all))
}

/// Makes the row of a fold: the stored record if it is the only one.
fn record(lines: &Lines<'_, '_>, fold: &Fold) -> Result<Option<Record>, CallError> {
    let Some(line) = lines.lines.get(fold.first.line) else { return Ok(None) };
    let first = line.kept.record_of(fold.first.table, fold.first.row)?;
    if fold.count == 1 {
        return Ok(Some(first));
    }
    let last = line.kept.record_of(fold.last.table, fold.last.row)?;
    let subject = line.kept.subject_of(fold.first.table).and_then(|name| first.fields.get(name));
    Ok(Some(folded(fold, subject, &first, &last)))
}

fn folded(fold: &Fold, subject: Option<&Field>, first: &Record, last: &Record) -> Record {
    let plain = |value| Field { at: None, value };
    let text =
        |field: &Field| Field { value: FieldValue::Text(field.value.to_text().into_owned()), ..*field };
    let none = || plain(FieldValue::Text(first.kind.clone()));
    let subject = subject.map(text).filter(|field| !field.value.to_text().is_empty());
    let mut fields = BTreeMap::from([
        ("subject".to_owned(), subject.unwrap_or_else(none)),
        ("record".to_owned(), plain(FieldValue::Name(first.kind.clone()))),
        ("count".to_owned(), plain(FieldValue::Integer(fold.count.into()))),
        ("file".to_owned(), plain(FieldValue::Path(first.locator.path.clone()))),
    ]);
    let is_event = OF_EVENTS.iter().all(|name| first.fields.contains_key(*name));
    for name in OF_EVENTS.iter().filter(|_| is_event) {
        fields.extend(first.fields.get(*name).map(|field| ((*name).to_owned(), field.clone())));
    }
    fields.extend(time_at(first, fold.first.at).map(|field| ("first".to_owned(), field.clone())));
    // Its bytes are not in the first record, where the row is located.
    fields.extend(time_at(last, fold.last.at).map(|field| ("last".to_owned(), plain(field.value.clone()))));
    Record {
        placement: None,
        defects: Vec::new(),
        fields,
        id: RecordId(0),
        kind: KIND.to_owned(),
        locator: first.locator.clone(),
    }
}

/// Returns the time of a record with this instant.
fn time_at(record: &Record, at: i128) -> Option<&Field> {
    record.fields.values().find(|field| match &field.value {
        FieldValue::Time(time) => time.utc.is_some_and(|utc| utc.unix_nanoseconds() == at),
        _ => false,
    })
}
