//! The support for a hypothesis: derived from what it is based on, never from an agent's own degree of belief.

use crate::confidence::SourceKind;
use crate::run::{HypothesisView, Run};
use crate::weight::weight_of;
use detect::Level;
use ledger::{Assessment, FactEntry, NodeId};
use std::collections::{BTreeMap, BTreeSet};

/// The support for a hypothesis and the evidence against it, according to its agent's last assessment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The agent's assessment; `None` if it was never assessed.
    pub assessment: Option<Assessment>,
    /// The number of supporting facts and absences that distinguish this computer from an untouched one.
    pub supporting: usize,
    /// The sources of these: several facts from one file are one source.
    pub supporting_sources: Sources,
    /// The number of supporting facts with level ordinary or low: many computers have them, so they do not count.
    pub ordinary: usize,
    /// The number of facts and absences that contradict it.
    pub contradicting: usize,
    /// The sources of these.
    pub contradicting_sources: Sources,
}

/// The sources that facts and absences are based on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sources {
    /// The number of files that were read, plus one for each absence.
    pub places: usize,
    /// The number of kinds of sources: the files that one component writes are all of one kind.
    pub kinds: usize,
}

/// Returns the support for a hypothesis of the run.
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

/// Checks whether a node distinguishes a computer from an untouched one: one of its facts is above level low (many computers have facts
/// of level low), or it is an absence, which was searched for.
pub fn is_telling(run: &Run, node: NodeId) -> bool {
    let facts = run.facts_of(node);
    facts.is_empty() || weight_of(run, node).level >= Level::Medium
}

/// A question answered by facts that support a hypothesis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedFor<'r> {
    /// The question.
    pub question: &'r str,
    /// The number of these facts that the hypothesis names.
    pub named: usize,
    /// The number of these that distinguish this computer from an untouched one.
    pub telling: usize,
}

/// Returns the support for a hypothesis by question, in the order in which they were asked, and the reasons why its facts stand out,
/// without repeats.
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

/// Counts the sources of nodes. Each absent thing counts as one more place and one more kind, however often it was searched for.
///
/// A redacted run uses the original places.
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
