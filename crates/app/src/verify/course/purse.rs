//! Adds up the spending of a run's tasks again, from the events.

use crate::verify::log::Log;
use ledger::event::{Spent, TaskAssigned};
use ledger::{Event, Exchange, MicroDollars, Prices, TaskId};
use std::collections::BTreeMap;

/// Whether the run had spent this much by its end. The order of the log does not show which task was told first.
pub(super) fn is_spent(log: Log<'_>, spent: Spent) -> bool {
    let budgets = &log.opened.rules.budgets;
    match spent {
        Spent::Tokens => budgets.run_tokens.is_some_and(|most| tokens(log) >= most),
        Spent::Cost => budgets.run_cost.is_some_and(|most| cost(log) >= most),
        // These are counted within a task.
        Spent::Turns | Spent::RejectedClaims | Spent::WallTime => false,
    }
}

fn tokens(log: Log<'_>) -> u64 {
    exchanges(log).map(|(_, exchange)| exchange.usage.tokens()).fold(0, u64::saturating_add)
}

fn cost(log: Log<'_>) -> MicroDollars {
    let prices: BTreeMap<TaskId, Option<Prices>> = log
        .events
        .iter()
        .filter_map(|(_, event, _)| match event {
            Event::TaskAssigned(TaskAssigned { task, prices, .. }) => Some((*task, *prices)),
            _ => None,
        })
        .collect();
    let of = |(task, exchange): (TaskId, &Exchange)| {
        prices.get(&task).copied().flatten().map_or(0, |prices| prices.of(exchange.usage).0)
    };
    MicroDollars(exchanges(log).map(of).fold(0, u64::saturating_add))
}

fn exchanges(log: Log<'_>) -> impl Iterator<Item = (TaskId, &Exchange)> {
    log.of_tasks().filter_map(|(_, task, event)| Some((task, event.exchange()?)))
}
