//! Checks that the evidence graph has exactly the edges that the events define.

use super::log::{Found, Log};
use graph::EvidenceGraph;
use ledger::{Event, NodeId};
use std::collections::BTreeMap;

/// Returns the nodes whose dependents in the graph differ from those in the events.
pub(super) fn other(log: Log<'_>, graph: &EvidenceGraph) -> Vec<Found> {
    let mut resting: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    let mut read: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
    for (_, _, event) in log.of_tasks() {
        for (node, on) in edges(event) {
            resting.entry(node).or_default();
            resting.entry(on).or_default().push(node);
        }
        if let Event::ClaimAccepted(accepted) = event {
            let fact = NodeId::Fact(accepted.fact.id);
            read.entry(&accepted.fact.locator.evidence).or_default().push(fact);
        }
    }
    let mut found = Vec::new();
    let mut compare = |place: String, mut expected: Vec<NodeId>, mut stands: Vec<NodeId>| {
        expected.sort();
        stands.sort();
        if expected != stands {
            found.push((place, "the graph lets other nodes rest on it than the events do".to_owned()));
        }
    };
    for (node, expected) in resting {
        compare(node.to_string(), expected, graph.resting_on(node));
    }
    for entry in &log.opened.case.evidence {
        let expected = read.remove(entry.label.as_str()).unwrap_or_default();
        let stands = graph.read_from(&entry.label).into_iter().map(NodeId::Fact).collect();
        compare(format!("evidence {:?}", entry.label), expected, stands);
    }
    found
}

/// Returns the edges that an event adds: a node, and a node that it depends on or joins.
fn edges(event: &Event) -> Vec<(NodeId, NodeId)> {
    let from = |node: NodeId, targets: Vec<NodeId>| targets.into_iter().map(|on| (node, on)).collect();
    match event {
        Event::ClaimAccepted(accepted) => {
            from(NodeId::Fact(accepted.fact.id), vec![NodeId::Invocation(accepted.fact.invocation)])
        }
        Event::PhenomenonRecorded(recorded) => {
            let facts = recorded.facts.iter().copied().map(NodeId::Fact).collect();
            from(NodeId::Phenomenon(recorded.phenomenon), facts)
        }
        Event::AbsenceAccepted(accepted) => {
            let searches = accepted.absence.searches.iter().copied().map(NodeId::Invocation).collect();
            from(NodeId::Absence(accepted.absence.id), searches)
        }
        Event::DerivationAccepted(accepted) => {
            let terms = accepted.derivation.derivation.terms();
            let mut facts: Vec<NodeId> = terms.iter().map(|term| NodeId::Fact(term.fact)).collect();
            facts.sort();
            facts.dedup();
            from(NodeId::Derivation(accepted.derivation.id), facts)
        }
        Event::EntityAdded(added) => {
            let facts = added.facts.iter().copied().map(NodeId::Fact).collect();
            from(NodeId::Entity(added.entity), facts)
        }
        Event::RelationAdded(added) => {
            let facts = added.facts.iter().copied().map(NodeId::Fact);
            from(NodeId::Relation(added.relation), [added.from, added.to].into_iter().chain(facts).collect())
        }
        Event::HypothesisAssessed(assessed) => {
            let grounds = assessed.supporting.iter().chain(&assessed.contradicting).copied().collect();
            from(NodeId::Hypothesis(assessed.hypothesis), grounds)
        }
        _ => Vec::new(),
    }
}
