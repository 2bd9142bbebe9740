//! The nodes that agents add besides facts: they must be based on facts of their own task or of tasks handed over to it.

use super::task::open_task;
use super::{Because, check};
use crate::run::{HypothesisView, Run, TaskView};
use ledger::event::{EntityAdded, HypothesisAssessed, HypothesisProposed, RelationAdded};
use ledger::{Assessment, NodeId, TaskId};
use std::collections::BTreeSet;

/// Records an entity; if its id already exists, its new facts are added to it.
pub(super) fn entity(run: &mut Run, id: TaskId, added: EntityAdded) -> Result<(), Because> {
    check::known(run, id, &added.facts)?;
    run.graph.add_entity(&added)?;
    let task = open_task(run, id)?;
    match task.entities.iter_mut().find(|known| known.entity == added.entity) {
        Some(known) if known.kind != added.kind || known.name != added.name => {
            Err("its entity is another one of that id")
        }
        Some(known) => {
            known.facts.extend(added.facts);
            Ok(())
        }
        None => {
            task.entities.push(added);
            Ok(())
        }
    }
}

pub(super) fn relation(run: &mut Run, id: TaskId, added: RelationAdded) -> Result<(), Because> {
    check::known(run, id, &added.facts)?;
    if added.from == added.to {
        return Err("it joins a node to itself");
    }
    own(run, id, [added.from, added.to])?;
    run.graph.add_relation(&added)?;
    open_task(run, id)?.relations.push(added);
    Ok(())
}

pub(super) fn propose(run: &mut Run, id: TaskId, proposed: HypothesisProposed) -> Result<(), Because> {
    run.graph.add_hypothesis(proposed.hypothesis)?;
    open_task(run, id)?.hypotheses.push(HypothesisView { proposed, assessments: Vec::new() });
    Ok(())
}

/// Records an assessment of a hypothesis: one that is called supported or contradicted needs something that supports or contradicts it.
pub(super) fn assess(run: &mut Run, id: TaskId, assessed: HypothesisAssessed) -> Result<(), Because> {
    match assessed.assessment {
        Assessment::Supported if assessed.supporting.is_empty() => return Err("nothing supports it"),
        Assessment::Contradicted if assessed.contradicting.is_empty() => {
            return Err("nothing contradicts it");
        }
        Assessment::Supported | Assessment::Contradicted | Assessment::Undecided => {}
    }
    let grounds: Vec<NodeId> = assessed.supporting.iter().chain(&assessed.contradicting).copied().collect();
    let is_ground =
        |node: &NodeId| matches!(node, NodeId::Fact(_) | NodeId::Absence(_) | NodeId::Derivation(_));
    if !grounds.iter().all(is_ground) {
        return Err("something else than a fact, an absence or a derivation speaks for or against it");
    }
    if grounds.iter().collect::<BTreeSet<_>>().len() < grounds.len() {
        return Err("the same node speaks twice for or against it");
    }
    own(run, id, grounds)?;
    run.graph.assess(&assessed)?;
    let task = open_task(run, id)?;
    let known = task.hypotheses.iter_mut().find(|known| known.proposed.hypothesis == assessed.hypothesis);
    known.ok_or("its hypothesis was not proposed")?.assessments.push(assessed);
    Ok(())
}

/// Checks whether nodes belong to the task or were handed over to it.
pub(super) fn own(run: &Run, id: TaskId, nodes: impl IntoIterator<Item = NodeId>) -> Result<(), Because> {
    let tasks = || run.tasks.iter().filter(|(owner, _)| check::is_handed(run, id, **owner));
    match nodes.into_iter().all(|node| tasks().any(|(_, task)| holds(task, &node))) {
        true => Ok(()),
        false => Err("a node that it names is not its task's own"),
    }
}

fn holds(task: &TaskView, node: &NodeId) -> bool {
    match node {
        NodeId::Invocation(id) => task.invocations.iter().any(|known| known.started.invocation == *id),
        NodeId::Fact(id) => task.accepted().any(|known| known.fact.id == *id),
        NodeId::Phenomenon(id) => task.phenomena.iter().any(|known| known.id == *id),
        NodeId::Absence(id) => task.covered().any(|known| known.absence.id == *id),
        NodeId::Derivation(id) => task.derived().any(|known| known.derivation.id == *id),
        NodeId::Entity(id) => task.entities.iter().any(|known| known.entity == *id),
        NodeId::Relation(id) => task.relations.iter().any(|known| known.relation == *id),
        NodeId::Hypothesis(id) => task.hypotheses.iter().any(|known| known.proposed.hypothesis == *id),
    }
}
