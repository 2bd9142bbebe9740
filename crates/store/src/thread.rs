//! The writer thread: it owns the connection and the chain, and processes jobs in order.

use crate::entry::{Placed, Tally};
use crate::fault::Fault;
use crate::log::{Log, Room};
use crate::prepare::{Call, Prepared, PreparedPayload};
use crate::rows::{insert_event, insert_payload};
use crate::seal::{self, Ready, SealError, Sealed};
use crate::stopped::{AppendError, Stopped};
use ledger::chain::Chain;
use ledger::{Digest, Link};
use rusqlite::Connection;
use rusqlite::hooks::Wal;
use std::cell::Cell;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};

/// The most calls that share one commit.
const GROUP: usize = 64;

/// The number of 4 KiB pages in the write-ahead log above which it is moved into the file: 16 MiB.
const CHECKPOINT: u32 = 4096;

/// A request from a caller.
#[derive(Debug)]
pub(crate) enum Job {
    Append(Call),
    Tally(SyncSender<Result<Tally, Stopped>>),
    Seal(Result<Vec<Prepared>, AppendError>, SyncSender<Result<Sealed, SealError>>),
}

/// A file that is ready to be written, and the chain over its content.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) connection: Connection,
    pub(crate) log: Log,
    pub(crate) room: Room,
    pub(crate) chain: Chain,
    pub(crate) payloads: u64,
    /// Prevents other processes from writing the run.
    pub(crate) lock: File,
    pub(crate) break_off_at: Option<u64>,
}

/// The state of the writer thread.
#[derive(Debug)]
pub(crate) struct Scribe {
    /// `None` once the run is sealed.
    connection: Option<Connection>,
    path: PathBuf,
    chain: Chain,
    payloads: u64,
    /// Shared with the handles.
    log: Arc<Log>,
    /// `None` once the run is sealed.
    room: Option<Room>,
    /// Number of frames in the log after the last commit.
    frames: Arc<AtomicU32>,
    /// Why nothing more is recorded.
    stopped: Option<Stopped>,
    /// Number of boundaries until recording breaks off; `None` if it does not.
    until_break: Cell<Option<u64>>,
    _lock: File,
}

impl Scribe {
    /// Creates the scribe of an open file, and the file's log.
    pub(crate) fn new(opened: Opened, path: PathBuf) -> rusqlite::Result<(Scribe, Arc<Log>)> {
        let Opened { mut connection, log, room, chain, payloads, lock, break_off_at } = opened;
        let (log, frames) = (Arc::new(log), Arc::new(AtomicU32::new(0)));
        let counted = Arc::clone(&frames);
        connection.wal_hook(Some(move |_: &mut Wal, frames| {
            counted.store(u32::try_from(frames).unwrap_or_default(), Ordering::Relaxed);
            Ok(())
        }))?;
        let scribe = Scribe {
            connection: Some(connection),
            path,
            chain,
            payloads,
            log: Arc::clone(&log),
            room: Some(room),
            frames,
            stopped: None,
            until_break: Cell::new(break_off_at),
            _lock: lock,
        };
        Ok((scribe, log))
    }

    /// Processes jobs until every handle is gone.
    pub(crate) fn run(mut self, jobs: &Receiver<Job>) {
        let mut waiting = None;
        while let Some(job) = waiting.take().or_else(|| jobs.recv().ok()) {
            match job {
                Job::Append(call) => {
                    let mut group = vec![call];
                    while group.len() < GROUP && waiting.is_none() {
                        match jobs.try_recv() {
                            Ok(Job::Append(call)) => group.push(call),
                            Ok(other @ (Job::Tally(_) | Job::Seal(..))) => waiting = Some(other),
                            Err(_) => break,
                        }
                    }
                    self.append(group);
                }
                // If the caller no longer waits, only the answer is lost.
                Job::Tally(reply) => drop(reply.send(self.tally())),
                Job::Seal(entries, reply) => drop(reply.send(self.seal(entries))),
            }
        }
    }

    fn tally(&self) -> Result<Tally, Stopped> {
        match self.stopped.clone().or(self.log.check().err()) {
            Some(stopped) => Err(stopped),
            None => Ok(Tally {
                head: self.chain.head(),
                events: self.chain.len(),
                payloads: self.payloads,
                streams: self.chain.streams().collect(),
            }),
        }
    }

    /// Processes the calls of one group.
    fn append(&mut self, group: Vec<Call>) {
        let (replies, calls): (Vec<_>, Vec<_>) =
            group.into_iter().map(|call| (call.reply, call.entries)).unzip();
        let mut placed = self.record(calls).into_iter();
        for reply in replies {
            drop(reply.send(placed.next().ok_or_else(|| self.reason())));
        }
    }

    /// Records the calls in one transaction; returns where the entries of the successful calls were placed, in order.
    ///
    /// If these are fewer than all calls, recording has stopped.
    fn record(&mut self, calls: Vec<Result<Vec<Prepared>, AppendError>>) -> Vec<Vec<Placed>> {
        if self.stopped.is_none() {
            self.stopped = self.log.check().err();
        }
        if self.stopped.is_some() {
            return Vec::new();
        }
        match self.transact(calls) {
            Ok((placed, failure)) => {
                let events: usize = placed.iter().map(Vec::len).sum();
                self.log.commit(events as u64);
                let kept = self.keep_log();
                if let Some(error) = failure.or(kept.err().map(AppendError::Fault)) {
                    self.stop(error);
                }
                placed
            }
            Err(fault) => {
                // SQLite may have rolled back by itself: then this changes nothing, and its failure does not matter.
                drop(self.execute("ROLLBACK"));
                self.stop(AppendError::Fault(fault));
                Vec::new()
            }
        }
    }

    /// Moves a long log into the file; ensures that a short one has space.
    ///
    /// If SQLite met a failed sync and did not report it, there would be a hole in the record.
    fn keep_log(&mut self) -> Result<(), Fault> {
        let frames = self.frames.load(Ordering::Relaxed);
        if frames < CHECKPOINT {
            if let Some(room) = &mut self.room {
                room.make(frames.into());
            }
            return Ok(());
        }
        // Frames that another connection is reading stay; the next commit tries again.
        self.with(|connection| connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())))
    }

    fn stop(&mut self, reason: AppendError) {
        let position = self.log.recorded();
        self.stopped = Some(Stopped { position, reason: Arc::new(reason) });
    }

    /// Returns why a call was not recorded.
    fn reason(&self) -> Stopped {
        self.stopped.clone().unwrap_or_else(|| Stopped {
            position: self.log.recorded(),
            reason: Arc::new(AppendError::WriterGone),
        })
    }

    /// Writes the calls and commits; an invalid call is the last one that is processed, and leaves nothing behind.
    fn transact(&mut self, calls: Vec<Result<Vec<Prepared>, AppendError>>) -> Outcome {
        self.execute("BEGIN IMMEDIATE")?;
        let mut placed = Vec::with_capacity(calls.len());
        let mut failure = None;
        for call in calls {
            match call.and_then(|entries| self.link(entries)) {
                Ok(entries) => placed.push(self.insert(&entries)?),
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        self.boundary()?;
        self.execute("COMMIT")?;
        self.boundary()?;
        Ok((placed, failure))
    }

    /// A point at which a process can end: tests let the recording break off here.
    fn boundary(&self) -> Result<(), Fault> {
        match self.until_break.get() {
            Some(0) => Err(Fault::DiskFull { path: self.path.clone() }),
            left => {
                self.until_break.set(left.map(|left| left - 1));
                Ok(())
            }
        }
    }

    /// Links the entries of one call into the chain and checks that every payload is available, before anything
    /// is written.
    fn link(&mut self, entries: Vec<Prepared>) -> Result<Vec<Linked>, AppendError> {
        let mut linked: Vec<Linked> = Vec::with_capacity(entries.len());
        for Prepared { stream, event, circumstance, payload } in entries {
            let name = event.name();
            if let Some(expected) = event.payload()
                && payload.is_none()
                && !linked.iter().any(|earlier| earlier.holds(expected))
                && !self.is_stored(expected).map_err(AppendError::Fault)?
            {
                return Err(AppendError::PayloadMissing { name, expected });
            }
            let link = self.chain.link(stream, &event, &circumstance).map_err(AppendError::Chain)?;
            linked.push(Linked { link, name, payload });
        }
        Ok(linked)
    }

    fn insert(&mut self, entries: &[Linked]) -> Result<Vec<Placed>, Fault> {
        let mut payloads = 0;
        let written = self.with(|connection| {
            for entry in entries {
                if let Some(payload) = &entry.payload {
                    payloads += insert_payload(connection, payload)?;
                }
                insert_event(connection, &entry.link, entry.name)?;
            }
            Ok(())
        });
        written?;
        self.payloads += payloads;
        Ok(entries.iter().map(Linked::placed).collect())
    }

    fn is_stored(&self, digest: Digest) -> Result<bool, Fault> {
        self.with(|connection| {
            let sql = "SELECT 1 FROM payloads WHERE digest = ?1";
            connection.prepare_cached(sql)?.exists([digest.as_bytes().as_slice()])
        })
    }

    fn execute(&self, sql: &'static str) -> Result<(), Fault> {
        self.with(|connection| connection.prepare_cached(sql)?.raw_execute().map(drop))
    }

    fn with<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Fault> {
        match &self.connection {
            Some(connection) => work(connection).map_err(|source| Fault::sqlite(&self.path, source)),
            None => Err(Fault::ReadOnly { path: self.path.clone() }),
        }
    }

    /// Records the final entries and closes the run. If closing fails after they were recorded, it can be
    /// retried without entries.
    fn seal(&mut self, entries: Result<Vec<Prepared>, AppendError>) -> Result<Sealed, SealError> {
        let again =
            self.is_closed() && self.connection.is_some() && matches!(&entries, Ok(none) if none.is_empty());
        if !again {
            if self.record(vec![entries]).is_empty() {
                return Err(SealError::Stopped(self.reason()));
            }
            self.stop(AppendError::Sealed);
        }
        let Some(head) = self.chain.head() else { return Err(SealError::Empty) };
        let sealed = Sealed { head, events: self.chain.len(), payloads: self.payloads };
        self.log.sync(self.log.recorded()).map_err(SealError::Stopped)?;
        self.log.close();
        drop(self.room.take());
        self.boundary().map_err(SealError::Fault)?;
        let Some(connection) = &mut self.connection else {
            return Err(SealError::Stopped(self.reason()));
        };
        let ready = seal::make_ready(connection, &self.path).map_err(SealError::Fault)?;
        drop(self.connection.take());
        self.boundary().map_err(SealError::Fault)?;
        if let Ready::Copied(copy) = ready {
            seal::replace(&self.path, &copy)?;
        }
        seal::finish(&self.path)?;
        Ok(sealed)
    }

    /// Checks whether recording ended properly.
    fn is_closed(&self) -> bool {
        self.stopped.as_ref().is_some_and(|stopped| matches!(*stopped.reason, AppendError::Sealed))
    }
}

/// The calls that were written, and what was wrong with the one after them.
type Outcome = Result<(Vec<Vec<Placed>>, Option<AppendError>), Fault>;

/// An entry with its place in the chain.
#[derive(Debug)]
struct Linked {
    link: Link,
    name: &'static str,
    payload: Option<PreparedPayload>,
}

impl Linked {
    fn holds(&self, digest: Digest) -> bool {
        self.payload.as_ref().is_some_and(|payload| payload.digest == digest)
    }

    fn placed(&self) -> Placed {
        let Link { position, stream, sequence, .. } = self.link;
        Placed { position, stream, sequence }
    }
}
