//! Work that a signal stops cleanly.

use crate::failure::Failure;
use crate::platform::Signals;
use crate::screen::Screen;
use app::Interrupt;
use std::future::Future;
use std::pin::pin;

/// Runs `work`. The first signal triggers `interrupt` and lets the work finish; the second stops waiting for it.
///
/// After a signal, the result is always an error, whatever the work returned.
pub(super) fn until_signal<T>(
    interrupt: &Interrupt,
    screen: &Screen,
    work: impl Future<Output = T>,
) -> Result<T, Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::Runtime)?;
    let signals = runtime.block_on(async { Signals::listen() })?;
    let ended = runtime.block_on(watched(interrupt, screen, signals, work));
    // The process may exit without waiting for its threads; its workers end with it.
    runtime.shutdown_background();
    ended
}

async fn watched<T>(
    interrupt: &Interrupt,
    screen: &Screen,
    mut signals: Signals,
    work: impl Future<Output = T>,
) -> Result<T, Failure> {
    let mut work = pin!(work);
    let code = tokio::select! {
        done = &mut work => return Ok(done),
        code = signals.next() => code,
    };
    interrupt.interrupt();
    screen.say("interrupted: stopping; interrupt again to stop at once");
    tokio::select! {
        _ = &mut work => {}
        _ = signals.next() => {}
    }
    Err(Failure::Stopped { code })
}
