//! Use case: judge a recorded run anew under other rules.
//!
//! The same [`Task::step`](engine::Task::step) runs over the recorded replies. The engine decides about phases, calls and the end, the
//! gateway about claims, both under the other rules.
//! Claims are judged as they were submitted, and the answers of tools come from the recording.
//! From the turn in which the agent would have received other messages, its recorded replies answer a different conversation: results
//! from there on are marked as estimates.

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
    /// The run cannot be replayed at all.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The other rules cannot be merged into those of the run.
    #[error("lay other rules over those of the run")]
    Rules(#[source] serde_json::Error),
}

/// A run under other rules.
#[derive(Debug, Clone, Serialize)]
pub struct Rejudged {
    /// The rules that differ from the run's.
    pub rules: Vec<RuleChange>,
    /// Each task.
    pub tasks: Vec<RejudgedTask>,
    /// All tasks together.
    pub totals: RejudgedTotals,
}

impl Rejudged {
    /// Whether everything is the same as in the log.
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
    /// The results in the log.
    pub then: TaskSide,
    /// The results under the other rules.
    pub now: TaskSide,
    /// Replies in the log that are not used, because the task ends before them.
    pub unused_replies: u32,
    /// Where the log ends although the task would continue; what would follow is unknown.
    pub log_ends: Option<LogEnds>,
    /// Tool calls that were not made in the recording, so that it has no answer to them.
    pub unanswered_calls: u32,
    /// The last turn before the agent receives other messages; what follows is an estimate. `None` if the messages stay the same.
    pub told_same_until: Option<u32>,
    /// The first claim with a different result.
    pub first: Option<FirstOtherwise>,
    /// Every claim with a different result, in the order in which they were made.
    pub changes: Vec<ClaimChange>,
    /// Objectives that are met on one side only; empty if the log ends before the task does.
    pub objectives: Vec<ObjectiveChange>,
    /// Claims that this version judges differently even under the run's own rules.
    pub otherwise_under_own_rules: u32,
    /// Why the task could not continue, if so: a payload is missing or cannot be read.
    pub stuck: Option<String>,
}

impl RejudgedTask {
    /// Whether everything is the same as in the log.
    pub fn is_same(&self) -> bool {
        self.changes.is_empty()
            && self.then == self.now
            && self.told_same_until.is_none()
            && (self.unused_replies, self.unanswered_calls) == (0, 0)
            && self.stuck.is_none()
    }
}

/// The results of a task on one side.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TaskSide {
    /// How it ended; `None` if its end is unknown.
    pub status: Option<TaskStatus>,
    /// The budget that ran out.
    pub spent: Option<Spent>,
    /// Objectives that no fact meets; `None` if the task's end is unknown.
    pub unmet: Option<u32>,
    /// Turns that the model replied to.
    pub turns: u32,
    /// The number of facts.
    pub facts: u32,
    /// The number of absences.
    pub absences: u32,
    /// The number of derivations.
    pub derivations: u32,
    /// The number of citations that were healed.
    pub healed: u32,
    /// The number of claims that were refused.
    pub refused: u32,
    /// The number of calls that were refused without running.
    pub refused_calls: u32,
    /// The number of entities, relations and hypotheses recorded.
    pub nodes: u32,
}

/// Where the log of a task ends although the task would continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LogEnds {
    /// The turn that the model would be asked for, or in which the log breaks off.
    pub turn: u32,
    /// The phase.
    pub phase: Phase,
    /// Turns left in the phase, including that one.
    pub turns_left: u32,
    /// Whether the log itself breaks off there, because the run was interrupted.
    pub breaks_off: bool,
}

/// The first claim with a different result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FirstOtherwise {
    /// Its turn.
    pub turn: u32,
    /// The model's own name for its call.
    pub call: String,
    /// Its index in the call, from 0.
    pub index: u32,
}

/// How the result of a claim differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Otherwise {
    /// It was accepted and would not be.
    Falls,
    /// It was refused and would be healed.
    Heals,
    /// It was refused and would be accepted as it is.
    Accepted,
    /// It was never judged and would be accepted.
    New,
    /// It was never judged and would be refused.
    NewlyRefused,
    /// It was refused and would be refused for another reason.
    RefusedOtherwise,
    /// It was refused and would not be judged.
    Lapses,
    /// It was accepted and would be accepted with different contents.
    StandsOtherwise,
}

/// A claim with a different result.
#[derive(Debug, Clone, Serialize)]
pub struct ClaimChange {
    /// How the result differs.
    pub change: Otherwise,
    /// Its turn.
    pub turn: u32,
    /// The model's own name for its call.
    pub call: String,
    /// Its index in the call, from 0.
    pub index: u32,
    /// Whether the agent would have received other messages by then, so that it might not have made this claim.
    pub estimate: bool,
    /// Its id in the log, or the one it would get if the log has none.
    pub claim: ClaimId,
    /// The claim as it was submitted.
    #[serde(flatten)]
    pub stated: Claim,
    /// Its result in the log.
    pub then: Became,
    /// Its result under the other rules.
    pub now: Became,
    /// The members of the fact that differ, if both sides accept the claim.
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
    /// Facts that met it in the log.
    pub then: u32,
    /// Facts that would meet it.
    pub now: u32,
}

/// Totals over all tasks.
#[derive(Debug, Clone, Default, Serialize)]
pub struct RejudgedTotals {
    /// Facts in the log.
    pub facts_then: u32,
    /// Facts under the other rules.
    pub facts_now: u32,
    /// Refused claims in the log.
    pub refused_then: u32,
    /// Refused claims under the other rules.
    pub refused_now: u32,
    /// The number of claims with a different result, by kind of difference.
    pub changes: BTreeMap<Otherwise, Counted>,
    /// Replies that are not used.
    pub unused_replies: u32,
    /// Calls that the recording has no answer to.
    pub unanswered_calls: u32,
    /// Tasks that would continue beyond the end of their log, except interrupted ones.
    pub log_ends: u32,
}

/// A count, and how much of it is an estimate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// The total.
    pub all: u32,
    /// The part that is marked as an estimate.
    pub estimated: u32,
}

/// Judges tasks of the run in `folder` anew, under its rules with `other` merged into them.
///
/// # Errors
///
/// Fails if the log cannot be read or has no such task. Differences are the result, not an error.
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

/// Runs one task under its own rules, which yields the ids and the results of this version, and then under the other rules.
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
        // Events that an interrupted run had no time to record are not a difference.
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
