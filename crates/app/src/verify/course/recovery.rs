//! Checks recoveries: each must follow from the state of its task, by the written strategies.

use super::{Course, Wrong};
use engine::{After, Edition, Strategy, Template, strategies};
use ledger::event::{Phase, RecoveryBegun, RecoveryEnded, RecoveryTrigger, SuggestedCall, WithoutFact};
use ledger::pattern::{self, Patterns};
use ledger::{Cause, Event, Objective, ToolClass};
use serde_json::Value;
use std::collections::BTreeSet;

/// The facts and answers of a task before the current attempt.
pub(super) struct Recovering<'l> {
    facts: usize,
    answered: BTreeSet<&'l str>,
}

impl<'l> Course<'l> {
    /// Checks that a recovery is followed by its phase, and ends before anything else begins.
    pub(super) fn in_order(&self, event: &Event) -> Result<(), Wrong> {
        let enters = matches!(event, Event::PhaseEntered(entered) if entered.phase == Phase::Recover);
        if self.announced.is_some() != enters {
            return Err("a recovery and the phase of it do not follow one another");
        }
        let begins = matches!(event, Event::PhaseEntered(_) | Event::RecoveryBegun(_) | Event::TaskEnded(_));
        match begins && self.announced.is_none() && self.recovering.is_some() {
            true => Err("nothing is said of what came of the recovery before it"),
            false => Ok(()),
        }
    }

    pub(super) fn begin_recovery(&mut self, begun: &'l RecoveryBegun) -> Result<(), Wrong> {
        self.close_turn()?;
        let rules = &self.log.opened.rules.recovery;
        let is_next = begun.attempt as usize == self.recoveries.len() + 1;
        if !self.recovers() || !is_next || begun.attempt > rules.attempts {
            return Err("its number is not that of the task's next attempt");
        }
        if self
            .recoveries
            .iter()
            .any(|tried| (&tried.objective, &tried.strategy) == (&begun.objective, &begun.strategy))
        {
            return Err("its strategy was tried for its objective before");
        }
        let objectives = &self.assigned.agent.objectives;
        let objective = objectives.iter().find(|known| known.id == begun.objective);
        let objective = objective.ok_or("its objective is none of its agent's")?;
        let strategies = strategies(Edition::of(|behaviour| self.has(behaviour)));
        let strategy = strategies.iter().find(|known| known.id == begun.strategy);
        let strategy = strategy.ok_or("there is no such strategy")?;
        self.set_off(begun, objective, strategy)?;
        self.because(begun, strategy)?;
        self.suggests(begun, objective, strategy)?;
        self.recovering = Some(Recovering { facts: self.facts.len(), answered: self.answered() });
        self.recoveries.push(begun);
        self.announced = Some(begun);
        Ok(())
    }

    /// Checks that the trigger of the recovery applies.
    fn set_off(
        &self,
        begun: &RecoveryBegun,
        objective: &Objective,
        strategy: &Strategy,
    ) -> Result<(), Wrong> {
        let stopped = self.turn.ends_the_phase();
        let is_so = match begun.trigger {
            RecoveryTrigger::ApparentCompletion => stopped && self.is_open(objective),
            RecoveryTrigger::StepsExhausted => !stopped && self.is_open(objective),
            RecoveryTrigger::LowConfidence => {
                let confidence = graph::confidence(self.meeting(objective), 0);
                let below = self.log.opened.rules.recovery.confidence_below;
                self.meeting(objective).next().is_some() && u32::from(confidence.thousandths()) < below
            }
        };
        match is_so && strategy.at.contains(&begun.trigger) {
            true => Ok(()),
            false => Err("what set it off is not how its task stood"),
        }
    }

    /// Whether an answer is wanted and may still be found.
    fn is_open(&self, objective: &Objective) -> bool {
        let is_unread = matches!(self.without(objective), Some(WithoutFact::NotDeterminable { .. }))
            && self.lacking(objective.own_way()).is_empty();
        (self.is_unmet(objective) && !self.is_left_to_the_sweep(objective)) || is_unread
    }

    /// Checks that the recovery responds to a call that its strategy covers.
    fn because(&self, begun: &RecoveryBegun, strategy: &Strategy) -> Result<(), Wrong> {
        let Some(because) = begun.because else {
            return match strategy.after.is_empty() {
                true => Ok(()),
                false => Err("it does not say which call it answers"),
            };
        };
        let (started, ended) =
            self.done.get(&because).ok_or("the call that it answers is none of its task")?;
        let cause = Cause::of(ended.outcome, &ended.notes);
        let text = |name: &str| started.arguments.get(name).and_then(Value::as_str);
        let reads = text("source").or_else(|| text("record"));
        let is_of = |patterns: &Patterns| reads.is_some_and(|reads| patterns.fit(reads));
        let fits = |after: &After| {
            after.outcome.contains(&ended.outcome)
                && after.tool.as_ref().is_none_or(|tools| tools.fit(&started.tool))
                && after.reads.as_ref().is_none_or(is_of)
                && !after.reads_not.as_ref().is_some_and(is_of)
                && after.cause.as_ref().is_none_or(|known| cause.is_some_and(|cause| known.contains(&cause)))
        };
        match strategy.after.iter().any(fits) {
            true => Ok(()),
            false => Err("its strategy does not answer a call that came to that"),
        }
    }

    /// Checks that the suggested calls are those of the strategy, and new.
    fn suggests(
        &self,
        begun: &RecoveryBegun,
        objective: &Objective,
        strategy: &Strategy,
    ) -> Result<(), Wrong> {
        if begun.calls.is_empty() {
            return Err("it suggests nothing");
        }
        for call in &begun.calls {
            let spec = self.log.opened.tools.iter().find(|spec| spec.name == call.tool);
            let is_made =
                |(started, _): &&(&ledger::event::InvocationStarted, &ledger::event::InvocationEnded)| {
                    started.tool == call.tool && started.arguments == call.arguments
                };
            let own =
                objective.all_searched().any(|by| strategy.searches && by.is(&call.tool, &call.arguments));
            let of_strategy = strategy.calls.iter().any(|template| is_filled(template, call));
            if spec.is_none_or(|spec| spec.class != ToolClass::Investigate) || !(own || of_strategy) {
                return Err("it suggests a call that its strategy does not have");
            }
            if self.made.iter().any(|made| is_made(&made)) {
                return Err("it suggests a call that was made before");
            }
        }
        Ok(())
    }

    pub(super) fn end_recovery(&mut self, ended: &RecoveryEnded) -> Result<(), Wrong> {
        self.close_turn()?;
        let before = self.recovering.take().ok_or("no recovery is under way")?;
        let answered = self.answered();
        let objectives = self.assigned.agent.objectives.iter().map(|objective| objective.id.as_str());
        let gained = objectives.filter(|id| answered.contains(id) && !before.answered.contains(id));
        let is_so = ended.attempt as usize == self.recoveries.len()
            && ended.facts as usize == self.facts.len() - before.facts
            && gained.eq(ended.answered.iter().map(String::as_str));
        if is_so { Ok(()) } else { Err("what came of it is not what its task recorded since") }
    }
}

/// Whether a call is a template with its variables filled in.
fn is_filled(template: &Template, call: &SuggestedCall) -> bool {
    let Some(given) = call.arguments.as_object().filter(|_| call.tool == template.tool) else { return false };
    let is_member = |name: &str, value: &Value| match (template.arguments.get(name), value) {
        (Some(Value::String(wanted)), Value::String(given)) => pattern::fits(&any(wanted), given),
        (Some(wanted), given) => wanted == given,
        (None, _) => false,
    };
    let may_miss = |value: &Value| value.as_str().is_some_and(|text| text.contains("?}"));
    given.iter().all(|(name, value)| is_member(name, value))
        && template.arguments.iter().all(|(name, value)| given.contains_key(name) || may_miss(value))
}

/// Returns a template's text as a pattern, with `*` for its variables.
fn any(text: &str) -> String {
    let mut pattern = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        pattern.push_str(before);
        let Some((name, behind)) = after.split_once('}') else { break };
        let is_variable = name.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'?'));
        match is_variable {
            true => pattern.push('*'),
            false => pattern.extend(["{", name, "}"]),
        }
        rest = behind;
    }
    pattern.push_str(rest);
    pattern
}
