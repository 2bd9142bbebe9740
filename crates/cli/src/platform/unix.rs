//! Linux, macOS and other Unix systems.

use crate::failure::Failure;
use rustix::termios::{LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr};
use std::fs::{Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use tempfile::TempDir;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The program that opens a file with the person's default application.
pub(crate) const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// The signal for exceeding the file size limit; its number is 25 on all systems that we build for.
const SIGXFSZ: i32 = 25;

/// The two signals that ask the program to end: SIGINT (Ctrl-C) and SIGTERM.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// Starts catching the signals, which no longer kill the program. Must be called within a runtime.
    pub(crate) fn listen() -> Result<Signals, Failure> {
        let listen = |kind| signal(kind).map_err(Failure::Runtime);
        // When a file reaches its size limit (ulimit -f), the write must fail with an error instead of the program dying silently.
        let _ = listen(SignalKind::from_raw(SIGXFSZ))?;
        Ok(Signals {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    /// Waits for the next signal and returns its exit code: 128 plus the signal's number.
    pub(crate) async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => Failure::INTERRUPTED,
            _ = self.terminate.recv() => Failure::TERMINATED,
        }
    }
}

/// The terminal on standard input, with the modes it had at first.
pub(crate) struct Terminal {
    modes: Termios,
}

impl Terminal {
    /// Remembers the terminal's modes; `None` if standard input is not a terminal.
    pub(crate) fn keep() -> Option<Terminal> {
        tcgetattr(io::stdin()).ok().map(|modes| Terminal { modes })
    }

    /// Switches echo off, because typed text would end up among the lines that are drawn in place.
    pub(crate) fn hush(&self) {
        let mut modes = self.modes.clone();
        modes.local_modes.remove(LocalModes::ECHO);
        self.set(&modes);
    }

    /// Restores the modes that the terminal had at first.
    pub(crate) fn restore(&self) {
        self.set(&self.modes);
    }

    /// Discards what was typed but not read.
    pub(crate) fn forget(&self) {
        // If the terminal is gone, there is nothing to discard.
        let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    }

    fn set(&self, modes: &Termios) {
        // If the terminal is gone, its modes no longer matter.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, modes);
    }
}

/// Creates a folder in `place` that no other user can look into.
pub(crate) fn make_private(prefix: &str, place: &Path) -> io::Result<TempDir> {
    let mode = Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix(prefix).permissions(mode).tempdir_in(place)
}

/// Whether a folder has the same owner as `own`, which is ours, and no other user can look into it.
pub(crate) fn is_private_beside(own: &Metadata, folder: &Metadata) -> bool {
    folder.uid() == own.uid() && folder.mode() & 0o7777 == 0o700
}

/// The address space limit of this process in bytes, if there is one and the system reports it.
pub(crate) fn address_space() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}
