//! Compares a fact in a redacted report with what was recorded.

use crate::MARK;
use ledger::commitment::{Opening, STORED, members};
use ledger::{FactEntry, FieldValue};
use serde_json::Value;
use thiserror::Error;

/// What is wrong with a fact as shown.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ShownError {
    /// A member should be withheld, but there is no mark in it.
    #[error("the member {member} is said to be withheld, and nothing in it is marked as such")]
    Unmarked {
        /// Its name.
        member: String,
    },
    /// The text around the marks is not what was recorded.
    #[error("the member {member} is no redaction of what was recorded")]
    Other {
        /// Its name.
        member: String,
    },
}

/// Checks that every withheld member is marked as such, so that nothing uncovered by a hash passes for recorded.
pub fn marks_what_it_withholds(shown: &FactEntry, opening: &Opening) -> Result<(), ShownError> {
    let told = members(shown);
    let unmarked = |name: &&String| {
        *name != STORED
            && !told.get(*name).is_some_and(|member| texts(member).any(|text| !pieces(text).1.is_empty()))
    };
    match opening.withheld.keys().find(unmarked) {
        None => Ok(()),
        Some(member) => Err(ShownError::Unmarked { member: member.clone() }),
    }
}

/// Checks that what is shown of withheld members is what was recorded, apart from the marks.
pub fn is_redaction_of(shown: &FactEntry, recorded: &FactEntry, opening: &Opening) -> Result<(), ShownError> {
    let (told, were) = (members(shown), members(recorded));
    // A withheld output is replaced by another one, which the page says.
    for member in opening.withheld.keys().filter(|name| *name != STORED) {
        let fits = told.get(member).zip(were.get(member)).is_some_and(|(told, was)| redacts(told, was));
        if !fits {
            return Err(ShownError::Other { member: member.clone() });
        }
    }
    Ok(())
}

/// Checks whether one value is the other one with marks in its texts.
fn redacts(told: &Value, was: &Value) -> bool {
    if told == was || told.is_null() {
        return true;
    }
    if let (Ok(told), Ok(was)) = (value_of(told), value_of(was)) {
        return match (&told, &was) {
            (FieldValue::List(told), FieldValue::List(was)) => {
                told.len() == was.len() && told.iter().zip(was).all(|(told, was)| text_redacts(told, was))
            }
            (told, was) => {
                let typed = told.field_type() == was.field_type() || matches!(told, FieldValue::Text(_));
                typed && told.as_text().is_some_and(|told| text_redacts(told, &was.to_text()))
            }
        };
    }
    match (told, was) {
        (Value::String(told), Value::String(was)) => text_redacts(told, was),
        (Value::Object(told), Value::Object(was)) => {
            told.len() == was.len()
                && told.iter().all(|(name, told)| was.get(name).is_some_and(|was| redacts(told, was)))
        }
        _ => false,
    }
}

fn value_of(value: &Value) -> Result<FieldValue, serde_json::Error> {
    serde_json::from_value(value.clone())
}

/// Checks whether a text is another one with marks in place of parts of it.
fn text_redacts(told: &str, was: &str) -> bool {
    let (first, rest) = pieces(told);
    let Some(mut left) = was.strip_prefix(first) else { return false };
    let Some((last, middle)) = rest.split_last() else { return left.is_empty() };
    for piece in middle {
        match left.find(piece) {
            Some(at) => left = left.get(at + piece.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    left.ends_with(last)
}

/// Returns the text before the first mark, and the text after each mark.
fn pieces(text: &str) -> (&str, Vec<&str>) {
    let opening = MARK.trim_end_matches(']');
    let mut parts = text.split(opening);
    let first = parts.next().unwrap_or_default();
    // A mark is `[withheld]` or `[withheld: field]`.
    let rest = parts.map(|part| part.split_once(']').map_or("", |(_, rest)| rest));
    (first, rest.collect())
}

fn texts(value: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match value {
        Value::String(text) => Box::new(std::iter::once(text.as_str())),
        Value::Array(items) => Box::new(items.iter().flat_map(texts)),
        Value::Object(members) => Box::new(members.values().flat_map(texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => Box::new(std::iter::empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_held_against_the_one_that_it_is_a_redaction_of() {
        for (told, was, expected) in [
            ("a [withheld] c", "a b c", true),
            ("[withheld: name]", "anything", true),
            ("[withheld]/[withheld].txt", "x/y.txt", true),
            ("a [withheld] c", "a b d", false),
            ("x [withheld]", "y b", false),
            ("[withheld]/z/[withheld]", "x/y/w", false),
            ("plain", "plain and more", false),
        ] {
            assert_eq!(text_redacts(told, was), expected, "{told} of {was}");
        }
    }
}
