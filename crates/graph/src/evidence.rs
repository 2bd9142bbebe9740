//! The evidence graph: what rests on what.

use ledger::{FactEntry, FactId, InvocationId, PhenomenonId};
use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeMap;

/// A node of the evidence graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    /// A piece of evidence.
    Evidence,
    /// A tool call of a task.
    Invocation,
    /// A grounded reading.
    Fact(FactId),
    /// An observation.
    Phenomenon(PhenomenonId),
}

/// An edge of the evidence graph; it points at what its source rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// Phenomenon → fact.
    Carries,
    /// Fact → invocation.
    GroundedIn,
    /// Fact → evidence.
    ReadFrom,
}

/// Facts, phenomena, invocations and evidence, and what rests on what.
#[derive(Debug, Default)]
pub struct EvidenceGraph {
    graph: DiGraph<Node, Edge>,
    evidence: BTreeMap<String, NodeIndex>,
    invocations: BTreeMap<InvocationId, NodeIndex>,
    facts: BTreeMap<FactId, NodeIndex>,
    phenomena: BTreeMap<PhenomenonId, NodeIndex>,
}

impl EvidenceGraph {
    /// The phenomena that carry a fact, in the order of their recording; none where the run broke off before.
    pub fn carried_by(&self, fact: FactId) -> Vec<PhenomenonId> {
        self.resting_on(self.facts.get(&fact), |node| match node {
            Node::Phenomenon(id) => Some(id),
            Node::Evidence | Node::Invocation | Node::Fact(_) => None,
        })
    }

    /// The facts that are grounded in an invocation's output, in the order of their recording.
    pub fn grounded_in(&self, invocation: InvocationId) -> Vec<FactId> {
        self.resting_on(self.invocations.get(&invocation), fact)
    }

    /// The facts that were read from the piece of evidence with this label, in the order of their recording.
    pub fn read_from(&self, evidence: &str) -> Vec<FactId> {
        self.resting_on(self.evidence.get(evidence), fact)
    }

    fn resting_on<T>(&self, node: Option<&NodeIndex>, wanted: impl Fn(Node) -> Option<T>) -> Vec<T> {
        let Some(node) = node else { return Vec::new() };
        let sources = self.graph.neighbors_directed(*node, Direction::Incoming);
        // petgraph walks the edges from the newest to the oldest.
        let mut found: Vec<T> =
            sources.filter_map(|source| wanted(*self.graph.node_weight(source)?)).collect();
        found.reverse();
        found
    }

    pub(crate) fn add_evidence(&mut self, label: &str) {
        let node = self.graph.add_node(Node::Evidence);
        self.evidence.insert(label.to_owned(), node);
    }

    pub(crate) fn add_invocation(&mut self, id: InvocationId) {
        let node = self.graph.add_node(Node::Invocation);
        self.invocations.insert(id, node);
    }

    pub(crate) fn add_fact(&mut self, fact: &FactEntry) -> Result<(), &'static str> {
        let invocation = *self.invocations.get(&fact.invocation).ok_or("its invocation is unknown")?;
        let evidence = *self.evidence.get(&fact.locator.evidence).ok_or("its evidence is unknown")?;
        let node = self.graph.add_node(Node::Fact(fact.id));
        self.graph.add_edge(node, invocation, Edge::GroundedIn);
        self.graph.add_edge(node, evidence, Edge::ReadFrom);
        match self.facts.insert(fact.id, node) {
            None => Ok(()),
            Some(_) => Err("its fact was recorded before"),
        }
    }

    pub(crate) fn add_phenomenon(&mut self, id: PhenomenonId, facts: &[FactId]) -> Result<(), &'static str> {
        let node = self.graph.add_node(Node::Phenomenon(id));
        for fact in facts {
            let fact = *self.facts.get(fact).ok_or("it carries an unknown fact")?;
            self.graph.add_edge(node, fact, Edge::Carries);
        }
        match self.phenomena.insert(id, node) {
            None => Ok(()),
            Some(_) => Err("it was recorded before"),
        }
    }
}

const fn fact(node: Node) -> Option<FactId> {
    match node {
        Node::Fact(id) => Some(id),
        Node::Evidence | Node::Invocation | Node::Phenomenon(_) => None,
    }
}
