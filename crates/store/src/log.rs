//! The write-ahead log as a file: made durable on request, and extended before SQLite needs the space.
//!
//! SQLite commits with `synchronous=NORMAL`: it writes to the log and syncs nothing.
//! A commit is durable once a sync of the log has covered it. A checkpoint also makes it durable: it syncs the
//! log before reading it, and the run's file before the log is restarted (decision 0021).

use crate::fault::Fault;
use crate::open::beside;
use crate::stopped::{AppendError, Stopped};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Bytes by which the log is extended: a sync without a change in file size costs only two thirds.
const ROOM: u64 = 1 << 20;
/// Bytes that should be left in the log for the next commits.
const SPARE: u64 = ROOM / 2;
/// Sizes of the log's header, and of a frame: its own header and a page (SQLite file format, section 4.1).
const HEADER: u64 = 32;
const FRAME: u64 = 24 + 4096;

/// The write-ahead log of a run that is being recorded.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    /// Number of committed events.
    recorded: AtomicU64,
    durable: Mutex<Durable>,
    /// Why nothing more is recorded, if a sync failed.
    failure: OnceLock<Stopped>,
}

/// What is known to survive a power loss. The thread that holds the lock syncs; the others wait, and find it done.
#[derive(Debug)]
struct Durable {
    events: u64,
    /// `None` once the run is sealed.
    ///
    /// It is opened only once: a failed write is reported by the next sync only on handles that were already open.
    file: Option<File>,
    /// Number of syncs until one fails, for tests; `None` if none does.
    until_failure: Option<u64>,
}

impl Log {
    /// Opens the log that SQLite created next to the run's file, which holds `recorded` events.
    ///
    /// SQLite has its locks on the run's file and on the `-shm` file, never on the log (unixOpen in os_unix.c),
    /// so closing this handle releases none of them (fcntl(2)).
    pub(crate) fn open(run: &Path, recorded: u64, until_failure: Option<u64>) -> Result<Log, Fault> {
        let path = beside(run, "-wal");
        // Some systems cannot sync through a handle that cannot write.
        let file = OpenOptions::new().append(true).open(&path).map_err(|error| Fault::io(&path, error))?;
        let durable = Mutex::new(Durable { events: 0, file: Some(file), until_failure });
        Ok(Log { path, recorded: AtomicU64::new(recorded), durable, failure: OnceLock::new() })
    }

    /// Returns the number of committed events.
    pub(crate) fn recorded(&self) -> u64 {
        self.recorded.load(Ordering::Acquire)
    }

    /// Adds to the number of committed events.
    pub(crate) fn commit(&self, events: u64) {
        self.recorded.fetch_add(events, Ordering::AcqRel);
    }

    /// Makes the first `events` durable; after the first failure nothing is synced again.
    pub(crate) fn sync(&self, events: u64) -> Result<(), Stopped> {
        let mut durable = self.durable.lock().unwrap_or_else(PoisonError::into_inner);
        self.check()?;
        if durable.events >= events {
            return Ok(());
        }
        // Everything committed by now was written before; it may be more than anyone waits for.
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

    /// Fails if a sync has failed.
    pub(crate) fn check(&self) -> Result<(), Stopped> {
        self.failure.get().map_or(Ok(()), |stopped| Err(stopped.clone()))
    }

    /// Closes the file, so that it can be removed.
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

/// Space in the log for future commits.
///
/// Zeros are not a frame: a frame contains the salt of the header (SQLite file format, section 4.1), and a
/// restarted log has old frames after its end anyway.
#[derive(Debug)]
pub(crate) struct Room {
    /// Writes through this handle go to the end, so they overwrite nothing of SQLite's.
    /// `None` once extending failed: SQLite must then find the space itself, and reports an error if it cannot.
    file: Option<File>,
    /// Size of the log in bytes.
    length: u64,
}

impl Room {
    /// Opens the log next to the run's file, to extend it.
    pub(crate) fn open(run: &Path) -> Room {
        let file = OpenOptions::new().append(true).open(beside(run, "-wal")).ok();
        let length = file.as_ref().and_then(|file| file.metadata().ok()).map_or(0, |meta| meta.len());
        let mut room = Room { file, length };
        room.make(0);
        room
    }

    /// Ensures that there is space after the first `frames`; must not be called during a commit.
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
