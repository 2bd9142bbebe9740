//! Creating and resuming a run's file.

use crate::fault::Fault;
use crate::log::{Log, Room};
use crate::open::{self, OpenError};
use crate::payload::ReadError;
use crate::private;
use crate::reader::{self, Reader};
use crate::schema;
use crate::seal::{self, Ready, SealError, sync_folder};
use crate::thread::Opened;
use ledger::Event;
use ledger::chain::Chain;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;
use thiserror::Error;

/// Why a run cannot be created.
#[derive(Debug, Error)]
pub enum CreateError {
    /// The folder is not empty.
    #[error("create a run: {path}: expected no folder, or an empty one", path = path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The folder or the file could not be created.
    #[error("create a run")]
    Fault(#[source] Fault),
}

/// Why a run cannot be resumed.
#[derive(Debug, Error)]
pub enum ResumeError {
    /// It cannot be opened.
    #[error("resume a run")]
    Open(#[source] OpenError),
    /// It is sealed; if its sealing was interrupted, that is now complete.
    #[error("resume a run: {path}: the run is sealed", path = path.display())]
    Sealed {
        /// The file.
        path: PathBuf,
    },
    /// Its sealing was interrupted, and could not be completed.
    #[error("resume a run")]
    Seal(#[source] SealError),
    /// Its events are not what was recorded.
    #[error("resume a run")]
    Read(#[source] ReadError),
    /// The file could not be prepared for writing.
    #[error("resume a run")]
    Fault(#[source] Fault),
}

/// How the file is written; except for `shared`, only tests and measurements use anything but the default.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether others than the owner may read the run, as far as the umask lets them.
    pub shared: bool,
    /// How long to wait for another process that holds the file.
    pub patience: Duration,
    /// The most pages of 4 KiB the file may have: simulates a full disk.
    pub max_pages: Option<u32>,
    /// Recording breaks off at this boundary, counted from 0: before and after each commit, before the log is
    /// folded into the file, before the file is finished.
    pub break_off_at: Option<u64>,
    /// Whether payloads are stored unchanged even if compressing them would pay.
    pub store_raw: bool,
    /// The sync of the log that fails, counted from 0.
    pub fail_sync_at: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            shared: false,
            patience: Duration::from_secs(5),
            max_pages: None,
            break_off_at: None,
            store_raw: false,
            fail_sync_at: None,
        }
    }
}

/// Creates the folder and an empty run in it, and makes both durable; on failure, removes the folder again.
pub(crate) fn create(folder: &Path, options: Options) -> Result<Opened, CreateError> {
    make_folder(folder, options.shared)?;
    // A process that holds the folder is creating a run in it, even if there is no file yet.
    let lock = lock(folder).map_err(|fault| match fault {
        Fault::Held { path } => CreateError::NotEmpty { path },
        fault => CreateError::Fault(fault),
    })?;
    let path = open::file(folder);
    // SQLite would open a file that another process created in the meantime; this does not.
    private::new_file(options.shared).open(&path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => CreateError::NotEmpty { path: folder.to_owned() },
        _ => CreateError::Fault(Fault::io(&path, error)),
    })?;
    let (connection, log) = begin(folder, &path, options).map_err(|fault| {
        // The file is ours, and nothing was recorded in it.
        remove(folder);
        CreateError::Fault(fault)
    })?;
    let (room, break_off_at) = (Room::open(&path), options.break_off_at);
    Ok(Opened { connection, log, room, chain: Chain::new(), payloads: 0, lock, break_off_at })
}

/// Creates an empty run in the empty file.
fn begin(folder: &Path, path: &Path, options: Options) -> Result<(Connection, Log), Fault> {
    let connection = install(path, options).map_err(|source| Fault::sqlite(path, source))?;
    let log = Log::open(path, 0, options.fail_sync_at)?;
    sync_folder(folder)?;
    if let Some(parent) = folder.parent() {
        sync_folder(parent)?;
    }
    Ok((connection, log))
}

/// Removes a run only if nothing was recorded in it. If it cannot be removed, it stays as a run without a first
/// event.
pub fn discard(folder: &Path) {
    if !Reader::open(folder).is_ok_and(|reader| reader.events().next().is_none()) {
        return;
    }
    remove(folder);
}

/// Removes a run's file and its folder; either stays if it cannot be removed.
fn remove(folder: &Path) {
    let file = open::file(folder);
    for path in [open::beside(&file, "-shm"), open::beside(&file, "-wal"), file] {
        let _ = fs::remove_file(path);
    }
    let _ = fs::remove_dir(folder);
}

/// Locks the folder for this process: two writers would each continue their own chain.
///
/// The lock is on the folder and not on the file, because closing any handle of the file would release SQLite's
/// locks on it (fcntl(2)).
/// It ends with the process, however that ends. A child process that is being started also has it until it
/// executes another program, so a lock that was just released is waited for.
fn lock(folder: &Path) -> Result<File, Fault> {
    let handle = File::open(folder).map_err(|error| Fault::io(folder, error))?;
    for _ in 0..LOCK_TRIES {
        match handle.try_lock() {
            Ok(()) => return Ok(handle),
            Err(TryLockError::WouldBlock) => sleep(LOCK_WAIT),
            Err(TryLockError::Error(error)) => return Err(Fault::io(folder, error)),
        }
    }
    Err(Fault::Held { path: folder.to_owned() })
}

/// How often a folder locked by another process is tried, with a pause in between: half a second in total.
const LOCK_TRIES: u32 = 50;
const LOCK_WAIT: Duration = Duration::from_millis(10);

fn make_folder(folder: &Path, shared: bool) -> Result<(), CreateError> {
    let fault = |error| CreateError::Fault(Fault::io(folder, error));
    match private::make_folder(folder, shared) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(CreateError::NotEmpty { path: folder.to_owned() });
        }
        Err(error) => return Err(fault(error)),
    }
    match fs::read_dir(folder).map_err(fault)?.next() {
        None => Ok(()),
        Some(_) => Err(CreateError::NotEmpty { path: folder.to_owned() }),
    }
}

/// The tables and the header are written before WAL mode begins, so that the file itself always shows what it is.
fn install(path: &Path, options: Options) -> rusqlite::Result<Connection> {
    let connection = connect(path)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    schema::install(&connection)?;
    prepare(&connection, options)?;
    Ok(connection)
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

fn prepare(connection: &Connection, options: Options) -> rusqlite::Result<()> {
    connection.busy_timeout(options.patience)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| {
        match row.get::<_, String>(0)?.as_str() {
            "wal" => Ok(()),
            _ => Err(rusqlite::Error::InvalidQuery),
        }
    })?;
    // The writer thread takes care of both: SQLite does not report the failure of an automatic checkpoint.
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    if let Some(pages) = options.max_pages {
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
    }
    // The first read opens the write-ahead log: from here on it exists next to the file.
    connection.query_row("SELECT count(*) FROM events", [], |_| Ok(()))
}

/// Opens a run that was not sealed, and checks its whole chain.
pub(crate) fn resume(folder: &Path, options: Options) -> Result<Opened, ResumeError> {
    let path = open::file(folder);
    let fault = |source| ResumeError::Fault(Fault::sqlite(&path, source));
    match path.metadata() {
        Ok(meta) if meta.permissions().readonly() => return Err(ResumeError::Sealed { path }),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(ResumeError::Open(OpenError::NoRun { path }));
        }
        Err(error) => return Err(ResumeError::Fault(Fault::io(&path, error))),
    }
    let lock = lock(folder).map_err(ResumeError::Fault)?;
    let mut connection = connect(&path).map_err(fault)?;
    open::check(&connection, &path).map_err(ResumeError::Open)?;
    let mut events = reader::events(&connection, &path);
    let mut sealed = false;
    for event in events.by_ref() {
        let (_, event, _) = event.map_err(ResumeError::Read)?;
        sealed = matches!(event, Event::RunSealed(_));
    }
    if sealed {
        // Recording had ended properly, and only the sealing of the file was interrupted.
        drop(events);
        let ready = seal::make_ready(&mut connection, &path).map_err(ResumeError::Fault)?;
        drop(connection);
        if let Ready::Copied(copy) = ready {
            seal::replace(&path, &copy).map_err(ResumeError::Seal)?;
        }
        seal::finish(&path).map_err(ResumeError::Seal)?;
        return Err(ResumeError::Sealed { path });
    }
    let chain = events.so_far().clone();
    let payloads: i64 =
        connection.query_row("SELECT count(*) FROM payloads", [], |row| row.get(0)).map_err(fault)?;
    prepare(&connection, options).map_err(fault)?;
    let payloads = payloads.unsigned_abs();
    let log = Log::open(&path, chain.len(), options.fail_sync_at).map_err(ResumeError::Fault)?;
    let room = Room::open(&path);
    sync_folder(folder).map_err(ResumeError::Fault)?;
    Ok(Opened { connection, log, room, chain, payloads, lock, break_off_at: options.break_off_at })
}
