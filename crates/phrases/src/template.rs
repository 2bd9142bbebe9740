//! Templates of phrases: words with places for fields.
//!
//! - `{field}` is the value of a field; `{subject}` is the subject of the fact;
//! - `{field|true=is enabled|false=is disabled}` gives words by value;
//!   `{run_count|1=once|*=# times}` also gives words for any other value, around the value (`#`);
//! - `[ from {address}[:{port}]]` is said if all of its fields should be said and the fact has them.
//!
//! Fields outside brackets are always said: without them, a template does not apply.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::str::Chars;
use thiserror::Error;

/// A template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(pub(crate) Vec<Part>);

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Words(String),
    Field(Slot),
    Optional(Vec<Part>),
}

/// The place of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) field: String,
    /// Words for certain values.
    pub(crate) cases: Vec<(String, String)>,
    /// Words before and after any other value.
    pub(crate) other: Option<(String, String)>,
}

/// Why a text is not a template.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum TemplateError {
    /// A bracket has no matching bracket.
    #[error("read a template: {found:?} has no partner in {template:?}")]
    Bracket {
        /// The template.
        template: String,
        /// The bracket.
        found: char,
    },
    /// Braces do not contain a field name.
    #[error("read a template: {found:?} names no field in {template:?}")]
    Field {
        /// The template.
        template: String,
        /// The text in the braces.
        found: String,
    },
    /// Words in brackets belong to no field.
    #[error("read a template: brackets without a field of their own in {template:?}")]
    Idle {
        /// The template.
        template: String,
    },
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    ///
    /// If brackets do not match, braces contain no field name, or words in brackets belong to no field.
    pub(crate) fn read(template: &str) -> Result<Template, TemplateError> {
        let mut rest = template.chars().peekable();
        let parts = parts(template, &mut rest, false)?;
        Ok(Template(parts))
    }

    /// Returns the fields that it names, each once.
    pub(crate) fn fields(&self) -> BTreeSet<&str> {
        let mut fields = BTreeSet::new();
        gather(&self.0, &mut fields);
        fields
    }

    /// Returns the fields outside brackets.
    pub(crate) fn core(&self) -> impl Iterator<Item = &Slot> {
        direct(&self.0)
    }
}

/// Returns the fields of these parts that are not in nested brackets.
pub(crate) fn direct(parts: &[Part]) -> impl Iterator<Item = &Slot> {
    parts.iter().filter_map(|part| match part {
        Part::Field(slot) => Some(slot),
        Part::Words(_) | Part::Optional(_) => None,
    })
}

fn gather<'t>(parts: &'t [Part], fields: &mut BTreeSet<&'t str>) {
    for part in parts {
        match part {
            Part::Words(_) => {}
            Part::Field(slot) => {
                fields.insert(&slot.field);
            }
            Part::Optional(inner) => gather(inner, fields),
        }
    }
}

fn parts(template: &str, rest: &mut Peekable<Chars<'_>>, inside: bool) -> Result<Vec<Part>, TemplateError> {
    let unpaired = |found| TemplateError::Bracket { template: template.to_owned(), found };
    let mut parts = Vec::new();
    let mut words = String::new();
    let end = |words: &mut String, parts: &mut Vec<Part>| {
        if !words.is_empty() {
            parts.push(Part::Words(std::mem::take(words)));
        }
    };
    loop {
        match rest.next() {
            None if inside => return Err(unpaired('[')),
            None => break,
            Some(']') if inside => break,
            Some(found @ (']' | '}')) => return Err(unpaired(found)),
            Some('[') => {
                end(&mut words, &mut parts);
                let inner = self::parts(template, rest, true)?;
                if direct(&inner).next().is_none() {
                    return Err(TemplateError::Idle { template: template.to_owned() });
                }
                parts.push(Part::Optional(inner));
            }
            Some('{') => {
                end(&mut words, &mut parts);
                let mut inner = String::new();
                loop {
                    match rest.next() {
                        Some('}') => break,
                        Some(c) => inner.push(c),
                        None => return Err(unpaired('{')),
                    }
                }
                parts.push(Part::Field(slot(template, &inner)?));
            }
            Some(c) => words.push(c),
        }
    }
    end(&mut words, &mut parts);
    Ok(parts)
}

fn slot(template: &str, text: &str) -> Result<Slot, TemplateError> {
    let wrong = |found: &str| TemplateError::Field { template: template.to_owned(), found: found.to_owned() };
    let mut pieces = text.split('|');
    let field = pieces.next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if field.is_empty() || !field.chars().all(is_name) {
        return Err(wrong(field));
    }
    let mut slot = Slot { field: field.to_owned(), cases: Vec::new(), other: None };
    for piece in pieces {
        let (value, words) = piece.split_once('=').ok_or_else(|| wrong(piece))?;
        if value == "*" {
            let (before, after) = words.split_once('#').ok_or_else(|| wrong(piece))?;
            slot.other = Some((before.to_owned(), after.to_owned()));
        } else {
            slot.cases.push((value.to_owned(), words.to_owned()));
        }
    }
    Ok(slot)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_template_has_words_fields_and_what_may_be_left_out() {
        let read =
            Template::read("{subject} ran[ {run_count|1=once|*=# times}][ from {address}[:{port}]]").unwrap();
        assert_eq!(read.core().map(|slot| slot.field.as_str()).collect::<Vec<_>>(), ["subject"]);
        assert_eq!(
            read.fields().into_iter().collect::<Vec<_>>(),
            ["address", "port", "run_count", "subject"]
        );
    }

    #[test]
    fn what_is_not_a_template_is_refused() {
        for wrong in ["{a", "a}", "[a", "a]", "{}", "{A}", "{a|b}", "{a|*=b}", "[ only words]", "[ [{a}]]"] {
            assert!(Template::read(wrong).is_err(), "{wrong}");
        }
    }
}
