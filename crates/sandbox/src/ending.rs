//! How a call ended.

use crate::frame::FrameError;
use crate::limits::{Limits, Usage};
use std::path::PathBuf;
use std::time::Duration;

/// What became of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How it ended.
    pub ending: Ending,
    /// What it used; all zero when the zygote was lost before it could tell.
    pub usage: Usage,
    /// The first 4 KiB of what the process wrote to standard error: an allocator's or an assertion's last words.
    /// It may repeat bytes of the evidence, so it is data and never an instruction.
    pub stderr: Vec<u8>,
    /// The scratch folder, when it could not be removed.
    pub scratch_left: Option<PathBuf>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The handler returned these bytes.
    Replied(Vec<u8>),
    /// The handler panicked; the message has at most 1 KiB.
    Panicked {
        /// The panic's message and place in the source.
        message: String,
    },
    /// A signal killed the process: a crash, an abort, a resource limit, or a system call nobody makes by accident.
    Signalled {
        /// The signal's number.
        signal: i32,
    },
    /// The process left by itself without a reply.
    Exited {
        /// Its exit code.
        code: i32,
    },
    /// The wall clock ran out and the process group was killed.
    TimedOut {
        /// The limit that held.
        limit: Duration,
    },
    /// Somebody used the [`crate::Canceller`].
    Cancelled,
    /// The reply is longer than allowed.
    ReplyTooLarge {
        /// The limit that held, in bytes.
        limit: u64,
    },
    /// The process ended well, but what it sent is not a reply.
    BadReply {
        /// What is wrong with it.
        defect: FrameError,
    },
    /// The process could not be set up or confined, so the handler never ran.
    SetupFailed {
        /// The step that failed.
        step: SetupStep,
        /// The system's error number, 0 when there is none.
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
    /// Making the scratch folder.
    Scratch,
    /// Making the pipes.
    Pipes,
    /// Forking, and watching the new process.
    Fork,
    /// Leaving the zygote's process group and dying with it.
    Group,
    /// Giving up inherited descriptors.
    Descriptors,
    /// Setting resource limits.
    Limits,
    /// Entering the Landlock domain.
    Landlock,
    /// Installing the seccomp filter.
    Seccomp,
}

impl SetupStep {
    const ALL: [Self; 8] = [
        Self::Scratch,
        Self::Pipes,
        Self::Fork,
        Self::Group,
        Self::Descriptors,
        Self::Limits,
        Self::Landlock,
        Self::Seccomp,
    ];

    /// The number that stands for this step in a frame.
    pub(crate) fn number(self) -> u8 {
        Self::ALL.iter().zip(1..).find(|(step, _)| **step == self).map_or(0, |(_, number)| number)
    }

    /// The step that a number in a frame stands for.
    pub(crate) fn from_number(number: u8) -> Result<Self, FrameError> {
        let unknown = FrameError::Field { field: "step", actual: u64::from(number) };
        Self::ALL.iter().zip(1..).find(|(_, other)| *other == number).map(|(step, _)| *step).ok_or(unknown)
    }
}

impl Ending {
    /// One lower-case fragment that follows "the call", for a log or a report.
    /// `limits` are those of the call: a signal is explained by the limit that sends it.
    pub fn describe(&self, limits: &Limits) -> String {
        match self {
            Self::Replied(bytes) => format!("replied with {} bytes", bytes.len()),
            Self::Panicked { message } => format!("panicked: {message}"),
            Self::Signalled { signal } => describe_signal(*signal, limits),
            Self::Exited { code } => format!("exited with code {code} and without a reply"),
            Self::TimedOut { limit } => format!("ran longer than {limit:?} and was killed"),
            Self::Cancelled => "was cancelled".to_owned(),
            Self::ReplyTooLarge { limit } => format!("replied with more than {limit} bytes"),
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

fn describe_signal(signal: i32, limits: &Limits) -> String {
    match signal {
        libc::SIGABRT => format!(
            "aborted (SIGABRT): out of its {} bytes of address space, out of stack, or a failed check",
            limits.address_space
        ),
        libc::SIGSEGV => "crashed (SIGSEGV): invalid memory access".to_owned(),
        libc::SIGBUS => "crashed (SIGBUS): a mapped file ended early or could not be read".to_owned(),
        libc::SIGFPE => "crashed (SIGFPE): division by zero".to_owned(),
        libc::SIGILL => "crashed (SIGILL): invalid instruction".to_owned(),
        libc::SIGXCPU => format!("used up its {} s of CPU time (SIGXCPU)", limits.cpu_seconds),
        libc::SIGXFSZ => format!("wrote a file of more than {} bytes (SIGXFSZ)", limits.file_size),
        libc::SIGSYS => "was killed (SIGSYS): made a system call that no parser has a use for".to_owned(),
        libc::SIGKILL => {
            "was killed (SIGKILL): out of memory, out of CPU time, or by somebody outside".to_owned()
        }
        other => format!("was killed by signal {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setup_step_has_a_number_of_its_own() {
        for step in SetupStep::ALL {
            assert_eq!(SetupStep::from_number(step.number()), Ok(step));
        }
        assert!(SetupStep::from_number(0).is_err());
    }

    #[test]
    fn a_signal_is_explained_by_the_limit_that_sends_it() {
        let limits = Limits { cpu_seconds: 7, ..Limits::default() };
        let text = Ending::Signalled { signal: libc::SIGXCPU }.describe(&limits);
        assert_eq!(text, "used up its 7 s of CPU time (SIGXCPU)");
    }
}
