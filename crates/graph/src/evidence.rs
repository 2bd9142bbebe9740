//! The evidence graph: what rests on what.

use ledger::{FactEntry, FactId, InvocationId, PhenomenonId, TaskId};
use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use std::collections::BTreeMap;

/// A node of the evidence graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// A piece of evidence, by its label.
    Evidence(String),
    /// A tool call of a task.
    Invocation(InvocationId, TaskId),
    /// A grounded reading.
    Fact(FactId),
    /// An observation.
    Phenomenon(PhenomenonId),
}

/// An edge of the evidence graph; it points at what its source rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
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
    pub(crate) fn add_evidence(&mut self, label: &str) {
        let node = self.graph.add_node(Node::Evidence(label.to_owned()));
        self.evidence.insert(label.to_owned(), node);
    }

    pub(crate) fn add_invocation(&mut self, id: InvocationId, task: TaskId) {
        let node = self.graph.add_node(Node::Invocation(id, task));
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
        let carried: Option<Vec<_>> = facts.iter().map(|fact| self.facts.get(fact).copied()).collect();
        let carried = carried.filter(|facts| !facts.is_empty()).ok_or("it carries no known fact")?;
        let node = self.graph.add_node(Node::Phenomenon(id));
        for fact in carried {
            self.graph.add_edge(node, fact, Edge::Carries);
        }
        match self.phenomena.insert(id, node) {
            None => Ok(()),
            Some(_) => Err("it was recorded before"),
        }
    }

    /// The nodes that a fact rests on: its invocation and its evidence.
    pub fn grounds(&self, fact: FactId) -> Vec<&Node> {
        self.neighbours(self.facts.get(&fact), Direction::Outgoing)
    }

    /// The phenomena that carry a fact.
    pub fn carried_by(&self, fact: FactId) -> Vec<&Node> {
        self.neighbours(self.facts.get(&fact), Direction::Incoming)
    }

    fn neighbours(&self, node: Option<&NodeIndex>, direction: Direction) -> Vec<&Node> {
        let Some(node) = node else { return Vec::new() };
        let other = |edge: petgraph::graph::EdgeReference<'_, Edge>| match direction {
            Direction::Outgoing => edge.target(),
            Direction::Incoming => edge.source(),
        };
        self.graph
            .edges_directed(*node, direction)
            .filter_map(|edge| self.graph.node_weight(other(edge)))
            .collect()
    }

    /// Number of nodes and edges.
    pub fn size(&self) -> (usize, usize) {
        (self.graph.node_count(), self.graph.edge_count())
    }
}
