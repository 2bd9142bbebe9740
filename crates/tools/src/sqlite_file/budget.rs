//! A limit on SQLite's work, counted in steps of its virtual machine and not in time, so that equal calls end alike.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many steps lie between two checks of the budget.
pub(super) const STRIDE: u16 = 1000;

/// The remaining steps, shared by the connections of a call.
#[derive(Debug, Clone)]
pub(crate) struct Budget(Arc<AtomicU64>);

impl Budget {
    pub(crate) fn new(steps: u64) -> Budget {
        Budget(Arc::new(AtomicU64::new(steps)))
    }

    /// Uses up one stride; returns whether the budget is exhausted.
    pub(super) fn take(&self) -> bool {
        let stride = u64::from(STRIDE);
        let less = |left: u64| left.checked_sub(stride);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
    }
}
