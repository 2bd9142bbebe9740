//! Stops a run early, in an orderly way.

use std::sync::Arc;
use tokio::sync::watch;

/// A handle that stops runs; clones stop the same runs.
///
/// An interrupted run makes no further step: what it has recorded stays, the call under
/// way is cancelled and its end is not recorded, and the run is not sealed.
/// An interrupt cannot be undone.
#[derive(Debug, Clone)]
pub struct Interrupt {
    told: Arc<watch::Sender<bool>>,
    /// The interrupt that covers this one.
    outer: Option<Arc<watch::Sender<bool>>>,
}

impl Interrupt {
    /// Makes a handle that has not been triggered.
    pub fn new() -> Interrupt {
        Interrupt { told: Arc::new(watch::Sender::new(false)), outer: None }
    }

    /// Makes a handle for one run: interrupting `self` stops it too, but interrupting it stops no other run.
    ///
    /// `self` must come from [`Interrupt::new`].
    pub(crate) fn of_one_run(&self) -> Interrupt {
        Interrupt { told: Arc::new(watch::Sender::new(false)), outer: Some(Arc::clone(&self.told)) }
    }

    /// Tells the runs to stop.
    pub fn interrupt(&self) {
        self.told.send_replace(true);
    }

    /// Whether the runs were told to stop.
    pub fn is_interrupted(&self) -> bool {
        *self.told.borrow() || self.outer.as_ref().is_some_and(|outer| *outer.borrow())
    }

    /// Returns once the runs are told to stop.
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
