//! What a task has added to the evidence graph, besides its facts.
//!
//! A task reads and extends only its own part of the graph:
//! the tasks of a run work side by side, so what one saw of another would depend on which was faster.

use crate::shelf::within;
use graph::{derivation_title, fact_title_as_told, phenomenon_title_as_told};
use ground::{Held, Shelf};
use ledger::event::{EntityAdded, HypothesisAssessed, HypothesisProposed, PhenomenonRecorded, RelationAdded};
use ledger::turn::NodeView;
use ledger::{
    AbsenceEntry, DerivationEntry, Event, FactEntry, NodeId, Outcome, SentenceClaim, StatementClaim,
};

/// The most characters shown of a title or of an agent's words.
const LONGEST: usize = 600;

/// The nodes and edges of one task, each kind in the order of recording.
#[derive(Debug, Default)]
pub(crate) struct Notebook {
    pub(crate) phenomena: Vec<PhenomenonRecorded>,
    pub(crate) absences: Vec<(AbsenceEntry, String)>,
    pub(crate) derivations: Vec<(DerivationEntry, String)>,
    pub(crate) entities: Vec<EntityAdded>,
    pub(crate) relations: Vec<RelationAdded>,
    pub(crate) hypotheses: Vec<Hypothesis>,
    /// Sentences of the narrative, as claimed.
    pub(crate) told: Vec<SentenceClaim>,
    /// Statements of the story, as claimed.
    pub(crate) statements: Vec<StatementClaim>,
}

/// A hypothesis and its last assessment.
#[derive(Debug)]
pub(crate) struct Hypothesis {
    pub(crate) proposed: HypothesisProposed,
    pub(crate) assessed: Option<HypothesisAssessed>,
}

impl Notebook {
    /// Keeps what an event adds to the graph.
    pub(crate) fn take(&mut self, event: &Event) {
        match event {
            Event::PhenomenonRecorded(recorded) => self.phenomena.push(recorded.clone()),
            Event::AbsenceAccepted(accepted) => {
                self.absences.push((accepted.absence.clone(), accepted.interpretation.clone()));
            }
            Event::DerivationAccepted(accepted) => {
                self.derivations.push((accepted.derivation.clone(), accepted.interpretation.clone()));
            }
            Event::EntityAdded(added) => {
                match self.entities.iter_mut().find(|it| it.entity == added.entity) {
                    Some(known) => known.facts.extend(&added.facts),
                    None => self.entities.push(added.clone()),
                }
            }
            Event::RelationAdded(added) => self.relations.push(added.clone()),
            Event::HypothesisProposed(proposed) => {
                self.hypotheses.push(Hypothesis { proposed: proposed.clone(), assessed: None });
            }
            Event::HypothesisAssessed(assessed) => {
                let known = |it: &&mut Hypothesis| it.proposed.hypothesis == assessed.hypothesis;
                if let Some(known) = self.hypotheses.iter_mut().find(known) {
                    known.assessed = Some(assessed.clone());
                }
            }
            _ => {}
        }
    }

    /// Returns every node and edge of the task in the form shown to agents, phenomena first, then the nodes behind them.
    pub(crate) fn views<'a>(
        &'a self,
        facts: &'a [FactEntry],
        held: &'a [Held],
    ) -> impl Iterator<Item = NodeView> + 'a {
        let phenomena = self.phenomena.iter().map(|recorded| phenomenon(recorded, facts));
        phenomena
            .chain(self.absences.iter().map(|(entry, words)| absence(entry, words)))
            .chain(self.derivations.iter().map(|(entry, words)| derivation(entry, words, facts)))
            .chain(self.hypotheses.iter().map(hypothesis))
            .chain(self.entities.iter().map(entity))
            .chain(self.relations.iter().map(relation))
            .chain(facts.iter().map(fact))
            .chain(held.iter().map(invocation))
    }

    /// Checks whether a node is the task's.
    pub(crate) fn holds(&self, id: NodeId, facts: &[FactEntry], shelf: &Shelf) -> bool {
        match id {
            NodeId::Invocation(id) => shelf.get(id).is_some(),
            NodeId::Fact(id) => facts.iter().any(|known| known.id == id),
            NodeId::Phenomenon(id) => self.phenomena.iter().any(|known| known.phenomenon == id),
            NodeId::Absence(id) => self.absences.iter().any(|(known, _)| known.id == id),
            NodeId::Derivation(id) => self.derivations.iter().any(|(known, _)| known.id == id),
            NodeId::Entity(id) => self.entities.iter().any(|known| known.entity == id),
            NodeId::Relation(id) => self.relations.iter().any(|known| known.relation == id),
            NodeId::Hypothesis(id) => self.hypotheses.iter().any(|known| known.proposed.hypothesis == id),
        }
    }

    /// Returns the phenomena in the form shown to agents.
    pub(crate) fn phenomena<'a>(&'a self, facts: &'a [FactEntry]) -> impl Iterator<Item = NodeView> + 'a {
        self.phenomena.iter().map(|recorded| phenomenon(recorded, facts))
    }
}

/// Returns an invocation in the form shown to agents.
pub(crate) fn invocation(held: &Held) -> NodeView {
    let records = held.output.as_ref().map_or(0, |output| output.records().len());
    let ended = match held.outcome {
        Outcome::Ok => format!("{records} records"),
        Outcome::Empty => "nothing found".to_owned(),
        Outcome::Failed => "failed".to_owned(),
        Outcome::Timeout => "stopped at its time limit".to_owned(),
        Outcome::Denied => "not allowed".to_owned(),
    };
    view(NodeId::Invocation(held.invocation), format!("{}: {ended}", held.summary), Vec::new(), "")
}

fn phenomenon(recorded: &PhenomenonRecorded, facts: &[FactEntry]) -> NodeView {
    let own: Vec<_> = facts.iter().filter(|fact| recorded.facts.contains(&fact.id)).collect();
    let nodes = recorded.facts.iter().copied().map(NodeId::Fact).collect();
    view(
        NodeId::Phenomenon(recorded.phenomenon),
        phenomenon_title_as_told(&own),
        nodes,
        &recorded.interpretation,
    )
}

fn fact(fact: &FactEntry) -> NodeView {
    view(NodeId::Fact(fact.id), fact_title_as_told(fact), vec![NodeId::Invocation(fact.invocation)], "")
}

fn absence(entry: &AbsenceEntry, words: &str) -> NodeView {
    let searches = entry.searches.iter().copied().map(NodeId::Invocation).collect();
    view(NodeId::Absence(entry.id), entry.absence.to_string(), searches, words)
}

fn derivation(entry: &DerivationEntry, words: &str, facts: &[FactEntry]) -> NodeView {
    let nodes = entry.derivation.facts().into_iter().map(NodeId::Fact).collect();
    let known = |id| facts.iter().find(|fact| fact.id == id);
    view(NodeId::Derivation(entry.id), derivation_title(&entry.derivation, known), nodes, words)
}

fn entity(entity: &EntityAdded) -> NodeView {
    let facts = entity.facts.iter().copied().map(NodeId::Fact).collect();
    view(NodeId::Entity(entity.entity), format!("{} {}", entity.kind, entity.name), facts, "")
}

fn relation(relation: &RelationAdded) -> NodeView {
    let ends = [relation.from, relation.to].into_iter();
    let nodes = ends.chain(relation.facts.iter().copied().map(NodeId::Fact)).collect();
    let title = format!("{} {} {}", relation.from, relation.kind, relation.to);
    view(NodeId::Relation(relation.relation), title, nodes, "")
}

fn hypothesis(hypothesis: &Hypothesis) -> NodeView {
    let Hypothesis { proposed, assessed } = hypothesis;
    let (title, nodes) = match assessed {
        None => ("hypothesis, not assessed".to_owned(), Vec::new()),
        Some(assessed) => {
            let (supporting, contradicting) = (&assessed.supporting, &assessed.contradicting);
            let title = format!(
                "hypothesis, {}: {} for it, {} against it",
                assessed.assessment,
                supporting.len(),
                contradicting.len()
            );
            (title, supporting.iter().chain(contradicting).copied().collect())
        }
    };
    view(NodeId::Hypothesis(proposed.hypothesis), title, nodes, &proposed.statement)
}

fn view(id: NodeId, title: String, nodes: Vec<NodeId>, words: &str) -> NodeView {
    NodeView { id, title: within(&title, LONGEST), nodes, words: within(words, LONGEST) }
}
