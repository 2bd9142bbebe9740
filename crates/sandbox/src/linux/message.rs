//! The messages between parent and zygote.

use crate::config::Policy;
use crate::confinement::Confinement;
use crate::ending::SetupStep;
use crate::frame_error::FrameError;
use crate::limits::{Limits, Usage};
use crate::linux::frame::{Reader, Writer, encode};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest request of a call, in bytes.
pub(crate) const REQUEST_LIMIT: u64 = 64 << 20;
/// The longest payload of a command: a request and its limits.
pub(crate) const COMMAND_LIMIT: u64 = REQUEST_LIMIT + 4096;
/// The longest payload of an event.
pub(crate) const EVENT_LIMIT: u64 = 16 << 10;
/// How many bytes are kept of standard error, and of what a call was doing.
pub(crate) const WORDS_LIMIT: usize = 4096;
/// The longest panic message, in bytes.
pub(crate) const PANIC_LIMIT: usize = 1024;

/// The kinds of the one frame that a call's process sends.
pub(crate) mod reply {
    /// The handler's bytes.
    pub(crate) const REPLY: u8 = 1;
    /// A panic's message.
    pub(crate) const PANICKED: u8 = 2;
    /// No payload: the reply is longer than allowed.
    pub(crate) const TOO_LARGE: u8 = 3;
    /// A step and an error number.
    pub(crate) const SETUP_FAILED: u8 = 4;
}

/// Exit codes of a call's process; each goes with its frame.
pub(crate) mod code {
    /// With a reply.
    pub(crate) const REPLIED: i32 = 0;
    /// With a panic's message.
    pub(crate) const PANICKED: i32 = 101;
    /// With the note that the reply is too large.
    pub(crate) const TOO_LARGE: i32 = 102;
    /// With the step that failed.
    pub(crate) const SETUP_FAILED: i32 = 103;
}

/// From parent to zygote.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// The first frame.
    Setup(Setup),
    /// Run a call.
    Call(Call),
    /// End the running call; ignored if there is none.
    Cancel,
}

/// What a zygote needs to know before it confines itself.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Setup {
    /// Whether to confine at all.
    pub(crate) policy: Policy,
    /// The folder for the scratch folders.
    pub(crate) scratch_root: PathBuf,
    /// Files and folders that calls may read.
    pub(crate) readable: Vec<PathBuf>,
}

/// One call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// Its limits.
    pub(crate) limits: Limits,
    /// The name of its folder under the scratch root.
    pub(crate) scratch: String,
    /// The handler's argument.
    pub(crate) request: Vec<u8>,
}

/// From zygote to parent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The zygote is set up, with this confinement.
    Ready(Confinement),
    /// The zygote cannot be set up and is about to exit.
    Refused(Refusal),
    /// The call runs in the process with this id.
    Started {
        /// The process id, also that of its group.
        pid: i32,
    },
    /// The call is over.
    Ended(Ended),
}

/// Why a zygote cannot be set up.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Confinement is required, and this is all that was available.
    Confinement(Confinement),
    /// A path cannot be opened.
    Path {
        /// The path.
        path: PathBuf,
        /// The system's error number.
        errno: i32,
    },
}

/// The end of a call, without its reply, its standard error and what it was doing: those come through the data pipe, one after another.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// How the process ended.
    pub(crate) how: How,
    /// What it used.
    pub(crate) usage: Usage,
    /// How many bytes of the reply are in the data pipe.
    pub(crate) relayed: u64,
    /// Whether the scratch folder could be removed.
    pub(crate) scratch_removed: bool,
    /// How many bytes of standard error follow in the data pipe.
    pub(crate) stderr: u64,
    /// How many bytes follow those, with what a call that did not reply was doing.
    pub(crate) doing: u64,
}

/// How a call's process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// By itself.
    Exited(i32),
    /// By a signal.
    Signalled(i32),
    /// We killed it: the wall clock ran out.
    TimedOut,
    /// We killed it: the parent asked for it.
    Cancelled,
    /// We killed it: it wrote more than allowed.
    TooLarge,
    /// We killed it: the disk was almost full.
    DiskFull,
    /// It never ran.
    Failed(SetupStep, i32),
}

impl Command {
    /// Encodes the first command.
    pub(crate) fn setup(policy: Policy, scratch_root: &Path, readable: &[PathBuf]) -> Vec<u8> {
        let policy = match policy {
            Policy::Required => 0,
            Policy::Unconfined => 1,
        };
        let mut fields = Writer::default().u8(policy).bytes(path_bytes(scratch_root));
        fields = fields.u64(readable.len() as u64);
        readable.iter().fold(fields, |fields, path| fields.bytes(path_bytes(path))).frame(1)
    }

    /// Encodes a call.
    pub(crate) fn call(limits: &Limits, scratch: &str, request: &[u8]) -> Vec<u8> {
        Writer::default()
            .u64(nanos(limits.wall))
            .u64(limits.cpu_seconds)
            .u64(limits.address_space)
            .u64(limits.file_size)
            .u64(limits.open_files)
            .u64(limits.reply_bytes)
            .bytes(scratch.as_bytes())
            .bytes(request)
            .frame(2)
    }

    /// Encodes the command that ends the running call.
    pub(crate) fn cancel() -> Vec<u8> {
        encode(3, &[])
    }

    /// Decodes a command's payload.
    pub(crate) fn decode(kind: u8, payload: &[u8]) -> Result<Self, FrameError> {
        let mut from = Reader(payload);
        let command = match kind {
            1 => Self::Setup(read_setup(&mut from)?),
            2 => Self::Call(read_call(&mut from)?),
            3 => Self::Cancel,
            actual => return Err(FrameError::Kind { actual }),
        };
        from.end().map(|()| command)
    }
}

fn read_setup(from: &mut Reader<'_>) -> Result<Setup, FrameError> {
    let policy = match from.u8()? {
        0 => Policy::Required,
        1 => Policy::Unconfined,
        other => return Err(FrameError::Field { field: "policy", actual: u64::from(other) }),
    };
    let scratch_root = path(from.bytes()?);
    let count = from.u64()?;
    let readable = (0..count).map(|_| from.bytes().map(path)).collect::<Result<_, _>>()?;
    Ok(Setup { policy, scratch_root, readable })
}

fn read_call(from: &mut Reader<'_>) -> Result<Call, FrameError> {
    let limits = Limits {
        wall: Duration::from_nanos(from.u64()?),
        cpu_seconds: from.u64()?,
        address_space: from.u64()?,
        file_size: from.u64()?,
        open_files: from.u64()?,
        reply_bytes: from.u64()?,
    };
    let scratch = String::from_utf8_lossy(from.bytes()?).into_owned();
    Ok(Call { limits, scratch, request: from.bytes()?.to_vec() })
}

impl Event {
    /// Encodes this event.
    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Ready(confinement) => confinement.write(Writer::default()).frame(1),
            Self::Refused(Refusal::Confinement(confinement)) => confinement.write(Writer::default()).frame(2),
            Self::Refused(Refusal::Path { path, errno }) => {
                Writer::default().i32(*errno).bytes(path_bytes(path)).frame(3)
            }
            Self::Started { pid } => Writer::default().i32(*pid).frame(4),
            Self::Ended(ended) => ended.write(Writer::default()).frame(5),
        }
    }

    /// Decodes an event's payload.
    pub(crate) fn decode(kind: u8, payload: &[u8]) -> Result<Self, FrameError> {
        let mut from = Reader(payload);
        let event = match kind {
            1 => Self::Ready(Confinement::read(&mut from)?),
            2 => Self::Refused(Refusal::Confinement(Confinement::read(&mut from)?)),
            3 => {
                let errno = from.i32()?;
                Self::Refused(Refusal::Path { errno, path: path(from.bytes()?) })
            }
            4 => Self::Started { pid: from.i32()? },
            5 => Self::Ended(Ended::read(&mut from)?),
            actual => return Err(FrameError::Kind { actual }),
        };
        from.end().map(|()| event)
    }
}

impl Ended {
    /// Returns how many bytes are in the data pipe for this call.
    pub(crate) fn bytes(&self) -> u64 {
        self.relayed.saturating_add(self.stderr).saturating_add(self.doing)
    }

    fn write(&self, to: Writer) -> Writer {
        let (how, step, number) = match self.how {
            How::Exited(code) => (0, 0, code),
            How::Signalled(signal) => (1, 0, signal),
            How::TimedOut => (2, 0, 0),
            How::Cancelled => (3, 0, 0),
            How::TooLarge => (4, 0, 0),
            How::Failed(step, errno) => (5, step.number(), errno),
            How::DiskFull => (6, 0, 0),
        };
        to.u8(how)
            .u8(step)
            .i32(number)
            .u64(nanos(self.usage.wall))
            .u64(nanos(self.usage.user))
            .u64(nanos(self.usage.system))
            .u64(self.usage.peak_rss_kib)
            .u64(self.relayed)
            .u64(self.stderr)
            .u64(self.doing)
            .u8(u8::from(self.scratch_removed))
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, FrameError> {
        let (how, step, number) = (from.u8()?, from.u8()?, from.i32()?);
        let how = match how {
            0 => How::Exited(number),
            1 => How::Signalled(number),
            2 => How::TimedOut,
            3 => How::Cancelled,
            4 => How::TooLarge,
            5 => How::Failed(SetupStep::from_number(step)?, number),
            6 => How::DiskFull,
            other => return Err(FrameError::Field { field: "how", actual: u64::from(other) }),
        };
        let usage = Usage {
            wall: Duration::from_nanos(from.u64()?),
            user: Duration::from_nanos(from.u64()?),
            system: Duration::from_nanos(from.u64()?),
            peak_rss_kib: from.u64()?,
        };
        let (relayed, stderr, doing) = (from.u64()?, from.u64()?, from.u64()?);
        Ok(Self { how, usage, relayed, stderr, doing, scratch_removed: from.u8()? == 1 })
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn path_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::frame;

    #[test]
    fn commands_and_events_survive_the_pipe() {
        let limits = Limits::default();
        let bytes = Command::call(&limits, "1-2", b"request");
        let (kind, payload) = frame::read(&mut bytes.as_slice(), COMMAND_LIMIT).unwrap().unwrap();
        let call = Call { limits, scratch: "1-2".to_owned(), request: b"request".to_vec() };
        assert_eq!(Command::decode(kind, &payload), Ok(Command::Call(call)));

        let ended = Event::Ended(Ended {
            how: How::Failed(SetupStep::Seccomp, 22),
            usage: Usage { wall: Duration::from_nanos(5), peak_rss_kib: 9, ..Usage::default() },
            relayed: 3,
            scratch_removed: true,
            stderr: 10,
            doing: 7,
        });
        let bytes = ended.encode();
        let (kind, payload) = frame::read(&mut bytes.as_slice(), EVENT_LIMIT).unwrap().unwrap();
        assert_eq!(Event::decode(kind, &payload), Ok(ended));
    }

    #[test]
    fn bytes_behind_a_message_are_refused() {
        assert_eq!(Command::decode(3, b"x"), Err(FrameError::Length { expected: 0, actual: 1 }));
        assert_eq!(Event::decode(99, b""), Err(FrameError::Kind { actual: 99 }));
    }
}
