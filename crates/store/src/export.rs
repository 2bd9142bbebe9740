//! Writing a new copy of a run, row by row: its bytes depend on the rows alone.
//!
//! The order in which SQLite was given rows, freed pages, the write-ahead log and the compression of payloads
//! leave no trace in it.
//! The same version of Locard always writes the same bytes for the same run; another version may compress
//! differently.

use crate::codec;
use crate::fault::Fault;
use crate::open::{self, OpenError};
use crate::payload::{self, ReadError};
use crate::prepare::PreparedPayload;
use crate::reader;
use crate::rows::{insert_event, insert_payload};
use crate::schema::{self, SchemaError};
use ledger::event::Format;
use ledger::{Digest, Event, RunId};
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// The result of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The run's name, if its log has one.
    pub run: Option<RunId>,
    /// Whether its log ends with a seal.
    pub sealed: bool,
    /// The hash of the run's last link.
    pub head: Digest,
    /// Number of events.
    pub events: u64,
    /// Number of different payloads.
    pub payloads: u64,
}

/// Why a run cannot be exported.
#[derive(Debug, Error)]
pub enum ExportError {
    /// It cannot be opened.
    #[error("export a run")]
    Open(#[source] OpenError),
    /// A row is not what was recorded.
    #[error("export a run")]
    Read(#[source] ReadError),
    /// The file's header is not that of the run.
    #[error("export a run")]
    Schema(#[source] SchemaError),
    /// The run has no events.
    #[error("export a run: {path}: expected at least one event", path = path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// An event names a payload that is not stored.
    #[error("export a run: events, position {position}: {name} names the payload {digest}, which is missing")]
    Missing {
        /// The event.
        position: u64,
        /// Its name.
        name: &'static str,
        /// The payload.
        digest: Digest,
    },
    /// A stored payload is not named by any event.
    #[error("export a run: payloads: no event names the payload {digest}")]
    Unnamed {
        /// The payload.
        digest: Digest,
    },
    /// The new file could not be written.
    #[error("export a run")]
    Write(#[source] Fault),
    /// The caller stopped it.
    #[error("export a run: it was interrupted")]
    Interrupted,
}

/// How payloads are stored in the new file; digests are always those of the uncompressed bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Bodies {
    /// Compressed if that pays, as in every run.
    #[default]
    Compressed,
    /// Unchanged, for readers without zstd.
    Plain,
}

/// Writes a new copy of the run in `folder` to the file `to`, which must not exist; calls `go_on` before each event.
///
/// The chain and every payload are checked on the way. If a check fails, that is an error, and `to` must not be used.
/// If a writer is active, it copies what was recorded when it began.
pub fn export(
    folder: &Path,
    to: &Path,
    bodies: Bodies,
    go_on: &dyn Fn() -> bool,
) -> Result<Exported, ExportError> {
    let path = open::file(folder);
    let source = open::read_only(&path).map_err(ExportError::Open)?;
    let fault =
        |error| ExportError::Read(ReadError::Fault { table: "events", source: Fault::sqlite(&path, error) });
    // One transaction, so that it sees one state of the file.
    source.execute_batch("BEGIN").map_err(fault)?;
    let format = open::format(&source).map_err(fault)?;
    // SQLite would open an existing file.
    let made = OpenOptions::new().write(true).create_new(true).open(to);
    drop(made.map_err(|error| ExportError::Write(Fault::io(to, error)))?);
    let target = Target { path: to, connection: create(to, format).map_err(failed(to))? };
    let exported = copy(&source, &path, &target, bodies, format, go_on)?;
    target.connection.execute_batch("COMMIT").map_err(failed(to))?;
    target.connection.close().map_err(|(_, error)| failed(to)(error))?;
    Ok(exported)
}

/// The new file, with an open transaction.
struct Target<'p> {
    path: &'p Path,
    connection: Connection,
}

fn failed(to: &Path) -> impl Fn(rusqlite::Error) -> ExportError {
    |error| ExportError::Write(Fault::sqlite(to, error))
}

/// Sets everything that could depend on how SQLite was built.
fn create(to: &Path, format: Format) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(to, flags)?;
    connection.pragma_update(None, "page_size", 4096)?;
    connection.pragma_update(None, "auto_vacuum", "NONE")?;
    connection.pragma_update(None, "encoding", "UTF-8")?;
    // If interrupted, the caller throws the file away.
    connection.pragma_update_and_check(None, "journal_mode", "OFF", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    // The former content of a page leaves no trace in the file.
    connection.pragma_update_and_check(None, "secure_delete", "ON", |_| Ok(()))?;
    schema::install(&connection)?;
    connection.pragma_update(None, "user_version", schema::user_version(format))?;
    connection.execute_batch("BEGIN")?;
    Ok(connection)
}

/// Copies events in order, each payload after the first event that names it.
fn copy(
    source: &Connection,
    path: &Path,
    target: &Target<'_>,
    bodies: Bodies,
    format: Format,
    go_on: &dyn Fn() -> bool,
) -> Result<Exported, ExportError> {
    let mut events = reader::events(source, path);
    let (mut run, mut sealed, mut named) = (None, false, BTreeSet::new());
    for event in events.by_ref() {
        if !go_on() {
            return Err(ExportError::Interrupted);
        }
        let (link, event, circumstance) = event.map_err(ExportError::Read)?;
        if let Event::RunOpened(opened) = &event {
            let expected = opened.format;
            if expected != format {
                return Err(ExportError::Schema(SchemaError::Format { expected, found: format }));
            }
        }
        if link.position == 0 {
            run = circumstance.run;
        }
        sealed = matches!(event, Event::RunSealed(_));
        insert_event(&target.connection, &link, event.name()).map_err(failed(target.path))?;
        if let Some(digest) = event.payload().filter(|digest| named.insert(*digest)) {
            let bytes = payload::read(source, path, &digest).map_err(ExportError::Read)?;
            let (position, name) = (link.position, event.name());
            let bytes = bytes.ok_or(ExportError::Missing { position, name, digest })?;
            insert_payload(&target.connection, &encoded(digest, bytes, bodies))
                .map_err(failed(target.path))?;
        }
    }
    for entry in payload::index(source, path).map_err(ExportError::Read)? {
        let digest = entry.map_err(ExportError::Read)?.digest;
        if !named.contains(&digest) {
            return Err(ExportError::Unnamed { digest });
        }
    }
    let chain = events.so_far();
    let head = chain.head().ok_or_else(|| ExportError::Empty { path: path.to_owned() })?;
    Ok(Exported { run, sealed, head, events: chain.len(), payloads: named.len() as u64 })
}

/// Encodes a payload as every version with this codec stores it, whatever its former body.
fn encoded(digest: Digest, bytes: Vec<u8>, bodies: Bodies) -> PreparedPayload {
    let (length, bytes) = (bytes.len() as u64, Arc::from(bytes));
    let body = match bodies {
        Bodies::Compressed => codec::encode(bytes),
        Bodies::Plain => codec::Body::Raw(bytes),
    };
    PreparedPayload { digest, length, body }
}
