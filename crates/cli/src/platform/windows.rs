//! Windows.

use crate::failure::Failure;
use std::fs::Metadata;
use std::io;
use std::path::Path;
use tempfile::TempDir;
use tokio::signal::windows::{CtrlBreak, CtrlC, ctrl_break, ctrl_c};

/// The program that opens a file in what the person has for it.
pub(crate) const OPENER: &str = "explorer";

/// The two events of a console that ask the program to end: Ctrl-C and Ctrl-Break, which takes the place of SIGTERM.
///
/// A program that is ended by `TerminateProcess`, as the task manager does it, is not asked.
pub(crate) struct Signals {
    interrupt: CtrlC,
    terminate: CtrlBreak,
}

impl Signals {
    /// From here on they do not kill the program; must be called within a runtime.
    pub(crate) fn listen() -> Result<Signals, Failure> {
        Ok(Signals {
            interrupt: ctrl_c().map_err(Failure::Runtime)?,
            terminate: ctrl_break().map_err(Failure::Runtime)?,
        })
    }

    /// Waits for the next of them; gives the same exit codes as elsewhere.
    pub(crate) async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => Failure::INTERRUPTED,
            _ = self.terminate.recv() => Failure::TERMINATED,
        }
    }
}

/// The terminal that lines are typed on; nothing of it is changed here.
pub(crate) struct Terminal;

impl Terminal {
    pub(crate) fn keep() -> Option<Terminal> {
        Some(Terminal)
    }

    pub(crate) fn hush(&self) {}

    pub(crate) fn restore(&self) {}

    pub(crate) fn forget(&self) {}
}

/// Makes a folder in `place`.
///
/// Weaker than elsewhere: who may look into it is what it inherits; the system's temporary folder is the user's own.
pub(crate) fn make_private(prefix: &str, place: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).tempdir_in(place)
}

/// Whether a folder is provably ours: never, because the standard library tells no owner.
///
/// Weaker than elsewhere: what a killed program left stays.
pub(crate) fn is_private_beside(_own: &Metadata, _folder: &Metadata) -> bool {
    false
}

/// Not limited here in a way that we know of.
pub(crate) fn address_space() -> Option<u64> {
    None
}
