//! The process of one call, from the fork to the exit.

use crate::ending::SetupStep;
use crate::linux::fence::{self, Readable};
use crate::linux::frame::{self, Writer};
use crate::linux::message::{Call, PANIC_LIMIT, code, reply};
use crate::linux::sys::{self, Resource};
use crate::reply::Reply;
use seccompiler::BpfProgram;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, BorrowedFd, RawFd};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::path::Path;
use std::sync::Mutex;

/// The descriptor of the reply pipe while the handler runs; only the three standard ones are also open.
const REPLY: RawFd = 3;

/// What the zygote hands to a call's process.
pub(crate) struct Plan<'a> {
    /// The call.
    pub(crate) call: &'a Call,
    /// Its scratch folder, which exists and is empty.
    pub(crate) scratch: &'a Path,
    /// Process id of the zygote.
    pub(crate) zygote: u32,
    /// `/dev/null`, open for reading and writing.
    pub(crate) null: BorrowedFd<'a>,
    /// Where the reply goes.
    pub(crate) reply: BorrowedFd<'a>,
    /// The pipe that becomes standard error.
    pub(crate) stderr: BorrowedFd<'a>,
    /// What may be read and which system calls may be made; `None` without confinement.
    pub(crate) fence: Option<(&'a [Readable], &'a BpfProgram)>,
}

type Failure = (SetupStep, io::Error);

/// Sets the process up, runs the handler, sends what it returns, and ends the process.
pub(crate) fn run(plan: &Plan<'_>, handler: &impl Fn(&[u8], &Path) -> Reply) -> ! {
    let code = match enclose(plan).and_then(|()| take_descriptors(plan)) {
        Err(failure) => match plan.reply.try_clone_to_owned() {
            Ok(pipe) => refuse(&mut File::from(pipe), &failure),
            Err(_) => code::SETUP_FAILED,
        },
        Ok(mut pipe) => match restrict(plan) {
            Err(failure) => refuse(&mut pipe, &failure),
            Ok(()) => answer(plan, handler, &mut pipe),
        },
    };
    sys::exit_now(code)
}

fn at(step: SetupStep) -> impl Fn(io::Error) -> Failure {
    move |error| (step, error)
}

/// Puts the process into its own group, ties it to the zygote, and enters the scratch folder and the Landlock domain.
fn enclose(plan: &Plan<'_>) -> Result<(), Failure> {
    sys::own_group(0).map_err(at(SetupStep::Group))?;
    sys::die_with_parent().map_err(at(SetupStep::Group))?;
    if std::os::unix::process::parent_id() != plan.zygote {
        // The zygote died before the line above, so nobody is left to be told.
        sys::exit_now(code::SETUP_FAILED);
    }
    std::env::set_current_dir(plan.scratch).map_err(at(SetupStep::Scratch))?;
    if let Some((readable, _)) = plan.fence {
        fence::enter_call_domain(readable, plan.scratch).map_err(at(SetupStep::Landlock))?;
    }
    Ok(())
}

/// Leaves open only `/dev/null` twice, standard error, and the reply pipe.
fn take_descriptors(plan: &Plan<'_>) -> Result<File, Failure> {
    let place = || {
        sys::place(plan.null, 0)?;
        sys::place(plan.null, 1)?;
        sys::place(plan.stderr, 2)?;
        sys::place(plan.reply, REPLY)?;
        sys::close_from(REPLY.unsigned_abs() + 1)
    };
    place().map_err(at(SetupStep::Descriptors))?;
    Ok(File::from(sys::adopt(REPLY)))
}

/// Sets resource limits, then installs the filter that forbids changing them.
fn restrict(plan: &Plan<'_>) -> Result<(), Failure> {
    let limits = &plan.call.limits;
    let set = || {
        sys::limit(Resource::AddressSpace, limits.address_space, 0)?;
        // One second between the signal that explains the end and the one that cannot be caught.
        sys::limit(Resource::Cpu, limits.cpu_seconds, 1)?;
        sys::limit(Resource::FileSize, limits.file_size, 0)?;
        sys::limit(Resource::OpenFiles, limits.open_files, 0)?;
        sys::limit(Resource::Core, 0, 0)?;
        sys::limit(Resource::Processes, 0, 0)
    };
    set().map_err(at(SetupStep::Limits))?;
    if let Some((_, filter)) = plan.fence {
        let filter = crate::linux::filter::for_process(filter.clone(), std::process::id());
        seccompiler::apply_filter(&filter)
            .map_err(|error| (SetupStep::Seccomp, crate::linux::filter::cause(error)))?;
    }
    Ok(())
}

fn refuse(pipe: &mut File, (step, error): &Failure) -> i32 {
    let errno = error.raw_os_error().unwrap_or(0);
    // If the pipe cannot be written, nobody reads it any more.
    let _ = pipe.write_all(&Writer::default().u8(step.number()).i32(errno).frame(reply::SETUP_FAILED));
    code::SETUP_FAILED
}

fn answer(plan: &Plan<'_>, handler: &impl Fn(&[u8], &Path) -> Reply, pipe: &mut File) -> i32 {
    panic::set_hook(Box::new(remember));
    let result = panic::catch_unwind(AssertUnwindSafe(|| handler(&plan.call.request, plan.scratch)));
    let (code, kind, reply) = match result {
        Ok(reply) if length(&reply) > plan.call.limits.reply_bytes => {
            (code::TOO_LARGE, reply::TOO_LARGE, Reply::default())
        }
        Ok(reply) => (code::REPLIED, reply::REPLY, reply),
        Err(payload) => {
            // Dropping the panic's payload could panic again; the process is over anyway.
            let _ = ManuallyDrop::new(payload);
            (code::PANICKED, reply::PANICKED, last_panic().into_bytes().into())
        }
    };
    // If the pipe cannot be written, nobody reads it any more; a truncated reply is a bad reply.
    let _ = send(pipe, kind, reply);
    code
}

/// Returns the length of a reply; if the file's length is unknown, more than any limit.
fn length(reply: &Reply) -> u64 {
    let file = reply.file.as_ref().map_or(Ok(0), |file| file.metadata().map(|metadata| metadata.len()));
    file.unwrap_or(u64::MAX).saturating_add(reply.bytes.len() as u64)
}

fn send(pipe: &mut File, kind: u8, reply: Reply) -> io::Result<()> {
    let length = length(&reply);
    if length > SMALL {
        sys::widen_pipe(pipe.as_fd(), WIDE);
    }
    pipe.write_all(&frame::header(kind, length))?;
    if let Some(mut file) = reply.file {
        file.rewind()?;
        // Our own loop: the standard library's copy uses system calls that the filter does not allow.
        let mut buffer = vec![0; 1 << 18];
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                length => pipe.write_all(buffer.get(..length).unwrap_or_default())?,
            }
        }
    }
    pipe.write_all(&reply.bytes)
}

/// The kernel's default size of a pipe, less our header.
const SMALL: u64 = (64 << 10) - frame::HEADER as u64;
/// The largest size for an unprivileged process.
const WIDE: i32 = 1 << 20;

static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Serves as a quiet panic hook: keeps the message and prints nothing.
fn remember(info: &PanicHookInfo<'_>) {
    let what = info.payload_as_str().unwrap_or("a value that is not text");
    let mut message = match info.location() {
        Some(place) => format!("{what} ({}:{})", place.file(), place.line()),
        None => what.to_owned(),
    };
    message.truncate(message.floor_char_boundary(PANIC_LIMIT));
    if let Ok(mut last) = LAST_PANIC.lock() {
        *last = message;
    }
}

fn last_panic() -> String {
    LAST_PANIC.lock().map(|mut last| std::mem::take(&mut *last)).unwrap_or_default()
}
