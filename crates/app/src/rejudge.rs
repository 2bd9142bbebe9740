//! Use case: judge a recorded run anew under other rules.
//!
//! The same [`Task::step`](engine::Task::step) goes over the recorded replies; the engine decides about phases, calls and the end, the gateway about claims, both under the other rules.
//! Claims are judged as they were submitted, and a tool's answer comes from the recording.
//! From the turn on in which the agent would have been told something else, its replies are those that it gave to something else: what comes of them is marked as an estimate.

mod claims;
mod compare;
mod rules;

pub use claims::{Became, Unjudged};
pub use rules::{OtherRules, RuleChange};

use crate::course::{Course, Ending, Recording, Returns, live};
use crate::judge::Bench;
use crate::replay::{ReplayError, ReplayRequest, chosen};
use crate::siblings::Siblings;
use crate::stored::{Stored, setting};
use claims::Claims;
use engine::Task;
use ledger::event::{Phase, RunOpened, Spent, TaskStatus};
use ledger::{Claim, ClaimId};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use thiserror::Error;

/// Why a run cannot be judged anew.
#[derive(Debug, Error)]
pub enum RejudgeError {
    /// It cannot be replayed at all.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The rules cannot be laid over those of the run.
    #[error("lay other rules over those of the run")]
    Rules(#[source] serde_json::Error),
}

/// A run under other rules.
#[derive(Debug, Clone, Serialize)]
pub struct Rejudged {
    /// The rules that are not the run's.
    pub rules: Vec<RuleChange>,
    /// Each task.
    pub tasks: Vec<RejudgedTask>,
    /// All tasks together.
    pub totals: RejudgedTotals,
}

impl Rejudged {
    /// Whether everything comes out as it stands in the log.
    pub fn is_same(&self) -> bool {
        self.tasks.iter().all(RejudgedTask::is_same)
    }
}

/// A task under other rules.
#[derive(Debug, Clone, Serialize)]
pub struct RejudgedTask {
    /// The task.
    pub task: String,
    /// Its agent.
    pub agent: String,
    /// Its model.
    pub model: String,
    /// How it stands in the log.
    pub then: TaskSide,
    /// How it comes out.
    pub now: TaskSide,
    /// Replies in the log that are not used: the task ends before them.
    pub unused_replies: u32,
    /// Where the log has no more while the task goes on: what comes next is not known.
    pub log_ends: Option<LogEnds>,
    /// Calls of tools that were not made then, so that the recording has no answer to them.
    pub unanswered_calls: u32,
    /// The last turn before the agent is told something else; what follows is an estimate. `None`: it is told the same for as long as it goes on.
    pub told_same_until: Option<u32>,
    /// The first claim that comes out otherwise.
    pub first: Option<FirstOtherwise>,
    /// Every claim that comes out otherwise, in the order in which they were made.
    pub changes: Vec<ClaimChange>,
    /// Objectives that are met then or now only; none where the log ends before the task does.
    pub objectives: Vec<ObjectiveChange>,
    /// Claims that this version judges otherwise even under the run's own rules.
    pub otherwise_under_own_rules: u32,
    /// Why the task could not be lived on, where that is so: a payload is missing or cannot be read.
    pub stuck: Option<String>,
}

impl RejudgedTask {
    /// Whether everything comes out as it stands in the log.
    pub fn is_same(&self) -> bool {
        self.changes.is_empty()
            && self.then == self.now
            && self.told_same_until.is_none()
            && (self.unused_replies, self.unanswered_calls) == (0, 0)
            && self.stuck.is_none()
    }
}

/// A task on one side.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TaskSide {
    /// How it ended; `None` where its end is not known.
    pub status: Option<TaskStatus>,
    /// The budget that cut it short.
    pub spent: Option<Spent>,
    /// Objectives that no fact meets; `None` where its end is not known.
    pub unmet: Option<u32>,
    /// Turns that the model replied to.
    pub turns: u32,
    /// Facts.
    pub facts: u32,
    /// Absences.
    pub absences: u32,
    /// Derivations.
    pub derivations: u32,
    /// Citations that were healed.
    pub healed: u32,
    /// Claims that were refused.
    pub refused: u32,
    /// Calls that were refused without running.
    pub refused_calls: u32,
    /// Entities, relations and hypotheses recorded.
    pub nodes: u32,
}

/// Where the log of a task has no more, while the task would go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LogEnds {
    /// The turn that the model would be asked for, or in which the log breaks off.
    pub turn: u32,
    /// The phase.
    pub phase: Phase,
    /// Turns left in the phase, that one included.
    pub turns_left: u32,
    /// Whether the log breaks off there by itself: the run was interrupted.
    pub breaks_off: bool,
}

/// The first claim that comes out otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FirstOtherwise {
    /// Its turn.
    pub turn: u32,
    /// The model's own name for its call.
    pub call: String,
    /// Its place in the call, from 0.
    pub index: u32,
}

/// How a claim comes out otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Otherwise {
    /// It stood and would not.
    Falls,
    /// It was refused and would be healed.
    Heals,
    /// It was refused and would be accepted as it is.
    Accepted,
    /// It was never judged and would stand.
    New,
    /// It was never judged and would be refused.
    NewlyRefused,
    /// It was refused and would be for another reason.
    RefusedOtherwise,
    /// It was refused and would not be judged.
    Lapses,
    /// It stood and would, on something else.
    StandsOtherwise,
}

/// A claim that comes out otherwise.
#[derive(Debug, Clone, Serialize)]
pub struct ClaimChange {
    /// How.
    pub change: Otherwise,
    /// Its turn.
    pub turn: u32,
    /// The model's own name for its call.
    pub call: String,
    /// Its place in the call, from 0.
    pub index: u32,
    /// Whether the agent had been told something else by then, so that it might not have claimed this.
    pub estimate: bool,
    /// Its id in the log, or the one it gets where the log has none.
    pub claim: ClaimId,
    /// The claim as it was submitted.
    #[serde(flatten)]
    pub stated: Claim,
    /// What became of it.
    pub then: Became,
    /// What would become of it.
    pub now: Became,
    /// What of a fact that stands otherwise is not the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<String>,
}

/// An objective that is met on one side only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObjectiveChange {
    /// Its name.
    pub id: String,
    /// Its question.
    pub question: String,
    /// Facts that met it.
    pub then: u32,
    /// Facts that would.
    pub now: u32,
}

/// What the tasks add up to.
#[derive(Debug, Clone, Default, Serialize)]
pub struct RejudgedTotals {
    /// Facts in the log.
    pub facts_then: u32,
    /// Facts that come out.
    pub facts_now: u32,
    /// Refused claims in the log.
    pub refused_then: u32,
    /// Refused claims that come out.
    pub refused_now: u32,
    /// How many claims come out otherwise, by how.
    pub changes: BTreeMap<Otherwise, Counted>,
    /// Replies that are not used.
    pub unused_replies: u32,
    /// Calls that the recording has no answer to.
    pub unanswered_calls: u32,
    /// Tasks of which the log ends before they do, but for those that were interrupted.
    pub log_ends: u32,
}

/// A number, and how much of it is an estimate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// All of them.
    pub all: u32,
    /// Of these, those marked as an estimate.
    pub estimated: u32,
}

/// Judges tasks of the run in `folder` anew under its rules with `other` laid over them.
///
/// # Errors
///
/// Where the log cannot be read, or has no such task. Differences are the result.
pub fn rejudge(folder: &Path, request: &ReplayRequest, other: &OtherRules) -> Result<Rejudged, RejudgeError> {
    let (log, reader) = Stored::open(folder).map_err(ReplayError::Run)?;
    let Some(opened) = &log.opened else {
        return Err(ReplayError::NotOpened { folder: folder.to_owned() }.into());
    };
    let merged = other.over(&opened.rules).map_err(RejudgeError::Rules)?;
    let rules = rules::changes(&opened.rules, &merged).map_err(RejudgeError::Rules)?;
    let under = RunOpened { rules: merged, ..opened.clone() };
    let returns = Returns::of(&log);
    let siblings = Siblings::of(&log.tasks, &reader);
    let mut tasks = Vec::new();
    for task in chosen(&log, request)? {
        let recording = Recording::of(task, &reader, &returns, &siblings);
        tasks.push(one(&log, &recording, opened, &under));
    }
    let totals = totals(&tasks);
    Ok(Rejudged { rules, tasks, totals })
}

/// One task under its own rules, which tells the ids and what this version makes of them, and under the others.
fn one(log: &Stored, recording: &Recording<'_>, own: &RunOpened, other: &RunOpened) -> RejudgedTask {
    let assigned = &recording.task.assigned;
    let (ids, handed) = (log.begun_with(), recording.siblings.before(assigned));
    let task = Task::new(assigned.clone(), setting(own, &ids)).with_handed(handed.clone());
    let before = live(task, recording, &Bench::new(own), |_, _, _| ());
    let task = Task::again(assigned.clone(), setting(other, &ids), before.ids.clone()).with_handed(handed);
    let after = live(task, recording, &Bench::new(other), |_, _, _| ());
    compared(recording, &before, &after)
}

fn compared(recording: &Recording<'_>, before: &Course, after: &Course) -> RejudgedTask {
    let stored = &recording.task.events;
    let then = Claims::of(stored, &before.calls);
    let told_same_until = compare::told_otherwise(&before.events, &after.events);
    let mut events = after.events.as_slice();
    if !recording.task.has_end() && told_same_until.is_none() {
        // What an interrupted run had no time to record is no difference.
        events = events.get(..stored.len()).unwrap_or(events);
    }
    let [own, now] = [&before.events, events].map(|events| Claims::of(events, &before.calls));
    let known = |turn| !recording.breaks_off_in(turn);
    let judged = |at: &claims::At| then.made.get(at).is_some_and(|made| made.became.is_some());
    let counts = |at: &claims::At| known(at.turn) || judged(at);
    let changes = compare::changes(&then, &now, told_same_until, known);
    let assigned = &recording.task.assigned;
    RejudgedTask {
        task: assigned.task.to_string(),
        agent: assigned.agent.name.clone(),
        model: assigned.model.clone(),
        then: compare::side(stored, &then, counts),
        now: compare::side(events, &now, counts),
        unused_replies: recording.replies().saturating_sub(now.turns),
        log_ends: log_ends(recording, &after.ending),
        unanswered_calls: number(after.unanswered.len()),
        told_same_until,
        first: changes.first().map(|it| FirstOtherwise {
            turn: it.turn,
            call: it.call.clone(),
            index: it.index,
        }),
        changes,
        objectives: compare::objectives(&assigned.agent, stored, events),
        otherwise_under_own_rules: number(compare::changes(&then, &own, None, known).len()),
        stuck: match &after.ending {
            Ending::Stuck(why) => Some(why.clone()),
            Ending::Ended | Ending::LogEnds { .. } => None,
        },
    }
}

fn log_ends(recording: &Recording<'_>, ending: &Ending) -> Option<LogEnds> {
    match ending {
        Ending::LogEnds { turn, phase, left } => Some(LogEnds {
            turn: *turn,
            phase: *phase,
            turns_left: *left,
            breaks_off: !recording.task.has_end(),
        }),
        Ending::Ended | Ending::Stuck(_) => None,
    }
}

fn totals(tasks: &[RejudgedTask]) -> RejudgedTotals {
    let mut totals = RejudgedTotals::default();
    for task in tasks {
        totals.facts_then += task.then.facts;
        totals.facts_now += task.now.facts;
        totals.refused_then += task.then.refused;
        totals.refused_now += task.now.refused;
        totals.unused_replies += task.unused_replies;
        totals.unanswered_calls += task.unanswered_calls;
        totals.log_ends += u32::from(task.log_ends.is_some_and(|end| !end.breaks_off));
        for change in &task.changes {
            let count = totals.changes.entry(change.change).or_default();
            count.all += 1;
            count.estimated += u32::from(change.estimate);
        }
    }
    totals
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
