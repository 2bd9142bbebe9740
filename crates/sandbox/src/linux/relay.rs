//! The zygote's watch over one running call.

use crate::ending::DOING;
use crate::frame_error::FrameError;
use crate::limits::{Limits, Usage};
use crate::linux::disk::Floor;
use crate::linux::frame::{self, HEADER};
use crate::linux::message::{COMMAND_LIMIT, Command, How, WORDS_LIMIT};
use crate::linux::sys::{self, Exit, READABLE, WRITABLE};
use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// A call's process and the ends of its pipes.
pub(crate) struct Running<'a> {
    /// Process id, not yet reaped.
    pub(crate) pid: i32,
    /// A descriptor that becomes readable when the process has ended.
    pub(crate) pidfd: OwnedFd,
    /// The pipe with the process's reply.
    pub(crate) reply: PipeReader,
    /// The pipe with the process's standard error.
    pub(crate) stderr: PipeReader,
    /// When it was forked.
    pub(crate) started: Instant,
    /// Its limits.
    pub(crate) limits: &'a Limits,
}

/// How often the disk is checked.
const LOOK: Duration = Duration::from_millis(50);

/// What the zygote knows of a finished call.
pub(crate) struct Finished {
    /// How the process ended.
    pub(crate) how: How,
    /// What it used.
    pub(crate) usage: Usage,
    /// How many bytes were moved to the parent's data pipe.
    pub(crate) relayed: u64,
    /// How many bytes of its standard error were moved there after those.
    pub(crate) stderr: u64,
}

/// Why the zygote itself must stop. The call's process is dead by then.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The parent is gone.
    ParentGone,
    /// The parent sent something that is not expected here.
    Protocol(FrameError),
    /// A system call of ours failed.
    System(io::Error),
}

/// The state of the watch.
struct Watch {
    /// Why we killed the process, if we did.
    killed: Option<How>,
    /// The process has ended.
    ended: bool,
    /// More may come from the reply pipe.
    open: bool,
    /// The parent's data pipe is full.
    full: bool,
    /// How many bytes were moved so far.
    relayed: u64,
}

/// Moves the reply to `data`, obeys `commands`, checks the clock and the `floor` of the disk, and reaps the process.
/// Reply and standard error stay inside the kernel: no byte derived from evidence enters the zygote's memory, which later calls inherit.
pub(crate) fn supervise(
    running: Running<'_>,
    floor: Option<&Floor<'_>>,
    commands: &mut File,
    data: BorrowedFd<'_>,
) -> Result<Finished, Stop> {
    let watched = watch(&running, floor, commands, data);
    // No group member outlives its leader, which is not reaped yet and so still owns the number.
    sys::kill_group(running.pid);
    let reaped = sys::wait(running.pid).map_err(Stop::System)?;
    let watch = watched?;
    let how = watch.killed.unwrap_or(match reaped.exit {
        Exit::Code(code) => How::Exited(code),
        Exit::Signal(signal) => How::Signalled(signal),
    });
    let usage = Usage {
        wall: running.started.elapsed(),
        user: reaped.user,
        system: reaped.system,
        peak_rss_kib: reaped.peak_rss_kib,
    };
    let stderr = move_words(running.stderr.as_fd(), data)?;
    Ok(Finished { how, usage, relayed: watch.relayed, stderr })
}

fn watch(
    running: &Running<'_>,
    floor: Option<&Floor<'_>>,
    commands: &mut File,
    data: BorrowedFd<'_>,
) -> Result<Watch, Stop> {
    let mut watch = Watch { killed: None, ended: false, open: true, full: false, relayed: 0 };
    while watch.open || !watch.ended {
        let left = running.limits.wall.saturating_sub(running.started.elapsed());
        if left.is_zero() {
            watch.kill(running, How::TimedOut);
        }
        // Everything that a dead process has written is already there; after a kill only its end is awaited.
        let timeout = match (watch.ended, watch.killed.is_some(), watch.full) {
            (true, _, false) => Some(Duration::ZERO),
            (true, _, true) | (false, true, _) => None,
            (false, false, _) => Some(left.min(LOOK)),
        };
        let (reads, writes) = (watch.open && !watch.full, watch.open && watch.full);
        let [command, reply, room, end] = sys::poll(
            [
                (Some(commands.as_fd()), READABLE),
                (reads.then(|| running.reply.as_fd()), READABLE),
                (writes.then_some(data), WRITABLE),
                ((!watch.ended).then(|| running.pidfd.as_fd()), READABLE),
            ],
            timeout,
        )
        .map_err(Stop::System)?;
        if command != 0 {
            obey(commands, running, &mut watch)?;
        }
        if room != 0 {
            watch.full = false;
        }
        if reply != 0 && watch.open {
            watch.pump(running, data)?;
        } else if watch.ended && reads {
            // Something else still has the pipe open, but the pipe's owner is dead.
            watch.open = false;
        }
        watch.ended |= end != 0;
        if floor.is_some_and(Floor::is_reached) {
            watch.kill(running, How::DiskFull);
        }
    }
    Ok(watch)
}

fn obey(commands: &mut File, running: &Running<'_>, watch: &mut Watch) -> Result<(), Stop> {
    let Some((kind, payload)) = frame::read(commands, COMMAND_LIMIT).map_err(Stop::Protocol)? else {
        return Err(Stop::ParentGone);
    };
    match Command::decode(kind, &payload).map_err(Stop::Protocol)? {
        Command::Cancel => {
            watch.kill(running, How::Cancelled);
            Ok(())
        }
        Command::Setup(_) | Command::Call(_) => Err(Stop::Protocol(FrameError::Kind { actual: kind })),
    }
}

impl Watch {
    /// Kills the whole group, for the first reason only; a process that has already ended has ended by itself.
    fn kill(&mut self, running: &Running<'_>, why: How) {
        if !self.ended && self.killed.is_none() {
            sys::kill_group(running.pid);
            self.killed = Some(why);
            self.open = false;
        }
    }

    /// Moves what is available, at most one byte more than allowed.
    fn pump(&mut self, running: &Running<'_>, data: BorrowedFd<'_>) -> Result<(), Stop> {
        let allowed = running.limits.reply_bytes.saturating_add(HEADER as u64);
        let wanted = allowed.saturating_sub(self.relayed).saturating_add(1).min(1 << 20);
        let wanted = usize::try_from(wanted).unwrap_or(1 << 20);
        match sys::splice(running.reply.as_fd(), data, wanted) {
            Ok(0) => self.open = false,
            Ok(moved) => self.relayed += moved as u64,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.full = true,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Err(Stop::ParentGone),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Stop::System(error)),
        }
        if self.relayed > allowed {
            self.open = false;
            sys::kill_group(running.pid);
            self.killed.get_or_insert(How::TooLarge);
        }
        Ok(())
    }
}

/// Moves the note of what a broken call was doing, from the file in its scratch folder.
/// Its author is dead, and the note is as hostile as a reply.
pub(crate) fn move_doing(folder: &Path, data: BorrowedFd<'_>) -> Result<u64, Stop> {
    // A link is not followed, and a pipe is not waited for.
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(folder.join(DOING));
    match opened {
        Ok(file) if file.metadata().is_ok_and(|metadata| metadata.is_file()) => {
            move_words(file.as_fd(), data)
        }
        // Most calls leave no note.
        Ok(_) | Err(_) => Ok(0),
    }
}

/// Moves the content of a pipe or a file, up to the limit.
fn move_words(from: BorrowedFd<'_>, data: BorrowedFd<'_>) -> Result<u64, Stop> {
    let mut moved = 0;
    while moved < WORDS_LIMIT {
        let [there] = sys::poll([(Some(from), READABLE)], Some(Duration::ZERO)).map_err(Stop::System)?;
        if there == 0 {
            break;
        }
        match sys::splice(from, data, WORDS_LIMIT - moved) {
            Ok(0) => break,
            Ok(length) => moved += length,
            // There is something to move, so it is the parent's pipe that is full.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                sys::poll([(Some(data), WRITABLE)], None).map_err(Stop::System)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Err(Stop::ParentGone),
            Err(error) => return Err(Stop::System(error)),
        }
    }
    Ok(moved as u64)
}
