//! Values that say too little to tell one record from another.

use crate::bind::Bound;
use ledger::value::read_whole_number;
use ledger::{FieldValue, GateRules};

/// Checks whether a bound value is weak.
pub(crate) fn is_weak(bound: &Bound<'_>, rules: &GateRules) -> bool {
    match &bound.held.value {
        FieldValue::Flag(_) => true,
        FieldValue::Integer(number) => is_small(*number, rules),
        FieldValue::Size(size) => is_small((*size).into(), rules),
        FieldValue::Time(time) => time.utc.is_none() && is_weak_text(&time.raw, rules),
        FieldValue::Text(text)
        | FieldValue::Name(text)
        | FieldValue::Path(text)
        | FieldValue::RegistryPath(text)
        | FieldValue::Sid(text)
        | FieldValue::Guid(text)
        | FieldValue::Hash(text)
        | FieldValue::Bytes(text) => is_weak_text(bound.quotation.as_deref().unwrap_or(text), rules),
        FieldValue::List(_) => is_weak_text(bound.quotation.as_deref().or(bound.item).unwrap_or(""), rules),
    }
}

fn is_weak_text(text: &str, rules: &GateRules) -> bool {
    let text = text.trim();
    let short = text.chars().take(rules.weak_below as usize).count() < rules.weak_below as usize;
    let flag = ["true", "false"].iter().any(|flag| flag.eq_ignore_ascii_case(text));
    short || flag || text.is_empty() || read_whole_number(text).is_some_and(|number| is_small(number, rules))
}

/// Checks whether a number has too few digits: small numbers occur in too many records.
fn is_small(number: i128, rules: &GateRules) -> bool {
    let digits = number.unsigned_abs().checked_ilog10().map_or(1, |log| log + 1);
    digits < rules.weak_below
}
