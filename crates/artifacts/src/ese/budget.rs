//! How much work a database may cause: counted, so that pages which point to each other end as alike as others.

use std::cell::Cell;

/// Work that is left.
#[derive(Debug)]
pub(super) struct Budget(Cell<u64>);

impl Budget {
    pub(super) fn new(most: u64) -> Budget {
        Budget(Cell::new(most))
    }

    /// Takes an amount; whether there was so much left.
    pub(super) fn take(&self, amount: u64) -> bool {
        let left = self.0.get().checked_sub(amount);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}
