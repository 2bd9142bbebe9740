//! The shared spending of a run's tasks, and whether it has reached the limit.

use crate::stored::StoredTask;
use ledger::event::Spent;
use ledger::{Budgets, Event, Exchange, MicroDollars, Prices};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The purse of a run; its clones share one sum.
///
/// It is checked before each turn; turns that are already under way when it runs out are still paid for.
#[derive(Debug, Clone)]
pub(crate) struct Purse {
    tokens: Option<u64>,
    cost: Option<MicroDollars>,
    spent: Arc<Mutex<Sum>>,
}

#[derive(Debug, Default)]
struct Sum {
    tokens: u64,
    micro_dollars: u64,
}

impl Purse {
    /// Makes the purse of a run, with the spending that its log records.
    pub(crate) fn of<'l>(budgets: &Budgets, tasks: impl IntoIterator<Item = &'l StoredTask>) -> Purse {
        let purse = Purse { tokens: budgets.run_tokens, cost: budgets.run_cost, spent: Arc::default() };
        for task in tasks {
            purse.pay(task.events.iter().filter_map(Event::exchange), task.assigned.prices);
        }
        purse
    }

    /// Adds the recorded cost of turns. Unrecorded cost does not count, because a reader of the log could not count it either.
    pub(crate) fn pay<'e>(&self, exchanges: impl IntoIterator<Item = &'e Exchange>, prices: Option<Prices>) {
        let mut sum = self.sum();
        for exchange in exchanges {
            let cost = prices.map_or(0, |prices| prices.of(exchange.usage).0);
            sum.tokens = sum.tokens.saturating_add(exchange.usage.tokens());
            sum.micro_dollars = sum.micro_dollars.saturating_add(cost);
        }
    }

    /// Returns the budget that ran out, if any.
    pub(crate) fn spent(&self) -> Option<Spent> {
        let sum = self.sum();
        if self.tokens.is_some_and(|most| sum.tokens >= most) {
            return Some(Spent::Tokens);
        }
        self.cost.is_some_and(|most| sum.micro_dollars >= most.0).then_some(Spent::Cost)
    }

    fn sum(&self) -> MutexGuard<'_, Sum> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{Digest, Usage};

    fn exchange(input: u64, output: u64) -> Exchange {
        let usage = Usage { input, output, ..Usage::default() };
        Exchange { request: Digest::of(b"r"), attempts: 1, usage, sent: None, request_id: None }
    }

    fn purse(run_tokens: Option<u64>, run_cost: Option<u64>) -> Purse {
        let run_cost = run_cost.map(MicroDollars);
        Purse::of(&Budgets { run_tokens, run_cost, ..Budgets::default() }, [])
    }

    #[test]
    fn all_tasks_pay_into_one_sum() {
        let purse = purse(Some(100), None);
        let other = purse.clone();
        purse.pay(&[exchange(40, 9)], None);
        other.pay(&[exchange(50, 0)], None);
        assert_eq!(purse.spent(), None);
        other.pay(&[exchange(1, 0)], None);
        assert_eq!(purse.spent(), Some(Spent::Tokens));
    }

    #[test]
    fn money_is_counted_by_the_prices_of_each_task() {
        let price = |dollars: u64| MicroDollars(dollars * 1_000_000);
        let prices = Prices { input: price(1), cached: price(1), cache_written: price(1), output: price(2) };
        let purse = purse(None, Some(12));
        purse.pay(&[exchange(1_000_000, 0)], None);
        purse.pay(&[exchange(7, 2)], Some(prices));
        assert_eq!(purse.spent(), None, "11 millionths");
        purse.pay(&[exchange(0, 1)], Some(prices));
        assert_eq!(purse.spent(), Some(Spent::Cost));
    }
}
