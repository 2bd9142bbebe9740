//! Why a worker stopped.

use crate::frame_error::FrameError;
use std::io;

/// Why a worker could not serve, or stopped serving.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Workers run only on Linux.
    #[error("serve on {system}: workers need Linux with Landlock and seccomp")]
    NeedsLinux {
        /// The system's name, such as `windows`.
        system: &'static str,
    },
    /// Landlock, seccomp and fork act on one thread only, so there must be no other.
    #[error("serve from a process with {threads} threads, expected 1")]
    Threads {
        /// How many threads there are.
        threads: usize,
    },
    /// The standard descriptors could not be taken over; they are the parent's pipes.
    #[error("take over the standard descriptors")]
    Descriptors {
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// The parent sent something that is not a command, or an unexpected command.
    #[error("understand the parent")]
    Protocol {
        /// What is wrong with it.
        #[source]
        source: FrameError,
    },
    /// A system call that the zygote depends on failed.
    #[error("watch over a call")]
    System {
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// The parent was told that the worker cannot be set up.
    #[error("set the worker up, as the parent was told")]
    Refused,
}
