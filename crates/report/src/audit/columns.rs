//! The columns of the audit tables: a title, and the cell for a group.

use crate::costs::dollars;
use graph::audit::{Counts, Group};
use ledger::MicroDollars;

/// A column.
pub(crate) struct Column {
    pub(crate) title: &'static str,
    pub(crate) cell: fn(&Group) -> String,
}

const fn column(title: &'static str, cell: fn(&Group) -> String) -> Column {
    Column { title, cell }
}

/// The columns that a reader sees first.
pub(crate) const OVERVIEW: &[Column] = &[
    column("runs", |it| it.runs.to_string()),
    column("tasks", |it| it.counts.tasks.to_string()),
    column("claims", |it| it.counts.claims.to_string()),
    column("refused", |it| share(it.counts.refused, it.counts.claims)),
    column("tries", |it| mean(it.counts.tries(), it.counts.corrections())),
    column("boundary", |it| it.counts.boundary().to_string()),
    column("recovered", |it| of(it.counts.helped, it.counts.recoveries)),
    column("open", |it| of(it.counts.open, it.counts.asked)),
    column("calls", |it| it.counts.calls.to_string()),
    column("tokens", |it| tokens(&it.counts)),
    column("seconds", |it| seconds(it.counts.timed, it.counts.microseconds)),
];

/// The outcomes of claims.
pub(crate) const CLAIMS: &[Column] = &[
    column("runs", |it| it.runs.to_string()),
    column("tasks", |it| it.counts.tasks.to_string()),
    column("claims", |it| it.counts.claims.to_string()),
    column("facts", |it| it.counts.facts.to_string()),
    column("refused", |it| it.counts.refused.to_string()),
    column("%", |it| share(it.counts.refused, it.counts.claims)),
    column("healed", |it| it.counts.healed.to_string()),
    column("corrected", |it| it.counts.corrections().to_string()),
    column("tries", |it| mean(it.counts.tries(), it.counts.corrections())),
    column("abandoned", |it| it.counts.abandoned.to_string()),
    column("foreign ids", |it| it.counts.foreign.to_string()),
    column("lost turns", |it| it.counts.lost_turns.to_string()),
];

/// Calls and their cost.
pub(crate) const CALLS: &[Column] = &[
    column("turns", |it| it.counts.turns.to_string()),
    column("calls", |it| it.counts.calls.to_string()),
    column("failed", |it| it.counts.failed.to_string()),
    column("from log", |it| it.counts.served.to_string()),
    column("not run", |it| it.counts.calls_refused.to_string()),
    column("outside", |it| it.counts.outside.to_string()),
    column("recovered", |it| of(it.counts.helped, it.counts.recoveries)),
    column("open", |it| of(it.counts.open, it.counts.asked)),
    column("tokens", |it| tokens(&it.counts)),
    column("cost", |it| cost(&it.counts)),
    column("seconds", |it| seconds(it.counts.timed, it.counts.microseconds)),
    column("in tools", |it| seconds(it.counts.calls, it.counts.tool_microseconds)),
];

/// Columns for tools.
pub(crate) const TOOLS: &[Column] = &[
    column("calls", |it| it.counts.calls.to_string()),
    column("failed", |it| it.counts.failed.to_string()),
    column("not run", |it| it.counts.calls_refused.to_string()),
    column("outside", |it| it.counts.outside.to_string()),
    column("seconds", |it| seconds(it.counts.calls, it.counts.tool_microseconds)),
];

/// Columns for codes, of both claims and calls.
pub(crate) const CODES: &[Column] = &[
    column("runs", |it| it.runs.to_string()),
    column("tasks", |it| it.counts.tasks.to_string()),
    column("refused", |it| it.counts.refused.to_string()),
    column("healed", |it| it.counts.healed.to_string()),
    column("corrected", |it| it.counts.corrections().to_string()),
    column("tries", |it| mean(it.counts.tries(), it.counts.corrections())),
    column("abandoned", |it| it.counts.abandoned.to_string()),
    column("lost turns", |it| it.counts.lost_turns.to_string()),
    column("calls not run", |it| it.counts.calls_refused.to_string()),
];

/// The cell if there is nothing to count.
const NOTHING: &str = "-";

/// Formats a share in percent with one decimal place, using whole numbers.
pub(crate) fn share(part: u64, of: u64) -> String {
    decimal(part.saturating_mul(100), of, 1).map_or(NOTHING.to_owned(), |share| format!("{share} %"))
}

fn mean(sum: u64, of: u64) -> String {
    decimal(sum, of, 1).unwrap_or(NOTHING.to_owned())
}

fn of(part: u64, of: u64) -> String {
    if of == 0 { NOTHING.to_owned() } else { format!("{part}/{of}") }
}

fn tokens(counts: &Counts) -> String {
    if counts.requests == 0 { NOTHING.to_owned() } else { counts.tokens().to_string() }
}

fn cost(counts: &Counts) -> String {
    if counts.micro_dollars == 0 { NOTHING.to_owned() } else { dollars(MicroDollars(counts.micro_dollars)) }
}

fn seconds(known: u64, microseconds: u64) -> String {
    if known == 0 { NOTHING.to_owned() } else { decimal(microseconds, 1_000_000, 1).unwrap_or_default() }
}

/// Formats a quotient with this many decimal places, rounded half up; `None` if the divisor is zero.
pub(crate) fn decimal(part: u64, of: u64, digits: u32) -> Option<String> {
    let unit = 10_u128.pow(digits);
    let (part, of) = (u128::from(part), u128::from(of));
    let scaled = (part * unit * 2 + of).checked_div(of * 2)?;
    let (whole, rest) = (scaled / unit, scaled % unit);
    Some(if digits == 0 { whole.to_string() } else { format!("{whole}.{rest:00$}", digits as usize) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_rounded_half_up_and_nothing_is_divided_by_nothing() {
        let cases = [
            (1, 3, 1, Some("0.3")),
            (1, 2, 0, Some("1")),
            (1999, 1000, 2, Some("2.00")),
            (5, 0, 1, None),
            (0, 7, 2, Some("0.00")),
            (u64::MAX, 1, 0, Some("18446744073709551615")),
        ];
        for (part, of, digits, expected) in cases {
            assert_eq!(decimal(part, of, digits).as_deref(), expected, "{part}/{of}");
        }
        assert_eq!((share(1, 3), share(0, 0)), ("33.3 %".to_owned(), "-".to_owned()));
    }
}
