//! Why a worker could not be started.

use crate::confinement::Missing;
use crate::ending::ZygoteExit;
use crate::frame_error::FrameError;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a worker could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// Confinement is required but not available here.
    #[error("confine the worker: {missing:?}")]
    ConfinementUnavailable {
        /// The layers that are missing, with the reason.
        missing: Vec<Missing>,
    },
    /// This system cannot run a worker at all, confined or not.
    #[error("run a tool worker on {system}: workers need Linux with Landlock and seccomp")]
    NeedsLinux {
        /// The system's name, such as `windows`.
        system: &'static str,
    },
    /// A file that every worker uses is missing.
    #[error("run a tool worker: there is no {path} here")]
    NeedsFile {
        /// The file.
        path: &'static str,
    },
    /// A readable path or the scratch root cannot be used.
    #[error("open `{}` for the worker", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// The program cannot be run.
    #[error("run `{}` as a worker", program.display())]
    Run {
        /// The program.
        program: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// The pipes to the worker cannot be used.
    #[error("talk to the worker")]
    Pipes {
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// The worker ended before it was ready.
    #[error("start the worker, it ended first ({exit:?})")]
    Died {
        /// How it ended.
        exit: ZygoteExit,
        /// What it wrote to standard error, up to 4 KiB.
        stderr: Vec<u8>,
    },
    /// The worker was not ready in time.
    #[error("start the worker within {after:?}")]
    NotReady {
        /// How long it was given.
        after: Duration,
    },
    /// The program answers, but not as a worker does.
    #[error("understand the worker")]
    Protocol {
        /// What is wrong with its answer.
        #[source]
        source: FrameError,
    },
}
