//! What a fact must say to fit a technique.

use super::TechniqueId;
use ledger::pattern::Patterns;
use ledger::{BoundValue, FactEntry, FieldValue, is_earlier};
use std::collections::BTreeSet;

/// How much of a value is looked at, in characters: no command line of Windows is longer (Microsoft Learn, `CreateProcess`), and evidence must not set how long a report takes.
const LOOKED_AT: usize = 32_767;

/// A kind of trace, and the techniques that leave such ones.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    /// What such a trace is, in words.
    pub(super) note: String,
    /// In the order of their ids.
    pub(super) techniques: BTreeSet<TechniqueId>,
    /// The record types of which the fact's is one.
    pub(super) records: BTreeSet<String>,
    /// The predicates of which the fact's is one; none: any.
    pub(super) predicates: BTreeSet<String>,
    /// What the fact must state, each of them.
    pub(super) when: Vec<Asked>,
    /// What it must not state, none of them. What a fact leaves out denies nothing.
    pub(super) unless: Vec<Asked>,
    /// Two fields that name instants, of which the first must be the earlier one.
    pub(super) earlier: Option<[String; 2]>,
}

/// A field, by its name, and what it holds.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) fields: Patterns,
    pub(super) texts: Patterns,
}

impl Rule {
    /// Whether `fact` is such a trace.
    pub(super) fn fits(&self, fact: &FactEntry) -> bool {
        self.records.contains(&fact.kind)
            && (self.predicates.is_empty() || self.predicates.contains(&fact.predicate.0))
            && self.earlier.as_ref().is_none_or(|fields| is_earlier(fields, fact))
            && self.when.iter().all(|asked| asked.is_stated(fact))
            && !self.unless.iter().any(|asked| asked.is_stated(fact))
    }
}

impl Asked {
    /// Whether the subject or a value of `fact` is this.
    fn is_stated(&self, fact: &FactEntry) -> bool {
        let mut bound = std::iter::once(&fact.subject).chain(&fact.values);
        bound.any(|bound| self.fields.fit(&bound.field) && self.fits(bound))
    }

    /// Of a list one item is enough; of a quotation only the words that were quoted count.
    fn fits(&self, bound: &BoundValue) -> bool {
        match (&bound.quotation, &bound.value) {
            (Some(quotation), _) => self.texts.fit(head(quotation)),
            (None, FieldValue::List(items)) => items.iter().any(|item| self.texts.fit(head(item))),
            (None, value) => self.texts.fit(head(&value.to_text())),
        }
    }
}

/// The first [`LOOKED_AT`] characters.
fn head(text: &str) -> &str {
    match text.char_indices().nth(LOOKED_AT) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}
