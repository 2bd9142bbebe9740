//! The claims of a task with their results, by the place where they were made.

use graph::{derivation_title, fact_title};
use ledger::event::Refusal;
use ledger::turn::ToolCall;
use ledger::{CallId, Claim, ClaimId, DerivationEntry, Event, FactEntry, Healing, Rejection};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Where a claim was made. An id is not sufficient: if more or fewer claims were made, another claim may have the same id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At {
    pub(super) turn: u32,
    /// The index of the call in the reply.
    place: usize,
    pub(super) call: CallId,
    /// The index of the claim in the call.
    pub(super) index: u32,
}

/// The result of a claim.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Became {
    /// It was accepted.
    Accepted {
        /// What was recorded, in one line.
        title: String,
        /// The rewritten citation, if it was healed.
        healing: Option<Healing>,
        /// The accepted fact, absence, derivation, sentence or statement.
        #[serde(skip)]
        entry: Value,
    },
    /// It was refused.
    Refused {
        /// The reason, and what the agent is told.
        #[serde(flatten)]
        rejection: Rejection,
    },
    /// The gateway did not judge it.
    NotJudged {
        /// The reason.
        because: Unjudged,
        /// What the agent is told, if anything.
        #[serde(skip_serializing_if = "Option::is_none")]
        told: Option<String>,
    },
}

/// Why the gateway did not judge a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unjudged {
    /// The task ended before the turn of the claim.
    TurnNotReached,
    /// Its call was refused: outside the surface, too many in the turn, or a budget ran out.
    CallRefused,
    /// A budget ran out at earlier readings of its call.
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

/// The claims of a task, and the other events that affect claims.
pub(super) struct Claims {
    pub(super) made: BTreeMap<At, Made>,
    refused: BTreeMap<(u32, CallId), (Refusal, String)>,
    /// The last turn with a reply.
    pub(super) turns: u32,
    ended: bool,
}

impl Claims {
    /// Collects the claims in some events; `calls` determines the order of the calls of a turn.
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

    /// Returns the result of the claim at a place, even if this side did not make the claim.
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

/// Returns the verdict in an event; every verdict follows its claim.
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
