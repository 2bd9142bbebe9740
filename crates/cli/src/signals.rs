//! Being asked to end: SIGINT (Ctrl-C) and SIGTERM.

use crate::failure::Failure;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The two signals that ask the program to end.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// From here on they do not kill the program; must be called within a runtime.
    pub(crate) fn listen() -> Result<Signals, Failure> {
        let listen = |kind| signal(kind).map_err(Failure::Runtime);
        Ok(Signals {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    /// Waits for the next of them; gives the exit code that says so: 128 and its number.
    pub(crate) async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => Failure::INTERRUPTED,
            _ = self.terminate.recv() => Failure::TERMINATED,
        }
    }
}
