//! Facts in their persisted form.
//!
//! A [`FactEntry`] is what stands in the log.
//! The runtime type that proves a value was grounded is `ground::Fact`, which only the gateway constructs.

use crate::digest::Digest;
use crate::id::{FactId, InvocationId, RecordId};
use crate::locator::{ByteSpan, Locator};
use crate::placement::Placement;
use crate::value::FieldValue;
use crate::vocabulary::Predicate;
use crate::writer::Writer;
use serde::{Deserialize, Serialize};

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
    /// The one record in which they stand together.
    pub record: RecordId,
    /// The record's type.
    pub kind: String,
    /// Where the record stands in the evidence.
    pub locator: Locator,
    /// Whether the agent had been shown the record when it made the claim.
    pub shown: bool,
    /// Where the record's file stands, where that is no place in which Windows keeps such files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<Placement>,
}

impl FactEntry {
    /// Whether another fact says the same of the same record, whichever call returned it.
    ///
    /// Where nothing tells the bytes of a record, only one of the same output is the same.
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

    /// The least trusted of those who could have written one of its values; `None` in runs before format 2.3.
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
    /// What the record holds there, whole.
    pub value: FieldValue,
    /// The words that were quoted from it; only with [`Tier::Quoted`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quotation: Option<String>,
    /// How the claimed text matched.
    pub tier: Tier,
    /// Where the value stands in the stored output.
    pub span: ByteSpan,
    /// Where its raw bytes stand in the evidence file, where they stand in one piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<ByteSpan>,
    /// Who could have written it; `None` in runs before format 2.3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<Writer>,
}

impl BoundValue {
    /// The line of the record in which the quoted words stand, shortened around them where it is longer than `most` characters; `None` where nothing is quoted or nothing stands around it.
    ///
    /// Words torn out of "Bob denies that …" say something else than the line does.
    pub fn line(&self, most: usize) -> Option<String> {
        let words = self.quotation.as_deref().filter(|words| !words.is_empty())?;
        let text = self.value.as_text()?;
        let at = place(words, text)?;
        let (before, rest) = text.split_at_checked(at)?;
        let after = rest.strip_prefix(words)?;
        let line_before = before.rsplit(['\n', '\r']).next()?;
        let line_after = after.split(['\n', '\r']).next()?;
        if line_before.trim().is_empty() && line_after.trim().is_empty() {
            return None;
        }
        let room = most.saturating_sub(words.chars().count()) / 2;
        let (from, cut_before) = tail(line_before, room);
        let (to, cut_after) = head(line_after, room);
        let mark = |cut: bool| if cut { "…" } else { "" };
        Some(format!("{}{}{words}{}{}", mark(cut_before), from.trim_start(), to.trim_end(), mark(cut_after)))
    }
}

/// Where the words stand as words; else where they stand at all.
fn place(words: &str, text: &str) -> Option<usize> {
    let is_apart = |at: &usize| {
        let neighbour = |found: Option<char>| !found.is_some_and(char::is_alphanumeric);
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let after = text.get(at + words.len()..).and_then(|after| after.chars().next());
        neighbour(before) && neighbour(after)
    };
    let mut places = text.match_indices(words).map(|(at, _)| at);
    places.clone().find(is_apart).or_else(|| places.next())
}

/// The last characters of a text, and whether it was cut.
fn tail(text: &str, room: usize) -> (&str, bool) {
    match text.char_indices().rev().nth(room) {
        None => (text, false),
        Some((at, c)) => (text.get(at + c.len_utf8()..).unwrap_or_default(), true),
    }
}

/// The first characters of a text, and whether it was cut.
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

/// A citation that the rescue rewrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Healing {
    /// The id as the agent wrote it.
    pub cited: String,
    /// The invocation that does ground the reading.
    pub healed: InvocationId,
    /// Why the cited one did not.
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
        let long = format!("{}it was not so that mara stole it{}", "x".repeat(300), "ö".repeat(300));
        let line = quoting("mara stole it", &long).line(60).unwrap();
        assert!(line.chars().count() < 70 && line.contains("not so that mara stole it"), "{line}");
        assert!(line.starts_with('…') && line.ends_with('…'), "{line}");
    }
}
