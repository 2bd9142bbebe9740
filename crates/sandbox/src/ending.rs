//! How a call ended.

use crate::frame_error::FrameError;
use crate::limits::{Limits, Usage};
use crate::system;
use std::path::PathBuf;
use std::time::Duration;

/// The file in its scratch folder in which a call can note what it is doing: [`Report::doing`] has it if the call breaks.
pub const DOING: &str = "doing";

/// The report of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How it ended.
    pub ending: Ending,
    /// What it used; all zero if the zygote was lost before it could report.
    pub usage: Usage,
    /// The first 4 KiB that the process wrote to standard error: an allocator's or an assertion's last words.
    /// It may repeat bytes of the evidence, so it is data and never an instruction.
    pub stderr: Vec<u8>,
    /// The first 4 KiB of the file [`DOING`] in its scratch folder, if the call did not reply.
    /// Whatever broke the process may have written it.
    pub doing: Vec<u8>,
    /// The scratch folder, if it could not be removed.
    pub scratch_left: Option<PathBuf>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The handler returned these bytes.
    Replied(Vec<u8>),
    /// The handler panicked; the message has at most 1 KiB.
    Panicked {
        /// The panic's message and source location.
        message: String,
    },
    /// A signal killed the process: a crash, an abort, a resource limit, or a system call that nobody makes by accident.
    Signalled {
        /// The signal's number.
        signal: i32,
    },
    /// The process exited by itself without a reply.
    Exited {
        /// Its exit code.
        code: i32,
    },
    /// The wall clock ran out and the process group was killed.
    TimedOut {
        /// The limit in force.
        limit: Duration,
    },
    /// The [`crate::Canceller`] was used.
    Cancelled,
    /// The reply is longer than allowed.
    ReplyTooLarge {
        /// The limit in force, in bytes.
        limit: u64,
    },
    /// The disk with its scratch folder was almost full, so it was killed.
    DiskFull,
    /// The process ended normally, but what it sent is not a reply.
    BadReply {
        /// What is wrong with it.
        defect: FrameError,
    },
    /// The process could not be set up or confined, so the handler never ran.
    SetupFailed {
        /// The step that failed.
        step: SetupStep,
        /// The system's error number, 0 if there is none.
        errno: i32,
    },
    /// The zygote died or stopped answering while the call ran, and took the call with it.
    ZygoteDied {
        /// How the zygote ended.
        exit: ZygoteExit,
    },
}

/// How a zygote ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZygoteExit {
    /// By this signal.
    Signal(i32),
    /// With this code.
    Code(i32),
    /// It could not be waited for.
    Unknown,
}

/// A step between the request and the handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupStep {
    /// Creating the scratch folder.
    Scratch,
    /// Creating the pipes.
    Pipes,
    /// Forking, and watching the new process.
    Fork,
    /// Leaving the zygote's process group, and arranging to die with the zygote.
    Group,
    /// Closing inherited descriptors.
    Descriptors,
    /// Setting resource limits.
    Limits,
    /// Entering the Landlock domain.
    Landlock,
    /// Installing the seccomp filter.
    Seccomp,
}

impl Ending {
    /// Checks whether something outside of the call ended it: the system because memory ran out, the machine's administrator, a batch system.
    ///
    /// A call that breaks because of its input ends in another way.
    pub fn is_from_outside(&self) -> bool {
        match self {
            Self::Signalled { signal } => system::is_from_outside(*signal),
            Self::ZygoteDied { .. } => true,
            Self::Replied(_)
            | Self::Panicked { .. }
            | Self::Exited { .. }
            | Self::TimedOut { .. }
            | Self::Cancelled
            | Self::ReplyTooLarge { .. }
            | Self::DiskFull
            | Self::BadReply { .. }
            | Self::SetupFailed { .. } => false,
        }
    }

    /// Returns a lower-case fragment that follows "the call", for a log or a report.
    /// `limits` are those of the call: a signal is explained by the limit that sends it.
    pub fn describe(&self, limits: &Limits) -> String {
        match self {
            Self::Replied(bytes) => format!("replied with {} bytes", bytes.len()),
            Self::Panicked { message } => format!("panicked: {message}"),
            Self::Signalled { signal } => system::describe_signal(*signal, limits),
            Self::Exited { code } => format!("exited with code {code} and without a reply"),
            Self::TimedOut { limit } => format!("ran longer than {limit:?} and was killed"),
            Self::Cancelled => "was cancelled".to_owned(),
            Self::ReplyTooLarge { limit } => format!("replied with more than {limit} bytes"),
            Self::DiskFull => {
                "was killed: hardly anything was left of the disk of its scratch folder".to_owned()
            }
            Self::BadReply { defect } => format!("sent what is not a reply: {defect}"),
            Self::SetupFailed { step, errno } => {
                format!("could not be set up ({step:?}, os error {errno})")
            }
            Self::ZygoteDied { exit } => match exit {
                ZygoteExit::Signal(signal) => format!("was lost with its zygote (signal {signal})"),
                ZygoteExit::Code(code) => format!("was lost with its zygote (exit code {code})"),
                ZygoteExit::Unknown => "was lost with its zygote".to_owned(),
            },
        }
    }
}
