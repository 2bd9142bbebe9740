//! GRAPH_WRITE calls: entities, relations and hypotheses, all of which must be based on facts.

use crate::arguments::{Arguments, Malformed};
use crate::notebook::Hypothesis;
use crate::ordinals::Kind;
use crate::own;
use crate::step::{Append, StepError};
use crate::task::{Task, event};
use crate::tools::WriteTool;
use ground::mentions;
use ledger::event::{EntityAdded, HypothesisAssessed, HypothesisProposed, Refusal, RelationAdded};
use ledger::turn::{Answer, ToolCall};
use ledger::{
    Assessment, EntityId, EntityKind, Event, FactEntry, FactId, HypothesisId, NodeId, RelationId,
    RelationKind,
};
use thiserror::Error;

/// Why a call does not change the graph.
#[derive(Debug, Error)]
enum WriteError {
    #[error(transparent)]
    Malformed(#[from] Malformed),
    #[error("{argument}: {id} is no fact of yours")]
    NoFact { argument: &'static str, id: NodeId },
    #[error("{argument}: {id} is no node of yours")]
    NoNode { argument: &'static str, id: NodeId },
    #[error("{argument}: at least one is needed")]
    None { argument: &'static str },
    #[error("{fact} does not name {name:?}: a name stands whole in a subject, a value or a part of a path")]
    Silent { fact: FactId, name: String },
    #[error("none of these facts names {name:?}, which the relation would join")]
    NotNamed { name: String },
    #[error("a node is not related to itself")]
    Itself,
    #[error(
        "kind: {kind} is no interpretation: record_derivation says what is the same and in what order times lie, by the values of facts"
    )]
    Derived { kind: &'static str },
    #[error("{id} cannot speak for and against it")]
    BothSides { id: NodeId },
    #[error(transparent)]
    Step(#[from] StepError),
}

impl WriteError {
    /// Returns how the call is refused; `None` if the error is ours.
    fn refusal(&self) -> Option<Refusal> {
        match self {
            WriteError::Malformed(_)
            | WriteError::Itself
            | WriteError::Derived { .. }
            | WriteError::BothSides { .. } => Some(Refusal::BadArguments),
            WriteError::NoFact { .. }
            | WriteError::NoNode { .. }
            | WriteError::None { .. }
            | WriteError::Silent { .. }
            | WriteError::NotNamed { .. } => Some(Refusal::Unsupported),
            WriteError::Step(_) => None,
        }
    }
}

impl Task {
    /// Answers a call that extends the graph.
    pub(crate) fn write_graph(
        &mut self,
        tool: WriteTool,
        call: ToolCall,
        append: &mut Vec<Append>,
    ) -> Result<(), StepError> {
        if tool == WriteTool::ProposeHypothesis
            && self.setting.said_apart
            && own::is_question(&call.arguments)
        {
            self.ask_itself(call, append);
            return Ok(());
        }
        let written = match tool {
            WriteTool::AddEntity => self.add_entity(&call, append),
            WriteTool::Link => self.link(&call, append),
            WriteTool::ProposeHypothesis => self.propose(&call, append),
            WriteTool::AssessHypothesis => self.assess(&call, append),
        };
        match written {
            Ok(id) => {
                self.turn_record.fruitful = true;
                self.answer(call, Answer::Node { id });
            }
            Err(WriteError::Step(error)) => return Err(error),
            Err(error) => {
                let refusal = error.refusal().unwrap_or(Refusal::BadArguments);
                self.refuse(call, refusal, error.to_string(), append);
            }
        }
        Ok(())
    }

    /// Adds a thing that facts name; if it is added again, it keeps its id and gains facts.
    fn add_entity(&mut self, call: &ToolCall, append: &mut Vec<Append>) -> Result<NodeId, WriteError> {
        let arguments = Arguments::of(&call.arguments, &["kind", "name", "facts"])?;
        let kind = arguments.word("kind", EntityKind::ALL, EntityKind::name)?;
        let name = arguments.text("name")?.trim().to_owned();
        let facts = self.facts_of(&arguments, "facts")?;
        // Each fact must name it: a fact that does not would make it look better supported than it is.
        if let Some(silent) = facts.iter().find(|fact| !mentions(fact, &name)) {
            return Err(WriteError::Silent { fact: silent.id, name });
        }
        let facts: Vec<FactId> = facts.iter().map(|fact| fact.id).collect();
        let same =
            |known: &EntityAdded| known.kind == kind && known.name.to_lowercase() == name.to_lowercase();
        let place = self.notebook.entities.iter().position(same);
        let added = match place.and_then(|place| self.notebook.entities.get_mut(place)) {
            Some(known) => {
                let new: Vec<_> = facts.into_iter().filter(|fact| !known.facts.contains(fact)).collect();
                if new.is_empty() {
                    return Ok(NodeId::Entity(known.entity));
                }
                known.facts.extend(&new);
                EntityAdded { facts: new, ..known.clone() }
            }
            None => {
                let ordinal = self.ordinals.take(Kind::Entity, self.turn, &call.call);
                let entity =
                    EntityId::assign(&self.setting.ids, self.id(), ordinal).map_err(StepError::from)?;
                let added = EntityAdded { entity, kind, name, facts };
                self.notebook.entities.push(added.clone());
                added
            }
        };
        let id = NodeId::Entity(added.entity);
        append.push(event(Event::EntityAdded(added)));
        Ok(id)
    }

    /// Reads how two nodes are related; relations that code can derive cannot be stated.
    fn relation_kind(&self, arguments: &Arguments<'_>) -> Result<RelationKind, WriteError> {
        let kind = arguments.word("kind", RelationKind::ALL, RelationKind::name);
        match kind {
            Ok(kind) if self.setting.provable && !RelationKind::INTERPRETED.contains(&kind) => {
                Err(WriteError::Derived { kind: kind.name() })
            }
            Ok(kind) => Ok(kind),
            Err(_) if self.setting.provable => {
                Ok(arguments.word("kind", &RelationKind::INTERPRETED, RelationKind::name)?)
            }
            Err(malformed) => Err(malformed.into()),
        }
    }

    /// Adds an edge between two nodes; if an end is an entity, one of the facts must name it.
    fn link(&mut self, call: &ToolCall, append: &mut Vec<Append>) -> Result<NodeId, WriteError> {
        let arguments = Arguments::of(&call.arguments, &["from", "kind", "to", "facts"])?;
        let kind = self.relation_kind(&arguments)?;
        let (from, to) = (self.node_of(&arguments, "from")?, self.node_of(&arguments, "to")?);
        if from == to {
            return Err(WriteError::Itself);
        }
        let facts = self.facts_of(&arguments, "facts")?;
        for end in [from, to] {
            let handed = self.handed.iter().flat_map(|handed| &handed.entities);
            let mut entities = self.notebook.entities.iter().chain(handed);
            let entity = entities.find(|entity| NodeId::Entity(entity.entity) == end);
            if let Some(entity) =
                entity.filter(|entity| !facts.iter().any(|fact| mentions(fact, &entity.name)))
            {
                return Err(WriteError::NotNamed { name: entity.name.clone() });
            }
        }
        let facts: Vec<FactId> = facts.iter().map(|fact| fact.id).collect();
        let relations = &self.notebook.relations;
        let known = relations.iter().find(|known| (known.from, known.kind, known.to) == (from, kind, to));
        if let Some(known) = known.filter(|known| known.facts == facts) {
            return Ok(NodeId::Relation(known.relation));
        }
        let ordinal = self.ordinals.take(Kind::Relation, self.turn, &call.call);
        let relation = RelationId::assign(&self.setting.ids, self.id(), ordinal).map_err(StepError::from)?;
        let added = RelationAdded { relation, from, kind, to, facts };
        self.notebook.relations.push(added.clone());
        append.push(event(Event::RelationAdded(added)));
        Ok(NodeId::Relation(relation))
    }

    fn propose(&mut self, call: &ToolCall, append: &mut Vec<Append>) -> Result<NodeId, WriteError> {
        let arguments = Arguments::of(&call.arguments, &["statement"])?;
        let statement = arguments.text("statement")?.trim().to_owned();
        let hypotheses = &self.notebook.hypotheses;
        if let Some(known) = hypotheses.iter().find(|known| known.proposed.statement == statement) {
            return Ok(NodeId::Hypothesis(known.proposed.hypothesis));
        }
        let ordinal = self.ordinals.take(Kind::Hypothesis, self.turn, &call.call);
        let hypothesis =
            HypothesisId::assign(&self.setting.ids, self.id(), ordinal).map_err(StepError::from)?;
        let proposed = HypothesisProposed { hypothesis, statement };
        self.notebook.hypotheses.push(Hypothesis { proposed: proposed.clone(), assessed: None });
        append.push(event(Event::HypothesisProposed(proposed)));
        Ok(NodeId::Hypothesis(hypothesis))
    }

    /// Records an assessment of a hypothesis, which replaces earlier ones;
    /// `supported` and `contradicted` need nodes that support or contradict it.
    fn assess(&mut self, call: &ToolCall, append: &mut Vec<Append>) -> Result<NodeId, WriteError> {
        let known = ["hypothesis", "assessment", "supporting", "contradicting", "reason"];
        let arguments = Arguments::of(&call.arguments, &known)?;
        let assessment = arguments.word("assessment", Assessment::ALL, Assessment::name)?;
        let id = arguments.node("hypothesis")?;
        let (supporting, contradicting) =
            (self.grounds_of(&arguments, "supporting")?, self.grounds_of(&arguments, "contradicting")?);
        match assessment {
            Assessment::Supported if supporting.is_empty() => {
                return Err(WriteError::None { argument: "supporting" });
            }
            Assessment::Contradicted if contradicting.is_empty() => {
                return Err(WriteError::None { argument: "contradicting" });
            }
            Assessment::Supported | Assessment::Contradicted | Assessment::Undecided => {}
        }
        if let Some(both) = supporting.iter().find(|node| contradicting.contains(node)) {
            return Err(WriteError::BothSides { id: *both });
        }
        let reason = arguments.optional_text("reason")?.unwrap_or_default().trim().to_owned();
        let mut hypotheses = self.notebook.hypotheses.iter_mut();
        let hypothesis = hypotheses.find(|known| NodeId::Hypothesis(known.proposed.hypothesis) == id);
        let hypothesis = hypothesis.ok_or(WriteError::NoNode { argument: "hypothesis", id })?;
        let assessed = HypothesisAssessed {
            hypothesis: hypothesis.proposed.hypothesis,
            assessment,
            supporting,
            contradicting,
            reason,
        };
        hypothesis.assessed = Some(assessed.clone());
        append.push(event(Event::HypothesisAssessed(assessed)));
        Ok(id)
    }

    /// Returns the facts that an argument names, at least one.
    fn facts_of(
        &self,
        arguments: &Arguments<'_>,
        argument: &'static str,
    ) -> Result<Vec<&FactEntry>, WriteError> {
        let named = arguments.nodes(argument)?;
        if named.is_empty() {
            return Err(WriteError::None { argument });
        }
        let fact = |id: &NodeId| {
            let found = match id {
                NodeId::Fact(id) => self.known_fact(*id),
                _ => None,
            };
            found.ok_or(WriteError::NoFact { argument, id: *id })
        };
        named.iter().map(fact).collect()
    }

    /// Returns the facts, absences and derivations that an argument names.
    fn grounds_of(
        &self,
        arguments: &Arguments<'_>,
        argument: &'static str,
    ) -> Result<Vec<NodeId>, WriteError> {
        let named = arguments.nodes(argument)?;
        let is_ground = |id: &NodeId| {
            matches!(id, NodeId::Fact(_) | NodeId::Absence(_) | NodeId::Derivation(_)) && self.knows(*id)
        };
        match named.iter().find(|id| !is_ground(id)) {
            Some(id) => Err(WriteError::NoFact { argument, id: *id }),
            None => Ok(named),
        }
    }

    /// Returns the node of the task that an argument names.
    fn node_of(&self, arguments: &Arguments<'_>, argument: &'static str) -> Result<NodeId, WriteError> {
        let id = arguments.node(argument)?;
        match self.knows(id) {
            true => Ok(id),
            false => Err(WriteError::NoNode { argument, id }),
        }
    }

    /// Checks whether a node is the task's own, or was handed over to it.
    fn knows(&self, id: NodeId) -> bool {
        let handed = || self.handed.iter().flat_map(|handed| &handed.nodes).any(|node| node.id == id);
        self.notebook.holds(id, &self.facts, &self.shelf) || handed()
    }
}
