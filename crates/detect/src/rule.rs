//! The conditions of a rule on a trace.

use crate::baseline::Difference;
use crate::trace::{Stated, Trace};
use crate::{Level, TechniqueId};
use ledger::FieldValue;
use ledger::pattern::Patterns;
use std::collections::BTreeSet;

/// The most characters of a value that are compared: no Windows command line is longer (Microsoft Learn, `CreateProcess`).
/// The limit also keeps evidence from deciding how long a report takes.
const LOOKED_AT: usize = 32_767;

/// A kind of trace, how much it stands out, and the techniques that leave such traces.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    /// Its name: short, and never reused for another rule.
    pub(crate) id: String,
    /// A description of such a trace.
    pub(crate) note: String,
    pub(crate) level: Level,
    /// In the order of their ids.
    pub(crate) techniques: BTreeSet<TechniqueId>,
    /// Whether lines that only mention something and are not run count, too.
    pub(crate) mentions: bool,
    pub(crate) kind: Kind,
    /// Predicates of another fact about the same thing that raise a low trace to medium.
    pub(crate) raised_by: BTreeSet<String>,
    /// How the trace must differ from the baseline entry with its name; empty if it need not differ.
    pub(crate) differs: Vec<Difference>,
}

/// What is ordinary on any computer, and why.
#[derive(Debug, Clone)]
pub(crate) struct Ordinary {
    /// Its maker or origin, in words.
    pub(crate) note: String,
    pub(crate) kind: Kind,
}

/// A kind of trace.
#[derive(Debug, Clone)]
pub(crate) struct Kind {
    /// The possible record types of the trace.
    pub(crate) records: BTreeSet<String>,
    /// The possible predicates of the trace; empty for any.
    pub(crate) predicates: BTreeSet<String>,
    /// What the trace must state: all of these.
    pub(crate) when: Vec<Asked>,
    /// What it must not state: none of these. A value that a trace leaves out denies nothing.
    pub(crate) unless: Vec<Asked>,
    /// Two fields with instants; the first must be earlier.
    pub(crate) earlier: Option<[String; 2]>,
}

/// A field, by its name, and its value.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) fields: Patterns,
    pub(crate) texts: Patterns,
}

impl Kind {
    /// Checks whether `trace` is of this kind.
    pub(crate) fn fits(&self, trace: &Trace<'_>) -> bool {
        self.fits_without(trace, &[])
    }

    /// Does the same if some of its values are cut to the lines that are run.
    pub(crate) fn fits_without(&self, trace: &Trace<'_>, cut: &[(usize, FieldValue)]) -> bool {
        self.records.contains(trace.kind())
            && (self.predicates.is_empty() || self.predicates.iter().any(|predicate| trace.says(predicate)))
            && self.earlier.as_ref().is_none_or(|fields| trace.is_earlier(fields))
            && self.when.iter().all(|asked| asked.is_stated(trace, cut))
            && !self.unless.iter().any(|asked| asked.is_stated(trace, cut))
    }
}

impl Asked {
    /// Checks whether `trace` has such a value.
    fn is_stated(&self, trace: &Trace<'_>, cut: &[(usize, FieldValue)]) -> bool {
        trace.values(cut).any(|stated| self.fields.fit(stated.field) && self.fits(&stated))
    }

    /// Checks a value: one item of a list is enough; for a quotation, only the quoted words count.
    fn fits(&self, stated: &Stated<'_>) -> bool {
        match (stated.quotation, stated.value) {
            (Some(quotation), _) => self.texts.fit(head(quotation)),
            (None, FieldValue::List(items)) => items.iter().any(|item| self.texts.fit(head(item))),
            (None, value) => self.texts.fit(head(&value.to_text())),
        }
    }
}

/// Returns the first [`LOOKED_AT`] characters.
fn head(text: &str) -> &str {
    match text.char_indices().nth(LOOKED_AT) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}
