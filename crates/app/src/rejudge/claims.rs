//! The claims of a task with what became of each, by the place at which they were made.

use graph::{derivation_title, fact_title};
use ledger::event::Refusal;
use ledger::turn::ToolCall;
use ledger::{CallId, Claim, ClaimId, DerivationEntry, Event, FactEntry, Healing, Rejection};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Where a claim was made: ids would not do, for another claim may bear the same one where more or fewer were made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At {
    pub(super) turn: u32,
    /// The call's place in the reply.
    place: usize,
    pub(super) call: CallId,
    /// The claim's place in the call.
    pub(super) index: u32,
}

/// What became of a claim.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Became {
    /// It stands.
    Accepted {
        /// What was recorded, in one line.
        title: String,
        /// The rewritten citation, where it was healed.
        healing: Option<Healing>,
        /// The fact, absence, derivation or sentence.
        #[serde(skip)]
        entry: Value,
    },
    /// It was refused.
    Refused {
        /// Why, and what the agent is told.
        #[serde(flatten)]
        rejection: Rejection,
    },
    /// It never came before the gateway.
    NotJudged {
        /// Why.
        because: Unjudged,
        /// What the agent is told, where it is told something.
        #[serde(skip_serializing_if = "Option::is_none")]
        told: Option<String>,
    },
}

/// Why a claim never came before the gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unjudged {
    /// The task ended before the turn of the claim.
    TurnNotReached,
    /// Its call was refused: outside the surface, too many in the turn, a budget spent.
    CallRefused,
    /// A budget was spent by the readings before it in its call.
    BudgetSpent,
    /// The log ends before it.
    LogEnds,
}

/// One claim.
#[derive(Debug, Clone)]
pub(super) struct Made {
    pub(super) claim: ClaimId,
    pub(super) stated: Claim,
    pub(super) became: Option<Became>,
}

/// The claims of a task, and what else of its events decides about claims.
pub(super) struct Claims {
    pub(super) made: BTreeMap<At, Made>,
    refused: BTreeMap<(u32, CallId), (Refusal, String)>,
    /// The last turn that was replied to.
    pub(super) turns: u32,
    ended: bool,
}

impl Claims {
    /// The claims of some events; `calls` gives the order of the calls of a turn.
    pub(super) fn of(events: &[Event], calls: &[(u32, ToolCall)]) -> Claims {
        let mut claims = Claims { made: BTreeMap::new(), refused: BTreeMap::new(), turns: 0, ended: false };
        let place = |turn: u32, call: &CallId| {
            calls.iter().position(|(of, made)| *of == turn && made.call == *call).unwrap_or(usize::MAX)
        };
        let mut last = None;
        let mut facts: Vec<FactEntry> = Vec::new();
        for event in events {
            match event {
                Event::TurnReplied(replied) => claims.turns = replied.turn,
                Event::TaskEnded(_) => claims.ended = true,
                Event::CallRefused(it) => {
                    claims.refused.insert((it.turn, it.call.clone()), (it.refusal, it.told.clone()));
                }
                Event::ClaimSubmitted(it) => {
                    let index = match &last {
                        Some(At { turn, call, index, .. }) if (*turn, call) == (it.turn, &it.call) => {
                            index + 1
                        }
                        _ => 0,
                    };
                    let at =
                        At { turn: it.turn, place: place(it.turn, &it.call), call: it.call.clone(), index };
                    let made = Made { claim: it.claim, stated: it.stated.clone(), became: None };
                    claims.made.insert(at.clone(), made);
                    last = Some(at);
                }
                event => {
                    if let (Some(became), Some(made)) =
                        (became(event, &mut facts), last.as_ref().and_then(|at| claims.made.get_mut(at)))
                    {
                        made.became = Some(became);
                    }
                }
            }
        }
        claims
    }

    /// What became of the claim at a place, of which this side may know nothing.
    pub(super) fn became(&self, at: &At) -> Became {
        if let Some(became) = self.made.get(at).and_then(|made| made.became.clone()) {
            return became;
        }
        let refused = self.refused.get(&(at.turn, at.call.clone()));
        let because = match refused {
            Some(_) => Unjudged::CallRefused,
            None if at.turn > self.turns && self.ended => Unjudged::TurnNotReached,
            None if at.turn > self.turns || self.made.contains_key(at) => Unjudged::LogEnds,
            None if self.ended || self.turns > at.turn => Unjudged::BudgetSpent,
            None => Unjudged::LogEnds,
        };
        Became::NotJudged { because, told: refused.map(|(_, told)| told.clone()) }
    }
}

/// The verdict that an event tells; every verdict follows the claim that it is on.
fn became(event: &Event, facts: &mut Vec<FactEntry>) -> Option<Became> {
    let accepted = |title: String, healing: Option<Healing>, entry: Value| {
        Some(Became::Accepted { title, healing, entry })
    };
    match event {
        Event::ClaimAccepted(it) => {
            facts.push(it.fact.clone());
            accepted(fact_title(&it.fact), it.healing.clone(), json!(it.fact))
        }
        Event::ClaimRepeated(it) => {
            let fact = facts.iter().find(|fact| fact.id == it.fact);
            fact.and_then(|fact| accepted(fact_title(fact), it.healing.clone(), json!(fact)))
        }
        Event::AbsenceAccepted(it) => accepted(it.absence.absence.to_string(), None, json!(it.absence)),
        Event::DerivationAccepted(it) => accepted(derived(&it.derivation, facts), None, json!(it.derivation)),
        Event::SentenceAccepted(it) => accepted(it.sentence.text.clone(), None, json!(it.sentence)),
        Event::StatementTold(it) => {
            accepted(format!("told {}", it.statement.node), None, json!(it.statement))
        }
        Event::ClaimRejected(it) => Some(Became::Refused { rejection: it.rejection.clone() }),
        _ => None,
    }
}

fn derived(entry: &DerivationEntry, facts: &[FactEntry]) -> String {
    derivation_title(&entry.derivation, |id| facts.iter().find(|fact| fact.id == id))
}
