//! Opening an existing `run.db` for reading.

use crate::fault::Fault;
use crate::schema::{self, APPLICATION_ID, SchemaError};
use ledger::FORMAT;
use ledger::event::Format;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The name of the file in a run's folder.
pub const FILE_NAME: &str = "run.db";

/// Why a run cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// There is no `run.db` in the folder.
    #[error("open a run: {path}: no such file", path = path.display())]
    NoRun {
        /// The file that should be there.
        path: PathBuf,
    },
    /// The file is not a run.
    #[error("open a run: {path}: the file is not one of Locard's runs", path = path.display())]
    NotARun {
        /// The file.
        path: PathBuf,
    },
    /// The run has a format that this version cannot read.
    #[error("open a run: {path}: expected format {supported} or an earlier one of its major number, found {found}", path = path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The format in its header.
        found: Format,
        /// The newest format that this version reads.
        supported: Format,
    },
    /// The file could not be read, or is damaged.
    #[error("open a run")]
    Fault(#[source] Fault),
    /// Its tables are not those of a run.
    #[error("open a run")]
    Schema(#[source] SchemaError),
}

/// Returns the path of the file in `folder`.
pub(crate) fn file(folder: &Path) -> PathBuf {
    folder.join(FILE_NAME)
}

/// Returns the path of a file that SQLite keeps next to `path`.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// Opens the run for reading only.
///
/// Without a journal next to it, the file is opened as immutable, so that SQLite creates no other files.
pub(crate) fn read_only(path: &Path) -> Result<Connection, OpenError> {
    match path.metadata() {
        Ok(meta) if meta.is_file() => {}
        Ok(_) => return Err(OpenError::NotARun { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(OpenError::NoRun { path: path.to_owned() });
        }
        Err(error) => return Err(OpenError::Fault(Fault::io(path, error))),
    }
    let journal = ["-wal", "-journal"].iter().any(|suffix| beside(path, suffix).exists());
    let mode = if journal { "mode=ro" } else { "mode=ro&immutable=1" };
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let uri = uri(path, mode).map_err(|error| OpenError::Fault(Fault::io(path, error)))?;
    let connection = Connection::open_with_flags(uri, flags)
        .map_err(|source| OpenError::Fault(Fault::sqlite(path, source)))?;
    check(&connection, path)?;
    Ok(connection)
}

/// Checks that the open file is a run that this version reads, before anything in it is trusted.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let fault = |source| match source {
        rusqlite::Error::SqliteFailure(error, _) if error.code == rusqlite::ErrorCode::NotADatabase => {
            OpenError::NotARun { path: path.to_owned() }
        }
        source => OpenError::Fault(Fault::sqlite(path, source)),
    };
    // The file may be hostile: nothing in its schema may run anything with a side effect.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map_err(fault)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false).map_err(fault)?;
    connection.pragma_update(None, "cell_size_check", true).map_err(fault)?;
    if number(connection, "application_id").map_err(fault)? != APPLICATION_ID {
        return Err(OpenError::NotARun { path: path.to_owned() });
    }
    let found = format(connection).map_err(fault)?;
    if !found.is_readable() {
        return Err(OpenError::Format { path: path.to_owned(), found, supported: FORMAT });
    }
    // In any other encoding, SQLite would convert every text it returns.
    let encoding: String =
        connection.pragma_query_value(None, "encoding", |row| row.get(0)).map_err(fault)?;
    if encoding != "UTF-8" {
        return Err(OpenError::NotARun { path: path.to_owned() });
    }
    schema::check_objects(connection, path).map_err(OpenError::Schema)
}

/// Returns the format in the header.
pub(crate) fn format(connection: &Connection) -> rusqlite::Result<Format> {
    number(connection, "user_version").map(schema::format_of)
}

fn number(connection: &Connection, pragma: &str) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, pragma, |row| row.get(0))
}

/// Returns the path as a `file:` URI (RFC 8089), with every unusual byte escaped.
fn uri(path: &Path, query: &str) -> io::Result<String> {
    let path = std::path::absolute(path)?;
    // Two slashes are followed by a host, and a Windows path has no slash to end it.
    let mut uri = String::from(if cfg!(windows) { "file:" } else { "file://" });
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(*byte))
            }
            other => write!(uri, "%{other:02X}").map_err(io::Error::other)?,
        }
    }
    uri.push('?');
    uri.push_str(query);
    Ok(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_cannot_leave_its_place_in_the_uri() {
        assert_eq!(uri(Path::new("/a b/?x#%"), "mode=ro").unwrap(), "file:///a%20b/%3Fx%23%25?mode=ro");
    }
}
