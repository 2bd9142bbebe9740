//! Windows.

use crate::failure::Failure;
use std::fs::Metadata;
use std::io;
use std::path::Path;
use tempfile::TempDir;
use tokio::signal::windows::{CtrlBreak, CtrlC, ctrl_break, ctrl_c};

/// The program that opens a file with the person's default application.
pub(crate) const OPENER: &str = "explorer";

/// The two console events that ask the program to end: Ctrl-C, and Ctrl-Break in place of SIGTERM.
///
/// `TerminateProcess`, which the task manager uses, ends a program without asking it.
pub(crate) struct Signals {
    interrupt: CtrlC,
    terminate: CtrlBreak,
}

impl Signals {
    /// Starts catching the events, which no longer kill the program. Must be called within a runtime.
    pub(crate) fn listen() -> Result<Signals, Failure> {
        Ok(Signals {
            interrupt: ctrl_c().map_err(Failure::Runtime)?,
            terminate: ctrl_break().map_err(Failure::Runtime)?,
        })
    }

    /// Waits for the next event and returns the same exit codes as on other systems.
    pub(crate) async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => Failure::INTERRUPTED,
            _ = self.terminate.recv() => Failure::TERMINATED,
        }
    }
}

/// The terminal on standard input; on Windows it is not changed.
pub(crate) struct Terminal;

impl Terminal {
    pub(crate) fn keep() -> Option<Terminal> {
        Some(Terminal)
    }

    pub(crate) fn hush(&self) {}

    pub(crate) fn restore(&self) {}

    pub(crate) fn forget(&self) {}
}

/// Creates a folder in `place`.
///
/// Weaker than on other systems: the folder inherits its permissions. The system's temporary folder does belong to the user alone.
pub(crate) fn make_private(prefix: &str, place: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).tempdir_in(place)
}

/// Whether a folder is provably ours: always false, because the standard library does not report owners here.
///
/// Weaker than on other systems: the scratch folders of killed programs are never removed.
pub(crate) fn is_private_beside(_own: &Metadata, _folder: &Metadata) -> bool {
    false
}

/// Always `None`: we know of no such limit here.
pub(crate) fn address_space() -> Option<u64> {
    None
}
