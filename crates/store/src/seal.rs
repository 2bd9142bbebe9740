//! Closing a run for good: one read-only file remains.

use crate::fault::Fault;
use crate::open::beside;
use crate::private;
use crate::stopped::Stopped;
use ledger::Digest;
use rusqlite::Connection;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;
use thiserror::Error;

/// The result of sealing a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sealed {
    /// The hash of the run's last link.
    pub head: Digest,
    /// Number of events.
    pub events: u64,
    /// Number of different payloads.
    pub payloads: u64,
}

/// Why a run could not be sealed.
#[derive(Debug, Error)]
pub enum SealError {
    /// The final entries were not recorded.
    #[error("seal a run")]
    Stopped(#[source] Stopped),
    /// The run has no events.
    #[error("seal a run: expected at least one event")]
    Empty,
    /// The entries are recorded, but the file could not be closed.
    #[error("seal a run")]
    Fault(#[source] Fault),
    /// The entries are recorded, but SQLite left another file next to the run's.
    #[error("seal a run: {path}: the file should be gone", path = path.display())]
    Leftover {
        /// The remaining file.
        path: PathBuf,
    },
}

/// How often folding is tried, and how long to wait within each attempt and after it: two seconds in total.
const TRIES: u32 = 20;
const WAIT: Duration = Duration::from_millis(50);

/// How the file was prepared for closing.
pub(crate) enum Ready {
    /// It holds everything.
    Folded,
    /// A reader does not release it: everything is in a copy, which replaces it once the connection is closed.
    Copied(PathBuf),
}

/// Brings everything that was recorded into one file, even if others are reading it.
pub(crate) fn make_ready(connection: &mut Connection, path: &Path) -> Result<Ready, Fault> {
    let fault = |source| Fault::sqlite(path, source);
    connection.busy_timeout(WAIT).map_err(fault)?;
    for _ in 0..TRIES {
        match fold(connection).map_err(fault) {
            Ok(()) => return Ok(Ready::Folded),
            Err(Fault::Held { .. }) => sleep(WAIT),
            Err(other) => return Err(other),
        }
    }
    // On other systems, a file that somebody has open cannot be replaced.
    match cfg!(unix) {
        true => copy(connection, path).map(Ready::Copied),
        false => Err(Fault::Held { path: path.to_owned() }),
    }
}

/// Moves the write-ahead log into the file and leaves WAL mode.
///
/// Leaving WAL mode needs exclusive access, and fails as busy while another connection is open.
fn fold(connection: &Connection) -> rusqlite::Result<()> {
    connection.flush_prepared_statement_cache();
    connection.execute_batch("PRAGMA synchronous = FULL")?;
    let held: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    let mode: String = connection.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get(0))?;
    match held == 0 && mode == "delete" {
        true => Ok(()),
        false => Err(busy()),
    }
}

fn busy() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY), None)
}

/// Writes the file as it would be without a write-ahead log, with the same pages, and makes it durable.
fn copy(connection: &mut Connection, path: &Path) -> Result<PathBuf, Fault> {
    let copy = beside(path, COPY);
    let fault = |error| Fault::io(&copy, error);
    remove(&copy).map_err(fault)?;
    let pages = connection.serialize("main").map_err(|source| Fault::sqlite(path, source))?;
    // Bytes 18 and 19 say whether there is a write-ahead log (SQLite file format, section 1.3.3).
    let (Some(before), Some(after)) = (pages.get(..18), pages.get(20..)) else {
        return Err(Fault::Io { path: path.to_owned(), source: io::ErrorKind::UnexpectedEof.into() });
    };
    let written = || {
        let mut file = private::new_file(false).open(&copy)?;
        file.set_permissions(path.metadata()?.permissions())?;
        for bytes in [before, &[1, 1], after] {
            file.write_all(bytes)?;
        }
        file.sync_all()
    };
    written().map_err(fault)?;
    Ok(copy)
}

/// The suffix that is added to the file's name for its copy.
const COPY: &str = "-sealing";

/// Replaces the file by the copy; readers of the old file keep reading it.
///
/// The log is removed last. After a crash in between, anyone who finds it next to the copy reads only pages from
/// it that the copy already has.
pub(crate) fn replace(path: &Path, copy: &Path) -> Result<(), SealError> {
    let fault = |error| SealError::Fault(Fault::io(path, error));
    fs::rename(copy, path).map_err(fault)?;
    if let Some(folder) = path.parent() {
        sync_folder(folder).map_err(SealError::Fault)?;
    }
    remove(&beside(path, "-wal")).and_then(|()| remove(&beside(path, "-shm"))).map_err(fault)
}

/// Removes a file, which need not exist.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Makes the closed file read-only and durable, and also the folder durable.
pub(crate) fn finish(path: &Path) -> Result<(), SealError> {
    let fault = |error| SealError::Fault(Fault::io(path, error));
    clear_away(path).map_err(fault)?;
    for suffix in ["-wal", "-shm", "-journal"] {
        let path = beside(path, suffix);
        if path.exists() {
            return Err(SealError::Leftover { path });
        }
    }
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(fault)?;
    let mut permissions = file.metadata().map_err(fault)?.permissions();
    permissions.set_readonly(true);
    fs::set_permissions(path, permissions).map_err(fault)?;
    file.sync_all().map_err(fault)?;
    match path.parent() {
        Some(folder) => sync_folder(folder).map_err(SealError::Fault),
        None => Ok(()),
    }
}

/// Removes an empty write-ahead log and its index: somebody who read the run while it was sealed left them, and
/// they hold nothing.
/// Also removes a copy that was not needed after all.
fn clear_away(path: &Path) -> io::Result<()> {
    remove(&beside(path, COPY))?;
    let log = beside(path, "-wal");
    match log.symlink_metadata() {
        Ok(meta) if meta.is_file() && meta.len() == 0 => fs::remove_file(&log)?,
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    remove(&beside(path, "-shm"))
}

/// Makes the folder's list of names durable, if the operating system can.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), Fault> {
    // The parent of a single-name relative path is the empty path.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if cfg!(unix) {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| Fault::io(folder, error))?;
    }
    Ok(())
}
