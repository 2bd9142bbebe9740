//! The write-ahead log as a file of its own: made durable when that is asked for, and grown ahead of what SQLite writes to it.
//!
//! SQLite commits with `synchronous=NORMAL`: it writes to the log and syncs nothing.
//! Durable is what a sync of the log has covered since, or a checkpoint, which syncs the log before it reads it and the run's file before the log is begun again (decision 0021).

use crate::fault::Fault;
use crate::open::beside;
use crate::writer::{AppendError, Stopped};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Bytes that the log is grown by: a sync that has no growth to write down costs two thirds.
const ROOM: u64 = 1 << 20;
/// Bytes that should be left in the log for the next commits.
const SPARE: u64 = ROOM / 2;
/// The log's header, and a frame of it: its own header and a page (SQLite file format, section 4.1).
const HEADER: u64 = 32;
const FRAME: u64 = 24 + 4096;

/// The write-ahead log of a run that is being recorded.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    /// Events committed.
    recorded: AtomicU64,
    durable: Mutex<Durable>,
    /// Why nothing more is recorded, where a sync failed.
    failure: OnceLock<Stopped>,
}

/// What is known to survive a loss of power. Whoever holds it syncs; the others wait, and find it done.
#[derive(Debug)]
struct Durable {
    events: u64,
    /// `None` once the run is sealed.
    ///
    /// It is opened once: only a handle that was open when a write failed is told so by its next sync.
    file: Option<File>,
    /// Syncs left until one fails, for tests; `None`: none does.
    until_failure: Option<u64>,
}

impl Log {
    /// Opens the log that SQLite has made beside the run's file, which holds `recorded` events.
    ///
    /// SQLite has its locks on the run's file and on the `-shm` file, never on the log (unixOpen in os_unix.c): to close this handle gives up none of them (fcntl(2)).
    pub(crate) fn open(run: &Path, recorded: u64, until_failure: Option<u64>) -> Result<Log, Fault> {
        let path = beside(run, "-wal");
        // Not every system lets a handle sync that cannot write.
        let file = OpenOptions::new().append(true).open(&path).map_err(|error| Fault::io(&path, error))?;
        let durable = Mutex::new(Durable { events: 0, file: Some(file), until_failure });
        Ok(Log { path, recorded: AtomicU64::new(recorded), durable, failure: OnceLock::new() })
    }

    /// Events committed.
    pub(crate) fn recorded(&self) -> u64 {
        self.recorded.load(Ordering::Acquire)
    }

    /// Takes note of events that were committed.
    pub(crate) fn commit(&self, events: u64) {
        self.recorded.fetch_add(events, Ordering::AcqRel);
    }

    /// Makes the first `events` durable; the first failure is the last sync.
    pub(crate) fn sync(&self, events: u64) -> Result<(), Stopped> {
        let mut durable = self.durable.lock().unwrap_or_else(PoisonError::into_inner);
        self.check()?;
        if durable.events >= events {
            return Ok(());
        }
        // What is committed now was written before; more may come, which nobody waits for yet.
        let covered = self.recorded();
        match durable.sync() {
            Ok(()) => {
                durable.events = covered;
                Ok(())
            }
            // After a failure the system may forget what it could not write: trying again would prove nothing.
            Err(error) => {
                let reason = Arc::new(AppendError::Fault(Fault::io(&self.path, error)));
                let stopped = Stopped { position: self.recorded(), reason };
                Err(self.failure.get_or_init(|| stopped).clone())
            }
        }
    }

    /// Fails where a sync has failed.
    pub(crate) fn check(&self) -> Result<(), Stopped> {
        self.failure.get().map_or(Ok(()), |stopped| Err(stopped.clone()))
    }

    /// Gives the file up, so that it can be removed.
    pub(crate) fn close(&self) {
        drop(self.durable.lock().unwrap_or_else(PoisonError::into_inner).file.take());
    }
}

impl Durable {
    fn sync(&mut self) -> io::Result<()> {
        if let Some(left) = &mut self.until_failure {
            *left = left.checked_sub(1).ok_or_else(|| io::Error::other("this sync was to fail"))?;
        }
        self.file.as_ref().map_or(Ok(()), File::sync_data)
    }
}

/// Room in the log for commits to come.
///
/// Zeros are no frame: a frame bears the salt of the header (SQLite file format, section 4.1), and a log that is begun again has old frames behind its end all the same.
#[derive(Debug)]
pub(crate) struct Room {
    /// Whatever is written through it goes to the end, so that it overwrites nothing of SQLite's.
    /// `None` once room could not be made: to find it is then left to SQLite, which tells where it cannot.
    file: Option<File>,
    /// Bytes of the log.
    length: u64,
}

impl Room {
    /// Makes room in the log beside the run's file.
    pub(crate) fn open(run: &Path) -> Room {
        let file = OpenOptions::new().append(true).open(beside(run, "-wal")).ok();
        let length = file.as_ref().and_then(|file| file.metadata().ok()).map_or(0, |meta| meta.len());
        let mut room = Room { file, length };
        room.make(0);
        room
    }

    /// Sees that there is room behind the first `frames`; call it where no commit is under way.
    pub(crate) fn make(&mut self, frames: u64) {
        static ZEROS: [u8; ROOM as usize] = [0; ROOM as usize];
        while HEADER + frames * FRAME + SPARE > self.length {
            let Some(file) = &mut self.file else { return };
            match file.write_all(&ZEROS) {
                Ok(()) => self.length += ROOM,
                Err(_) => self.file = None,
            }
        }
    }
}
