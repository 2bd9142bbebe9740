//! Checks calls that lessons of earlier runs advise against: which ones had to be refused, and which could run.

use super::{Course, Wrong};
use ledger::event::{CallRefused, InvocationStarted};
use ledger::turn::ToolCall;
use ledger::{ASK, Behaviour, HUNT, Insisted, Lessons, Profile, SWEEP};
use serde_json::{Map, Value};

/// A lesson that a refusal told the agent: the refused call, and whether the agent has insisted since.
pub(super) struct Told {
    call: (String, Value),
    insists: bool,
}

/// Returns the lessons that apply to the calls of a task.
pub(super) fn lessons(log: super::Log<'_>, assigned: &ledger::event::TaskAssigned) -> Lessons {
    let (opened, agent) = (log.opened, &assigned.agent);
    let enforces = opened.behaviour.contains(&Behaviour::Enforces.into());
    let is_exempt =
        [SWEEP, HUNT, ASK].contains(&agent.name.as_str()) || opened.rules.profile == Profile::Small;
    let told = opened.remembered.iter().find(|told| told.agent == agent.name && enforces && !is_exempt);
    let there = |tool: &&ledger::ToolSpec| {
        opened.rules.surfaces.tools.as_ref().is_none_or(|names| names.contains(&tool.name))
    };
    let tools = opened.tools.iter().filter(there);
    told.map(|told| Lessons::new(&told.lessons, tools, &agent.objectives)).unwrap_or_default()
}

impl<'l> Course<'l> {
    /// Returns the arguments that the tool of a call receives, and the agent's reason.
    pub(super) fn as_made(&self, call: &ToolCall) -> (Value, Option<String>) {
        self.lessons.without_reason(&call.tool, &call.arguments)
    }

    /// Returns the ids of the lessons that advise against a call; empty if the same call was made before.
    fn against(&self, call: &(String, Value)) -> Vec<String> {
        let none = Map::new();
        let (tool, arguments) = call;
        let is_made = self.made.iter().any(|(made, _)| made.tool == *tool && made.arguments == *arguments);
        if is_made {
            return Vec::new();
        }
        let against = self.lessons.against(tool, arguments.as_object().unwrap_or(&none));
        against.into_iter().map(|lesson| lesson.id.clone()).collect()
    }

    /// Whether the lessons against a call refuse it: the first time, and whenever the very same call is repeated.
    /// A call that a recovery suggests is not refused.
    fn refuses(&self, call: &(String, Value), against: &[String]) -> bool {
        let told: Vec<&Told> = against.iter().filter_map(|id| self.told.get(id)).collect();
        let suggests = |(tool, arguments): &(String, Value)| {
            let mut suggested = self.recoveries.iter().flat_map(|begun| &begun.calls);
            suggested.any(|it| it.tool == *tool && it.arguments == *arguments)
        };
        !against.is_empty() && !suggests(call) && told.iter().all(|told| told.call == *call && !told.insists)
    }

    /// Checks a call that ran: either no lesson refused it, or the agent gave a reason why it should work.
    pub(super) fn runs(&mut self, started: &InvocationStarted, reason: Option<String>) -> Result<(), Wrong> {
        let call = (started.tool.clone(), started.arguments.clone());
        let against = self.against(&call);
        match (against.first(), reason) {
            (Some(first), Some(reason)) => {
                let insisted = Insisted { lesson: first.clone(), reason };
                if started.insists.as_ref() != Some(&insisted) {
                    return Err("what it says of a lesson is not what its call says");
                }
                let told = against.into_iter().map(|id| (id, Told { call: call.clone(), insists: true }));
                self.told.extend(told);
                Ok(())
            }
            _ if started.insists.is_some() => Err("its call insists on nothing"),
            _ if self.refuses(&call, &against) => Err("a lesson of earlier runs had to refuse its call"),
            _ => Ok(()),
        }
    }

    /// Checks a call that was refused because of a lesson: the lesson must advise against it, and the refusal must be due.
    pub(super) fn refused_for(&mut self, call: &ToolCall, refused: &CallRefused) -> Result<(), Wrong> {
        let (arguments, reason) = self.as_made(call);
        let call = (call.tool.clone(), arguments);
        let against = self.against(&call);
        let is_right =
            reason.is_none() && self.refuses(&call, &against) && refused.lesson.as_ref() == against.first();
        for id in against {
            self.told.entry(id).or_insert_with(|| Told { call: call.clone(), insists: false });
        }
        if is_right { Ok(()) } else { Err("no lesson of earlier runs refuses its call so") }
    }
}
