//! The counts that all figures of an audit are computed from.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The counts of tasks, tools or codes.
///
/// For a tool, only its calls and the claims about them are counted; for a code, only what was refused with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Tasks.
    pub tasks: u64,
    /// Turns that models were asked for.
    pub turns: u64,
    /// Wasted turns: claims were refused and nothing else happened.
    pub lost_turns: u64,
    /// Calls that ran.
    pub calls: u64,
    /// Calls that failed, were stopped by the clock, or were denied.
    pub failed: u64,
    /// Calls that were answered from the log.
    pub served: u64,
    /// Calls that were refused without running.
    pub calls_refused: u64,
    /// Calls refused because the tool was outside the surface of the turn.
    pub outside: u64,
    /// Claims that were judged.
    pub claims: u64,
    /// Claims that were refused.
    pub refused: u64,
    /// Claims whose citation was healed.
    pub healed: u64,
    /// Refused claims whose point was accepted later, by the number of claims that it took.
    pub corrected: BTreeMap<u32, u64>,
    /// Refused claims whose point was never accepted.
    pub abandoned: u64,
    /// Claims that cited an id of another task.
    pub foreign: u64,
    /// Facts.
    pub facts: u64,
    /// Questions of the case.
    pub asked: u64,
    /// Questions of the case that are open at the end.
    pub open: u64,
    /// Recoveries that were begun.
    pub recoveries: u64,
    /// Recoveries after which a previously open question was answered.
    pub helped: u64,
    /// Requests to models over a network.
    pub requests: u64,
    /// Tokens that were sent.
    pub input: u64,
    /// Tokens of replies.
    pub output: u64,
    /// The known part of their price, in millionths of a dollar.
    pub micro_dollars: u64,
    /// Tasks whose duration is known.
    pub timed: u64,
    /// The total duration of these tasks from assignment to end, in microseconds. A lead's task includes the time it waits for others.
    pub microseconds: u64,
    /// The total duration of calls, in microseconds.
    pub tool_microseconds: u64,
}

impl Counts {
    /// Adds other counts.
    pub fn add(&mut self, other: &Counts) {
        for (tries, claims) in &other.corrected {
            let sum = self.corrected.entry(*tries).or_default();
            *sum = sum.saturating_add(*claims);
        }
        let numbers = other.numbers();
        for (sum, number) in self.numbers_mut().into_iter().zip(numbers) {
            *sum = sum.saturating_add(number);
        }
    }

    /// Returns the number of refused claims whose point was accepted later.
    pub fn corrections(&self) -> u64 {
        self.corrected.values().sum()
    }

    /// Returns the number of claims that these took until they were accepted, including the refused ones.
    pub fn tries(&self) -> u64 {
        self.corrected.iter().map(|(tries, claims)| u64::from(*tries).saturating_mul(*claims)).sum()
    }

    /// Returns the number of boundary violations: calls outside the tool set of their turn, and claims that cite ids of other tasks.
    pub const fn boundary(&self) -> u64 {
        self.outside.saturating_add(self.foreign)
    }

    /// Returns the number of steps that could violate a boundary: calls, refused or not, and claims.
    pub const fn steps(&self) -> u64 {
        self.calls.saturating_add(self.served).saturating_add(self.calls_refused).saturating_add(self.claims)
    }

    /// Returns the number of tokens in both directions.
    pub const fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Returns every number except the corrections, in the order of [`Counts::numbers_mut`].
    fn numbers(&self) -> [u64; 25] {
        let mut copy = Counts { corrected: BTreeMap::new(), ..self.clone() };
        copy.numbers_mut().map(|number| *number)
    }

    /// Returns every number for changing it. The pattern is exhaustive, so the compiler reports a number that is missing here.
    fn numbers_mut(&mut self) -> [&mut u64; 25] {
        let Counts {
            tasks,
            turns,
            lost_turns,
            calls,
            failed,
            served,
            calls_refused,
            outside,
            claims,
            refused,
            healed,
            corrected: _,
            abandoned,
            foreign,
            facts,
            asked,
            open,
            recoveries,
            helped,
            requests,
            input,
            output,
            micro_dollars,
            timed,
            microseconds,
            tool_microseconds,
        } = self;
        [
            tasks,
            turns,
            lost_turns,
            calls,
            failed,
            served,
            calls_refused,
            outside,
            claims,
            refused,
            healed,
            abandoned,
            foreign,
            facts,
            asked,
            open,
            recoveries,
            helped,
            requests,
            input,
            output,
            micro_dollars,
            timed,
            microseconds,
            tool_microseconds,
        ]
    }
}
