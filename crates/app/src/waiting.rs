//! Work in a worker that an interruption ends.

use crate::interrupt::Interrupt;
use sandbox::Canceller;

/// A thread of ours panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Panicked;

/// Does what waits for workers on a thread of its own; an interruption cancels their calls, and this returns once the work has ended.
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
