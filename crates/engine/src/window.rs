//! Which part of a conversation is sent if a model has a limited context window.
//!
//! Each layer is used only if the one before it is not enough:
//!
//! 1. Everything is sent.
//! 2. Old answers of tools become notes that say what was there and how to see it again ([`cut`]).
//! 3. Old turns are left out; a summary of the task's results, made by code from the record, replaces them.
//! 4. Only the newest turn is left of the turns.
//! 5. The longest answers of the newest turn become notes, too.
//!
//! **Invariant:** whatever is left out, user and assistant alternate, the first and the last message are the user's,
//! and each call is answered in the next message: turns are left out completely, and an answer stays at its place.
//!
//! What is sent grows only at its end until it no longer fits.
//! Then it is cut to well below the limit, so that a provider's cache of its beginning pays off over many turns.

pub(crate) mod cut;
mod meter;
pub(crate) mod weigh;

use ledger::Window;
pub(crate) use meter::Meter;
use thiserror::Error;
pub(crate) use weigh::Weight;

/// The share, in tenths, to which a conversation is cut, of what fits besides instructions and tools: the rest is room for later turns.
const GOAL_TENTHS: u64 = 6;
/// The number of newest messages that stay whole if possible: two turns of two messages each.
const NEWEST: usize = 4;
/// The first message of the second turn: after the task's own message and the first turn.
const FIRST_HEAD: usize = 3;
/// The number of messages in the newest turn.
const NEWEST_TURN: usize = 2;

/// What is left out of a conversation, by message numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Plan {
    /// Messages before this one are left out; it is one of the model's, or 0.
    pub(crate) head: usize,
    /// Answers in messages before this one are notes.
    pub(crate) cut: usize,
    /// How many answers of the newest message are notes as well, longest first.
    pub(crate) squeezed: usize,
    /// Whether the summary of omitted turns must be as short as possible.
    pub(crate) brief: bool,
}

/// The weights of a conversation's parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights<'a> {
    /// System prompt and tools.
    pub(crate) fixed: u64,
    /// The summary of omitted turns, at most.
    pub(crate) distilled: u64,
    /// The same summary, as short as possible.
    pub(crate) brief: u64,
    /// Each message, whole and with notes for its answers.
    pub(crate) messages: &'a [Weight],
    /// The answers of the newest message, longest first, whole and as notes.
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

/// Returns the least that must be left out, beginning from what is left out already;
/// `tokens` converts a weight, and `most` is the number of tokens that may be sent.
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

/// Returns the plan that sends the least possible.
pub(crate) fn least(weights: &Weights<'_>) -> Plan {
    let last = weights.messages.len().saturating_sub(NEWEST_TURN);
    Plan { head: last_head(last), cut: last, squeezed: weights.newest.len(), brief: true }
}

/// Returns where the sent part begins if only the newest turn stays: before the second turn there is no turn to leave out.
const fn last_head(last: usize) -> usize {
    if last >= FIRST_HEAD && last % 2 == 1 { last } else { 0 }
}

/// Returns the weight of what a plan sends.
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
