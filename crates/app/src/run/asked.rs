//! Questions in words: each has a task that code does, which records the rows that answer it.
//!
//! Which rows these are stands in the first event. What is recorded of them is judged by the same gateway as any claim.

use super::{Charge, RunError};
use crate::stored::StoredTask;
use ledger::event::{RunOpened, TaskAssigned};
use ledger::{ASK, AgentSpec, AskedQuestion, Digest, Surface, TaskId, ToolClass, canonical};
use llm::Playbook;
use llm::playbook::{AnsweringRows, answering};
use std::path::Path;

/// To be counted up when a task comes to make other calls of the same rows.
const VERSION: &str = "ask 1";

/// The task of this number that records what answers a question.
pub(crate) fn assigned(
    opened: &RunOpened,
    task: TaskId,
    question: &AskedQuestion,
) -> Result<TaskAssigned, RunError> {
    let agent = AgentSpec {
        name: ASK.to_owned(),
        prompt: String::new(),
        surface: Surface::from([ToolClass::Investigate, ToolClass::Record, ToolClass::GraphRead]),
        tools: None,
        objectives: Vec::new(),
    };
    let unnamed = TaskAssigned { ask: true, ..TaskAssigned::new(task, agent, ASK) };
    Ok(charge(opened, question)?.assigned(unnamed))
}

/// Who records what answers a question: code, by the steps that follow from its rows.
pub(super) fn charge(opened: &RunOpened, question: &AskedQuestion) -> Result<Charge, RunError> {
    let of = canonical::to_vec(question).map_err(RunError::Canonical)?;
    let digest = Digest::of_parts(&[VERSION.as_bytes(), &of]);
    let rows = question.rows.iter().map(|rows| AnsweringRows {
        record: &rows.record,
        evidence: &rows.evidence,
        rows: &rows.rows,
        fields: &rows.fields,
    });
    let steps = answering(rows, &opened.vocabulary, &opened.tools);
    Ok(Charge { agent: ASK.to_owned(), model: Box::new(Playbook::answering(steps, digest)) })
}

/// The tasks of questions with who goes on with them, in the order of the questions; refused where this version would make one otherwise.
pub(super) fn taken_up(
    opened: &RunOpened,
    tasks: Vec<StoredTask>,
    folder: &Path,
) -> Result<Vec<(Charge, StoredTask)>, RunError> {
    let other = |task: &StoredTask| RunError::OtherModel {
        folder: folder.to_owned(),
        agent: task.assigned.agent.name.clone(),
        model: task.assigned.model.clone(),
    };
    let mut questions = opened.asked.iter();
    let mut taken = Vec::new();
    for task in tasks {
        let Some(question) = questions.next() else { return Err(other(&task)) };
        let charge = charge(opened, question)?;
        if charge.model.digest() != task.assigned.model_digest {
            return Err(other(&task));
        }
        taken.push((charge, task));
    }
    Ok(taken)
}
