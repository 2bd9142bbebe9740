//! Closing a run for good: one read-only file remains.

use crate::fault::Fault;
use crate::open::beside;
use crate::private;
use crate::writer::Stopped;
use ledger::Digest;
use rusqlite::Connection;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;
use thiserror::Error;

/// What was sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sealed {
    /// The run's last link.
    pub head: Digest,
    /// Events.
    pub events: u64,
    /// Different payloads.
    pub payloads: u64,
}

/// Why a run could not be sealed.
#[derive(Debug, Error)]
pub enum SealError {
    /// The final entries were not recorded.
    #[error("seal a run")]
    Stopped(#[source] Stopped),
    /// There is no event to seal.
    #[error("seal a run: expected at least one event")]
    Empty,
    /// The entries are recorded, but the file could not be closed.
    #[error("seal a run")]
    Fault(#[source] Fault),
    /// The entries are recorded, but SQLite left a file beside the run's.
    #[error("seal a run: {path}: the file should be gone", path = path.display())]
    Leftover {
        /// The file that is still there.
        path: PathBuf,
    },
}

/// How often folding is tried, and how long it is waited before and between: two seconds in all.
const TRIES: u32 = 20;
const WAIT: Duration = Duration::from_millis(50);

/// How the file was made ready to be closed.
pub(crate) enum Ready {
    /// Everything stands in it.
    Folded,
    /// Somebody reads it and does not stop: everything stands in a copy, which takes its place once the connection is closed.
    Copied(PathBuf),
}

/// Brings everything that was recorded into one file, whoever reads it meanwhile.
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
    // Elsewhere nothing can take the place of a file that somebody has open.
    match cfg!(unix) {
        true => copy(connection, path).map(Ready::Copied),
        false => Err(Fault::Held { path: path.to_owned() }),
    }
}

/// Moves the write-ahead log into the file and leaves WAL mode.
///
/// Leaving it needs the file for itself, and fails as busy while another connection is open.
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

/// Writes the file as it would be without a write-ahead log, page by page the same, and makes it durable.
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

/// What of the file's name the name of its copy ends with.
const COPY: &str = "-sealing";

/// Lets the copy take the file's place; whoever reads the old one goes on doing so.
///
/// The log is removed last: whoever meets it beside the copy, after a crash in between, reads from it the pages that stand there already.
pub(crate) fn replace(path: &Path, copy: &Path) -> Result<(), SealError> {
    let fault = |error| SealError::Fault(Fault::io(path, error));
    fs::rename(copy, path).map_err(fault)?;
    if let Some(folder) = path.parent() {
        sync_folder(folder).map_err(SealError::Fault)?;
    }
    remove(&beside(path, "-wal")).and_then(|()| remove(&beside(path, "-shm"))).map_err(fault)
}

/// Removes a file that need not be there.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Makes the closed file read-only and durable, and the folder with it.
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

/// Removes a write-ahead log that is empty, and the index of it: somebody who read the run while it was sealed left them, and there is nothing in them.
/// With them a copy that was not needed in the end.
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

/// Makes the folder's list of names durable, where the operating system has a way to.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), Fault> {
    // The parent of a relative path of one name is written as nothing.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if cfg!(unix) {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| Fault::io(folder, error))?;
    }
    Ok(())
}
