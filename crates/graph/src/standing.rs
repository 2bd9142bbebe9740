//! How a hypothesis stands: derived from what rests on what, never from an agent's own degree of belief.

use crate::confidence::SourceKind;
use crate::run::{HypothesisView, Run};
use ledger::{Assessment, FactEntry, NodeId};
use std::collections::BTreeSet;

/// What speaks for and against a hypothesis, by its agent's last word on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// What its agent makes of it; `None` where it was never weighed.
    pub assessment: Option<Assessment>,
    /// Facts and absences that speak for it.
    pub supporting: usize,
    /// Places of the evidence from which these were read: several facts of one file are one source.
    pub supporting_sources: Sources,
    /// Facts and absences that speak against it.
    pub contradicting: usize,
    /// Places of the evidence from which these were read.
    pub contradicting_sources: Sources,
}

/// On how much facts and absences rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sources {
    /// Files that were read; each thing that is absent is one besides.
    pub places: usize,
    /// Kinds of sources that these are of: what one component writes into many files is of one kind.
    pub kinds: usize,
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

/// What the nodes rest on: each thing that is absent is a place and of a kind besides, however often it was searched for.
///
/// Of a redacted run places are told apart by what was recorded.
fn sources(run: &Run, nodes: &[NodeId]) -> Sources {
    let run = run.as_recorded();
    let absent = nodes.iter().filter_map(|node| match node {
        NodeId::Absence(id) => run.absences().find(|(_, covered)| covered.absence.id == *id),
        _ => None,
    });
    let absences: BTreeSet<_> = absent.map(|(_, covered)| &covered.absence.absence).collect();
    let facts = nodes.iter().flat_map(|node| run.facts_of(*node));
    let read: Vec<&FactEntry> = facts.filter_map(|id| run.fact(id)).collect();
    let files: BTreeSet<_> = read.iter().map(|fact| (&fact.locator.evidence, &fact.locator.path)).collect();
    let kinds: BTreeSet<SourceKind> = read.iter().map(|fact| SourceKind::of(&fact.kind)).collect();
    Sources { places: files.len() + absences.len(), kinds: kinds.len() + usize::from(!absences.is_empty()) }
}
