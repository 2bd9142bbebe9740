//! Closing a run for good: one read-only file remains.

use crate::fault::Fault;
use crate::open::beside;
use crate::writer::Stopped;
use ledger::Digest;
use rusqlite::Connection;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
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

/// Moves the write-ahead log into the file and leaves WAL mode.
///
/// Leaving it needs the file for itself, and fails as busy while another connection reads.
pub(crate) fn fold(connection: &Connection) -> rusqlite::Result<()> {
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
fn clear_away(path: &Path) -> io::Result<()> {
    let (log, index) = (beside(path, "-wal"), beside(path, "-shm"));
    match log.symlink_metadata() {
        Ok(meta) if meta.is_file() && meta.len() == 0 => fs::remove_file(&log)?,
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    match fs::remove_file(&index) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
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
