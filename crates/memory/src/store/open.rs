//! Opens and creates stores.

use super::{Scope, Store, StoreError};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// `LMEM`: the application id in the file's header.
const APPLICATION: i64 = 0x4c4d_454d;
/// The version of the tables.
const VERSION: i64 = 1;
/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(60);

const TABLES: &str = "
CREATE TABLE lessons (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  rule INTEGER NOT NULL,
  subject TEXT,
  body TEXT NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  seen INTEGER NOT NULL,
  contradicted INTEGER NOT NULL,
  run BLOB NOT NULL,
  task INTEGER NOT NULL
) STRICT;
CREATE INDEX lessons_by_subject ON lessons (subject) WHERE subject IS NOT NULL;
CREATE TABLE tasks (
  run BLOB NOT NULL,
  task INTEGER NOT NULL,
  at INTEGER NOT NULL,
  lessons INTEGER NOT NULL,
  has_end INTEGER NOT NULL,
  PRIMARY KEY (run, task)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE word_index USING fts5(words, tags, tokenize = 'ascii');
INSERT INTO word_index (word_index, rank) VALUES ('secure-delete', 1);
";

impl Store {
    /// Opens the store in this file, and creates it if it does not exist, readable only for its owner.
    ///
    /// # Errors
    ///
    /// [`StoreError`]: the file cannot be opened, or is something else.
    pub fn open(file: &Path, scope: Scope) -> Result<Store, StoreError> {
        let at = |source| StoreError::File { path: file.to_owned(), source };
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            make_private_folder(folder).map_err(at)?;
        }
        // Two processes that create the file at the same time would each find it half made.
        let lock = lock(file).map_err(at)?;
        let is_new = !file.try_exists().map_err(at)?;
        if is_new {
            private_file().create_new(true).open(file).map_err(at)?;
        }
        let fault = |source| StoreError::Sqlite { path: file.to_owned(), source };
        let connection = connect(file).map_err(fault)?;
        ready(&connection, file)?;
        if is_new && let Some(folder) = folder {
            sync_folder(folder).map_err(at)?;
        }
        drop(lock);
        Ok(Store { scope, file: file.to_owned(), connection: Mutex::new(connection) })
    }

    /// Opens the store in this file if it exists; `None` if nothing was learned yet.
    ///
    /// # Errors
    ///
    /// As for [`Store::open`].
    pub fn open_existing(file: &Path, scope: Scope) -> Result<Option<Store>, StoreError> {
        match file.try_exists() {
            Ok(true) => Store::open(file, scope).map(Some),
            Ok(false) => Ok(None),
            Err(source) => Err(StoreError::File { path: file.to_owned(), source }),
        }
    }
}

fn connect(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // Anyone could have made the file: no view or trigger in it may call a function with side effects.
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

/// Checks what the file is, or creates the tables in an empty one; the caller holds the lock.
fn ready(connection: &Connection, file: &Path) -> Result<(), StoreError> {
    let fault = |source| StoreError::Sqlite { path: file.to_owned(), source };
    let number = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
    let application = number("application_id").map_err(fault)?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(fault)?;
    match (application, number("user_version").map_err(fault)?) {
        (APPLICATION, VERSION) => {}
        (APPLICATION, found) => {
            return Err(StoreError::Newer { path: file.to_owned(), found, known: VERSION });
        }
        (0, 0) if tables == 0 => {}
        _ => return Err(StoreError::Foreign { path: file.to_owned() }),
    }
    connection.pragma_update(None, "journal_mode", "WAL").map_err(fault)?;
    // In this mode, only FULL syncs each commit.
    connection.pragma_update(None, "synchronous", "FULL").map_err(fault)?;
    // Forgotten data is overwritten.
    connection.pragma_update(None, "secure_delete", true).map_err(fault)?;
    if tables == 0 {
        install(connection).map_err(fault)?;
    }
    Ok(())
}

fn install(connection: &Connection) -> rusqlite::Result<()> {
    let transaction = rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// Keeps other processes out while the file is opened; dropping the handle releases the lock.
fn lock(file: &Path) -> io::Result<File> {
    let mut name = file.as_os_str().to_owned();
    name.push(".lock");
    let handle = private_file().create(true).truncate(false).open(name)?;
    handle.lock()?;
    Ok(handle)
}

#[cfg(unix)]
fn private_file() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    options
}

/// On other systems a file has the permissions of its folder.
#[cfg(not(unix))]
fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    options
}

#[cfg(unix)]
fn make_private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_private_folder(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// The standard library cannot sync a folder on these systems.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
