//! Withholding in values, records and facts.

use crate::outputs::RedactedOutputs;
use crate::profile::Profile;
use crate::text::Redactor;
use crate::{MARK, mark_of};
use ledger::commitment::{LOCATOR, STORED, subject_name, value_name};
use ledger::{BoundValue, ByteSpan, FactEntry, FieldValue, Locator};
use std::collections::BTreeSet;

/// The report's name for values withheld because of their field.
const WHOLE: &str = "whole values of withheld fields";

/// Returns a value without what is withheld; `None` if nothing is.
pub(crate) fn value(value: &FieldValue, redactor: &Redactor) -> Option<FieldValue> {
    let text = |text: &String| redactor.changed(text);
    match value {
        FieldValue::Text(it) => text(it).map(FieldValue::Text),
        FieldValue::Name(it) => text(it).map(FieldValue::Name),
        FieldValue::Path(it) => text(it).map(FieldValue::Path),
        FieldValue::RegistryPath(it) => text(it).map(FieldValue::RegistryPath),
        // With a part replaced, these are no longer valid values of their type: they become texts.
        FieldValue::Sid(it) | FieldValue::Guid(it) | FieldValue::Hash(it) | FieldValue::Bytes(it) => {
            text(it).map(FieldValue::Text)
        }
        FieldValue::List(items) => {
            let changed: Vec<Option<String>> = items.iter().map(text).collect();
            changed.iter().any(Option::is_some).then(|| {
                FieldValue::List(
                    items.iter().zip(changed).map(|(item, it)| it.unwrap_or_else(|| item.clone())).collect(),
                )
            })
        }
        FieldValue::Time(time) => text(&time.to_text()).or_else(|| text(&time.raw)).map(FieldValue::Text),
        // A number is withheld if its field is, or if the profile names it.
        FieldValue::Integer(_) | FieldValue::Size(_) => {
            text(&value.to_text().into_owned()).map(FieldValue::Text)
        }
        FieldValue::Flag(_) => None,
    }
}

/// Replaces the value of a field, if the profile withholds the field.
pub(crate) fn whole(
    kind: &str,
    field: &str,
    held: &FieldValue,
    redactor: &Redactor,
    profile: &Profile,
) -> Option<FieldValue> {
    profile.rule(kind, field)?;
    let told = match held {
        FieldValue::List(items) => items.iter().any(|item| !profile.excepts(item)),
        held => !profile.excepts(&held.to_text()),
    };
    told.then(|| {
        redactor.count(WHOLE);
        FieldValue::Text(mark(field, redactor))
    })
}

/// Returns the mark for a field; some field names come from the evidence.
fn mark(field: &str, redactor: &Redactor) -> String {
    match redactor.words.contains(field) || redactor.changed(field).is_none() {
        true => mark_of(field),
        false => MARK.to_owned(),
    }
}

/// Returns the name of a field without what is withheld; `None` if nothing is.
pub(crate) fn field_name(field: &str, redactor: &Redactor) -> Option<String> {
    if redactor.words.contains(field) { None } else { redactor.changed(field) }
}

/// Returns a place in the evidence without what is withheld; `None` if nothing is.
pub(crate) fn locator(locator: &Locator, redactor: &Redactor) -> Option<Locator> {
    let (evidence, path) = (redactor.label(&locator.evidence), redactor.changed(&locator.path));
    let stream = locator.stream.as_ref().and_then(|text| redactor.changed(text));
    (evidence.is_some() || path.is_some() || stream.is_some()).then(|| Locator {
        evidence: evidence.unwrap_or_else(|| locator.evidence.clone()),
        path: path.unwrap_or_else(|| locator.path.clone()),
        stream: stream.or_else(|| locator.stream.clone()),
        span: locator.span,
    })
}

/// Returns a fact without what is withheld, and the names of the members that are not shown as recorded.
pub(crate) fn fact(
    fact: &FactEntry,
    redactor: &Redactor,
    outputs: &RedactedOutputs,
    profile: &Profile,
) -> (FactEntry, BTreeSet<String>) {
    let mut shown = fact.clone();
    let mut withheld = BTreeSet::new();
    let mut redact = |held: &mut BoundValue, name: String| {
        if bound(&fact.kind, held, redactor, profile) {
            withheld.insert(name);
        }
    };
    redact(&mut shown.subject, subject_name());
    shown.values.iter_mut().enumerate().for_each(|(index, held)| redact(held, value_name(index)));
    if let Some(changed) = locator(&fact.locator, redactor) {
        shown.locator = changed;
        withheld.insert(LOCATOR.to_owned());
    }
    if let Some(stand_in) = outputs.stand_ins.get(&fact.output) {
        shown.output = *stand_in;
        for held in std::iter::once(&mut shown.subject).chain(&mut shown.values) {
            held.span = outputs.span(stand_in, fact.record, &held.field).unwrap_or(ByteSpan::new(0, 0));
        }
        withheld.insert(STORED.to_owned());
    }
    (shown, withheld)
}

/// Redacts a bound value; returns whether anything was withheld.
fn bound(kind: &str, held: &mut BoundValue, redactor: &Redactor, profile: &Profile) -> bool {
    let changed = match whole(kind, &held.field, &held.value, redactor, profile) {
        Some(marked) => {
            held.quotation = None;
            Some(marked)
        }
        None => {
            let told = value(&held.value, redactor);
            let text = told.as_ref().unwrap_or(&held.value).to_text();
            held.quotation =
                held.quotation.take().map(|words| quoted(words, &text, told.is_some(), redactor));
            told
        }
    };
    let name = field_name(&held.field, redactor);
    let is_changed =
        changed.is_some() || name.is_some() || held.quotation.as_ref().is_some_and(|it| it.contains(MARK));
    if is_changed {
        // Its length would reveal that of the value.
        held.at = None;
    }
    held.value = changed.unwrap_or_else(|| held.value.clone());
    held.field = name.unwrap_or_else(|| held.field.clone());
    is_changed
}

/// Returns quoted words without what is withheld.
///
/// Words that are no longer in the value began or ended inside a withheld part: the half of it that they hold is
/// withheld, too.
fn quoted(words: String, told: &str, changed: bool, redactor: &Redactor) -> String {
    let words = redactor.changed(&words).unwrap_or(words);
    if changed && !told.contains(&words) { MARK.to_owned() } else { words }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::needles::{Gathered, NAMED};

    #[test]
    fn quoted_words_that_cut_a_withheld_value_hold_no_half_of_it() {
        let profile = Profile::parse("p", "values = [\"ALDER-07\"]").unwrap();
        let values = profile.values.iter().map(|value| (value.clone(), NAMED)).collect();
        let redactor = Redactor::new(Gathered { values, ..Gathered::default() }, &profile).unwrap();
        for (words, expected) in [
            ("copied to ALDER", MARK),
            ("R-07 by", MARK),
            ("ALDER-07 by", "[withheld] by"),
            ("copied to", "copied to"),
        ] {
            let mut held = BoundValue {
                field: "line".into(),
                value: FieldValue::Text("copied to ALDER-07 by hand".into()),
                quotation: Some(words.into()),
                tier: ledger::Tier::Quoted,
                span: ByteSpan::new(0, 1),
                at: None,
                writer: None,
            };
            assert!(bound("text_line", &mut held, &redactor, &profile));
            assert_eq!(held.quotation.as_deref(), Some(expected), "{words}");
        }
    }
}
