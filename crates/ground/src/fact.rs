//! The runtime proof that a reading was grounded.

use crate::bind::{Bound, Fit};
use crate::shelf::Held;
use ledger::writer::Written;
use ledger::{BoundValue, ByteSpan, FactEntry, FactId, Output, Predicate, Writers};
use std::collections::BTreeMap;

/// A grounded reading.
///
/// Its existence proves that the gateway found its values in a stored output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact(Box<FactEntry>);

impl Fact {
    /// Returns the persisted form.
    pub fn entry(&self) -> &FactEntry {
        &self.0
    }

    /// Converts into the persisted form and gives up the proof.
    pub fn into_entry(self) -> FactEntry {
        *self.0
    }

    /// Makes a fact from the record that fits a claim; the only constructor.
    ///
    /// The fact says what the claim states, plus the fields that limit it by the record's type ([`RecordType::scope`](ledger::RecordType)).
    /// `None` if a value has no span in the stored bytes, which an [`Output`](ledger::Output) does not allow.
    pub(crate) fn seal(
        id: FactId,
        predicate: &Predicate,
        found: &Found<'_>,
        writers: &Writers,
    ) -> Option<Fact> {
        let Found { held, stored, fit } = found;
        let record = fit.record;
        let written = writers.written(record);
        let spans = stored.value_spans(record.id)?;
        let locate = |bound| locate(&spans, bound, written.as_ref());
        let values = fit.values.iter().chain(&fit.scope).map(locate).collect::<Option<_>>()?;
        let entry = FactEntry {
            id,
            predicate: predicate.clone(),
            subject: locate(&fit.subject)?,
            values,
            invocation: held.invocation,
            output: stored.digest(),
            record: record.id,
            kind: record.kind.clone(),
            locator: record.locator.clone(),
            placement: record.placement,
            shown: held.shown.iter().any(|range| range.contains(record.id)),
        };
        Some(Fact(Box::new(entry)))
    }
}

/// A record that fits a claim, with the invocation that returned it.
#[derive(Debug, Clone)]
pub(crate) struct Found<'s> {
    pub(crate) held: &'s Held,
    pub(crate) stored: &'s Output,
    pub(crate) fit: Fit<'s>,
}

fn locate(
    spans: &BTreeMap<&str, ByteSpan>,
    bound: &Bound<'_>,
    written: Option<&Written<'_>>,
) -> Option<BoundValue> {
    Some(BoundValue {
        field: bound.field.to_owned(),
        value: bound.held.value.clone(),
        quotation: bound.quotation.clone(),
        tier: bound.tier,
        span: *spans.get(bound.field)?,
        at: bound.held.at,
        writer: written.map(|written| written.by(bound.field)),
    })
}
