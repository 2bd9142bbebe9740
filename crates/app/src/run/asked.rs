//! Questions in words: each has a task that code does, which records the rows that answer it.
//!
//! Which rows these are stands in the first event, or in the assignment of a task that came later. What is recorded of them is judged by the same gateway as any claim.

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

/// The questions of these tasks, each in its place: that of its assignment, or else the next of the first event, behind which come those that have no task.
pub(crate) fn questions<'a>(
    opened: &'a RunOpened,
    tasks: impl IntoIterator<Item = &'a TaskAssigned>,
) -> Vec<&'a AskedQuestion> {
    let mut of_first = opened.asked.iter();
    let of_tasks = tasks.into_iter().map_while(|task| task.asked.as_deref().or_else(|| of_first.next()));
    let mut questions: Vec<_> = of_tasks.collect();
    questions.extend(of_first);
    questions
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
    let assigned: Vec<_> = tasks.iter().map(|task| task.assigned.clone()).collect();
    let questions = questions(opened, &assigned);
    let mut taken = Vec::new();
    for (place, task) in tasks.into_iter().enumerate() {
        let Some(question) = questions.get(place) else { return Err(other(&task)) };
        let charge = charge(opened, question)?;
        if charge.model.digest() != task.assigned.model_digest {
            return Err(other(&task));
        }
        taken.push((charge, task));
    }
    Ok(taken)
}
