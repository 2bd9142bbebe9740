//! Facts in their persisted form.
//!
//! A [`FactEntry`] is the form in the log.
//! The runtime type that proves a value was grounded is `ground::Fact`, which only the gateway constructs.

use crate::digest::Digest;
use crate::id::{FactId, InvocationId, RecordId};
use crate::locator::{ByteSpan, Locator};
use crate::placement::Placement;
use crate::record_data::state_field;
use crate::value::FieldValue;
use crate::vocabulary::Predicate;
use crate::writer::Writer;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A grounded reading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FactEntry {
    /// Its id.
    pub id: FactId,
    /// What is said of the subject.
    pub predicate: Predicate,
    /// What the fact is about: a field of the record, grounded like any other.
    pub subject: BoundValue,
    /// The values, each bound to its field.
    pub values: Vec<BoundValue>,
    /// The invocation whose output holds them.
    pub invocation: InvocationId,
    /// The digest of that output.
    pub output: Digest,
    /// The one record that holds them all.
    pub record: RecordId,
    /// The record's type.
    pub kind: String,
    /// The record's place in the evidence.
    pub locator: Locator,
    /// Whether the agent had been shown the record before it made the claim.
    pub shown: bool,
    /// The placement of the record's file, if it is not a place in which Windows keeps such files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<Placement>,
}

impl FactEntry {
    /// Returns the value that says its subject is in an unusual state, such as a task that is disabled or runs once.
    pub fn unusual_state(&self) -> Option<&BoundValue> {
        let state = state_field(&self.kind)?;
        let is_unusual = |bound: &&BoundValue| !state.usual.contains(bound.value.to_text().as_ref());
        self.values.iter().find(|bound| bound.field == state.field).filter(is_unusual)
    }

    /// Checks whether another fact says the same about the same record, whichever call returned it.
    ///
    /// If the bytes of a record are unknown, only a record of the same output is the same record.
    pub fn says_the_same(&self, other: &FactEntry) -> bool {
        let is_one_record = (self.invocation, self.record) == (other.invocation, other.record)
            || self.locator.span.is_some() && self.locator == other.locator;
        let said = |fact: &FactEntry| {
            let values = fact.values.iter().chain([&fact.subject]);
            let mut said: Vec<_> = values
                .map(|value| {
                    (value.field.clone(), value.quotation.clone(), value.value.to_text().into_owned())
                })
                .collect();
            said.sort();
            said.dedup();
            said
        };
        let is_one_kind = (&self.predicate, &self.kind) == (&other.predicate, &other.kind);
        is_one_kind && is_one_record && self.placement == other.placement && said(self) == said(other)
    }

    /// Returns the least trusted writer of its values; `None` in runs before format 2.3.
    pub fn writer(&self) -> Option<Writer> {
        self.values.iter().chain([&self.subject]).filter_map(|value| value.writer).min()
    }
}

/// A value bound to a field of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundValue {
    /// The field.
    pub field: String,
    /// What the record holds there, complete.
    pub value: FieldValue,
    /// The words quoted from it; only with [`Tier::Quoted`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quotation: Option<String>,
    /// How the claimed text matched.
    pub tier: Tier,
    /// The place of the value in the stored output.
    pub span: ByteSpan,
    /// The place of its raw bytes in the evidence file, if they are in one piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<ByteSpan>,
    /// Who could have written it; `None` in runs before format 2.3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<Writer>,
}

impl BoundValue {
    /// Returns the record's line that contains the quoted words, shortened if it is longer than `most` characters.
    /// `None` if nothing is quoted, or the line holds nothing else.
    ///
    /// Words torn out of "Bob denies that …" say something different from the line.
    /// So the words next to them are shown, however many words are quoted.
    pub fn line(&self, most: usize) -> Option<String> {
        let words = self.quotation.as_deref().filter(|words| !words.is_empty())?;
        let (text, at) = match &self.value {
            FieldValue::List(items) => {
                items.iter().find_map(|item| Some((item.as_str(), place(words, item)?)))?
            }
            value => value.as_text().and_then(|text| Some((text, place(words, text)?)))?,
        };
        let (before, rest) = text.split_at_checked(at)?;
        let after = rest.strip_prefix(words)?;
        let line_before = before.rsplit(['\n', '\r']).next()?;
        let line_after = after.split(['\n', '\r']).next()?;
        if line_before.trim().is_empty() && line_after.trim().is_empty() {
            return None;
        }
        let (words, room) = shortened(words, most);
        let (from, cut_before) = tail(line_before, room);
        let (to, cut_after) = head(line_after, room);
        let mark = |cut: bool| if cut { "…" } else { "" };
        Some(format!("{}{}{words}{}{}", mark(cut_before), from.trim_start(), to.trim_end(), mark(cut_after)))
    }
}

/// Shortens the quoted words (of many, keeps the first and last), and returns how many characters remain on each side.
fn shortened(words: &str, most: usize) -> (Cow<'_, str>, usize) {
    let number = words.chars().count();
    if number <= most / 2 {
        return (Cow::Borrowed(words), (most - number) / 2);
    }
    let kept = (most / 2).saturating_sub(3) / 2;
    let (first, last) = (head(words, kept).0, tail(words, kept).0);
    (Cow::Owned(format!("{first}…{last}")), most / 4)
}

/// Finds where the words occur apart from other text; else where they occur as words; else where they occur at all.
fn place(words: &str, text: &str) -> Option<usize> {
    let around = |at: &usize| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let mut after = text.get(at + words.len()..).unwrap_or_default().chars();
        (before, after.next(), after.next())
    };
    let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let is_alone = |at: &usize| {
        let (before, after, beyond) = around(at);
        // A mark after them may end a sentence, or continue a name.
        let ends = after.is_some_and(|c| c.is_ascii_punctuation()) && is_blank(beyond);
        is_blank(before) && (is_blank(after) || ends)
    };
    let is_apart = |at: &usize| {
        let (before, after, _) = around(at);
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    };
    let mut places = text.match_indices(words).map(|(at, _)| at);
    let (mut alone, mut apart) = (places.clone(), places.clone());
    alone.find(is_alone).or_else(|| apart.find(is_apart)).or_else(|| places.next())
}

/// Returns the last characters of a text, and whether it was cut.
fn tail(text: &str, room: usize) -> (&str, bool) {
    match text.char_indices().rev().nth(room) {
        None => (text, false),
        Some((at, c)) => (text.get(at + c.len_utf8()..).unwrap_or_default(), true),
    }
}

/// Returns the first characters of a text, and whether it was cut.
fn head(text: &str, room: usize) -> (&str, bool) {
    match text.char_indices().nth(room) {
        None => (text, false),
        Some((at, _)) => (text.get(..at).unwrap_or_default(), true),
    }
}

/// How a claimed value matched, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// The whole field, byte for byte.
    Exact,
    /// The whole field, after the equivalences that its type allows.
    Normalised,
    /// Equality of typed values.
    Typed,
    /// One contiguous span of a free-text field, at word boundaries.
    Quoted,
}

/// A citation that the rescue corrected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Healing {
    /// The id as the agent wrote it.
    pub cited: String,
    /// The invocation that does ground the reading.
    pub healed: InvocationId,
    /// Why the cited one does not ground it.
    pub because: crate::rejection::RejectionCode,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoting(words: &str, text: &str) -> BoundValue {
        BoundValue {
            field: "text".into(),
            value: FieldValue::Text(text.into()),
            quotation: Some(words.into()),
            tier: Tier::Quoted,
            span: ByteSpan::new(0, 1),
            at: None,
            writer: None,
        }
    }

    #[test]
    fn quoted_words_come_with_the_line_around_them() {
        for (words, text, expected) in [
            ("mara stole it", "Bob denies that mara stole it", Some("Bob denies that mara stole it")),
            ("mara stole it", "one\r\nBob: mara stole it!\nthree", Some("Bob: mara stole it!")),
            ("mara stole it", "mara stole it", None),
            ("mara stole it", "one\nmara stole it\nthree", None),
            ("port", "support of port 80", Some("support of port 80")),
            ("nowhere", "text", None),
        ] {
            assert_eq!(quoting(words, text).line(200).as_deref(), expected, "{text:?}");
        }
        let decoyed = "x.mara stole it\nBob denies that mara stole it.";
        let shown = quoting("mara stole it", decoyed).line(200);
        assert_eq!(shown.as_deref(), Some("Bob denies that mara stole it."));
        let items = vec!["one".to_owned(), "Bob denies that mara stole it".to_owned()];
        let listed = BoundValue { value: FieldValue::List(items), ..quoting("mara stole it", "") };
        assert_eq!(listed.line(200).as_deref(), Some("Bob denies that mara stole it"));
        let words = format!("mara stole {}, they say", "it and ".repeat(40));
        let told = quoting(&words, &format!("Bob denies that {words}, and laughs")).line(120).unwrap();
        assert!(
            told.starts_with("Bob denies that mara stole it") && told.ends_with("they say, and laughs"),
            "{told}"
        );
        assert!(told.chars().count() <= 120, "{told}");
        let long = format!("{}it was not so that mara stole it{}", "x".repeat(300), "ö".repeat(300));
        let line = quoting("mara stole it", &long).line(60).unwrap();
        assert!(line.chars().count() < 70 && line.contains("not so that mara stole it"), "{line}");
        assert!(line.starts_with('…') && line.ends_with('…'), "{line}");
    }
}
