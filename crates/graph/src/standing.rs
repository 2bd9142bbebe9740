//! How a hypothesis stands: derived from what rests on what, never from an agent's own degree of belief.

use crate::run::{HypothesisView, Run};
use ledger::{Assessment, NodeId};
use std::collections::BTreeSet;

/// What speaks for and against a hypothesis, by its agent's last word on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// What its agent makes of it; `None` where it was never weighed.
    pub assessment: Option<Assessment>,
    /// Facts and absences that speak for it.
    pub supporting: usize,
    /// Places of the evidence from which these were read: several facts of one file are one source.
    pub supporting_sources: usize,
    /// Facts and absences that speak against it.
    pub contradicting: usize,
    /// Places of the evidence from which these were read.
    pub contradicting_sources: usize,
}

/// How a hypothesis of the run stands.
pub fn standing(run: &Run, hypothesis: &HypothesisView) -> Standing {
    let last = hypothesis.assessments.last();
    let supporting = last.map(|last| last.supporting.as_slice()).unwrap_or_default();
    let contradicting = last.map(|last| last.contradicting.as_slice()).unwrap_or_default();
    Standing {
        assessment: last.map(|last| last.assessment),
        supporting: supporting.len(),
        supporting_sources: sources(run, supporting),
        contradicting: contradicting.len(),
        contradicting_sources: sources(run, contradicting),
    }
}

/// The files that the facts were read from; each thing that is absent is one besides, however often it was searched for.
///
/// Of a redacted run they are told apart by what was recorded.
fn sources(run: &Run, nodes: &[NodeId]) -> usize {
    let run = run.as_recorded();
    let mut files = BTreeSet::new();
    let mut absences = BTreeSet::new();
    for node in nodes {
        match node {
            NodeId::Fact(id) => {
                files.extend(run.fact(*id).map(|fact| (&fact.locator.evidence, &fact.locator.path)));
            }
            // A derivation is as wide as the facts that it rests on.
            NodeId::Derivation(id) => {
                let found = run.derivations().find(|(_, derived)| derived.derivation.id == *id);
                let facts = found.into_iter().flat_map(|(_, derived)| derived.derivation.derivation.facts());
                let read = facts.filter_map(|fact| run.fact(fact));
                files.extend(read.map(|fact| (&fact.locator.evidence, &fact.locator.path)));
            }
            NodeId::Absence(id) => {
                let found = run.absences().find(|(_, covered)| covered.absence.id == *id);
                absences.extend(found.map(|(_, covered)| &covered.absence.absence));
            }
            NodeId::Invocation(_)
            | NodeId::Phenomenon(_)
            | NodeId::Entity(_)
            | NodeId::Relation(_)
            | NodeId::Hypothesis(_) => {}
        }
    }
    files.len() + absences.len()
}
