//! Linux, macOS and their like.

use crate::failure::Failure;
use rustix::termios::{LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr};
use std::fs::{Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use tempfile::TempDir;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The program that opens a file in what the person has for it.
pub(crate) const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// A file is longer than is allowed: 25 on every system that is built for.
const SIGXFSZ: i32 = 25;

/// The two signals that ask the program to end: SIGINT (Ctrl-C) and SIGTERM.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// From here on they do not kill the program; must be called within a runtime.
    pub(crate) fn listen() -> Result<Signals, Failure> {
        let listen = |kind| signal(kind).map_err(Failure::Runtime);
        // A file that reaches its limit (ulimit -f) is an error of whoever writes it, and no silent end.
        let _ = listen(SignalKind::from_raw(SIGXFSZ))?;
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

/// The terminal that lines are typed on, as it was when it was first met.
pub(crate) struct Terminal {
    modes: Termios,
}

impl Terminal {
    /// Keeps how it is; `None` where there is none.
    pub(crate) fn keep() -> Option<Terminal> {
        tcgetattr(io::stdin()).ok().map(|modes| Terminal { modes })
    }

    /// What is typed is not shown: it would stand among lines that are drawn in place.
    pub(crate) fn hush(&self) {
        let mut modes = self.modes.clone();
        modes.local_modes.remove(LocalModes::ECHO);
        self.set(&modes);
    }

    /// It is as it was.
    pub(crate) fn restore(&self) {
        self.set(&self.modes);
    }

    /// Drops what was typed and not read.
    pub(crate) fn forget(&self) {
        // A terminal that is gone has nothing to drop.
        let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    }

    fn set(&self, modes: &Termios) {
        // One that is gone shows nothing.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, modes);
    }
}

/// Makes a folder in `place` that nobody else can look into.
pub(crate) fn make_private(prefix: &str, place: &Path) -> io::Result<TempDir> {
    let mode = Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix(prefix).permissions(mode).tempdir_in(place)
}

/// Whether a folder has the same owner as our `own`, and nobody else can look into it.
pub(crate) fn is_private_beside(own: &Metadata, folder: &Metadata) -> bool {
    folder.uid() == own.uid() && folder.mode() & 0o7777 == 0o700
}

/// The bytes of address space that this process may use, where they are limited and the system tells.
pub(crate) fn address_space() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}
