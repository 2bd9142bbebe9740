//! A limit on the work that a database may cause, so that even pages that point to each other come to an end.

use std::cell::Cell;

/// The remaining work.
#[derive(Debug)]
pub(super) struct Budget(Cell<u64>);

impl Budget {
    pub(super) fn new(most: u64) -> Budget {
        Budget(Cell::new(most))
    }

    /// Uses an amount; returns whether so much was left.
    pub(super) fn take(&self, amount: u64) -> bool {
        let left = self.0.get().checked_sub(amount);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}
