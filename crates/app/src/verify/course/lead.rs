//! Checks the tasks that a task assigns, their reports, and the artifacts that it
//! stores and reads, against its calls and the other tasks of the log.

use super::{Course, Wrong};
use crate::run::sweep::is_swept;
use crate::verify::log::Log;
use crate::verify::words;
use ledger::event::{
    ArtifactRetrieved, ArtifactStored, DispatchedTask, QuestionsDeclined, TaskAssigned, TaskEnded,
    TaskReported, TaskStatus, TasksDispatched,
};
use ledger::turn::ToolCall;
use ledger::{ArtifactId, ArtifactKind, Dispatch, Event, FactEntry, ReferenceShown, TaskId, ToolClass};
use serde_json::Value;
use std::collections::BTreeMap;

/// The tasks that were assigned in a turn.
#[derive(Default)]
pub(super) struct Plan<'l> {
    /// Calls that ask for tasks not assigned yet.
    calls: Vec<&'l ToolCall>,
    /// Tasks that have not been reported, with their sequence number.
    running: BTreeMap<TaskId, u32>,
    /// The sequence number of the tasks that were assigned last.
    last: Option<u32>,
}

impl Plan<'_> {
    /// Whether every call is answered.
    pub(super) fn is_done(&self) -> bool {
        self.calls.is_empty() && self.running.is_empty()
    }
}

impl<'l> Course<'l> {
    /// Whether a call assigns a task; such calls wait until the calls next to them are processed.
    pub(super) fn hands_out(&self, call: &ToolCall) -> bool {
        let spec = self.log.opened.tools.iter().find(|tool| tool.name == call.tool);
        spec.is_some_and(|spec| spec.class == ToolClass::Dispatch) && call.tool.starts_with("agent_")
    }

    /// Adds calls that assign tasks, and were passed over, to the waiting ones.
    pub(super) fn wait(&mut self, calls: &[&'l ToolCall]) {
        let waiting: Vec<_> = calls.iter().copied().filter(|call| self.hands_out(call)).collect();
        self.turn.plan.calls.extend(waiting);
    }

    pub(super) fn dispatch(&mut self, dispatched: &'l TasksDispatched) -> Result<(), Wrong> {
        self.of_turn(dispatched.turn)?;
        if !self.turn.plan.running.is_empty() {
            return Err("tasks that were handed out before it were not reported");
        }
        if self.turn.plan.last.is_none() {
            self.close_call()?;
        }
        // Calls beyond the maximum of a turn are refused one by one.
        let most = self.log.opened.rules.budgets.calls_per_turn as usize;
        let until = most.min(self.turn.calls.len());
        let left = self.turn.calls.get(self.turn.taken..until).unwrap_or_default();
        let beside: Vec<&ToolCall> = left.iter().copied().take_while(|call| self.hands_out(call)).collect();
        self.turn.taken += beside.len();
        self.turn.plan.calls.extend(beside);
        if self.turn.plan.last.is_some_and(|last| last >= dispatched.sequence) {
            return Err("tasks of a higher sequence number were handed out before it");
        }
        for task in &dispatched.tasks {
            self.hand_out(dispatched, task)?;
        }
        let is_same = |call: &&ToolCall| sequence(call) == dispatched.sequence;
        if self.turn.plan.calls.iter().any(is_same) {
            return Err("a task of its sequence number was not handed out with it");
        }
        self.turn.plan.last = Some(dispatched.sequence).filter(|_| !self.turn.plan.calls.is_empty());
        Ok(())
    }

    /// Checks that a lead declined questions of the case with the arguments of its call.
    pub(super) fn decline(&mut self, declined: &QuestionsDeclined) -> Result<(), Wrong> {
        self.of_turn(declined.turn)?;
        let call = self.named(&declined.call, "decline_questions")?;
        let is_of_case = |id: &String| {
            let mut listed = self.log.opened.questions.iter();
            listed.any(|question| question.agent == declined.agent && question.objective.id == *id)
        };
        let said = call.arguments.get("agent").and_then(Value::as_str).unwrap_or_default();
        let is_agent = plain(said) == plain(&declined.agent);
        match () {
            () if !is_agent || !words::are_texts(&call.arguments, "questions", &declined.questions) => {
                Err("the questions that it declines are not those of its call")
            }
            () if !words::means(&call.arguments, "reason", &declined.reason) => {
                Err("its reason is not that of its call")
            }
            () if !declined.questions.iter().all(is_of_case) => Err("a question of it is none of the case"),
            () => Ok(()),
        }
    }

    fn hand_out(&mut self, dispatched: &TasksDispatched, task: &DispatchedTask) -> Result<(), Wrong> {
        let at = self.turn.plan.calls.iter().position(|call| call.call == task.call);
        let call = self.turn.plan.calls.remove(at.ok_or("no call of its turn asks for a task of it")?);
        if sequence(call) != dispatched.sequence {
            return Err("a task of it has another sequence number");
        }
        let assigned = assigned(self.log, task.task).ok_or("a task of it was not assigned")?;
        let dispatch = assigned.dispatch.as_deref().ok_or("nobody handed a task of it out")?;
        let of_call = dispatch.by == self.assigned.task
            && (dispatch.turn, &dispatch.call, dispatch.sequence)
                == (dispatched.turn, &task.call, dispatched.sequence)
            && assigned.agent.name == task.agent;
        let reported: Vec<TaskId> = self.reported.iter().map(|report| report.task).collect();
        match () {
            () if !of_call => Err("a task of it was handed out by another call"),
            () if dispatch.after != reported => {
                Err("the tasks that are handed over to a task of it are not those that were reported by then")
            }
            () if !words::means(&call.arguments, "instruction", &dispatch.instruction) => {
                Err("the words that a task of it was given are not those of its call")
            }
            () => {
                self.is_of_roster(call, assigned)?;
                self.shows_what_was_stored(dispatch)?;
                self.turn.plan.running.insert(task.task, dispatched.sequence);
                Ok(())
            }
        }
    }

    /// Checks that a task's agent is in the roster, and that each objective is the agent's or stated by the call.
    fn is_of_roster(&self, call: &ToolCall, assigned: &TaskAssigned) -> Result<(), Wrong> {
        let agent = self.log.opened.roster.iter().find(|agent| agent.name == assigned.agent.name);
        let agent = agent.ok_or("the agent of a task of it is not one that tasks can be handed to")?;
        let mut surface = agent.surface.clone();
        surface.insert(ToolClass::Artifact);
        if (&agent.prompt, &surface, &agent.tools)
            != (&assigned.agent.prompt, &assigned.agent.surface, &assigned.agent.tools)
        {
            return Err("the agent of a task of it is not as the run has it");
        }
        let criteria = call.arguments.get("criteria").and_then(Value::as_array);
        let stated = |id: &str| {
            let said =
                |item: &Value| item.get("id").and_then(Value::as_str).is_some_and(|said| said.trim() == id);
            criteria.is_some_and(|items| items.iter().any(said))
        };
        let known = assigned
            .agent
            .objectives
            .iter()
            .all(|objective| agent.objectives.contains(objective) || stated(&objective.id));
        if known { Ok(()) } else { Err("an objective of a task of it is neither its agent's nor its call's") }
    }

    /// Checks that the artifacts in a first message are those that this task stored, or that a task reported to it stored.
    fn shows_what_was_stored(&self, dispatch: &Dispatch) -> Result<(), Wrong> {
        for reference in &dispatch.references {
            let stored = reference.id.parse().ok().and_then(|id| self.stored(id));
            let right = match &reference.shown {
                ReferenceShown::Content { content } => stored == Some(content.as_str()),
                ReferenceShown::NotFound => stored.is_none(),
                ReferenceShown::Elided => stored.is_some(),
            };
            if !right {
                return Err("what a task of it is shown of an artifact is not what was stored");
            }
        }
        Ok(())
    }

    /// Returns the content of an artifact that the task may know by now.
    fn stored(&self, id: ArtifactId) -> Option<&'l str> {
        let of_report = self.reported.iter().find(|report| report.report.artifact == id);
        let handed = self.assigned.dispatch.iter().flat_map(|dispatch| dispatch.after.iter().copied());
        let known: Vec<TaskId> = handed.chain(self.reported.iter().map(|report| report.task)).collect();
        let own = self.artifacts.iter().find(|stored| stored.artifact == id).copied();
        let others = || {
            self.log.of_tasks().find_map(|(_, task, event)| match event {
                Event::ArtifactStored(stored) if stored.artifact == id && known.contains(&task) => {
                    Some(stored)
                }
                _ => None,
            })
        };
        of_report
            .map(|report| report.content.as_str())
            .or_else(|| own.or_else(others).map(|it| it.content.as_str()))
    }

    pub(super) fn report(&mut self, reported: &'l TaskReported) -> Result<(), Wrong> {
        if self.turn.plan.running.remove(&reported.task).is_none() {
            return Err("it reports a task that was not handed out before it");
        }
        let ended = ended(self.log, reported.task).ok_or("it reports a task that has not ended")?;
        let answered = !ended.objectives.iter().any(ledger::event::ObjectiveResult::is_unmet);
        if reported.accepted != (answered && !failed(ended.status)) {
            return Err("whether its task is accepted is not what the objectives of it say");
        }
        self.reported.push(reported);
        Ok(())
    }

    pub(super) fn store(&mut self, stored: &'l ArtifactStored) -> Result<(), Wrong> {
        self.of_turn(stored.turn)?;
        let (tool, line) = match stored.kind {
            ArtifactKind::Result => ("store_result", "summary"),
            ArtifactKind::Checkpoint => ("checkpoint", "label"),
            ArtifactKind::Report => return Err("no call stores a report"),
        };
        let call = self.named(&stored.call, tool)?;
        let said = call.arguments.get(line).and_then(Value::as_str).unwrap_or_default();
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        // A line that is too long is cut.
        let summary = said == stored.summary || said.starts_with(stored.summary.trim_end_matches('…'));
        self.artifacts.push(stored);
        match summary && words::says(&call.arguments, "content", &stored.content) {
            true => Ok(()),
            false => Err("it is not what its call stores"),
        }
    }

    pub(super) fn retrieve(&mut self, retrieved: &ArtifactRetrieved) -> Result<(), Wrong> {
        self.of_turn(retrieved.turn)?;
        let call = self.named(&retrieved.call, "retrieve_result")?;
        if !words::means(&call.arguments, "artifact", &retrieved.artifact.to_string()) {
            return Err("its call reads another artifact");
        }
        self.stored(retrieved.artifact).map(drop).ok_or("its task knows no such artifact")
    }

    /// Whether every assigned task is answered, or a later task of the same agent has made up for it.
    pub(super) fn is_answered(&self) -> bool {
        let leads = self.assigned.agent.surface.contains(&ToolClass::Dispatch);
        if leads && self.reported.is_empty() {
            return false;
        }
        let tasks: Vec<(&TaskAssigned, &TaskEnded)> = self
            .reported
            .iter()
            .filter_map(|report| Some((assigned(self.log, report.task)?, ended(self.log, report.task)?)))
            .collect();
        if leads && is_swept(self.log.opened) && !self.closes_all(&tasks) {
            return false;
        }
        tasks.iter().enumerate().all(|(at, (task, end))| {
            let later: Vec<_> =
                tasks.iter().skip(at + 1).filter(|(other, _)| other.agent.name == task.agent.name).collect();
            let answered = |id: &str| {
                let mut results = later.iter().flat_map(|(_, end)| &end.objectives);
                results.any(|result| result.id == id && !result.is_unmet())
            };
            let made_up_for = !failed(end.status) || !later.is_empty();
            made_up_for && end.objectives.iter().all(|result| !result.is_unmet() || answered(&result.id))
        })
    }

    /// Whether these tasks close every question of the case, through the agent's own task or a fact of any task.
    fn closes_all(&self, tasks: &[(&TaskAssigned, &TaskEnded)]) -> bool {
        let facts: Vec<&FactEntry> = tasks.iter().flat_map(|(task, _)| facts(self.log, task.task)).collect();
        self.log.opened.questions.iter().all(|question| {
            let wanted = &question.objective;
            let by_task =
                tasks.iter().filter(|(task, _)| task.agent.name == question.agent).any(|(task, end)| {
                    task.agent
                        .objectives
                        .iter()
                        .zip(&end.objectives)
                        .any(|(objective, result)| objective.is_same_as(wanted) && !result.is_unmet())
                });
            by_task || facts.iter().any(|fact| wanted.is_answered_by(fact))
        })
    }
}

/// Returns the facts that a task recorded.
fn facts(log: Log<'_>, task: TaskId) -> impl Iterator<Item = &FactEntry> {
    log.of_tasks().filter(move |(_, of, _)| *of == task).filter_map(|(_, _, event)| match event {
        Event::ClaimAccepted(accepted) => Some(&accepted.fact),
        _ => None,
    })
}

/// Returns the sequence number in a call; 1 if there is none.
fn sequence(call: &ToolCall) -> u32 {
    let number = match call.arguments.get("sequence") {
        Some(Value::Number(number)) => number.as_u64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(_) | None => None,
    };
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or(1)
}

const fn failed(status: TaskStatus) -> bool {
    matches!(status, TaskStatus::BudgetSpent | TaskStatus::ModelFailed | TaskStatus::Cancelled)
}

fn assigned(log: Log<'_>, task: TaskId) -> Option<&TaskAssigned> {
    log.events.iter().find_map(|(_, event, _)| match event {
        Event::TaskAssigned(assigned) if assigned.task == task => Some(assigned),
        _ => None,
    })
}

fn ended(log: Log<'_>, task: TaskId) -> Option<&TaskEnded> {
    log.of_tasks().find_map(|(_, of, event)| match event {
        Event::TaskEnded(ended) if of == task => Some(ended),
        _ => None,
    })
}

/// Returns the name of an agent in the form that tool names use.
fn plain(agent: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    agent.trim().trim_start_matches("agent_").chars().map(plain).collect()
}
