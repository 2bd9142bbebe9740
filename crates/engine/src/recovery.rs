//! Recovery: what a task tries if a phase ends and an objective is unmet, or met by too little.
//!
//! The strategies are data (`data/recovery.toml`, and files of their own for earlier runs).
//! Code decides which of them fits, from the calls that were made; the agent never does.
//! A task whose wall time, money or budget of refused claims ran out tries nothing.

mod choose;
mod strategy;
mod variables;

pub use strategy::{After, Edition, Strategy, Template, strategies};

use crate::setting::Setting;
use crate::step::{Append, Command, StepError};
use crate::task::{PhaseState, Task, event};
use choose::Choice;
use ledger::Event;
use ledger::event::{Phase, RecoveryBegun, RecoveryEnded, RecoveryTrigger, SuggestedCall};
use ledger::turn::{Advice, UserBlock};
use serde_json::Value;
use std::collections::BTreeSet;

/// Why a phase ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PhaseEnd {
    /// The agent made no further call.
    Stopped,
    /// The agent said that there is nothing to record.
    NothingToRecord,
    /// Its turns ran out.
    TurnsSpent,
}

impl PhaseEnd {
    pub(crate) const fn told(self) -> &'static str {
        match self {
            PhaseEnd::Stopped => "the agent stopped",
            PhaseEnd::NothingToRecord => "the agent has nothing to record",
            PhaseEnd::TurnsSpent => "its turns are spent",
        }
    }

    /// Returns the trigger for an objective that is still unmet.
    const fn trigger(self) -> RecoveryTrigger {
        match self {
            PhaseEnd::Stopped | PhaseEnd::NothingToRecord => RecoveryTrigger::ApparentCompletion,
            PhaseEnd::TurnsSpent => RecoveryTrigger::StepsExhausted,
        }
    }
}

/// What a task has tried so far.
#[derive(Debug, Default)]
pub(crate) struct Recoveries {
    /// Objective and strategy of each attempt.
    tried: Vec<(String, String)>,
    /// The state before the current attempt.
    before: Option<Before>,
    /// The calls that were suggested.
    suggested: Vec<SuggestedCall>,
}

#[derive(Debug)]
struct Before {
    facts: usize,
    answered: BTreeSet<String>,
}

impl Task {
    /// Tries another way if one fits; `None` if none does.
    pub(crate) fn recover(
        &mut self,
        end: PhaseEnd,
        append: &mut Vec<Append>,
    ) -> Result<Option<Command>, StepError> {
        let Some(phase) = self.recovery_phase(&self.setting) else { return Ok(None) };
        let Some(choice) = choose::choose(self, end, phase.tools()) else { return Ok(None) };
        let attempt = self.recoveries.tried.len() as u32 + 1;
        let before = Before { facts: self.facts.len(), answered: self.standing().answered() };
        self.recoveries.before = Some(before);
        self.recoveries.suggested.extend(choice.calls.iter().cloned());
        self.recoveries.tried.push((choice.objective.id.clone(), choice.strategy.id.clone()));
        append.push(event(Event::RecoveryBegun(begun(attempt, &choice))));
        self.phase = phase;
        let reason =
            format!("recovery:attempt={attempt}: {} for {}", choice.strategy.id, choice.objective.id);
        append.push(self.phase_entered(&reason));
        self.outbox.push(UserBlock::Recovery(Box::new(advice(attempt, choice))));
        self.ask(append).map(Some)
    }

    /// Returns the phase of one more attempt, if the rules allow one.
    fn recovery_phase(&self, setting: &Setting) -> Option<PhaseState> {
        let rules = &setting.rules.recovery;
        let has_room = self.facts.len() < setting.rules.budgets.accepted_facts as usize;
        // Rules without turns to investigate want no further search.
        let has_turns = rules.turns > 0 && setting.rules.budgets.investigate_turns > 0;
        let is_left = setting.recovers && has_room && has_turns;
        let is_left = is_left && self.recoveries.tried.len() < rules.attempts as usize;
        is_left.then(|| PhaseState::enter(Phase::Recover, &self.assigned.agent, setting))
    }

    /// Records the result of the current attempt.
    pub(crate) fn end_recovery(&mut self, append: &mut Vec<Append>) {
        let Some(before) = self.recoveries.before.take() else { return };
        let answered = self.standing().answered();
        let in_order = self.assigned.agent.objectives.iter().map(|objective| &objective.id);
        let gained = in_order.filter(|id| answered.contains(*id) && !before.answered.contains(*id));
        append.push(event(Event::RecoveryEnded(RecoveryEnded {
            attempt: self.recoveries.tried.len() as u32,
            facts: self.facts.len().saturating_sub(before.facts) as u32,
            answered: gained.cloned().collect(),
        })));
    }
}

impl Recoveries {
    /// Returns how often something was tried for an objective.
    fn number(&self, objective: &str) -> usize {
        self.tried.iter().filter(|(of, _)| of == objective).count()
    }

    /// Checks whether a call was suggested.
    pub(crate) fn suggests(&self, tool: &str, arguments: &Value) -> bool {
        self.suggested.iter().any(|call| call.tool == tool && call.arguments == *arguments)
    }

    fn has_tried(&self, objective: &str, strategy: &str) -> bool {
        self.tried.iter().any(|(of, tried)| of == objective && tried == strategy)
    }
}

fn begun(attempt: u32, choice: &Choice<'_>) -> RecoveryBegun {
    RecoveryBegun {
        attempt,
        trigger: choice.trigger,
        objective: choice.objective.id.clone(),
        strategy: choice.strategy.id.clone(),
        because: choice.because,
        calls: choice.calls.clone(),
    }
}

fn advice(attempt: u32, choice: Choice<'_>) -> Advice {
    Advice {
        attempt,
        strategy: choice.strategy.id.clone(),
        objective: choice.objective,
        told: choice.strategy.told.clone(),
        calls: choice.calls,
    }
}
