//! Decides which records a call returns.

use super::conditions::{Condition, Conditions};
use super::counts;
use super::dating::Dating;
use super::standout::Standout;
use crate::arguments::Arguments;
use crate::error::CallError;
use crate::glob;
use crate::intake::{Brief, Taken};
use crate::span::Span;
use crate::spelling::{key_spellings, path_spellings};
use ledger::pattern::{fits, fold};
use ledger::{Clock, FieldType, FieldValue, Record, RecordType, Time};
use std::collections::{BTreeMap, BTreeSet};

/// The most characters of a pattern or of a text.
const LONGEST: usize = 4096;

/// The conditions on the records of a call; all that are given must hold.
pub(crate) struct Filter {
    /// The patterns, one of which the subject must match; empty if none were asked for.
    names: Vec<String>,
    /// Case-folded texts, one of which must occur; empty if none were asked for.
    texts: Vec<String>,
    /// The texts that must not occur.
    excluded: Excluded,
    /// Which records stand out; `None`: every record is wanted.
    standout: Option<Standout>,
    span: Span,
    bounded: bool,
    /// The types of records that are returned.
    kinds: BTreeSet<String>,
    conditions: Conditions,
    /// Notes on the types of records that cannot meet the conditions.
    lacking: Vec<String>,
    /// The subject field of each record type.
    subjects: BTreeMap<String, String>,
    /// How many records were left out because they have no time at all.
    timeless: u64,
}

/// How a record's time relates to the span that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dated {
    Inside,
    Outside,
    /// Its type has several times, none of which dates it.
    Never,
}

impl Filter {
    pub(crate) fn read(arguments: &Arguments, records: Vec<RecordType>) -> Result<Filter, CallError> {
        let span = Span::read(arguments, "from", "to")?;
        let standout = Standout::read(arguments)?;
        let mut given = given(arguments, records)?;
        if let Some(standout) = &standout {
            let kinds = standout.kinds();
            given.retain(|record| kinds.contains(record.name.as_str()));
        }
        let conditions = Conditions::of(arguments, &given).map_err(CallError::Where)?;
        Ok(Filter {
            names: names(arguments)?,
            texts: short(arguments, "text")?.map(texts).unwrap_or_default(),
            excluded: Excluded::read(arguments)?,
            standout,
            span,
            bounded: arguments.optional_text("from").or(arguments.optional_text("to")).is_some(),
            lacking: conditions.lacking(&given),
            conditions,
            kinds: given.iter().map(|record| record.name.clone()).collect(),
            subjects: given.into_iter().map(|record| (record.name, record.subject)).collect(),
            timeless: 0,
        })
    }

    /// Returns the fields by which records are chosen, for counting.
    pub(crate) fn narrowing(&self) -> Result<Vec<&str>, CallError> {
        match self.conditions.all().iter().find(|condition| condition.is_of(&[FieldType::Time])) {
            Some(Condition { field, .. }) => {
                let expected =
                    "no condition on a time beside \"count_by\": \"from\" and \"to\" bound a count";
                Err(CallError::Argument { argument: "where", expected, found: field.clone() })
            }
            None => Ok(self.conditions.fields()),
        }
    }

    /// Returns the fields that it uses; `None`: any.
    pub(crate) fn fields(&self) -> Option<Vec<&str>> {
        if self.bounded || !self.texts.is_empty() || !self.excluded.is_empty() || self.standout.is_some() {
            return None;
        }
        let subjects = self.subjects.values().map(String::as_str).filter(|_| !self.names.is_empty());
        Some(self.conditions.fields().into_iter().chain(subjects).collect())
    }

    /// Returns the conditions that can be checked before a record is made.
    pub(crate) fn takes(&self) -> Taken<'_> {
        let Filter { names, texts, span, kinds, conditions, .. } = self;
        let conditions = conditions.all();
        Taken { kinds: Some(kinds), names, texts, conditions, from: span.from, to: span.to, fields: None }
    }

    pub(crate) fn wants(&mut self, record: &Record) -> bool {
        let wanted = self.kinds.contains(&record.kind)
            && self.named(record)
            && self.conditions.hold(record)
            && (self.texts.is_empty() || contains_any(record, &self.texts))
            && !self.excluded.holds(record)
            && self.standout.as_ref().is_none_or(|standout| standout.wants(record))
            && (!self.bounded || self.timed(record));
        if let Some(standout) = self.standout.as_mut().filter(|_| wanted) {
            standout.meet(record);
        }
        wanted
    }

    /// Checks whether a record like this is wanted; `None` if only the record itself can show it.
    pub(crate) fn wants_brief(&mut self, brief: &Brief<'_>) -> Option<bool> {
        if !self.kinds.contains(brief.kind) || !self.is_named(brief.subject) {
            return Some(false);
        }
        let is_brief_enough = self.texts.is_empty() && self.conditions.is_empty() && self.excluded.is_empty();
        if !is_brief_enough || self.standout.is_some() {
            return None;
        }
        self.timeless += u64::from(self.bounded && brief.times.is_empty());
        Some(!self.bounded || brief.times.iter().any(|time| self.span.contains(*time)))
    }

    /// Says what was left out because something is missing: records without times, types without a field.
    pub(crate) fn left_out(self) -> impl Iterator<Item = String> {
        let number = self.timeless;
        let timeless =
            (number > 0).then(|| format!("{number} records have no time of the host and are in no span"));
        let standout = self.standout.into_iter().flat_map(Standout::told);
        self.lacking.into_iter().chain(timeless).chain(standout)
    }

    /// Checks whether the time that dates a record, and by which it is counted, is in the span that was asked for.
    pub(crate) fn dates(&self, record: &Record, dating: &Dating) -> Dated {
        match dating.time(record) {
            _ if !self.bounded => Dated::Inside,
            Some(time) if self.span.holds(time) => Dated::Inside,
            Some(_) => Dated::Outside,
            None if dating.has(&record.kind) => Dated::Outside,
            None => Dated::Never,
        }
    }

    fn named(&self, record: &Record) -> bool {
        if self.names.is_empty() {
            return true;
        }
        let subject = self.subjects.get(&record.kind).and_then(|subject| record.fields.get(subject));
        subject.is_some_and(|subject| self.is_named(&subject.value.to_text()))
    }

    fn is_named(&self, subject: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|pattern| fits(pattern, subject))
    }

    fn timed(&mut self, record: &Record) -> bool {
        let mut any = false;
        for time in times(record) {
            any = true;
            if self.span.holds(time) {
                return true;
            }
        }
        self.timeless += u64::from(!any);
        false
    }
}

/// Texts, none of which may occur in a record or in the path of its file.
#[derive(Debug, Default)]
pub(crate) struct Excluded(Vec<String>);

impl Excluded {
    /// Reads the argument `exclude`.
    pub(crate) fn read(arguments: &Arguments) -> Result<Excluded, CallError> {
        let Some(text) = short(arguments, "exclude")? else { return Ok(Excluded::default()) };
        let texts = texts(text);
        match texts.is_empty() {
            true => {
                let (expected, found) =
                    ("a text to leave out, or several with || between them", text.to_owned());
                Err(CallError::Argument { argument: "exclude", expected, found })
            }
            false => Ok(Excluded(texts)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the texts, case-folded.
    pub(crate) fn texts(&self) -> &[String] {
        &self.0
    }

    /// Checks whether one of the texts occurs in a record, or in the path of its file.
    pub(crate) fn holds(&self, record: &Record) -> bool {
        !self.is_empty() && (self.is_in(&record.locator.path) || contains_any(record, &self.0))
    }

    /// Checks whether one of the texts occurs in `text`.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let held = fold(text);
        self.0.iter().any(|text| held.contains(text.as_str()))
    }
}

/// Returns the types of records that the call returns: the one that is asked for, or all.
fn given(arguments: &Arguments, mut records: Vec<RecordType>) -> Result<Vec<RecordType>, CallError> {
    // Counts are made from records and are not in any file.
    records.retain(|record| !counts::is_count(&record.name));
    let Some(kind) = arguments.optional_text("record") else { return Ok(records) };
    let allowed = records.iter().map(|record| record.name.clone()).collect();
    records.retain(|record| record.name == kind);
    if records.is_empty() {
        return Err(CallError::ArgumentChoice {
            argument: "record".to_owned(),
            allowed,
            found: kind.to_owned(),
        });
    }
    Ok(records)
}

/// Returns the times of a record that the examined host kept.
pub(crate) fn times(record: &Record) -> impl Iterator<Item = &Time> {
    record.fields.values().filter_map(|field| match &field.value {
        FieldValue::Time(time) if time.clock == Clock::Host && time.utc.is_some() => Some(time),
        _ => None,
    })
}

/// Returns the patterns of `name`, with `{a,b}` expanded, and paths in each way that records write them.
fn names(arguments: &Arguments) -> Result<Vec<String>, CallError> {
    let Some(text) = short(arguments, "name")? else { return Ok(Vec::new()) };
    let alternatives = glob::alternatives(text).ok_or_else(|| {
        let (expected, found) = ("at most 64 combinations of alternatives", text.to_owned());
        CallError::Argument { argument: "name", expected, found }
    })?;
    let mut names: Vec<String> = Vec::new();
    for name in alternatives.iter().flat_map(|text| path_spellings(text)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Splits at `||`, without the spaces around it; a key of a live registry is added in the form that hives use.
fn texts(text: &str) -> Vec<String> {
    let alternatives = text.split("||").map(str::trim).filter(|text| !text.is_empty());
    let mut all = Vec::new();
    for text in alternatives {
        all.push(fold(text));
        if text.contains('\\') {
            all.extend(["001", "002", "003"].iter().filter_map(|set| Some(fold(&key_spellings(text, set)?))));
        }
    }
    all.dedup();
    all
}

fn contains_any(record: &Record, texts: &[String]) -> bool {
    record.fields.values().any(|field| {
        let held = fold(&field.value.to_text());
        texts.iter().any(|text| held.contains(text.as_str()))
    })
}

fn short<'a>(arguments: &'a Arguments, argument: &'static str) -> Result<Option<&'a str>, CallError> {
    let text = arguments.optional_text(argument);
    match text.filter(|text| text.chars().count() > LONGEST) {
        None => Ok(text),
        Some(found) => {
            let (expected, found) = ("at most 4096 characters", found.to_owned());
            Err(CallError::Argument { argument, expected, found })
        }
    }
}
