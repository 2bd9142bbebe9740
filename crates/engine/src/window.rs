//! What of a conversation is sent where a model takes less than all of it.
//!
//! Layers, each only where the one before is not enough:
//!
//! 1. All of it.
//! 2. Old answers of tools become notes that say what was there and how to see it again ([`cut`]).
//! 3. Old turns are left out; what the task came to in them stands in their place, told by code from the record.
//! 4. Nothing but the newest turn is left of the turns.
//! 5. Of the newest turn, too, the longest answers become notes.
//!
//! **Invariant:** whatever is left out, user and assistant alternate, the user has the first and the last word, and each call is answered in the message behind it: turns go whole, and an answer stays where it was.
//!
//! What is sent grows at its end only, until it no longer fits; then it is cut to well below what fits, so that a provider's cache of its beginning pays for many turns.

pub(crate) mod cut;
mod meter;
pub(crate) mod weigh;

use ledger::Window;
pub(crate) use meter::Meter;
use thiserror::Error;
pub(crate) use weigh::Weight;

/// Of what fits beside instructions and tools, the share to which a conversation is cut, in tenths: the rest is room for the turns to come.
const GOAL_TENTHS: u64 = 6;
/// Newest messages that stay whole while that is possible: two turns, of two messages each.
const NEWEST: usize = 4;
/// The first message of the second turn: behind the task's own message and the first turn.
const FIRST_HEAD: usize = 3;
/// The messages of the newest turn.
const NEWEST_TURN: usize = 2;

/// What is left out of a conversation, by numbers of its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Plan {
    /// Messages before this one are left out; it is one of the model's, or 0.
    pub(crate) head: usize,
    /// Answers in messages before this one are notes.
    pub(crate) cut: usize,
    /// Of the newest message, the answers that are notes as well, the longest first.
    pub(crate) squeezed: usize,
    /// Whether what stands in place of the turns left out has to be as short as it can be.
    pub(crate) brief: bool,
}

/// What a conversation weighs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights<'a> {
    /// System prompt and tools.
    pub(crate) fixed: u64,
    /// What stands in place of turns that are left out, at most.
    pub(crate) distilled: u64,
    /// The same, as short as it can be.
    pub(crate) brief: u64,
    /// Each message, whole and with notes for its answers.
    pub(crate) messages: &'a [Weight],
    /// The answers of the newest message, the longest first, whole and as notes.
    pub(crate) newest: &'a [Weight],
}

/// The conversation does not fit, however much is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the model's context of {context} tokens is too small: instructions, tools and the newest turn take about {needed} of the {most} that may be sent"
)]
pub(crate) struct TooSmall {
    pub(crate) context: u32,
    pub(crate) needed: u64,
    pub(crate) most: u64,
}

/// The least that has to be left out, from what is left out already; `tokens` says how many a weight comes to, `most` how many may be sent.
pub(crate) fn plan(
    weights: &Weights<'_>,
    before: Plan,
    window: Window,
    most: u64,
    tokens: impl Fn(u64) -> u64,
) -> Result<Plan, TooSmall> {
    let fixed = tokens(weights.fixed);
    let goal = fixed + most.saturating_sub(fixed) / 10 * GOAL_TENTHS;
    let count = weights.messages.len();
    let newest = count.saturating_sub(NEWEST);
    let of = |plan: &Plan| tokens(weigh(weights, plan));
    let notes = (before.cut..=newest).map(|cut| Plan { cut, squeezed: 0, brief: false, ..before });
    let first = before.head.max(FIRST_HEAD);
    let fewer = (first..=newest).filter(|head| head % 2 == 1).map(|head| Plan {
        head,
        cut: newest.max(before.cut),
        squeezed: 0,
        brief: false,
    });
    if let Some(plan) = notes.chain(fewer).find(|plan| of(plan) <= goal) {
        return Ok(plan);
    }
    let last = count.saturating_sub(NEWEST_TURN);
    let head = last_head(last);
    let few = [newest, last].into_iter().filter(|head| head % 2 == 1 && *head >= first);
    let few = few.map(|head| Plan { head, cut: head.max(before.cut), squeezed: 0, brief: false });
    let squeeze = move |brief| {
        (0..=weights.newest.len()).map(move |squeezed| Plan { head, cut: last, squeezed, brief })
    };
    let mut tail = few.chain(squeeze(false)).chain(squeeze(true));
    tail.find(|plan| of(plan) <= most).ok_or_else(|| {
        let needed = of(&least(weights));
        TooSmall { context: window.context, needed, most }
    })
}

/// The least that can be sent at all.
pub(crate) fn least(weights: &Weights<'_>) -> Plan {
    let last = weights.messages.len().saturating_sub(NEWEST_TURN);
    Plan { head: last_head(last), cut: last, squeezed: weights.newest.len(), brief: true }
}

/// Where what is sent begins if nothing but the newest turn stays: before the second there is no turn to leave out.
const fn last_head(last: usize) -> usize {
    if last >= FIRST_HEAD && last % 2 == 1 { last } else { 0 }
}

/// What is sent by a plan weighs.
pub(crate) fn weigh(weights: &Weights<'_>, plan: &Plan) -> u64 {
    let head = match (plan.head, plan.brief) {
        (0, _) => 0,
        (_, false) => weights.distilled,
        (_, true) => weights.brief,
    };
    let messages = weights.messages.iter().enumerate().skip(plan.head);
    let messages: u64 =
        messages.map(|(at, weight)| if at < plan.cut { weight.noted } else { weight.whole }).sum();
    let squeezed = weights.newest.iter().take(plan.squeezed);
    let saved: u64 = squeezed.map(|weight| weight.whole.saturating_sub(weight.noted)).sum();
    weights.fixed + head + messages.saturating_sub(saved)
}

#[cfg(test)]
mod tests;
