//! Checks the course of each task: its turns, the calls of each reply, and the result of each call.
//!
//! This does not use the engine. The stored replies determine which calls a task had to answer, and in which order; the rules and the
//! agent determine which of them it had to refuse; earlier events determine what a call could refer to.

mod answer;
mod cited;
mod end;
mod insist;
mod lead;
mod looked;
mod own;
mod purse;
mod recovery;
mod standing;

use super::log::{Found, Log, place};
use super::words::Written;
use cited::Due;
use lead::Plan;
use ledger::event::{
    ArtifactStored, InvocationEnded, InvocationStarted, Phase, PhaseEntered, RecoveryBegun, Spent,
    TaskAssigned, TaskReported,
};
use ledger::turn::ToolCall;
use ledger::{
    Behaviour, Event, FactEntry, FactId, InvocationId, Lessons, Objective, Surface, TaskId, ToolClass,
};
use recovery::Recovering;
use std::collections::BTreeMap;

/// Returns the events that cannot have happened as the log says.
pub(super) fn astray(log: Log<'_>) -> Vec<Found> {
    let assigned = log.events.iter().filter_map(|(_, event, _)| match event {
        Event::TaskAssigned(assigned) => Some((assigned.task, Course::of(log, assigned))),
        _ => None,
    });
    let mut tasks: BTreeMap<TaskId, Course<'_>> = assigned.collect();
    let mut found = Vec::new();
    for (position, task, event) in log.of_tasks() {
        // Another check reports a task that was never assigned.
        let Some(course) = tasks.get_mut(&task) else { continue };
        if let Err(what) = course.take(event) {
            found.push((place(position, event), what.to_owned()));
        }
    }
    found
}

/// What is wrong with an event at its position.
type Wrong = &'static str;

/// The state of one task.
struct Course<'l> {
    log: Log<'l>,
    assigned: &'l TaskAssigned,
    phase: Option<&'l PhaseEntered>,
    turn: Turn<'l>,
    running: Option<&'l InvocationStarted>,
    done: BTreeMap<InvocationId, (&'l InvocationStarted, &'l InvocationEnded)>,
    /// The same calls, in order.
    made: Vec<(&'l InvocationStarted, &'l InvocationEnded)>,
    facts: Vec<&'l FactEntry>,
    rejections: u32,
    notes: u32,
    /// The questions that it added itself.
    own: Vec<&'l Objective>,
    /// The number of refused claims that count against the budget.
    charged: u32,
    time_spent: bool,
    purse_spent: Option<Spent>,
    failed: bool,
    /// Whether an earlier phase ended because its turns ran out.
    cut_short: bool,
    cancelled: bool,
    /// The artifacts that it stored.
    artifacts: Vec<&'l ArtifactStored>,
    /// The reports that it received.
    reported: Vec<&'l TaskReported>,
    written: Written<'l>,
    recoveries: Vec<&'l RecoveryBegun>,
    recovering: Option<Recovering<'l>>,
    /// A recovery whose phase has not begun yet.
    announced: Option<&'l RecoveryBegun>,
    /// The lessons of earlier runs about its calls.
    lessons: Lessons,
    /// The lessons that a refusal told the task.
    told: BTreeMap<String, insist::Told>,
}

/// The current turn.
#[derive(Default)]
struct Turn<'l> {
    number: u32,
    replied: bool,
    calls: Vec<&'l ToolCall>,
    /// The number of calls that were processed.
    taken: usize,
    /// The number of claims of the current call.
    claims: usize,
    /// The claims that the current call must make, if it records readings that may cite several records.
    due: Vec<Due>,
    /// The number of the stated reading that the last claim belongs to, and of the reading that had a record refused.
    stated: Option<usize>,
    refused: Option<usize>,
    /// Facts of the current call that are not in a phenomenon yet.
    carried: Vec<FactId>,
    /// Whether the current call may make further claims.
    recording: bool,
    refused_claims: u32,
    nothing: bool,
    plan: Plan<'l>,
}

impl<'l> Turn<'l> {
    /// Returns the current call.
    fn call(&self) -> Option<&'l ToolCall> {
        self.calls.get(self.taken.checked_sub(1)?).copied()
    }

    /// Whether the agent ends a phase with this turn, rather than a budget.
    fn ends_the_phase(&self) -> bool {
        self.replied && (self.calls.is_empty() || (self.nothing && self.refused_claims == 0))
    }
}

impl<'l> Course<'l> {
    fn of(log: Log<'l>, assigned: &'l TaskAssigned) -> Course<'l> {
        Course {
            log,
            assigned,
            phase: None,
            turn: Turn::default(),
            running: None,
            done: BTreeMap::new(),
            made: Vec::new(),
            facts: Vec::new(),
            rejections: 0,
            notes: 0,
            own: Vec::new(),
            charged: 0,
            time_spent: false,
            purse_spent: None,
            failed: false,
            cut_short: false,
            cancelled: false,
            artifacts: Vec::new(),
            reported: Vec::new(),
            written: Written::default(),
            recoveries: Vec::new(),
            recovering: None,
            announced: None,
            lessons: insist::lessons(log, assigned),
            told: BTreeMap::new(),
        }
    }

    fn take(&mut self, event: &'l Event) -> Result<(), Wrong> {
        self.in_order(event)?;
        match event {
            Event::PhaseEntered(entered) => self.enter(entered),
            Event::TurnRequested(requested) => {
                self.close_turn()?;
                self.turn = Turn { number: requested.turn, ..Turn::default() };
                Ok(())
            }
            Event::TurnReplied(replied) => {
                self.of_turn(replied.turn)?;
                if std::mem::replace(&mut self.turn.replied, true) {
                    return Err("the turn was answered before");
                }
                let reply = self.log.replies.get(&replied.reply);
                self.turn.calls = reply.map(|reply| reply.calls().collect()).unwrap_or_default();
                Ok(())
            }
            Event::TurnFailed(failed) => {
                self.failed = true;
                self.of_turn(failed.turn)
            }
            // A shorter request follows, or the turn fails.
            Event::RequestTooLong(refused) => self.of_turn(refused.turn),
            Event::Cancelled => {
                self.cancelled = true;
                self.close_turn()
            }
            Event::TimeSpent => {
                self.time_spent = true;
                self.close_turn()
            }
            Event::PurseSpent(spent) => {
                self.purse_spent = Some(*spent);
                self.close_turn()?;
                match purse::is_spent(self.log, *spent) {
                    true => Ok(()),
                    false => Err("the tasks of the run have not spent so much"),
                }
            }
            Event::TaskEnded(ended) => {
                self.close_turn()?;
                self.end(ended)
            }
            Event::RecoveryBegun(begun) => self.begin_recovery(begun),
            Event::RecoveryEnded(ended) => self.end_recovery(ended),
            event => self.answer(event),
        }
    }

    /// A task begins to investigate on its agent's surface; recoveries may follow, and at most one record-only phase.
    fn enter(&mut self, entered: &'l PhaseEntered) -> Result<(), Wrong> {
        self.close_turn()?;
        self.announced = None;
        self.cut_short |= self.phase.is_some() && !self.turn.ends_the_phase();
        self.turn = Turn { number: self.turn.number, ..Turn::default() };
        let recording = Surface::from([ToolClass::Record, ToolClass::GraphWrite, ToolClass::GraphRead]);
        let before = self.phase.replace(entered).map(|before| before.phase);
        match (before, entered.phase) {
            (None, Phase::Investigate) if entered.surface == self.assigned.agent.surface => Ok(()),
            (Some(Phase::Investigate | Phase::Recover), Phase::Record) if entered.surface == recording => {
                Ok(())
            }
            (Some(Phase::Investigate | Phase::Recover), Phase::Recover)
                if entered.surface == self.assigned.agent.surface =>
            {
                Ok(())
            }
            (None, Phase::Investigate)
            | (Some(Phase::Investigate | Phase::Recover), Phase::Record | Phase::Recover) => {
                Err("its surface is not that of the phase")
            }
            (None | Some(Phase::Record), Phase::Record | Phase::Recover) | (Some(_), Phase::Investigate) => {
                Err("the task cannot enter this phase here")
            }
        }
    }

    fn of_turn(&self, turn: u32) -> Result<(), Wrong> {
        if turn == self.turn.number { Ok(()) } else { Err("it names another turn than the one under way") }
    }

    /// Checks that the previous turn is completely answered.
    fn close_turn(&mut self) -> Result<(), Wrong> {
        let left = self.turn.calls.get(self.turn.taken..).unwrap_or_default();
        let silent = left.iter().all(|call| self.written.holds(call)) && self.turn.plan.is_done();
        self.turn.taken = self.turn.calls.len();
        self.close_call()?;
        match (silent, self.running.take()) {
            (true, None) => Ok(()),
            (false, _) => Err("a call of the turn before it was not answered"),
            (true, Some(_)) => Err("an invocation before it has not ended"),
        }
    }

    /// Checks that every reading of the current call has a claim, and every fact a phenomenon.
    fn close_call(&mut self) -> Result<(), Wrong> {
        let claims = std::mem::take(&mut self.turn.claims);
        self.turn.recording = false;
        let tool = self.turn.call().filter(|_| claims > 0).map_or("", |call| call.tool.as_str());
        let (member, spent) = match tool {
            "record_phenomenon" => ("readings", self.claims_spent()),
            "record_narrative" => ("sentences", self.rejections_spent()),
            "tell" => ("statements", self.rejections_spent()),
            _ => ("", false),
        };
        (self.turn.stated, self.turn.refused) = (None, None);
        let due = std::mem::take(&mut self.turn.due);
        let stated = match member == "readings" && self.has(Behaviour::ByReference) {
            true => due.len(),
            false => {
                let call = self.turn.call();
                call.and_then(|call| call.arguments.get(member)?.as_array()).map_or(0, Vec::len)
            }
        };
        if !std::mem::take(&mut self.turn.carried).is_empty() {
            return Err("no phenomenon carries the facts of the call before it");
        }
        match claims >= stated || spent || claims == 0 {
            true => Ok(()),
            false if member == "statements" => Err("a statement of the call before it was not judged"),
            false if member == "sentences" => Err("a sentence of the call before it was not judged"),
            false => Err("a reading of the call before it was not judged"),
        }
    }

    /// Whether no further reading may be judged.
    fn claims_spent(&self) -> bool {
        let budgets = &self.log.opened.rules.budgets;
        self.rejections_spent() || self.facts.len() >= budgets.accepted_facts as usize
    }

    /// Whether no further claim may be refused.
    fn rejections_spent(&self) -> bool {
        let most = self.log.opened.rules.budgets.rejected_claims;
        self.charged > 0 && self.charged >= most
    }

    /// Advances to the next call that is `wanted`; the calls it passes over must be ones that leave no event.
    fn next(&mut self, wanted: impl Fn(&ToolCall) -> bool) -> Result<&'l ToolCall, Wrong> {
        let closed = self.close_call();
        let left = self.turn.calls.get(self.turn.taken..).unwrap_or_default();
        let ahead = left.iter().position(|call| wanted(call));
        let ahead = ahead.ok_or("no call of its turn's reply, as far as it is not answered, made it")?;
        let call = left.get(ahead).copied().ok_or("no call of its turn's reply made it")?;
        let over = left.get(..ahead).unwrap_or_default().to_vec();
        let passed = over.iter().all(|call| self.written.holds(call) || self.hands_out(call));
        self.turn.taken += ahead + 1;
        self.wait(&over);
        match (passed, closed) {
            (true, Ok(())) => Ok(call),
            (false, _) => Err("a call before it in its turn's reply was not answered"),
            (true, Err(what)) => Err(what),
        }
    }
}
