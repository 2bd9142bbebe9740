//! How a hypothesis stands: derived from what rests on what, never from an agent's own degree of belief.

use crate::confidence::SourceKind;
use crate::run::{HypothesisView, Run};
use crate::weight::weight_of;
use detect::Level;
use ledger::{Assessment, FactEntry, NodeId};
use std::collections::{BTreeMap, BTreeSet};

/// What speaks for and against a hypothesis, by its agent's last word on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// What its agent makes of it; `None` where it was never weighed.
    pub assessment: Option<Assessment>,
    /// Facts and absences that speak for it and tell this computer from an untouched one.
    pub supporting: usize,
    /// Places of the evidence from which these were read: several facts of one file are one source.
    pub supporting_sources: Sources,
    /// Facts that its agent names for it and that are ordinary or low: many computers have such, and they count for nothing.
    pub ordinary: usize,
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
    let (telling, ordinary): (Vec<NodeId>, Vec<NodeId>) =
        supporting.iter().partition(|node| is_telling(run, **node));
    Standing {
        assessment: last.map(|last| last.assessment),
        supporting: telling.len(),
        supporting_sources: sources(run, &telling),
        ordinary: ordinary.len(),
        contradicting: contradicting.len(),
        contradicting_sources: sources(run, contradicting),
    }
}

/// Whether a node tells a computer from an untouched one: one of its facts has a level above low, which is what many computers have, or it is an absence, which was searched for.
pub fn is_telling(run: &Run, node: NodeId) -> bool {
    let facts = run.facts_of(node);
    facts.is_empty() || weight_of(run, node).level >= Level::Medium
}

/// A question that the facts for a hypothesis answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedFor<'r> {
    /// The question.
    pub question: &'r str,
    /// How many of them are named for the hypothesis.
    pub named: usize,
    /// How many of these tell this computer from an untouched one.
    pub telling: usize,
}

/// What speaks for a hypothesis by the questions that were asked, in their order, and what its telling facts are, each reason once.
pub fn looked_for<'r>(run: &'r Run, hypothesis: &HypothesisView) -> (Vec<LookedFor<'r>>, Vec<&'static str>) {
    let recorded = run.as_recorded();
    let supporting = hypothesis.assessments.last().map(|last| last.supporting.as_slice()).unwrap_or_default();
    let agents = run.tasks.values().map(|view| &view.assigned.agent);
    let mut questions: BTreeMap<&str, (usize, LookedFor<'r>)> = BTreeMap::new();
    let mut reasons: Vec<&'static str> = Vec::new();
    for node in supporting {
        let telling = is_telling(run, *node);
        if telling {
            let notes = weight_of(run, *node).hits;
            reasons.extend(notes.first().map(|hit| hit.note).filter(|note| !reasons.contains(note)));
        }
        let facts: Vec<&FactEntry> = run.facts_of(*node).iter().filter_map(|id| recorded.fact(*id)).collect();
        let asked = agents.clone().flat_map(|agent| &agent.objectives).enumerate();
        let of_node: BTreeMap<&str, usize> = asked
            .filter(|(_, objective)| facts.iter().any(|fact| objective.is_answered_by(fact)))
            .map(|(place, objective)| (objective.question.as_str(), place))
            .collect();
        for (question, place) in of_node {
            let empty = LookedFor { question, named: 0, telling: 0 };
            let (_, known) = questions.entry(question).or_insert((place, empty));
            known.named += 1;
            known.telling += usize::from(telling);
        }
    }
    let mut questions: Vec<_> = questions.into_values().collect();
    questions.sort_by_key(|(place, _)| *place);
    (questions.into_iter().map(|(_, it)| it).collect(), reasons)
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
