//! The numbers that everything in an audit is made of.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What tasks, tools or codes came to.
///
/// Of a tool only what its calls and the claims about them came to is counted, of a code only what was refused with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Tasks.
    pub tasks: u64,
    /// Turns that models were asked.
    pub turns: u64,
    /// Turns in which claims were refused and nothing else came about.
    pub lost_turns: u64,
    /// Calls that ran.
    pub calls: u64,
    /// Those of them that failed, were stopped by the clock, or were denied.
    pub failed: u64,
    /// Calls that were answered from the log.
    pub served: u64,
    /// Calls that were refused without running.
    pub calls_refused: u64,
    /// Those of them to a tool outside the surface of their turn.
    pub outside: u64,
    /// Claims that were judged.
    pub claims: u64,
    /// Those that were refused.
    pub refused: u64,
    /// Those whose citation was healed.
    pub healed: u64,
    /// Refused claims whose point was accepted later, by how many claims that took.
    pub corrected: BTreeMap<u32, u64>,
    /// Refused claims whose point was never accepted.
    pub abandoned: u64,
    /// Claims that cited an id of another task.
    pub foreign: u64,
    /// Facts.
    pub facts: u64,
    /// Questions of the case.
    pub asked: u64,
    /// Those of them that are open at the end.
    pub open: u64,
    /// Recoveries that were begun.
    pub recoveries: u64,
    /// Those of them after which a question was answered that had been open.
    pub helped: u64,
    /// Requests to models over a network.
    pub requests: u64,
    /// Tokens that were sent.
    pub input: u64,
    /// Tokens of replies.
    pub output: u64,
    /// What is known of their price, in millionths of a dollar.
    pub micro_dollars: u64,
    /// Tasks of which it is known how long they took.
    pub timed: u64,
    /// How long these took from their assignment to their end, in microseconds; a lead's task takes as long as those that it waits for.
    pub microseconds: u64,
    /// How long calls ran, in microseconds.
    pub tool_microseconds: u64,
}

impl Counts {
    /// Adds others.
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

    /// Refused claims whose point was accepted later.
    pub fn corrections(&self) -> u64 {
        self.corrected.values().sum()
    }

    /// Claims that these took until they were accepted, the refused ones counted.
    pub fn tries(&self) -> u64 {
        self.corrected.iter().map(|(tries, claims)| u64::from(*tries).saturating_mul(*claims)).sum()
    }

    /// Boundary violations: calls outside the tool set of their turn, and claims that cite ids of other tasks.
    pub const fn boundary(&self) -> u64 {
        self.outside.saturating_add(self.foreign)
    }

    /// What could violate a boundary: calls, refused or not, and claims.
    pub const fn steps(&self) -> u64 {
        self.calls.saturating_add(self.served).saturating_add(self.calls_refused).saturating_add(self.claims)
    }

    /// Tokens both ways.
    pub const fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Every number but the corrections, in the order of [`Counts::numbers_mut`].
    fn numbers(&self) -> [u64; 25] {
        let mut copy = Counts { corrected: BTreeMap::new(), ..self.clone() };
        copy.numbers_mut().map(|number| *number)
    }

    /// The compiler says when a number is missing here: nothing is left out of the pattern.
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
