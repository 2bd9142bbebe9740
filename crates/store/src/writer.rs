//! The only writer of a run: a handle to the one thread that owns the file.

use crate::create::{self, CreateError, Options, ResumeError};
use crate::entry::{Entry, Placed, Tally};
use crate::fault::Fault;
use crate::log::Log;
use crate::open;
use crate::payload::{self, ReadError};
use crate::prepare::{Call, prepare};
use crate::seal::{SealError, Sealed};
use crate::stopped::{AppendError, Stopped};
use crate::thread::{Job, Opened, Scribe};
use ledger::Digest;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// The only writer of a run.
///
/// Clones share one writer thread, and one thread for syncs that nobody waits for; both end with the last clone.
/// Calls block until they are answered; calls that wait at the same time share one commit.
#[derive(Debug, Clone)]
pub struct Writer {
    inner: Arc<Inner>,
}

/// What an append must survive once it has returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Durability {
    /// A crash of the process.
    Buffered,
    /// A crash of the process, and soon a power loss: a sync is requested, but not waited for.
    Soon,
    /// A power loss; this also covers everything appended before.
    Durable,
}

impl Writer {
    /// Creates a run in `folder`, which is created if necessary; an existing folder must be empty.
    ///
    /// When this returns, the empty run exists and survives a power loss.
    pub fn create(folder: &Path) -> Result<Writer, CreateError> {
        Writer::create_with(folder, Options::default())
    }

    /// The same, with other options for the file.
    pub fn create_with(folder: &Path, options: Options) -> Result<Writer, CreateError> {
        let path = open::file(folder);
        let opened = create::create(folder, options)?;
        Writer::start(path.clone(), opened, options)
            .map_err(|source| CreateError::Fault(Fault::io(&path, source)))
    }

    /// Resumes a run that was not sealed, after checking its whole chain.
    ///
    /// If another process is writing the run, this fails with [`Fault::Held`].
    pub fn resume(folder: &Path) -> Result<Writer, ResumeError> {
        Writer::resume_with(folder, Options::default())
    }

    /// The same, with other options for the file.
    pub fn resume_with(folder: &Path, options: Options) -> Result<Writer, ResumeError> {
        let path = open::file(folder);
        let opened = create::resume(folder, options)?;
        Writer::start(path.clone(), opened, options)
            .map_err(|source| ResumeError::Fault(Fault::io(&path, source)))
    }

    fn start(path: PathBuf, opened: Opened, options: Options) -> std::io::Result<Writer> {
        let (sender, receiver) = sync_channel(WAITING);
        let (scribe, log) = Scribe::new(opened, path.clone()).map_err(std::io::Error::other)?;
        let writing = thread("store writer", move || scribe.run(&receiver))?;
        let (soon, asked) = sync_channel(1);
        let synced = Arc::clone(&log);
        // The log reports a failed sync to the next append.
        let syncing = thread("store syncer", move || {
            asked.iter().for_each(|()| drop(synced.sync(synced.recorded())));
        })?;
        let reading = Mutex::new(None);
        let (sender, soon) = (Some(sender), Some(soon));
        let inner = Inner {
            sender,
            soon,
            threads: vec![syncing, writing],
            reading,
            path,
            log,
            raw: options.store_raw,
        };
        Ok(Writer { inner: Arc::new(inner) })
    }

    /// Appends the entries in order, all or none.
    ///
    /// Any failure, whatever the reason, stops the recording for good.
    pub fn append(&self, entries: Vec<Entry>, durability: Durability) -> Result<Vec<Placed>, Stopped> {
        let entries = prepare(entries, self.inner.raw);
        let placed = self.ask(|reply| Job::Append(Call { entries, reply }))??;
        let log = &self.inner.log;
        match durability {
            Durability::Buffered => log.check()?,
            Durability::Soon => {
                log.check()?;
                // A sync that was already requested has not begun, and will cover this append, too.
                if let Some(soon) = &self.inner.soon {
                    let _ = soon.try_send(());
                }
            }
            // Callers that wait at the same time share one sync.
            Durability::Durable => {
                log.sync(placed.last().map_or_else(|| log.recorded(), |last| last.position + 1))?;
            }
        }
        Ok(placed)
    }

    /// Returns what all appends that have returned have recorded.
    pub fn tally(&self) -> Result<Tally, Stopped> {
        self.ask(Job::Tally)?
    }

    /// Returns the stored bytes with this digest, checked against it; it never waits for an append.
    pub fn payload(&self, digest: &Digest) -> Result<Option<Vec<u8>>, ReadError> {
        let path = &self.inner.path;
        let mut reading = self.inner.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match reading.take() {
            Some(connection) => connection,
            None => open::read_only(path).map_err(ReadError::Open)?,
        };
        let found = payload::read(&connection, path, digest);
        *reading = Some(connection);
        found
    }

    /// Appends the final entries durably and seals the run: one read-only file remains, and nothing can be appended.
    ///
    /// If somebody else reads the run and does not stop within two seconds, a copy replaces the file.
    /// If it fails after the entries were recorded, for instance on a full disk, call it again without entries.
    pub fn seal(&self, entries: Vec<Entry>) -> Result<Sealed, SealError> {
        // SQLite does not remove the write-ahead log while another connection is open.
        let mut reading = self.inner.reading.lock().unwrap_or_else(PoisonError::into_inner);
        drop(reading.take());
        let entries = prepare(entries, self.inner.raw);
        self.ask(|reply| Job::Seal(entries, reply)).map_err(SealError::Stopped)?
    }

    fn ask<T>(&self, job: impl FnOnce(SyncSender<T>) -> Job) -> Result<T, Stopped> {
        let (reply, answer) = sync_channel(1);
        self.send(job(reply), &answer).ok_or_else(|| Stopped {
            position: self.inner.log.recorded(),
            reason: Arc::new(AppendError::WriterGone),
        })
    }

    fn send<T>(&self, job: Job, answer: &Receiver<T>) -> Option<T> {
        self.inner.sender.as_ref()?.send(job).ok()?;
        answer.recv().ok()
    }
}

fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work)
}

/// The most calls that may wait before further callers are blocked.
const WAITING: usize = 64;

#[derive(Debug)]
struct Inner {
    /// `None` only while it is being dropped.
    sender: Option<SyncSender<Job>>,
    /// Requests a sync; `None` only while it is being dropped.
    soon: Option<SyncSender<()>>,
    threads: Vec<JoinHandle<()>>,
    /// The connection for reading payloads; `None` before the first read, and after sealing.
    reading: Mutex<Option<Connection>>,
    path: PathBuf,
    log: Arc<Log>,
    /// Whether compression is off.
    raw: bool,
}

impl Drop for Inner {
    fn drop(&mut self) {
        drop((self.sender.take(), self.soon.take()));
        for thread in self.threads.drain(..) {
            // A panic of the thread was already reported to each of its callers.
            drop(thread.join());
        }
    }
}
