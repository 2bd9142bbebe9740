//! Chooses a strategy: the first in the list that has something new to suggest.

use super::strategy::{After, Edition, Strategy, Template, asked_for, strategies};
use super::variables::{Variables, fill, of_call, of_subject};
use super::{PhaseEnd, Recoveries};
use crate::made::Made;
use crate::objectives::Standing;
use crate::task::Task;
use graph::confidence;
use ledger::event::{ObjectiveResult, RecoveryTrigger, SuggestedCall, WithoutFact};
use ledger::pattern::Patterns;
use ledger::{InvocationId, Objective, Outcome, ToolClass, ToolSpec};
use serde_json::{Map, Value};

/// The most calls that one attempt suggests.
const MOST_CALLS: usize = 6;
/// Arguments that choose between the sources of a tool.
const SELECTORS: [&str; 5] = ["artifact", "channel", "hive", "record", "source"];
/// The arguments with which a call says what it reads if one tool returns all records.
const READS: [&str; 2] = ["record", "source"];

/// A strategy for an objective.
pub(super) struct Choice<'t> {
    pub(super) trigger: RecoveryTrigger,
    pub(super) objective: Objective,
    pub(super) strategy: &'t Strategy,
    pub(super) because: Option<InvocationId>,
    pub(super) calls: Vec<SuggestedCall>,
}

/// Returns what to try next, given the offered `tools`.
pub(super) fn choose(task: &Task, end: PhaseEnd, tools: &[ToolSpec]) -> Option<Choice<'static>> {
    let search = Search { standing: task.standing(), tried: &task.recoveries, tools };
    let doubts = || search.for_weak().filter(|_| task.setting.edition.has_doubts());
    search.for_unmet(end.trigger()).or_else(doubts)
}

struct Search<'t> {
    standing: Standing<'t>,
    tried: &'t Recoveries,
    tools: &'t [ToolSpec],
}

impl Search<'_> {
    /// Returns a strategy for an unmet objective; objectives with the fewest attempts come first.
    fn for_unmet(&self, trigger: RecoveryTrigger) -> Option<Choice<'static>> {
        let results = self.standing.results();
        let mut open: Vec<_> = self.standing.agent.objectives.iter().zip(&results).collect();
        open.retain(|(objective, result)| self.is_open(objective, result));
        open.sort_by_key(|(objective, _)| self.tried.number(&objective.id));
        open.into_iter().find_map(|(objective, result)| {
            let of_failures = !result.is_unmet();
            self.untried(trigger, objective).find_map(|strategy| {
                let (because, calls) = self.suggested(strategy, objective, of_failures)?;
                Some(Choice { trigger, objective: objective.clone(), strategy, because, calls })
            })
        })
    }

    /// Checks whether an answer is wanted and the evidence may have one: the objective is unmet, or its source could not be read.
    fn is_open(&self, objective: &Objective, result: &ObjectiveResult) -> bool {
        if self.standing.setting.questions {
            // Records that were returned need no other call; an objective that only lacks its source is left to the sweep.
            let is_seen = matches!(result.without, Some(WithoutFact::Seen { .. }));
            return result.is_unmet() && !is_seen && !self.standing.is_only_left_elsewhere(objective);
        }
        let is_unread = matches!(result.without, Some(WithoutFact::NotDeterminable { .. }))
            && self.standing.lacking(objective.own_way()).is_empty();
        result.is_unmet() || (is_unread && objective.is_required())
    }

    /// Returns a second source for a weakly met objective, in runs before [`ledger::Behaviour::AnsweredIsDone`].
    fn for_weak(&self) -> Option<Choice<'static>> {
        let trigger = RecoveryTrigger::LowConfidence;
        let below = self.standing.setting.rules.recovery.confidence_below;
        self.standing.agent.objectives.iter().find_map(|objective| {
            let fact = self.standing.meeting(objective).next()?;
            let facts = self.standing.meeting(objective);
            let is_weak = u32::from(confidence(facts, 0).thousandths()) < below;
            let variables = of_subject(&fact.subject.value.to_text(), &fact.locator.evidence);
            self.untried(trigger, objective).filter(|_| is_weak).find_map(|strategy| {
                let mut calls = self.filled(strategy, &variables);
                calls.retain(|call| !self.standing.made.iter().any(|made| self.has_asked(made, call)));
                let objective = objective.clone();
                (!calls.is_empty()).then_some(Choice { trigger, objective, strategy, because: None, calls })
            })
        })
    }

    fn untried(
        &self,
        trigger: RecoveryTrigger,
        objective: &Objective,
    ) -> impl Iterator<Item = &'static Strategy> {
        strategies(self.standing.setting.edition).iter().filter(move |strategy| {
            strategy.at.contains(&trigger)
                && strategy
                    .record
                    .as_ref()
                    .is_none_or(|types| objective.ways().any(|way| types.fit(&way.condition.record)))
                && !self.tried.has_tried(&objective.id, &strategy.id)
        })
    }

    /// Returns the call that a strategy responds to, and its suggestions; `None` if it does not fit.
    fn suggested(
        &self,
        strategy: &Strategy,
        objective: &Objective,
        of_failures: bool,
    ) -> Option<(Option<InvocationId>, Vec<SuggestedCall>)> {
        if strategy.after.is_empty() {
            let mut calls = self.filled(strategy, &Variables::new());
            let is_wanted = strategy.searches && !self.standing.has_searched(objective);
            calls.extend(self.own_searches(objective).filter(|_| is_wanted));
            let calls = self.unmade(calls);
            return (!of_failures && !calls.is_empty()).then_some((None, calls));
        }
        let failed = |made: &Made| matches!(made.outcome, Outcome::Failed | Outcome::Denied);
        let answered = |made: &&Made| {
            strategy.after.iter().any(|after| fits(after, made)) && (failed(made) || !of_failures)
        };
        self.standing.made.iter().rev().filter(answered).find_map(|made| {
            let calls = self.filled(strategy, &of_call(&made.arguments, made.normalised.as_ref()));
            let may_answer = |tool: &str, arguments: &Value| {
                self.spec(tool).is_some_and(|spec| objective.may_be_answered_by(spec, arguments))
            };
            let leads_on = may_answer(&made.tool, &made.arguments)
                || calls.iter().any(|call| may_answer(&call.tool, &call.arguments));
            (leads_on && !calls.is_empty()).then_some((Some(made.invocation), calls))
        })
    }

    /// Returns the searches that would show that nothing answers an objective.
    fn own_searches<'o>(&self, objective: &'o Objective) -> impl Iterator<Item = SuggestedCall> + 'o {
        objective.all_searched().map(|by| {
            let arguments: Map<String, Value> = by.arguments.clone().into_iter().collect();
            SuggestedCall { tool: by.tool.clone(), arguments: Value::Object(arguments) }
        })
    }

    /// Returns the calls of a strategy with known variables that can be made and were not.
    fn filled(&self, strategy: &Strategy, variables: &Variables) -> Vec<SuggestedCall> {
        let call = |template: &Template| {
            let arguments = Value::Object(fill(&template.arguments, variables)?);
            Some(SuggestedCall { tool: template.tool.clone(), arguments })
        };
        self.unmade(strategy.calls.iter().filter_map(call).collect())
    }

    /// Returns those of these calls that can be made and were not, each once.
    fn unmade(&self, calls: Vec<SuggestedCall>) -> Vec<SuggestedCall> {
        let mut kept: Vec<SuggestedCall> = Vec::new();
        for call in calls {
            let is_made = self.standing.made.iter().any(|made| made.is(&call.tool, &call.arguments));
            if kept.len() < MOST_CALLS && self.can_make(&call) && !is_made && !kept.contains(&call) {
                kept.push(call);
            }
        }
        kept
    }

    /// Checks whether its tool is offered and accepts its arguments.
    fn can_make(&self, call: &SuggestedCall) -> bool {
        let Some(spec) = self.spec(&call.tool) else { return false };
        let known = spec.arguments.get("properties").and_then(Value::as_object);
        let takes = |name: &String| known.is_none_or(|known| known.contains_key(name));
        spec.class == ToolClass::Investigate
            && call.arguments.as_object().is_some_and(|given| given.keys().all(takes))
    }

    /// Checks whether an earlier call asked the same source as another call would: no argument that chooses a source differs.
    fn has_asked(&self, made: &Made, call: &SuggestedCall) -> bool {
        let both = |name: &str| Some((made.arguments.get(name)?, call.arguments.get(name)?));
        let differs = |name: &&str| both(name).is_some_and(|(made, asks)| made != asks);
        let shares = |name: &&str| both(name).is_some_and(|(made, asks)| made == asks);
        // A call that names only a source and one that names only a record type may read different things.
        let shares_what_is_read = self.standing.setting.edition == Edition::BeforeRecords
            || asked_for(&call.arguments).is_none()
            || READS.iter().any(shares);
        made.tool == call.tool && !SELECTORS.iter().any(differs) && shares_what_is_read
    }

    fn spec(&self, tool: &str) -> Option<&ToolSpec> {
        self.tools.iter().find(|spec| spec.name == tool)
    }
}

fn fits(after: &After, made: &Made) -> bool {
    let is_given = |name: &String| made.arguments.get(name).is_some();
    let reads = |patterns: &Patterns| asked_for(&made.arguments).is_some_and(|asked| patterns.fit(asked));
    (after.given.is_empty() || after.given.iter().any(is_given))
        && after.outcome.contains(&made.outcome)
        && after.tool.as_ref().is_none_or(|tools| tools.fit(&made.tool))
        && after.reads.as_ref().is_none_or(reads)
        && !after.reads_not.as_ref().is_some_and(reads)
        && after.cause.as_ref().is_none_or(|causes| made.cause.is_some_and(|cause| causes.contains(&cause)))
}
