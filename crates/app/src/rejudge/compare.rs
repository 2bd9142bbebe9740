//! Compares two sides of a task: the log, and the result under other rules.

use super::claims::{At, Became, Claims, Made};
use super::{ClaimChange, ObjectiveChange, Otherwise, TaskSide};
use ledger::event::TaskEnded;
use ledger::{AgentSpec, Claim, Event};
use serde_json::Value;
use std::collections::BTreeSet;

/// Returns the differences between the sides of a task, in the order of the claims.
///
/// `known` decides of which turns the log is complete; in other turns, claims are compared only if the log has a verdict on them.
pub(super) fn changes(
    then: &Claims,
    now: &Claims,
    estimated_after: Option<u32>,
    known: impl Fn(u32) -> bool,
) -> Vec<ClaimChange> {
    let places: BTreeSet<&At> = then.made.keys().chain(now.made.keys()).collect();
    let one = |at: &&At| {
        let judged_then = then.made.get(at).is_some_and(|made| made.became.is_some());
        if !judged_then && !known(at.turn) {
            return None;
        }
        let (before, after) = (then.became(at), now.became(at));
        let change = change(&before, &after)?;
        let made = then.made.get(at).or_else(|| now.made.get(at))?;
        Some(written(at, made, change, (before, after), estimated_after.is_some_and(|turn| at.turn > turn)))
    };
    places.iter().filter_map(one).collect()
}

fn written(
    at: &At,
    made: &Made,
    change: Otherwise,
    (then, now): (Became, Became),
    estimate: bool,
) -> ClaimChange {
    let differs = match (&then, &now) {
        (Became::Accepted { entry: a, healing: b, .. }, Became::Accepted { entry: c, healing: d, .. }) => {
            differing((a, c), b != d)
        }
        _ => Vec::new(),
    };
    ClaimChange {
        change,
        turn: at.turn,
        call: at.call.0.clone(),
        index: at.index,
        estimate,
        claim: made.claim,
        stated: made.stated.clone(),
        then,
        now,
        differs,
    }
}

/// Returns the members in which two entries differ.
fn differing((then, now): (&Value, &Value), healing: bool) -> Vec<String> {
    let names = |value: &Value| value.as_object().map(|it| it.keys().cloned().collect()).unwrap_or_default();
    let mut all: BTreeSet<String> = names(then);
    all.extend(names(now));
    let mut differing: Vec<String> = all.into_iter().filter(|name| then.get(name) != now.get(name)).collect();
    differing.extend(healing.then(|| "healing".to_owned()));
    differing
}

/// Returns how the result of a claim differs; `None` if it does not, or only in its wording.
fn change(then: &Became, now: &Became) -> Option<Otherwise> {
    use Became::{Accepted, NotJudged, Refused};
    match (then, now) {
        (Accepted { entry, healing, .. }, Accepted { entry: other, healing: cited, .. }) => {
            ((entry, healing) != (other, cited)).then_some(Otherwise::StandsOtherwise)
        }
        (Accepted { .. }, Refused { .. } | NotJudged { .. }) => Some(Otherwise::Falls),
        (Refused { .. }, Accepted { healing: Some(_), .. }) => Some(Otherwise::Heals),
        (Refused { .. }, Accepted { healing: None, .. }) => Some(Otherwise::Accepted),
        (Refused { rejection }, Refused { rejection: other }) => {
            (rejection.code != other.code).then_some(Otherwise::RefusedOtherwise)
        }
        (Refused { .. }, NotJudged { .. }) => Some(Otherwise::Lapses),
        (NotJudged { .. }, Accepted { .. }) => Some(Otherwise::New),
        (NotJudged { .. }, Refused { .. }) => Some(Otherwise::NewlyRefused),
        (NotJudged { .. }, NotJudged { .. }) => None,
    }
}

/// Returns the last turn before the agent receives a different message; how it would have replied to that is unknown.
///
/// Both sides come from this version, so that wording different from the version that recorded the run is not a difference.
pub(super) fn told_otherwise(own: &[Event], other: &[Event]) -> Option<u32> {
    let mut turn = 0;
    for (own, other) in own.iter().zip(other) {
        if own != other {
            // A task that ends receives no further message, so it is certain that the rest is not reached.
            return (!matches!(other, Event::TaskEnded(_))).then_some(turn);
        }
        if let Event::TurnReplied(replied) = own {
            turn = replied.turn;
        }
    }
    (own.len() != other.len()).then_some(turn)
}

/// Returns the results of a task on one side; of turns that are not completely known, only claims with a verdict in the log count.
pub(super) fn side(events: &[Event], claims: &Claims, counts: impl Fn(&At) -> bool) -> TaskSide {
    let ended = events.iter().find_map(|event| match event {
        Event::TaskEnded(ended) => Some(ended),
        _ => None,
    });
    let count = |fits: &dyn Fn(&Made) -> bool| {
        let fitting = claims.made.iter().filter(|(at, made)| counts(at) && fits(made));
        u32::try_from(fitting.count()).unwrap_or(u32::MAX)
    };
    let events_of = |fits: fn(&Event) -> bool| {
        u32::try_from(events.iter().filter(|event| fits(event)).count()).unwrap_or(u32::MAX)
    };
    let stands = |made: &Made| matches!(made.became, Some(Became::Accepted { .. }));
    TaskSide {
        status: ended.map(|ended| ended.status),
        spent: ended.and_then(|ended| ended.spent),
        unmet: ended.map(unmet),
        turns: claims.turns,
        facts: count(&|made| stands(made) && matches!(made.stated, Claim::Reading(_))),
        absences: count(&|made| stands(made) && matches!(made.stated, Claim::Absence(_))),
        derivations: count(&|made| stands(made) && matches!(made.stated, Claim::Derivation(_))),
        healed: count(&|made| matches!(made.became, Some(Became::Accepted { healing: Some(_), .. }))),
        refused: count(&|made| matches!(made.became, Some(Became::Refused { .. }))),
        refused_calls: events_of(|event| matches!(event, Event::CallRefused(_))),
        nodes: events_of(|event| {
            matches!(event, Event::EntityAdded(_) | Event::RelationAdded(_) | Event::HypothesisProposed(_))
        }),
    }
}

fn unmet(ended: &TaskEnded) -> u32 {
    u32::try_from(ended.objectives.iter().filter(|objective| objective.is_unmet()).count())
        .unwrap_or(u32::MAX)
}

/// Returns the objectives that are met on one side only; empty if a side has no end.
pub(super) fn objectives(agent: &AgentSpec, then: &[Event], now: &[Event]) -> Vec<ObjectiveChange> {
    let ended = |events: &[Event]| match events.last() {
        Some(Event::TaskEnded(ended)) => Some(ended.objectives.clone()),
        _ => None,
    };
    let (Some(then), Some(now)) = (ended(then), ended(now)) else { return Vec::new() };
    let mut changes = Vec::new();
    for ((objective, before), after) in agent.objectives.iter().zip(&then).zip(&now) {
        let (before, after) = (before.facts.len() as u32, after.facts.len() as u32);
        if (before == 0) != (after == 0) {
            changes.push(ObjectiveChange {
                id: objective.id.clone(),
                question: objective.question.clone(),
                then: before,
                now: after,
            });
        }
    }
    changes
}
