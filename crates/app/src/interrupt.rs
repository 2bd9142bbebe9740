//! Ending a run before its end, in good order.

use std::sync::Arc;
use tokio::sync::watch;

/// A handle by which runs are told to stop; clones tell the same runs.
///
/// A run that is told makes no further step: what it has recorded stays, the call under way is cancelled and its end is not recorded, and nothing seals the run.
/// Being told is for good.
#[derive(Debug, Clone)]
pub struct Interrupt {
    told: Arc<watch::Sender<bool>>,
}

impl Interrupt {
    /// A handle that has not been used.
    pub fn new() -> Interrupt {
        Interrupt { told: Arc::new(watch::Sender::new(false)) }
    }

    /// Tells the runs to stop.
    pub fn interrupt(&self) {
        self.told.send_replace(true);
    }

    /// Whether the runs were told.
    pub fn is_interrupted(&self) -> bool {
        *self.told.borrow()
    }

    /// Returns once the runs are told.
    pub async fn interrupted(&self) {
        // It cannot fail: the sender lives as long as this handle.
        let _ = self.told.subscribe().wait_for(|told| *told).await;
    }
}

impl Default for Interrupt {
    fn default() -> Interrupt {
        Interrupt::new()
    }
}
