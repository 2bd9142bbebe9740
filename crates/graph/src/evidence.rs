//! The evidence graph: which nodes are based on which.

use ledger::event::{EntityAdded, HypothesisAssessed, RelationAdded};
use ledger::{
    AbsenceEntry, DerivationEntry, FactEntry, FactId, HypothesisId, InvocationId, NodeId, PhenomenonId,
};
use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeMap;

/// A node of the evidence graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    /// A piece of evidence.
    Evidence,
    /// Anything that has an id.
    Known(NodeId),
}

/// An edge of the evidence graph; it points from a node to what the node is based on or relates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// Phenomenon → fact.
    Carries,
    /// Fact → invocation.
    GroundedIn,
    /// Fact → evidence.
    ReadFrom,
    /// Absence → invocation.
    SearchedBy,
    /// Derivation → fact.
    DerivedFrom,
    /// Entity → fact.
    NamedBy,
    /// Relation → the nodes it relates.
    Joins,
    /// Relation → fact.
    ShownBy,
    /// Hypothesis → a node that supports it.
    SupportedBy,
    /// Hypothesis → a node that contradicts it.
    ContradictedBy,
}

/// The graph of everything that a run recorded, with edges to what each node is based on.
#[derive(Debug, Default)]
pub struct EvidenceGraph {
    graph: DiGraph<Node, Edge>,
    evidence: BTreeMap<String, NodeIndex>,
    known: BTreeMap<NodeId, NodeIndex>,
}

impl EvidenceGraph {
    /// Returns the phenomena that carry a fact, in the order in which they were recorded; empty if the run broke off first.
    pub fn carried_by(&self, fact: FactId) -> Vec<PhenomenonId> {
        let phenomenon = |node| match node {
            NodeId::Phenomenon(id) => Some(id),
            _ => None,
        };
        self.resting_on(NodeId::Fact(fact)).into_iter().filter_map(phenomenon).collect()
    }

    /// Returns the facts that are grounded in an invocation's output, in the order in which they were recorded.
    pub fn grounded_in(&self, invocation: InvocationId) -> Vec<FactId> {
        facts(self.resting_on(NodeId::Invocation(invocation)))
    }

    /// Returns the facts that were read from the piece of evidence with this label, in the order in which they were recorded.
    pub fn read_from(&self, evidence: &str) -> Vec<FactId> {
        facts(self.sources(self.evidence.get(evidence)))
    }

    /// Returns the nodes that are based on a node or relate it, in the order in which they were recorded.
    pub fn resting_on(&self, node: NodeId) -> Vec<NodeId> {
        self.sources(self.known.get(&node))
    }

    fn sources(&self, node: Option<&NodeIndex>) -> Vec<NodeId> {
        let Some(node) = node else { return Vec::new() };
        let sources = self.graph.neighbors_directed(*node, Direction::Incoming);
        let known = |source| match self.graph.node_weight(source)? {
            Node::Known(id) => Some(*id),
            Node::Evidence => None,
        };
        // petgraph walks the edges from the newest to the oldest.
        let mut found: Vec<NodeId> = sources.filter_map(known).collect();
        found.reverse();
        found
    }

    pub(crate) fn add_evidence(&mut self, label: &str) {
        let node = self.graph.add_node(Node::Evidence);
        self.evidence.insert(label.to_owned(), node);
    }

    pub(crate) fn add_invocation(&mut self, id: InvocationId) -> Result<(), &'static str> {
        self.add(NodeId::Invocation(id), &[])
    }

    pub(crate) fn add_fact(&mut self, fact: &FactEntry) -> Result<(), &'static str> {
        let evidence = *self.evidence.get(&fact.locator.evidence).ok_or("its evidence is unknown")?;
        let id = NodeId::Fact(fact.id);
        self.add(id, &[(Edge::GroundedIn, NodeId::Invocation(fact.invocation))])?;
        let node = *self.known.get(&id).ok_or("its fact is unknown")?;
        self.graph.add_edge(node, evidence, Edge::ReadFrom);
        Ok(())
    }

    pub(crate) fn add_phenomenon(&mut self, id: PhenomenonId, facts: &[FactId]) -> Result<(), &'static str> {
        let carries: Vec<_> = facts.iter().map(|fact| (Edge::Carries, NodeId::Fact(*fact))).collect();
        self.add(NodeId::Phenomenon(id), &carries)
    }

    pub(crate) fn add_absence(&mut self, absence: &AbsenceEntry) -> Result<(), &'static str> {
        let searches = absence.searches.iter().map(|id| (Edge::SearchedBy, NodeId::Invocation(*id)));
        self.add(NodeId::Absence(absence.id), &searches.collect::<Vec<_>>())
    }

    pub(crate) fn add_derivation(&mut self, derivation: &DerivationEntry) -> Result<(), &'static str> {
        let facts = derivation.derivation.facts().into_iter();
        let facts: Vec<_> = facts.map(|fact| (Edge::DerivedFrom, NodeId::Fact(fact))).collect();
        self.add(NodeId::Derivation(derivation.id), &facts)
    }

    /// Adds an entity, or further facts that name an existing one.
    pub(crate) fn add_entity(&mut self, added: &EntityAdded) -> Result<(), &'static str> {
        let id = NodeId::Entity(added.entity);
        let named: Vec<_> = added.facts.iter().map(|fact| (Edge::NamedBy, NodeId::Fact(*fact))).collect();
        match self.known.contains_key(&id) {
            true => self.connect(id, &named),
            false => self.add(id, &named),
        }
    }

    pub(crate) fn add_relation(&mut self, added: &RelationAdded) -> Result<(), &'static str> {
        let joins = [added.from, added.to].into_iter().map(|node| (Edge::Joins, node));
        let shown = added.facts.iter().map(|fact| (Edge::ShownBy, NodeId::Fact(*fact)));
        self.add(NodeId::Relation(added.relation), &joins.chain(shown).collect::<Vec<_>>())
    }

    pub(crate) fn add_hypothesis(&mut self, id: HypothesisId) -> Result<(), &'static str> {
        self.add(NodeId::Hypothesis(id), &[])
    }

    pub(crate) fn assess(&mut self, assessed: &HypothesisAssessed) -> Result<(), &'static str> {
        let supporting = assessed.supporting.iter().map(|node| (Edge::SupportedBy, *node));
        let contradicting = assessed.contradicting.iter().map(|node| (Edge::ContradictedBy, *node));
        let edges: Vec<_> = supporting.chain(contradicting).collect();
        self.connect(NodeId::Hypothesis(assessed.hypothesis), &edges)
    }

    fn add(&mut self, id: NodeId, edges: &[(Edge, NodeId)]) -> Result<(), &'static str> {
        let node = self.graph.add_node(Node::Known(id));
        if self.known.insert(id, node).is_some() {
            return Err(match id {
                NodeId::Fact(_) => "its fact was recorded before",
                _ => "it was recorded before",
            });
        }
        self.connect(id, edges)
    }

    fn connect(&mut self, id: NodeId, edges: &[(Edge, NodeId)]) -> Result<(), &'static str> {
        let node = *self.known.get(&id).ok_or("it names an unknown node")?;
        for (edge, target) in edges {
            let target = *self.known.get(target).ok_or("it names an unknown node")?;
            self.graph.add_edge(node, target, *edge);
        }
        Ok(())
    }
}

fn facts(nodes: Vec<NodeId>) -> Vec<FactId> {
    let fact = |node| match node {
        NodeId::Fact(id) => Some(id),
        _ => None,
    };
    nodes.into_iter().filter_map(fact).collect()
}
