//! Questions in words: each has one task.
//!
//! If rows of case tables answer the question, code records them. Which rows these are is in the first event, or in the assignment of
//! a task that came later. Otherwise a model may look for the answer. The same gateway judges what either of them records.

use super::{Charge, Models, RunError, priced};
use crate::agents::{Agent, shipped_asker};
use crate::crew::Hire;
use crate::stored::StoredTask;
use ledger::event::{RunOpened, TaskAssigned};
use ledger::{
    ASK, AgentSpec, Alternative, AskedQuestion, Condition, Digest, Objective, SearchedBy, Surface, TaskId,
    ToolClass, ToolSpec, Vocabulary, Weight, canonical,
};
use llm::Playbook;
use llm::playbook::{AnsweringRows, answering};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Raise this if a task makes other calls for the same rows.
const VERSION: &str = "ask 1";

/// The tool that returns records by their type.
const RECORDS: &str = "records";

/// The name of the objective that a question in words becomes.
const OBJECTIVE: &str = "question";

/// Who answers a question.
pub enum Answerer {
    /// Code, from the rows that the question names.
    Code,
    /// A model, in the role of this agent ([`asker_of`]).
    Model {
        /// The agent.
        agent: Box<Agent>,
        /// Makes its model.
        models: Box<Models>,
    },
}

/// Returns the agent that looks for the answer to a question. `records` are the types of records that could answer it; if there are any,
/// the question becomes an objective, which a fact from one of them meets.
///
/// # Errors
///
/// If the shipped agent or vocabulary cannot be read, which is a bug.
pub fn asker_of(question: &str, records: &[String]) -> Result<Agent, RunError> {
    let vocabulary = Vocabulary::shipped().map_err(RunError::Vocabulary)?;
    let mut agent = shipped_asker().map_err(RunError::Agents)?;
    let AgentSpec { prompt, objectives, .. } = &mut agent.spec;
    // Writing to a string cannot fail.
    let _ = write!(prompt, "\nThe question: {}\n", one_line(question));
    objectives.extend(objective(question, records, &vocabulary));
    Ok(agent)
}

/// Returns the objective that a fact from any of these records meets; `None` if no record proves anything.
fn objective(question: &str, records: &[String], vocabulary: &Vocabulary) -> Option<Objective> {
    let spec = tools::catalogue().into_iter().find(|spec| spec.name == RECORDS)?;
    let ways = records.iter().flat_map(|record| {
        let searched = searched(record, &spec);
        vocabulary.proved_by(record).filter(|predicate| !predicate.is_quoted()).map(move |predicate| {
            let condition = Condition {
                predicate: predicate.clone(),
                record: record.clone(),
                subject: "*".into(),
                field: "*".to_owned(),
                value: None,
                unless: None,
                earlier: None,
            };
            Alternative { condition, searched: searched.clone() }
        })
    });
    let mut ways = ways.collect::<Vec<_>>().into_iter();
    let Alternative { condition, searched } = ways.next()?;
    Some(Objective {
        id: OBJECTIVE.to_owned(),
        question: one_line(question),
        applies: None,
        weight: Weight::Activity,
        condition,
        searched,
        or: ways.collect(),
    })
}

/// Returns the search that shows whether the evidence holds any record of this type; empty if the tool does not return such records.
fn searched(record: &str, spec: &ToolSpec) -> Vec<SearchedBy> {
    let is_returned = spec.records.iter().any(|kind| kind.name == record);
    let by = SearchedBy {
        tool: RECORDS.to_owned(),
        arguments: BTreeMap::from([("record".to_owned(), Value::from(record))]),
        free: BTreeSet::from(["limit".to_owned()]),
        sources: None,
    };
    is_returned.then_some(by).into_iter().collect()
}

/// Returns the text on one line, without control characters.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split(|it: char| it.is_whitespace() || it.is_control()).collect();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Makes the task that answers a question, and what carries it out.
pub(super) fn task(
    opened: &RunOpened,
    task: TaskId,
    question: &AskedQuestion,
    by: &Answerer,
) -> Result<(Charge, TaskAssigned), RunError> {
    match by {
        Answerer::Code => Ok((charge(opened, question)?, assigned(opened, task, question)?)),
        Answerer::Model { agent, models } => {
            let charge = Charge::new(&**models, agent, task, opened.seed);
            priced(opened, &*charge.model)?;
            let unnamed = TaskAssigned {
                asked: Some(Box::new(question.clone())),
                ..TaskAssigned::new(task, agent.spec.clone(), "")
            };
            let assigned = charge.assigned(unnamed);
            Ok((charge, assigned))
        }
    }
}

/// Makes the task with which code records the rows that answer a question.
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

/// Returns the questions of these tasks of code, in their order: that of the assignment, or else the next one in the first event.
/// Questions of the first event without a task come last.
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

/// Makes what carries out a task of code: the steps that follow from the rows of its question.
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

/// Pairs the tasks of questions with what carries them on, in their order.
///
/// # Errors
///
/// If this version would carry out a task of code in another way.
pub(super) fn taken_up(
    opened: &RunOpened,
    tasks: Vec<StoredTask>,
    folder: &Path,
    hire: &Hire,
) -> Result<Vec<(Charge, StoredTask)>, RunError> {
    let other = |task: &StoredTask| RunError::OtherModel {
        folder: folder.to_owned(),
        agent: task.assigned.agent.name.clone(),
        model: task.assigned.model.clone(),
    };
    let of_code: Vec<_> = tasks.iter().map(|task| &task.assigned).filter(|task| task.ask).cloned().collect();
    let mut questions = questions(opened, &of_code).into_iter();
    let mut taken = Vec::new();
    for task in tasks {
        let charge = match task.assigned.ask {
            false => hire(&task.assigned)?,
            true => charge(opened, questions.next().ok_or_else(|| other(&task))?)?,
        };
        if charge.model.digest() != task.assigned.model_digest {
            return Err(other(&task));
        }
        taken.push((charge, task));
    }
    Ok(taken)
}
