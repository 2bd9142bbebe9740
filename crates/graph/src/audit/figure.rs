//! The figures by which runs are compared.

use super::Counts;

/// A figure of a run, an agent or a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// Refused claims, of all claims.
    Refused,
    /// Claims until one was accepted, where refused ones were corrected.
    Tries,
    /// Refused claims whose point was never accepted, of all claims.
    Abandoned,
    /// Boundary violations, of all calls and claims.
    Boundary,
    /// Calls that were refused without running, of all calls.
    NotRun,
    /// Calls that failed, of those that ran.
    Failed,
    /// Turns that came to nothing, of all turns.
    LostTurns,
    /// Open questions, of those that were asked.
    Open,
    /// Recoveries that helped, of those that were begun.
    Helped,
    /// Tokens of a task.
    Tokens,
    /// Seconds of a task.
    Seconds,
    /// Calls of a task.
    Calls,
    /// Facts of a task.
    Facts,
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Less.
    Less,
    /// More.
    More,
    /// Neither: it says nothing by itself.
    Neither,
}

/// How a figure is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// As a share.
    Share,
    /// As a number.
    Number,
    /// As seconds.
    Seconds,
}

/// A value of a figure in millionths.
pub type Millionths = u64;

impl Figure {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Figure; 13] = [
        Figure::Refused,
        Figure::Tries,
        Figure::Abandoned,
        Figure::Boundary,
        Figure::NotRun,
        Figure::Failed,
        Figure::LostTurns,
        Figure::Open,
        Figure::Helped,
        Figure::Tokens,
        Figure::Seconds,
        Figure::Calls,
        Figure::Facts,
    ];

    /// Its name in formats.
    pub const fn name(self) -> &'static str {
        match self {
            Figure::Refused => "refused",
            Figure::Tries => "tries",
            Figure::Abandoned => "abandoned",
            Figure::Boundary => "boundary",
            Figure::NotRun => "calls_not_run",
            Figure::Failed => "calls_failed",
            Figure::LostTurns => "lost_turns",
            Figure::Open => "open",
            Figure::Helped => "recoveries_helped",
            Figure::Tokens => "tokens",
            Figure::Seconds => "seconds",
            Figure::Calls => "calls",
            Figure::Facts => "facts",
        }
    }

    /// Which way is better.
    pub const fn better(self) -> Better {
        match self {
            Figure::Helped => Better::More,
            Figure::Calls | Figure::Facts => Better::Neither,
            _ => Better::Less,
        }
    }

    /// How it is read.
    pub const fn unit(self) -> Unit {
        match self {
            Figure::Seconds => Unit::Seconds,
            Figure::Tries | Figure::Tokens | Figure::Calls | Figure::Facts => Unit::Number,
            _ => Unit::Share,
        }
    }

    /// Its value; `None` where there is nothing to divide by.
    pub fn value(self, counts: &Counts) -> Option<Millionths> {
        let (part, of) = self.parts(counts);
        let scale = if self == Figure::Seconds { 1 } else { 1_000_000 };
        let value = (u128::from(part) * scale).checked_div(u128::from(of))?;
        Some(u64::try_from(value).unwrap_or(u64::MAX))
    }

    /// What is divided, and by what.
    fn parts(self, it: &Counts) -> (u64, u64) {
        let asked = it.calls.saturating_add(it.served).saturating_add(it.calls_refused);
        match self {
            Figure::Refused => (it.refused, it.claims),
            Figure::Tries => (it.tries(), it.corrections()),
            Figure::Abandoned => (it.abandoned, it.claims),
            Figure::Boundary => (it.boundary(), it.steps()),
            Figure::NotRun => (it.calls_refused, asked),
            Figure::Failed => (it.failed, it.calls),
            Figure::LostTurns => (it.lost_turns, it.turns),
            Figure::Open => (it.open, it.asked),
            Figure::Helped => (it.helped, it.recoveries),
            // Of what is asked over no network, nobody knows the tokens.
            Figure::Tokens => (it.tokens(), if it.requests == 0 { 0 } else { it.tasks }),
            Figure::Seconds => (it.microseconds, it.timed),
            Figure::Calls => (it.calls, it.tasks),
            Figure::Facts => (it.facts, it.tasks),
        }
    }
}
