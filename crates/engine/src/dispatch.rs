//! DISPATCH calls: tasks that an agent assigns, and their results.
//!
//! Consecutive agent calls in a reply form one plan.
//! Tasks with the same sequence number run side by side; tasks with a higher number run after them, with their results.
//! Task ids are numbers in the order of the plan, never chosen by a model.

mod bundle;
mod charge;

pub(crate) use bundle::render as render_bundle;
pub(crate) use charge::{Charge, charge};

use crate::artifacts::LONGEST_ARTIFACT;
use crate::calls::Busy;
use crate::report::{accepted, report, report_text};
use crate::setting::Setting;
use crate::shelf::within;
use crate::step::{Append, Assignment, Command, StepError};
use crate::task::{Task, Waiting, event};
use crate::tools::OwnTool;
use ledger::event::{DispatchedTask, Refusal, TaskReported, TasksDispatched};
use ledger::turn::{Answer, ToolCall};
use ledger::{AgentSpec, Artifact, ArtifactKind, Dispatch, Event, Handed, TaskId, TaskReport, ToolClass};
use std::collections::VecDeque;
use std::sync::Arc;

/// The prefix of the names of agent tools.
pub(crate) const PREFIX: &str = "agent_";

/// Returns the name of the tool that assigns a task to an agent.
pub(crate) fn tool_name(agent: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let name: String = agent.chars().map(plain).take(48).collect();
    format!("{PREFIX}{name}")
}

/// A plan in progress.
#[derive(Debug)]
pub(crate) struct Dispatching {
    /// Tasks that are not assigned yet, grouped by sequence number, lowest first.
    later: VecDeque<Vec<Charge>>,
    /// Tasks that are running.
    running: Vec<(ToolCall, Assignment)>,
    /// The answers so far.
    answered: Vec<(ToolCall, TaskReport)>,
    /// The calls in the order of the reply.
    order: Vec<ToolCall>,
}

impl Task {
    /// Handles the consecutive agent calls from this one on.
    pub(crate) fn dispatch(
        &mut self,
        call: ToolCall,
        append: &mut Vec<Append>,
    ) -> Result<Option<Command>, StepError> {
        self.turn_record.fruitful = true;
        let mut charges = Vec::new();
        let mut next = Some(call);
        while let Some(call) = next.take() {
            match self.charge(&call) {
                Ok(charge) if self.dispatched + charges.len() as u16 >= self.setting.rules.dispatch.tasks => {
                    let most = self.setting.rules.dispatch.tasks;
                    let told = format!("a run hands out {most} tasks at most");
                    self.refuse(charge.call, Refusal::TasksSpent, told, append);
                }
                Ok(charge) => charges.push(charge),
                Err(told) => self.refuse(call, Refusal::BadArguments, told, append),
            }
            next = self.next_beside();
        }
        if charges.is_empty() {
            return Ok(None);
        }
        let order = charges.iter().map(|charge| charge.call.clone()).collect();
        let dispatching =
            Dispatching { later: in_groups(charges), running: Vec::new(), answered: Vec::new(), order };
        self.hand_out(dispatching, append)
    }

    /// Returns the next call of the turn, if it is an allowed agent call.
    fn next_beside(&mut self) -> Option<ToolCall> {
        let tool = &self.calls.front()?.tool;
        if self.setting.class(tool) != Some(ToolClass::Dispatch)
            || OwnTool::of_name(tool).is_some()
            || self.turn_record.calls >= self.setting.rules.budgets.calls_per_turn
        {
            return None;
        }
        self.turn_record.calls += 1;
        self.calls.pop_front()
    }

    fn charge(&self, call: &ToolCall) -> Result<Charge, String> {
        match self.setting.agent(&call.tool) {
            Some(agent) => charge(call, agent, &self.setting).map_err(|malformed| malformed.to_string()),
            None => Err(format!("{} names no agent", call.tool)),
        }
    }

    /// Assigns the next tasks of the plan; answers its calls if none are left.
    fn hand_out(
        &mut self,
        mut dispatching: Dispatching,
        append: &mut Vec<Append>,
    ) -> Result<Option<Command>, StepError> {
        let Some(group) = dispatching.later.pop_front() else {
            for call in std::mem::take(&mut dispatching.order) {
                let at = dispatching.answered.iter().position(|(answered, _)| answered.call == call.call);
                if let Some(at) = at {
                    let (call, report) = dispatching.answered.swap_remove(at);
                    self.answer(call, Answer::Reported(Box::new(report)));
                }
            }
            return Ok(None);
        };
        let sequence = group.first().map_or(0, |charge| charge.sequence);
        let after: Vec<TaskId> = self.handed.iter().map(|handed| handed.task).collect();
        dispatching.running =
            group.into_iter().map(|charge| self.assignment(charge, after.clone())).collect();
        let task = |(call, assignment): &(ToolCall, Assignment)| DispatchedTask {
            call: call.call.clone(),
            task: assignment.task,
            agent: assignment.agent.name.clone(),
        };
        append.push(event(Event::TasksDispatched(TasksDispatched {
            turn: self.turn,
            sequence,
            tasks: dispatching.running.iter().map(task).collect(),
        })));
        let assignments = dispatching.running.iter().map(|(_, assignment)| assignment.clone()).collect();
        self.waiting = Waiting::Busy(Box::new(Busy::Dispatching(dispatching)));
        Ok(Some(Command::Dispatch(assignments)))
    }

    fn assignment(&mut self, charge: Charge, after: Vec<TaskId>) -> (ToolCall, Assignment) {
        let Charge { call, mut agent, instruction, sequence, mut referenced, hint } = charge;
        // Nobody else can retrieve what this task stored itself.
        let own = |id: &&String| self.artifacts.iter().any(|known| known.artifact.to_string() == **id);
        referenced.extend(hint.iter().filter(own).cloned());
        // Later tasks need not find again what is known.
        referenced.extend(self.reports.iter().map(|report| report.artifact.to_string()));
        let characters = self.setting.rules.dispatch.bundle_characters;
        let known = |id: &str| {
            let report = self.reports.iter().find(|report| report.artifact.to_string() == id);
            report.or_else(|| self.known_artifact(id))
        };
        let references = bundle::references(&referenced, characters, known);
        let task = TaskId(self.setting.first_dispatched().saturating_add(self.dispatched));
        self.dispatched += 1;
        // An agent that works for others can store artifacts for them.
        agent.surface.insert(ToolClass::Artifact);
        let dispatch = Dispatch {
            by: self.id(),
            turn: self.turn,
            call: call.call.clone(),
            sequence,
            instruction,
            after,
            references,
            hint,
        };
        (call, Assignment { task, agent, dispatch })
    }

    /// Handles the end of the assigned tasks.
    pub(crate) fn reported(
        &mut self,
        mut dispatching: Dispatching,
        reported: Vec<Handed>,
        append: &mut Vec<Append>,
    ) -> Result<Command, StepError> {
        for ((call, assignment), handed) in std::mem::take(&mut dispatching.running).into_iter().zip(reported)
        {
            if handed.task != assignment.task {
                return Err(StepError::Unexpected {
                    expected: "the report of the task",
                    found: "another task's",
                });
            }
            let content = within(&report_text(&handed), LONGEST_ARTIFACT - 1);
            let artifact = Artifact {
                artifact: self.artifact_id(&call)?,
                kind: ArtifactKind::Report,
                summary: format!("what {} ({}) came to", handed.task, handed.agent.name),
                content: content.as_str().into(),
            };
            append.push(event(Event::TaskReported(TaskReported {
                task: handed.task,
                status: handed.status,
                accepted: accepted(&handed),
                report: artifact.head(),
                content,
            })));
            let mut report = report(&handed, assignment.dispatch.sequence);
            report.artifacts.push(artifact.head());
            self.reports.push(artifact);
            self.handed.push(Arc::new(handed));
            dispatching.answered.push((call, report));
        }
        match self.hand_out(dispatching, append)? {
            Some(command) => Ok(command),
            None => self.next_call(append),
        }
    }
}

/// Groups the tasks by sequence number, lowest first; within a group they are in the order of the calls.
fn in_groups(mut charges: Vec<Charge>) -> VecDeque<Vec<Charge>> {
    charges.sort_by_key(|charge| charge.sequence);
    let mut groups: VecDeque<Vec<Charge>> = VecDeque::new();
    for charge in charges {
        match groups.back_mut() {
            Some(group) if group.first().is_some_and(|first| first.sequence == charge.sequence) => {
                group.push(charge);
            }
            Some(_) | None => groups.push_back(vec![charge]),
        }
    }
    groups
}

/// Checks whether anything in the assigned tasks is left unanswered.
/// The last result for each objective counts, and a failed task counts unless a later task made up for it.
pub(crate) fn unanswered(handed: &[Arc<Handed>]) -> bool {
    handed.iter().enumerate().any(|(at, task)| {
        let later = || handed.iter().skip(at + 1).filter(|other| other.agent.name == task.agent.name);
        let answered_later = |id: &str| {
            later().flat_map(|other| &other.objectives).any(|result| result.id == id && !result.is_unmet())
        };
        let failed = crate::report::failed(task.status) && later().next().is_none();
        failed || task.objectives.iter().any(|result| result.is_unmet() && !answered_later(&result.id))
    })
}

impl Setting {
    /// Returns the agent to which a tool assigns a task.
    pub(crate) fn agent(&self, tool: &str) -> Option<&AgentSpec> {
        self.roster.iter().find(|agent| tool_name(&agent.name) == tool)
    }
}
