//! What a trace must say for a rule to fit.

use crate::baseline::Difference;
use crate::trace::{Stated, Trace};
use crate::{Level, TechniqueId};
use ledger::FieldValue;
use ledger::pattern::Patterns;
use std::collections::BTreeSet;

/// How much of a value is looked at, in characters: no command line of Windows is longer (Microsoft Learn, `CreateProcess`), and evidence must not set how long a report takes.
const LOOKED_AT: usize = 32_767;

/// A kind of trace, how much it stands out, and the techniques that leave such ones.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    /// Its name: short, and never given to another rule.
    pub(crate) id: String,
    /// What such a trace is, in words.
    pub(crate) note: String,
    pub(crate) level: Level,
    /// In the order of their ids.
    pub(crate) techniques: BTreeSet<TechniqueId>,
    /// Whether it looks at lines, too, that are said and not run.
    pub(crate) mentions: bool,
    pub(crate) kind: Kind,
    /// What another fact says of the same thing that makes a trace of level low a medium one.
    pub(crate) raised_by: BTreeSet<String>,
    /// In what the trace must differ from what Windows brings along under its name; none: in nothing.
    pub(crate) differs: Vec<Difference>,
}

/// What belongs to any computer, and why.
#[derive(Debug, Clone)]
pub(crate) struct Ordinary {
    /// Whose it is, in words.
    pub(crate) note: String,
    pub(crate) kind: Kind,
}

/// A kind of trace.
#[derive(Debug, Clone)]
pub(crate) struct Kind {
    /// The record types of which the trace's is one.
    pub(crate) records: BTreeSet<String>,
    /// The predicates of which the trace says one; none: any.
    pub(crate) predicates: BTreeSet<String>,
    /// What the trace must state, each of them.
    pub(crate) when: Vec<Asked>,
    /// What it must not state, none of them. What a trace leaves out denies nothing.
    pub(crate) unless: Vec<Asked>,
    /// Two fields that name instants, of which the first must be the earlier one.
    pub(crate) earlier: Option<[String; 2]>,
}

/// A field, by its name, and what it holds.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) fields: Patterns,
    pub(crate) texts: Patterns,
}

impl Kind {
    /// Whether `trace` is of this kind.
    pub(crate) fn fits(&self, trace: &Trace<'_>) -> bool {
        self.fits_without(trace, &[])
    }

    /// The same where some of its values are cut to what is run.
    pub(crate) fn fits_without(&self, trace: &Trace<'_>, cut: &[(usize, FieldValue)]) -> bool {
        self.records.contains(trace.kind())
            && (self.predicates.is_empty() || self.predicates.iter().any(|predicate| trace.says(predicate)))
            && self.earlier.as_ref().is_none_or(|fields| trace.is_earlier(fields))
            && self.when.iter().all(|asked| asked.is_stated(trace, cut))
            && !self.unless.iter().any(|asked| asked.is_stated(trace, cut))
    }
}

impl Asked {
    /// Whether a value of `trace` is this.
    fn is_stated(&self, trace: &Trace<'_>, cut: &[(usize, FieldValue)]) -> bool {
        trace.values(cut).any(|stated| self.fields.fit(stated.field) && self.fits(&stated))
    }

    /// Of a list one item is enough; of a quotation only the words that were quoted count.
    fn fits(&self, stated: &Stated<'_>) -> bool {
        match (stated.quotation, stated.value) {
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
