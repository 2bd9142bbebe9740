//! Compares two records field by field.

use super::records::Subjects;
use ledger::{ByteSpan, Field, Locator, Record, canonical};
use serde::Serialize;
use std::collections::BTreeSet;

/// The most characters of a value that are shown.
const LONGEST: usize = 400;

/// One difference between two records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldDiffers {
    /// The part of the record.
    pub what: Part,
    /// The field, if the part is one.
    pub field: Option<String>,
    /// The recorded value; `None` if there was none.
    pub recorded: Option<String>,
    /// The present value; `None` if there is none.
    pub now: Option<String>,
}

/// A part of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The value of a field.
    Value,
    /// The span of a field's bytes.
    Span,
    /// The locator of the record.
    Locator,
    /// The type of the record.
    Kind,
    /// The defects of the record.
    Defects,
}

/// Returns the differences between two records, ignoring their numbers.
pub(crate) fn compare(recorded: &Record, now: &Record) -> Vec<FieldDiffers> {
    let mut found = Vec::new();
    let mut differ = |what, field: Option<&str>, recorded: Option<String>, now: Option<String>| {
        if recorded != now {
            let field = field.map(str::to_owned);
            found.push(FieldDiffers { what, field, recorded: recorded.map(cut), now: now.map(cut) });
        }
    };
    differ(Part::Kind, None, Some(recorded.kind.clone()), Some(now.kind.clone()));
    differ(Part::Locator, None, Some(place(&recorded.locator)), Some(place(&now.locator)));
    let names: BTreeSet<&String> = recorded.fields.keys().chain(now.fields.keys()).collect();
    for name in names {
        let (a, b) = (recorded.fields.get(name), now.fields.get(name));
        if a.map(|field| &field.value) != b.map(|field| &field.value) {
            let texts = (a.map(written), b.map(written));
            // Values of different types or precisions differ even if their texts are equal.
            let (a, b) = if texts.0 == texts.1 { (a.map(in_full), b.map(in_full)) } else { texts };
            differ(Part::Value, Some(name), a, b);
        } else {
            let at =
                |field: Option<&Field>| field.and_then(|field| field.at).map(|at: ByteSpan| at.to_string());
            differ(Part::Span, Some(name), at(a), at(b));
        }
    }
    let damage = |record: &Record| {
        let told = record.defects.iter().map(super::calls::defect);
        (!record.defects.is_empty()).then(|| told.collect::<Vec<_>>().join("; "))
    };
    differ(Part::Defects, None, damage(recorded), damage(now));
    found
}

fn written(field: &Field) -> String {
    field.value.to_text().into_owned()
}

/// Returns a value with everything that distinguishes it from another one with the same text.
fn in_full(field: &Field) -> String {
    canonical::to_string(&field.value).unwrap_or_default()
}

fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Returns the subject of a record: the value of its type's subject field.
pub(crate) fn subject(record: &Record, subjects: &Subjects) -> Option<String> {
    let field = record.fields.get(subjects.get(&record.kind)?)?;
    Some(cut(field.value.to_text().into_owned()))
}

/// Returns the locator as text.
pub(crate) fn place(locator: &Locator) -> String {
    locator.to_string()
}
