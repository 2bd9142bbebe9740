//! Runs work in a worker, which an interruption ends.

use crate::interrupt::Interrupt;
use sandbox::Canceller;

/// A thread of the program panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Panicked;

/// Runs work that waits for workers on a blocking thread. An interruption
/// cancels the workers' calls; this returns once the work has ended.
pub(crate) async fn wait_for<T: Send + 'static>(
    interrupt: &Interrupt,
    cancellers: Vec<Canceller>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Panicked> {
    let mut working = tokio::task::spawn_blocking(work);
    let done = tokio::select! {
        done = &mut working => done,
        () = interrupt.interrupted() => {
            cancellers.iter().for_each(Canceller::cancel);
            working.await
        }
    };
    done.map_err(|_| Panicked)
}
