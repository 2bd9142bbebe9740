//! The parent's side of one zygote process.

use crate::config::{Config, WORKER_ARGUMENT};
use crate::confinement::Confinement;
use crate::ending::ZygoteExit;
use crate::frame_error::FrameError;
use crate::limits::Limits;
use crate::linux::cancel::Canceller;
use crate::linux::frame::{self, HEADER};
use crate::linux::message::{Command as Order, EVENT_LIMIT, Ended, Event, How, Refusal, WORDS_LIMIT};
use crate::linux::reply::{Payload, Received};
use crate::linux::sys::{self, READABLE, WRITABLE};
use crate::spawn_error::SpawnError;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a new zygote may take to be ready.
const START: Duration = Duration::from_secs(10);
/// How long the parent waits beyond a call's own limit before it considers the zygote hung.
const GRACE: Duration = Duration::from_secs(2);
/// The size of the data pipe and of our reads, in bytes.
const WIDE: i32 = 1 << 20;

/// A zygote process and our ends of its pipes.
pub(crate) struct Link {
    child: Child,
    commands: ChildStdin,
    events: ChildStdout,
    data: ChildStderr,
    inbox: Vec<u8>,
    buffer: Vec<u8>,
}

/// The result of a call whose zygote survived.
pub(crate) struct Heard {
    /// What the zygote reported.
    pub(crate) ended: Ended,
    /// The reply, not yet judged.
    pub(crate) received: Received,
}

/// How a zygote was lost during a call.
#[derive(Debug)]
pub(crate) enum Lost {
    /// It was gone before the call's process was forked, so the call can safely be repeated.
    BeforeStart,
    /// It went away, or sent something invalid, while the call ran.
    During,
    /// It did not observe the wall clock.
    Hung,
    /// It did not obey a cancellation.
    Deaf,
}

impl Link {
    /// Starts a zygote and waits until it is ready.
    pub(crate) fn start(config: &Config) -> Result<(Self, Confinement), SpawnError> {
        let mut link = Self::run(config)?;
        let order = Order::setup(config.confinement, &config.scratch_root, &config.readable);
        match link.await_ready(&order) {
            Ok(confinement) => Ok((link, confinement)),
            Err(SpawnError::Died { .. }) => {
                let stderr = link.last_words();
                Err(SpawnError::Died { exit: link.end(), stderr })
            }
            Err(error) => {
                link.end();
                Err(error)
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "this is the only place that spawns processes")]
    fn run(config: &Config) -> Result<Self, SpawnError> {
        let run = |source| SpawnError::Run { program: config.program.clone(), source };
        // The worker gets a process group of its own, so that only the parent gets an interrupt from the terminal.
        let mut child = Command::new(&config.program)
            .arg(WORKER_ARGUMENT)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(run)?;
        let ends = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(commands), Some(events), Some(data)) = ends else {
            return Err(run(io::Error::from(io::ErrorKind::BrokenPipe)));
        };
        let pipes = |source| SpawnError::Pipes { source };
        for fd in [commands.as_fd(), events.as_fd(), data.as_fd()] {
            sys::set_nonblocking(fd).map_err(pipes)?;
        }
        sys::widen_pipe(data.as_fd(), WIDE);
        let buffer = vec![0; usize::try_from(WIDE).unwrap_or(1 << 16)];
        Ok(Self { child, commands, events, data, inbox: Vec::new(), buffer })
    }

    fn await_ready(&mut self, order: &[u8]) -> Result<Confinement, SpawnError> {
        let deadline = now() + START;
        let mut pending = order;
        loop {
            let left = deadline.saturating_duration_since(now());
            if left.is_zero() {
                return Err(SpawnError::NotReady { after: START });
            }
            let room = (!pending.is_empty()).then(|| self.commands.as_fd());
            let wanted = [(Some(self.events.as_fd()), READABLE), (room, WRITABLE)];
            let pipes = |source| SpawnError::Pipes { source };
            let [heard, room] = sys::poll(wanted, Some(left)).map_err(pipes)?;
            let gone = || SpawnError::Died { exit: ZygoteExit::Unknown, stderr: Vec::new() };
            if room != 0 {
                pending = self.send(pending).map_err(|_| gone())?;
            }
            let alive = heard == 0 || self.listen().map_err(pipes)?;
            match self.next_event().map_err(|source| SpawnError::Protocol { source })? {
                Some(Event::Ready(confinement)) => return Ok(confinement),
                Some(Event::Refused(refusal)) => return Err(refused(refusal)),
                Some(Event::Started { .. } | Event::Ended(_)) => {
                    return Err(SpawnError::Protocol { source: FrameError::Kind { actual: 4 } });
                }
                None if !alive => return Err(gone()),
                None => {}
            }
        }
    }

    /// Returns the zygote's process id.
    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Checks whether the process still runs, as far as the system knows yet.
    pub(crate) fn alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Makes one call. After an `Err` the link is no longer usable: [`Link::end`] it.
    pub(crate) fn call(
        &mut self,
        order: &[u8],
        limits: &Limits,
        canceller: &Canceller,
        into: Payload,
    ) -> Result<Heard, Lost> {
        let mut talk = Talk {
            pending: order,
            deadline: now() + limits.wall.saturating_add(GRACE).min(Duration::from_secs(1 << 30)),
            cancelled: false,
            data_over: false,
            events_over: false,
            started: None,
            ended: None,
            received: Received::new(into),
            limit: limits.reply_bytes.saturating_add((HEADER + 1 + 2 * WORDS_LIMIT) as u64),
        };
        let result = loop {
            match self.exchange(&mut talk, canceller) {
                Ok(()) => {}
                Err(lost) => break Err(lost),
            }
            if let Some(ended) = talk.ended.take_if(|ended| ended.bytes() == talk.received.len()) {
                break Ok(ended);
            }
        };
        match result {
            Ok(ended) => Ok(Heard { ended, received: talk.received }),
            Err(lost) => {
                // While the zygote lives, it keeps its child's process id reserved, so the number is still right.
                if let Some(pid) = talk.started.filter(|_| self.alive()) {
                    sys::kill_group(pid);
                }
                Err(lost)
            }
        }
    }

    /// Waits for one event and handles it.
    fn exchange(&mut self, talk: &mut Talk<'_>, canceller: &Canceller) -> Result<(), Lost> {
        let left = talk.deadline.saturating_duration_since(now());
        if left.is_zero() {
            return Err(if talk.cancelled { Lost::Deaf } else { Lost::Hung });
        }
        let wanted = [
            ((!talk.events_over).then(|| self.events.as_fd()), READABLE),
            ((!talk.data_over).then(|| self.data.as_fd()), READABLE),
            ((!talk.pending.is_empty()).then(|| self.commands.as_fd()), WRITABLE),
            ((!talk.cancelled).then(|| canceller.fd()), READABLE),
        ];
        let [heard, bytes, room, cancel] = sys::poll(wanted, Some(left)).map_err(|_| Lost::During)?;
        if room != 0 {
            talk.pending = self.send(talk.pending).map_err(|_| talk.lost())?;
        }
        if cancel != 0 {
            self.cancel(talk)?;
        }
        if bytes != 0 {
            self.receive(talk)?;
        }
        if heard != 0 {
            let alive = self.listen().map_err(|_| talk.lost())?;
            while let Some(event) = self.next_event().map_err(|_| Lost::During)? {
                talk.note(event)?;
            }
            talk.events_over = !alive;
        }
        if talk.events_over && !talk.may_still_end() { Err(talk.lost()) } else { Ok(()) }
    }

    /// Forwards a cancellation; one that comes in the middle of sending a long request ends the zygote.
    fn cancel(&mut self, talk: &mut Talk<'_>) -> Result<(), Lost> {
        talk.cancelled = true;
        talk.deadline = talk.deadline.min(now() + GRACE);
        if !talk.pending.is_empty() {
            return Err(Lost::Deaf);
        }
        match self.commands.write(&Order::cancel()) {
            Ok(HEADER) => Ok(()),
            Ok(_) | Err(_) => Err(Lost::Deaf),
        }
    }

    fn receive(&mut self, talk: &mut Talk<'_>) -> Result<(), Lost> {
        match self.data.read(&mut self.buffer) {
            // The zygote is gone; its last message may still be in the other pipe.
            Ok(0) => talk.data_over = true,
            Ok(length) => {
                talk.received.push(self.buffer.get(..length).unwrap_or_default(), talk.limit);
                if talk.received.len() > talk.limit {
                    return Err(Lost::During);
                }
            }
            Err(error) if would_block(&error) => {}
            Err(_) => return Err(Lost::During),
        }
        Ok(())
    }

    /// Writes what the pipe accepts and returns the rest.
    fn send<'a>(&mut self, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        match self.commands.write(bytes) {
            Ok(length) => Ok(bytes.get(length..).unwrap_or_default()),
            Err(error) if would_block(&error) => Ok(bytes),
            Err(error) => Err(error),
        }
    }

    /// Reads events into the inbox; `false` at the end of the pipe.
    fn listen(&mut self) -> io::Result<bool> {
        let mut bytes = [0; 4096];
        match self.events.read(&mut bytes) {
            Ok(0) => Ok(false),
            Ok(length) => {
                self.inbox.extend_from_slice(bytes.get(..length).unwrap_or_default());
                Ok(true)
            }
            Err(error) if would_block(&error) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Takes the next complete event out of the inbox.
    fn next_event(&mut self) -> Result<Option<Event>, FrameError> {
        let Some((bytes, rest)) = self.inbox.split_first_chunk::<HEADER>() else {
            return Ok(None);
        };
        let header = frame::parse_header(*bytes, EVENT_LIMIT)?;
        let length = usize::try_from(header.length).unwrap_or(usize::MAX);
        let Some(payload) = rest.get(..length) else {
            return Ok(None);
        };
        let event = Event::decode(header.kind, payload)?;
        self.inbox.drain(..HEADER + length);
        Ok(Some(event))
    }

    fn last_words(&mut self) -> Vec<u8> {
        let length = self.data.read(&mut self.buffer).unwrap_or(0).min(WORDS_LIMIT);
        self.buffer.get(..length).unwrap_or_default().to_vec()
    }

    /// Kills the process, and with it a running call, and reaps it.
    pub(crate) fn end(mut self) -> ZygoteExit {
        self.stop()
    }

    fn stop(&mut self) -> ZygoteExit {
        // A process that has already ended cannot be killed, and need not be.
        let _ = self.child.kill();
        match self.child.wait() {
            Err(_) => ZygoteExit::Unknown,
            Ok(status) => match (status.signal(), status.code()) {
                (Some(signal), _) => ZygoteExit::Signal(signal),
                (None, Some(code)) => ZygoteExit::Code(code),
                (None, None) => ZygoteExit::Unknown,
            },
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The state of one call, as the parent sees it.
struct Talk<'a> {
    pending: &'a [u8],
    deadline: Instant,
    cancelled: bool,
    data_over: bool,
    events_over: bool,
    started: Option<i32>,
    ended: Option<Ended>,
    received: Received,
    limit: u64,
}

impl Talk<'_> {
    fn note(&mut self, event: Event) -> Result<(), Lost> {
        match event {
            Event::Started { pid } if self.started.is_none() => self.started = Some(pid),
            Event::Ended(ended) if self.ended.is_none() && self.fits(&ended) => self.ended = Some(ended),
            Event::Started { .. } | Event::Ended(_) | Event::Ready(_) | Event::Refused(_) => {
                return Err(Lost::During);
            }
        }
        Ok(())
    }

    /// Checks that a call ended only after it was sent and started, or failed to start, and with no more bytes than allowed.
    fn fits(&self, ended: &Ended) -> bool {
        let started = self.started.is_some() || matches!(ended.how, How::Failed(..));
        self.pending.is_empty() && started && ended.bytes() <= self.limit
    }

    /// Checks whether a zygote that is gone has sent everything that its last message announced.
    fn may_still_end(&self) -> bool {
        self.ended.as_ref().is_some_and(|ended| !self.data_over || ended.bytes() == self.received.len())
    }

    fn lost(&self) -> Lost {
        if self.started.is_some() { Lost::During } else { Lost::BeforeStart }
    }
}

fn refused(refusal: Refusal) -> SpawnError {
    match refusal {
        Refusal::Confinement(confinement) => {
            SpawnError::ConfinementUnavailable { missing: confinement.missing() }
        }
        Refusal::Path { path, errno } => {
            SpawnError::Path { path, source: io::Error::from_raw_os_error(errno) }
        }
    }
}

fn would_block(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

#[expect(clippy::disallowed_methods, reason = "the deadline of a call is kept here")]
fn now() -> Instant {
    Instant::now()
}
