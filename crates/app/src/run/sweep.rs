//! The sweep: before a run is sealed, code asks what its agents have left open.
//!
//! The sweep is a task like any other, with its own calls, outputs and facts, which the same gateway judges; no model takes part.

use super::{Charge, RunError};
use crate::stored::StoredTask;
use graph::Run;
use ledger::event::{RunOpened, TaskAssigned};
use ledger::{AgentSpec, Behaviour, Digest, Objective, SWEEP, Surface, TaskId, ToolClass, canonical};
use llm::Playbook;
use llm::playbook::sweep as steps_of;
use std::path::Path;

/// The most questions of one task, so that its budget of facts is sufficient for all of them.
const MOST_QUESTIONS: usize = 8;

/// To be incremented when a sweep makes other calls for the same objectives.
const VERSION: &str = "sweep 2";

/// Whether a run has a sweep before it is sealed.
pub(crate) fn is_swept(opened: &RunOpened) -> bool {
    opened.rules.sweep && opened.behaviour.contains(&Behaviour::Sweeps.into())
}

/// Returns the questions of the case that agents left open, divided into tasks.
///
/// The objectives of one task have different names, and there are at most [`MOST_QUESTIONS`]; runs before
/// [`Behaviour::SweepsInParts`] have no such limit.
///
/// Questions for which the evidence has no source are not asked again: a listing of the sources has settled them.
pub(crate) fn left_open(run: &Run) -> Vec<Vec<Objective>> {
    let open = graph::questions_before_sweep(run);
    let open = open.into_iter().filter(|question| question.is_of_case() && question.stands.is_open());
    let is_in_parts = run.opened.behaviour.contains(&Behaviour::SweepsInParts.into());
    let most = if is_in_parts { MOST_QUESTIONS } else { usize::MAX };
    let mut tasks: Vec<Vec<Objective>> = Vec::new();
    for question in open {
        let has_room = |task: &&mut Vec<Objective>| {
            task.len() < most && task.iter().all(|other| other.id != question.objective.id)
        };
        match tasks.iter_mut().find(has_room) {
            Some(task) => task.push(question.objective.clone()),
            None => tasks.push(vec![question.objective.clone()]),
        }
    }
    tasks
}

/// Returns the task with this number that asks these objectives.
pub(super) fn assigned(
    opened: &RunOpened,
    task: TaskId,
    objectives: Vec<Objective>,
) -> Result<TaskAssigned, RunError> {
    let agent = AgentSpec {
        name: SWEEP.to_owned(),
        prompt: String::new(),
        surface: Surface::from([ToolClass::Investigate, ToolClass::Record, ToolClass::GraphRead]),
        tools: None,
        objectives,
    };
    let unnamed = TaskAssigned { sweep: true, ..TaskAssigned::new(task, agent, SWEEP) };
    let charge = charge(opened, &unnamed)?;
    Ok(charge.assigned(unnamed))
}

/// Returns the charge of a sweep, from its assignment.
pub(super) fn charge(opened: &RunOpened, assigned: &TaskAssigned) -> Result<Charge, RunError> {
    let objectives = &assigned.agent.objectives;
    let of = canonical::to_vec(objectives).map_err(RunError::Canonical)?;
    let digest = Digest::of_parts(&[VERSION.as_bytes(), &of]);
    let model = Playbook::sweeping(steps_of(objectives, &opened.tools), digest);
    Ok(Charge { agent: assigned.agent.name.clone(), model: Box::new(model) })
}

/// Returns a sweep that was begun before, with its charge.
///
/// # Errors
///
/// Fails if this version would do the sweep differently.
pub(super) fn taken_up(
    opened: &RunOpened,
    task: StoredTask,
    folder: &Path,
) -> Result<(Charge, StoredTask), RunError> {
    let charge = charge(opened, &task.assigned)?;
    match charge.model.digest() == task.assigned.model_digest {
        true => Ok((charge, task)),
        false => Err(RunError::OtherModel {
            folder: folder.to_owned(),
            agent: task.assigned.agent.name,
            model: task.assigned.model,
        }),
    }
}

/// Returns the numbers of the next tasks.
pub(super) fn next(assigned: &[TaskAssigned]) -> impl Iterator<Item = TaskId> + use<> {
    let last = assigned.iter().map(|assigned| assigned.task.0).max().unwrap_or(0);
    (last.saturating_add(1)..).map(TaskId)
}
