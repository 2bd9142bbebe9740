//! The figures by which runs are compared.

use super::Counts;

/// A figure of a run, an agent or a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// Refused claims, divided by all claims.
    Refused,
    /// The average number of claims until one was accepted, for refused claims that were corrected.
    Tries,
    /// Refused claims whose point was never accepted, divided by all claims.
    Abandoned,
    /// Boundary violations, divided by all calls and claims.
    Boundary,
    /// Calls that were refused without running, divided by all calls.
    NotRun,
    /// Calls that failed, divided by those that ran.
    Failed,
    /// Wasted turns, divided by all turns.
    LostTurns,
    /// Open questions, divided by all that were asked.
    Open,
    /// Recoveries that helped, divided by those that were begun.
    Helped,
    /// Tokens per task.
    Tokens,
    /// Seconds per task.
    Seconds,
    /// Calls per task.
    Calls,
    /// Facts per task.
    Facts,
}

/// The direction in which a figure is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Lower is better.
    Less,
    /// Higher is better.
    More,
    /// Neither: the figure says nothing by itself.
    Neither,
}

/// The unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// As a share.
    Share,
    /// As a number.
    Number,
    /// As seconds.
    Seconds,
}

/// The value of a figure, in millionths.
pub type Millionths = u64;

impl Figure {
    /// All figures, in display order.
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

    /// Returns its name in formats.
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

    /// Returns the direction in which it is better.
    pub const fn better(self) -> Better {
        match self {
            Figure::Helped => Better::More,
            Figure::Calls | Figure::Facts => Better::Neither,
            _ => Better::Less,
        }
    }

    /// Returns its unit.
    pub const fn unit(self) -> Unit {
        match self {
            Figure::Seconds => Unit::Seconds,
            Figure::Tries | Figure::Tokens | Figure::Calls | Figure::Facts => Unit::Number,
            _ => Unit::Share,
        }
    }

    /// Returns its value; `None` if the divisor is zero.
    pub fn value(self, counts: &Counts) -> Option<Millionths> {
        let (part, of) = self.parts(counts);
        let scale = if self == Figure::Seconds { 1 } else { 1_000_000 };
        let value = (u128::from(part) * scale).checked_div(u128::from(of))?;
        Some(u64::try_from(value).unwrap_or(u64::MAX))
    }

    /// Returns the dividend and the divisor.
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
            // For a model that is not asked over a network, the tokens are unknown.
            Figure::Tokens => (it.tokens(), if it.requests == 0 { 0 } else { it.tasks }),
            Figure::Seconds => (it.microseconds, it.timed),
            Figure::Calls => (it.calls, it.tasks),
            Figure::Facts => (it.facts, it.tasks),
        }
    }
}
