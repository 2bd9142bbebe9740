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
    /// What stops the part of which this stops a part.
    outer: Option<Arc<watch::Sender<bool>>>,
}

impl Interrupt {
    /// A handle that has not been used.
    pub fn new() -> Interrupt {
        Interrupt { told: Arc::new(watch::Sender::new(false)), outer: None }
    }

    /// A handle for one run: it is told where this one is, and telling it tells no other run.
    ///
    /// It is made of a handle that [`Interrupt::new`] gave.
    pub(crate) fn of_one_run(&self) -> Interrupt {
        Interrupt { told: Arc::new(watch::Sender::new(false)), outer: Some(Arc::clone(&self.told)) }
    }

    /// Tells the runs to stop.
    pub fn interrupt(&self) {
        self.told.send_replace(true);
    }

    /// Whether the runs were told.
    pub fn is_interrupted(&self) -> bool {
        *self.told.borrow() || self.outer.as_ref().is_some_and(|outer| *outer.borrow())
    }

    /// Returns once the runs are told.
    pub async fn interrupted(&self) {
        // Waiting cannot fail: the senders live as long as this handle.
        let mut told = self.told.subscribe();
        match &self.outer {
            None => drop(told.wait_for(|told| *told).await),
            Some(outer) => {
                let mut outer = outer.subscribe();
                tokio::select! {
                    told = told.wait_for(|told| *told) => drop(told),
                    told = outer.wait_for(|told| *told) => drop(told),
                }
            }
        }
    }
}

impl Default for Interrupt {
    fn default() -> Interrupt {
        Interrupt::new()
    }
}
