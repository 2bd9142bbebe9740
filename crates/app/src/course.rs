//! Runs a recorded task again: replies and answers come from the recording, everything else is decided anew.
//!
//! Unlike [`crate::replay()`], this does not require the same events, so that it can continue under other rules.

use crate::finder::Finder;
use crate::judge::Bench;
use crate::names::told;
use crate::siblings::Siblings;
use crate::stored::{self, Recording as _, Stored, StoredTask};
use engine::{Command, GivenIds, Input, Invoke, Judgement, Left, Task, ToolReturn};
use ledger::event::{InvocationEnded, InvocationStarted, Phase};
use ledger::turn::{Reply, ToolCall, TurnRequest};
use ledger::{CallId, ClaimId, Completeness, Event, InvocationId, Outcome, TaskId, canonical};
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;

/// The results of the recorded tool calls, by tool and arguments.
pub(crate) struct Returns<'l> {
    alike: BTreeMap<Vec<u8>, Vec<(TaskId, &'l InvocationEnded)>>,
}

impl<'l> Returns<'l> {
    pub(crate) fn of(log: &'l Stored) -> Returns<'l> {
        let mut alike: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for task in &log.tasks {
            for (started, ended) in invocations(task) {
                alike
                    .entry(key(&started.tool, &started.arguments))
                    .or_default()
                    .push((task.assigned.task, ended));
            }
        }
        Returns { alike }
    }

    /// Returns the result of a call with the same tool and arguments, from this task
    /// or otherwise from another task of the run: the evidence is the same.
    /// Prefers calls that did not time out.
    fn find(&self, task: TaskId, invoke: &Invoke) -> Option<&'l InvocationEnded> {
        let alike = self.alike.get(&key(&invoke.tool, &invoke.arguments))?;
        let rank =
            |(of, ended): &&(TaskId, &InvocationEnded)| (ended.outcome == Outcome::Timeout, *of != task);
        alike.iter().min_by_key(rank).map(|(_, ended)| *ended)
    }
}

fn key(tool: &str, arguments: &serde_json::Value) -> Vec<u8> {
    canonical::to_vec(&(tool, arguments)).unwrap_or_default()
}

/// Returns the tool calls of a task that have an end in the log.
pub(crate) fn invocations(task: &StoredTask) -> Vec<(&InvocationStarted, &InvocationEnded)> {
    let mut started: BTreeMap<InvocationId, &InvocationStarted> = BTreeMap::new();
    let mut both = Vec::new();
    for event in &task.events {
        match event {
            Event::InvocationStarted(it) => drop(started.insert(it.invocation, it)),
            Event::InvocationEnded(ended) => {
                both.extend(started.get(&ended.invocation).map(|started| (*started, ended)));
            }
            _ => {}
        }
    }
    both
}

/// The recording of one task.
pub(crate) struct Recording<'l> {
    pub(crate) task: &'l StoredTask,
    reader: &'l Reader,
    returns: &'l Returns<'l>,
    /// The results of tasks that were assigned by other tasks.
    pub(crate) siblings: &'l Siblings,
    /// The event that answered each turn's request, by turn.
    turns: BTreeMap<u32, &'l Event>,
    own: BTreeMap<(u32, &'l CallId), &'l InvocationEnded>,
    judged: BTreeSet<ClaimId>,
}

impl<'l> Recording<'l> {
    pub(crate) fn of(
        task: &'l StoredTask,
        reader: &'l Reader,
        returns: &'l Returns<'l>,
        siblings: &'l Siblings,
    ) -> Recording<'l> {
        let own = invocations(task);
        let own = own.into_iter().map(|(started, ended)| ((started.turn, &started.call), ended)).collect();
        let mut recording = Recording {
            task,
            reader,
            returns,
            siblings,
            turns: BTreeMap::new(),
            own,
            judged: BTreeSet::new(),
        };
        let mut turn = 0;
        for event in &task.events {
            match event {
                Event::TurnRequested(requested) => turn = requested.turn,
                Event::TurnReplied(_)
                | Event::TurnFailed(_)
                | Event::RequestTooLong(_)
                | Event::TimeSpent
                | Event::Cancelled
                | Event::PurseSpent(_) => {
                    recording.turns.insert(turn, event);
                }
                Event::ClaimAccepted(accepted) => drop(recording.judged.insert(accepted.claim)),
                Event::ClaimRepeated(repeated) => drop(recording.judged.insert(repeated.claim)),
                Event::AbsenceAccepted(accepted) => drop(recording.judged.insert(accepted.claim)),
                Event::ClaimRejected(rejected) => drop(recording.judged.insert(rejected.claim)),
                _ => {}
            }
        }
        recording
    }

    /// Returns the reply of a turn; `None` if the log has none, or its bytes cannot be read.
    pub(crate) fn reply(&self, turn: u32) -> Option<Reply> {
        match self.turns.get(&turn) {
            Some(Event::TurnReplied(replied)) => self.reader.reply(&replied.reply).ok(),
            _ => None,
        }
    }

    /// Returns the number of model replies in the log.
    pub(crate) fn replies(&self) -> u32 {
        let replied = self.turns.values().filter(|event| matches!(event, Event::TurnReplied(_)));
        u32::try_from(replied.count()).unwrap_or(u32::MAX)
    }

    /// Whether the log breaks off in this turn or before, so that anything missing from here on is unknown.
    pub(crate) fn breaks_off_in(&self, turn: u32) -> bool {
        !self.task.has_end() && self.turns.keys().next_back().is_none_or(|last| *last <= turn)
    }
}

/// The result of running a task again.
pub(crate) struct Course {
    /// The events.
    pub(crate) events: Vec<Event>,
    /// The ids that were assigned.
    pub(crate) ids: GivenIds,
    /// The calls of all replies that were used, in order, each with its turn.
    pub(crate) calls: Vec<(u32, ToolCall)>,
    /// Calls that the recording has no answer to, each with its turn.
    pub(crate) unanswered: Vec<(u32, ToolCall)>,
    pub(crate) ending: Ending,
}

/// Why the task stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The task ended.
    Ended,
    /// The log has no more; what would follow is unknown.
    LogEnds {
        /// The turn that the model would be asked for, or in which the log breaks off.
        turn: u32,
        /// The phase of the task.
        phase: Phase,
        /// Turns left in the phase, including this one.
        left: u32,
    },
    /// The task could not continue.
    Stuck(String),
}

/// Runs a task with the answers of its recording; `asked` receives each request, the phase and the task's remaining budgets.
pub(crate) fn live(
    mut task: Task,
    recording: &Recording<'_>,
    bench: &Bench,
    mut asked: impl FnMut(&TurnRequest, Phase, Left),
) -> Course {
    let mut living = Living {
        recording,
        finder: Finder::default(),
        turn: 0,
        events: Vec::new(),
        calls: Vec::new(),
        unanswered: Vec::new(),
    };
    let mut input = Input::Begin;
    let ending = loop {
        let step = match task.step(input) {
            Ok(step) => step,
            Err(error) => break Ending::Stuck(told(&error)),
        };
        living.events.extend(step.append.into_iter().map(|append| append.event));
        if let Command::AskModel(request) = &step.command {
            asked(request, task.phase(), task.left());
        }
        input = match living.answer(&task, step.command, bench) {
            Ok(input) => input,
            Err(ending) => break ending,
        };
    };
    let Living { events, calls, unanswered, .. } = living;
    Course { events, ids: task.given_ids().clone(), calls, unanswered, ending }
}

struct Living<'l, 'r> {
    recording: &'r Recording<'l>,
    finder: Finder,
    turn: u32,
    events: Vec<Event>,
    calls: Vec<(u32, ToolCall)>,
    unanswered: Vec<(u32, ToolCall)>,
}

impl Living<'_, '_> {
    fn answer(&mut self, task: &Task, command: Command, bench: &Bench) -> Result<Input, Ending> {
        match command {
            Command::End => Err(Ending::Ended),
            Command::Dispatch(assignments) => match self.recording.siblings.reported(&assignments) {
                Some(reported) => Ok(Input::Reported(reported)),
                None if self.recording.breaks_off_in(self.turn) => Err(self.log_ends(task, self.turn, 0)),
                None => {
                    Err(Ending::Stuck("tasks are handed out that the recording has no end of".to_owned()))
                }
            },
            Command::AskModel(request) => self.reply(task, request.turn),
            Command::CallTool(invoke) => self.returned(task, &invoke),
            Command::Find(sought) => match self.finder.find(task.shelf(), &sought) {
                Ok(found) => Ok(Input::Found(found)),
                Err(error) => Err(Ending::Stuck(told(&error))),
            },
            Command::Judge(judgement) => {
                let claim = match &judgement {
                    Judgement::Reading { claim, .. } | Judgement::Absence { claim, .. } => *claim,
                };
                if self.recording.breaks_off_in(self.turn) && !self.recording.judged.contains(&claim) {
                    return Err(self.log_ends(task, self.turn, 0));
                }
                Ok(bench.answer(&judgement, task.shelf()))
            }
        }
    }

    fn log_ends(&self, task: &Task, turn: u32, more: u32) -> Ending {
        Ending::LogEnds { turn, phase: task.phase(), left: task.left().turns.saturating_add(more) }
    }

    fn reply(&mut self, task: &Task, turn: u32) -> Result<Input, Ending> {
        self.turn = turn;
        let event = self.recording.turns.get(&turn);
        let came = event.map(|event| stored::came(self.recording.reader, event)).transpose();
        let came = came.map_err(|error| Ending::Stuck(told(&error)))?.flatten();
        if let Some(Input::Replied(reply, _)) = &came {
            self.calls.extend(reply.calls().map(|call| (turn, call.clone())));
        }
        came.ok_or_else(|| self.log_ends(task, turn, 1))
    }

    fn returned(&mut self, task: &Task, invoke: &Invoke) -> Result<Input, Ending> {
        let call = self.events.iter().rev().find_map(|event| match event {
            Event::InvocationStarted(started) if started.invocation == invoke.invocation => {
                Some(started.call.clone())
            }
            _ => None,
        });
        let call = ToolCall {
            call: call.unwrap_or_else(|| CallId(String::new())),
            tool: invoke.tool.clone(),
            arguments: invoke.arguments.clone(),
        };
        let own = self.recording.own.get(&(self.turn, &call.call)).copied();
        if own.is_none() && self.recording.breaks_off_in(self.turn) {
            return Err(self.log_ends(task, self.turn, 0));
        }
        match own.or_else(|| self.recording.returns.find(task.id(), invoke)) {
            Some(ended) => stored::returned(self.recording.reader, ended)
                .map(Input::Returned)
                .map_err(|error| Ending::Stuck(told(&error))),
            None => {
                self.unanswered.push((self.turn, call));
                Ok(Input::Returned(unrecorded()))
            }
        }
    }
}

/// Returns the answer to a call that was never made in the recording.
fn unrecorded() -> ToolReturn {
    ToolReturn {
        outcome: Outcome::Denied,
        completeness: Completeness::Truncated,
        normalised: None,
        output: None,
        defects: Vec::new(),
        gaps: Vec::new(),
        notes: vec!["the recording has no answer to this call: it was not made then".to_owned()],
    }
}
