//! The zygote: what the program does when it is started as a worker.

use crate::config::Policy;
use crate::confinement::{Confinement, Holding, Reason};
use crate::ending::SetupStep;
use crate::frame_error::FrameError;
use crate::limits::Usage;
use crate::linux::child::{self, Plan};
use crate::linux::disk::Floor;
use crate::linux::fence::{self, Readable};
use crate::linux::filter;
use crate::linux::frame;
use crate::linux::holding::holding;
use crate::linux::identity;
use crate::linux::message::{COMMAND_LIMIT, Call, Command, Ended, Event, How, Refusal, Setup, code};
use crate::linux::mounts;
use crate::linux::relay::{self, Finished, Running, Stop};
use crate::linux::scratch;
use crate::linux::seclude;
use crate::linux::sys::{self, Forked};
use crate::reply::Reply;
use crate::serve_error::ServeError;
use seccompiler::BpfProgram;
use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Serves calls until the parent goes away, which shows as the end of its pipe.
/// `main` must call it first of all if its first argument is [`crate::WORKER_ARGUMENT`].
///
/// (`PR_SET_PDEATHSIG` would tie the worker to the *thread* that started it, and a pool's thread ends long before its process.)
///
/// No thread may exist yet, and no open descriptor may still be needed: all inherited ones except the parent's three pipes are closed.
/// `handler` gets the request and the path of a fresh, empty scratch folder (also the current folder), and returns the reply.
/// It runs in a process of its own for each call; its changes in memory are gone afterwards, and so is the folder.
/// Standard output leads nowhere; up to 4 KiB of standard error are kept.
///
/// The scratch path differs from call to call, so it must not be in a reply that is to be reproduced.
///
/// Under confinement the handler can only read the readable paths and write its scratch folder:
/// no thread, no process, no socket, no mode or time of any file.
/// `std::fs::copy` fails there, because it sets the mode of the copy; use `std::io::copy`.
pub fn serve(handler: impl Fn(&[u8], &Path) -> Reply) -> Result<(), ServeError> {
    let threads = std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    if threads != 1 {
        return Err(ServeError::Threads { threads });
    }
    let mut pipes = Pipes::take().map_err(|source| ServeError::Descriptors { source })?;
    let protocol = |source| ServeError::Protocol { source };
    let setup = match pipes.next().map_err(protocol)? {
        None => return Ok(()),
        Some(Command::Setup(setup)) => setup,
        Some(Command::Call(_) | Command::Cancel) => {
            return Err(protocol(FrameError::Kind { actual: 0 }));
        }
    };
    let worker = match Worker::set_up(setup, pipes) {
        Ok(worker) => worker,
        Err((mut pipes, refusal)) => {
            // If nobody listens, the refusal does not matter.
            let _ = pipes.tell(&Event::Refused(refusal));
            return Err(ServeError::Refused);
        }
    };
    match worker.run(&handler) {
        Ok(()) | Err(Stop::ParentGone) => Ok(()),
        Err(Stop::Protocol(source)) => Err(ServeError::Protocol { source }),
        Err(Stop::System(source)) => Err(ServeError::System { source }),
    }
}

/// The three pipes to the parent, and `/dev/null`, which takes their numbers.
struct Pipes {
    commands: File,
    events: File,
    data: File,
    null: File,
}

impl Pipes {
    /// Moves the parent's pipes away from the standard numbers, so that no stray print can reach them.
    fn take() -> io::Result<Self> {
        sys::close_from(3)?;
        let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
        let [commands, events, data] =
            [sys::take_standard(0)?, sys::take_standard(1)?, sys::take_standard(2)?];
        for number in 0..3 {
            sys::place(null.as_fd(), number)?;
        }
        Ok(Self { commands: commands.into(), events: events.into(), data: data.into(), null })
    }

    fn next(&mut self) -> Result<Option<Command>, FrameError> {
        let Some((kind, payload)) = frame::read(&mut self.commands, COMMAND_LIMIT)? else {
            return Ok(None);
        };
        Command::decode(kind, &payload).map(Some)
    }

    fn tell(&mut self, event: &Event) -> Result<(), Stop> {
        self.events.write_all(&event.encode()).map_err(|_| Stop::ParentGone)
    }
}

/// A zygote that is set up.
struct Worker {
    pipes: Pipes,
    scratch_root: PathBuf,
    /// The scratch root, open.
    root: File,
    fence: Option<(Vec<Readable>, BpfProgram)>,
}

impl Worker {
    fn set_up(setup: Setup, mut pipes: Pipes) -> Result<Self, (Pipes, Refusal)> {
        match confine(&setup) {
            Err(refusal) => Err((pipes, refusal)),
            Ok((confinement, root, fence)) => {
                // If the parent is gone, the next command shows it.
                let _ = pipes.tell(&Event::Ready(confinement));
                Ok(Self { pipes, scratch_root: setup.scratch_root, root, fence })
            }
        }
    }

    fn run(mut self, handler: &impl Fn(&[u8], &Path) -> Reply) -> Result<(), Stop> {
        loop {
            match self.pipes.next().map_err(Stop::Protocol)? {
                None => return Ok(()),
                // The call that it was meant for had already ended.
                Some(Command::Cancel) => {}
                Some(Command::Setup(_)) => return Err(Stop::Protocol(FrameError::Kind { actual: 1 })),
                Some(Command::Call(call)) => {
                    let ended = self.call(&call, handler)?;
                    self.pipes.tell(&Event::Ended(ended))?;
                }
            }
        }
    }

    fn call(&mut self, call: &Call, handler: &impl Fn(&[u8], &Path) -> Reply) -> Result<Ended, Stop> {
        let folder = self.scratch_root.join(&call.scratch);
        let finished = match scratch::make(&folder) {
            Err(error) => failed(SetupStep::Scratch, &error),
            Ok(()) => match self.fork(call, &folder, handler) {
                Err((step, error)) => failed(step, &error),
                Ok(running) => {
                    self.pipes.tell(&Event::Started { pid: running.pid })?;
                    let floor = Floor::of(self.root.as_fd());
                    let Pipes { commands, data, .. } = &mut self.pipes;
                    relay::supervise(running, floor.as_ref(), commands, data.as_fd())?
                }
            },
        };
        let doing = match finished.how {
            // It has replied.
            How::Exited(code::REPLIED) => 0,
            How::Exited(_) | How::Signalled(_) | How::TimedOut | How::TooLarge | How::DiskFull => {
                relay::move_doing(&folder, self.pipes.data.as_fd())?
            }
            How::Cancelled | How::Failed(..) => 0,
        };
        Ok(Ended {
            how: finished.how,
            usage: finished.usage,
            relayed: finished.relayed,
            stderr: finished.stderr,
            doing,
            scratch_removed: scratch::clear(&folder).is_ok(),
        })
    }

    /// Forks the call's process, which never returns from here.
    fn fork<'a>(
        &self,
        call: &'a Call,
        folder: &Path,
        handler: &impl Fn(&[u8], &Path) -> Reply,
    ) -> Result<Running<'a>, (SetupStep, io::Error)> {
        let (reply, reply_end) = io::pipe().map_err(|error| (SetupStep::Pipes, error))?;
        let (stderr, stderr_end) = quiet_pipe().map_err(|error| (SetupStep::Pipes, error))?;
        let (zygote, started) = (std::process::id(), now());
        let pid = match sys::fork().map_err(|error| (SetupStep::Fork, error))? {
            Forked::Parent { pid } => pid,
            Forked::Child => {
                let plan = Plan {
                    call,
                    scratch: folder,
                    zygote,
                    null: self.pipes.null.as_fd(),
                    reply: reply_end.as_fd(),
                    stderr: stderr_end.as_fd(),
                    fence: self.fence.as_ref().map(|(readable, filter)| (readable.as_slice(), filter)),
                };
                child::run(&plan, handler)
            }
        };
        // Both sides do this, because either may come first; the second time it fails or changes nothing.
        let _ = sys::own_group(pid);
        match sys::pidfd_open(pid) {
            Ok(pidfd) => Ok(Running { pid, pidfd, reply, stderr, started, limits: &call.limits }),
            Err(error) => {
                sys::kill_group(pid);
                let _ = sys::wait(pid);
                Err((SetupStep::Fork, error))
            }
        }
    }
}

fn failed(step: SetupStep, error: &io::Error) -> Finished {
    let how = How::Failed(step, error.raw_os_error().unwrap_or(0));
    Finished { how, usage: Usage::default(), relayed: 0, stderr: 0 }
}

/// Makes a pipe that drops what does not fit, so that output cannot block a call.
fn quiet_pipe() -> io::Result<(PipeReader, PipeWriter)> {
    let (reader, writer) = io::pipe()?;
    sys::set_nonblocking(reader.as_fd())?;
    sys::set_nonblocking(writer.as_fd())?;
    Ok((reader, writer))
}

#[expect(clippy::disallowed_methods, reason = "elapsed time of a call is measured here")]
fn now() -> Instant {
    Instant::now()
}

type Fence = Option<(Vec<Readable>, BpfProgram)>;

/// Confines the zygote and opens the scratch root, or says what is missing.
fn confine(setup: &Setup) -> Result<(Confinement, File, Fence), Refusal> {
    sys::private_umask();
    let mut confinement = nothing_holds();
    if setup.policy == Policy::Required {
        // This must come first: the next step hides the mount table that shows it.
        let local = mounts::are_local(&setup.readable);
        let seclusion = seclude::own_namespaces(&setup.readable, &setup.scratch_root);
        (confinement.namespaces, confinement.root) = (seclusion.namespaces, seclusion.root);
        confinement.identity = identity::give_up(local, &setup.scratch_root);
        // Capabilities that the steps before need are given up after them.
        confinement.capabilities = identity::give_up_capabilities(seclusion.own_user);
    }
    // Defence in depth that concerns only this process.
    let _ = sys::not_dumpable();
    confinement.no_new_privs = holding(sys::no_new_privs());
    let readable = setup.readable.iter().map(|path| fence::open(path).map_err(refused(path)));
    let readable = readable.collect::<Result<Vec<_>, _>>()?;
    let root = File::open(&setup.scratch_root).map_err(refused(&setup.scratch_root))?;
    if setup.policy == Policy::Unconfined {
        return Ok((confinement, root, None));
    }
    confinement.landlock = fence::enter_zygote_domain(&readable, &setup.scratch_root);
    let filters = install_filters();
    confinement.seccomp = holding(
        filters
            .as_ref()
            .map(drop)
            .map_err(|error| io::Error::from_raw_os_error(error.raw_os_error().unwrap_or(0))),
    );
    match filters {
        Ok(call) if confinement.missing().is_empty() => Ok((confinement, root, Some((readable, call)))),
        Ok(_) | Err(_) => Err(Refusal::Confinement(confinement)),
    }
}

/// Returns the state before anything is confined.
fn nothing_holds() -> Confinement {
    let absent = Holding::Missing(Reason::NotRequested);
    Confinement {
        landlock: absent,
        landlock_abi: sys::landlock_abi().ok(),
        seccomp: absent,
        no_new_privs: absent,
        limits: Holding::Holds,
        capabilities: absent,
        identity: absent,
        namespaces: absent,
        root: absent,
    }
}

fn refused(path: &Path) -> impl Fn(io::Error) -> Refusal {
    move |error| Refusal::Path { path: path.to_owned(), errno: error.raw_os_error().unwrap_or(0) }
}

/// Installs the zygote's filters and returns the one for calls.
fn install_filters() -> io::Result<BpfProgram> {
    let filters = filter::compile().map_err(|_| io::Error::from(io::ErrorKind::Unsupported))?;
    seccompiler::apply_filter(&filters.zygote).map_err(filter::cause)?;
    seccompiler::apply_filter(&filters.hostile).map_err(filter::cause)?;
    Ok(filters.call)
}
