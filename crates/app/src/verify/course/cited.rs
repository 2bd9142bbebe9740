//! Determines from the arguments of a call which records its readings cite; a separate implementation that only counts and compares.

use super::Course;
use crate::verify::words;
use ledger::{FieldValue, InvocationId, Output, Reading, Record, pattern};
use serde_json::Value;

/// A claim that a call must make: the number of the reading, and the record if the reading names several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Due {
    pub(super) reading: usize,
    record: Option<String>,
}

impl Course<'_> {
    /// Returns the claims that a record call must make, in order.
    pub(super) fn due(&self, arguments: &Value) -> Vec<Due> {
        let stated = stated(arguments);
        let of = |(reading, stated): (usize, &&Value)| match self.several(stated) {
            None => vec![Due { reading, record: None }],
            Some(records) => {
                records.into_iter().map(|record| Due { reading, record: Some(record) }).collect()
            }
        };
        stated.iter().enumerate().flat_map(of).collect()
    }

    /// Whether a claim is the one that was due.
    pub(super) fn is_due(&self, arguments: &Value, due: &Due, reading: &Reading) -> bool {
        let stated = stated(arguments);
        let Some(stated) = stated.get(due.reading) else { return false };
        let (invocation, records) = apart(stated);
        let record = due.record.clone().or_else(|| match self.is_several(stated) {
            true => None,
            false => Some(records).filter(|records| !records.is_empty()),
        });
        let given = text(stated, "invocation").map(str::to_owned).or(invocation);
        let is_given = |member: &str| stated.get(member).is_some_and(|given| !given.is_null());
        let fields = match is_given("fields") || is_given("values") {
            true => words::listed(stated.get("fields")),
            false => vec!["*"],
        };
        let values = match stated.get("values").filter(|values| !values.is_null()) {
            None => Some(Vec::new()),
            given => words::values(given),
        };
        words::says(stated, "predicate", &reading.predicate)
            && words::says(stated, "subject", &reading.subject)
            && given.as_ref() == Some(&reading.invocation)
            && record == reading.record
            && fields == reading.fields
            && values.as_ref() == Some(&reading.values)
    }

    fn is_several(&self, stated: &Value) -> bool {
        let (_, records) = apart(stated);
        let has_where =
            stated.get("where").and_then(Value::as_object).is_some_and(|fields| !fields.is_empty());
        let spans = spans(&records);
        let is_one =
            spans.as_ref().is_some_and(|spans| spans.len() == 1 && spans.iter().all(|(a, b)| a == b));
        records.eq_ignore_ascii_case("all")
            || (records.is_empty() && has_where)
            || spans.is_some() && (!is_one || has_where)
    }

    /// Returns the records that a reading names, if it names several records of one output of its task.
    fn several(&self, stated: &Value) -> Option<Vec<String>> {
        if !self.is_several(stated) {
            return None;
        }
        let (beside, records) = apart(stated);
        let given = text(stated, "invocation").map(str::to_owned).or(beside)?;
        let output = self.output_of(&given)?;
        let spans = spans(&records);
        let is_meant = |record: &&Record| {
            let is_named = spans.as_ref().is_none_or(|spans| {
                spans.iter().any(|(first, last)| first <= &record.id.0 && &record.id.0 <= last)
            });
            is_named && fits(stated, record)
        };
        Some(output.records().iter().filter(is_meant).map(|record| record.id.to_string()).collect())
    }

    fn output_of(&self, given: &str) -> Option<&Output> {
        let id: InvocationId = ground::read_invocation(given)?;
        let (_, ended) = self.done.get(&id)?;
        self.log.outputs.get(&ended.output?).map(AsRef::as_ref)
    }
}

/// Returns the readings of a call: a list, or the call itself.
fn stated(arguments: &Value) -> Vec<&Value> {
    match arguments.get("readings").and_then(Value::as_array) {
        Some(readings) => readings.iter().collect(),
        None => vec![arguments],
    }
}

/// Splits off an invocation before the record; returns it and the text that names the records.
fn apart(stated: &Value) -> (Option<String>, String) {
    let text = match stated.get("record") {
        Some(list @ Value::Array(_)) => words::listed(Some(list)).join(","),
        Some(Value::String(text)) => text.trim().to_owned(),
        _ => String::new(),
    };
    let parts: Vec<&str> = text.splitn(2, char::is_whitespace).collect();
    match parts.as_slice() {
        [first, rest] if ground::read_invocation(first).is_some() => {
            (Some((*first).to_owned()), rest.trim().to_owned())
        }
        _ if text.starts_with("inv-") => (Some(text), String::new()),
        _ => (None, text),
    }
}

fn spans(records: &str) -> Option<Vec<(u32, u32)>> {
    let mut spans = Vec::new();
    for part in records.split(',').map(str::trim) {
        let after = part.strip_prefix('r').or_else(|| part.strip_prefix('R'));
        let (first, last) = match part.split_once('-') {
            Some((first, last)) => (first.trim(), last.trim()),
            None => (after?, after?),
        };
        let bare = |text: &str| text.strip_prefix(['r', 'R']).unwrap_or(text).parse::<u32>().ok();
        spans.push((bare(first)?, bare(last)?));
    }
    Some(spans)
}

fn fits(stated: &Value, record: &Record) -> bool {
    let Some(fields) = stated.get("where").and_then(Value::as_object) else { return true };
    fields.iter().all(|(name, sought)| {
        let sought = sought.as_str().map_or_else(|| sought.to_string(), str::to_owned);
        record.fields.get(name).is_some_and(|field| match &field.value {
            FieldValue::List(items) => items.iter().any(|item| pattern::fits(&sought, item)),
            other => pattern::fits(&sought, &other.to_text()),
        })
    })
}

fn text<'v>(stated: &'v Value, member: &str) -> Option<&'v str> {
    stated.get(member).and_then(Value::as_str)
}
