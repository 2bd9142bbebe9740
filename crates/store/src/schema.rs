//! The tables of a `run.db`, and the check that a file has exactly these.

use crate::fault::Fault;
use ledger::FORMAT;
use ledger::event::Format;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use std::path::Path;
use std::sync::OnceLock;
use thiserror::Error;

/// `LOCD`: the application id in the header (SQLite file format, section 1.3.15).
pub(crate) const APPLICATION_ID: i32 = 0x4C4F_4344;

/// The whole content of `sqlite_schema`.
///
/// The triggers prevent accidents; the chain proves that nothing was changed.
pub(crate) const SCHEMA: &str = "
CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    name TEXT NOT NULL,
    event TEXT NOT NULL,
    circumstance TEXT NOT NULL,
    stream_hash BLOB NOT NULL CHECK (length(stream_hash) = 32),
    run_hash BLOB NOT NULL CHECK (length(run_hash) = 32),
    UNIQUE (stream, sequence)
) STRICT;
CREATE TABLE payloads (
    digest BLOB PRIMARY KEY NOT NULL CHECK (length(digest) = 32),
    encoding TEXT NOT NULL CHECK (encoding IN ('raw', 'zstd')),
    length INTEGER NOT NULL CHECK (length >= 0),
    body BLOB NOT NULL
) STRICT;
CREATE TRIGGER events_keep_their_content BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_stay BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER payloads_keep_their_content BEFORE UPDATE ON payloads
BEGIN SELECT RAISE(ABORT, 'payloads are append-only'); END;
CREATE TRIGGER payloads_stay BEFORE DELETE ON payloads
BEGIN SELECT RAISE(ABORT, 'payloads are append-only'); END;
CREATE VIEW facts AS SELECT
    json_extract(event, '$.fields.fact.id') AS id,
    json_extract(event, '$.fields.fact.predicate') AS predicate,
    json_extract(event, '$.fields.fact.subject') AS subject,
    json_extract(event, '$.fields.fact.values') AS \"values\",
    json_extract(event, '$.fields.fact.invocation') AS invocation,
    json_extract(event, '$.fields.fact.record') AS record,
    stream AS task,
    position
FROM events WHERE name = 'claim_accepted';
";

/// Why a file's structure is not that of a run of this version.
#[derive(Debug, Error)]
pub enum SchemaError {
    /// The file could not be read.
    #[error("check the structure of a run")]
    Fault(#[source] Fault),
    /// `sqlite_schema` differs from what this version writes.
    #[error("check the structure of a run: sqlite_schema, row {row}: expected {expected:?}, found {found:?}")]
    Object {
        /// The row in `sqlite_schema`, from 1.
        row: usize,
        /// Type, name, table and SQL that this version writes there; `None` for no row.
        expected: Option<String>,
        /// What was found there; `None` for no row.
        found: Option<String>,
    },
    /// `PRAGMA integrity_check` found damage.
    #[error("check the structure of a run: integrity_check says {message:?}")]
    Integrity {
        /// The first line of SQLite's message.
        message: String,
    },
    /// The column `name` is not the name in the event.
    #[error(
        "check the structure of a run: events, position {position}: the column `name` is not the event's name"
    )]
    Name {
        /// The row.
        position: i64,
    },
    /// The header has another format than the run's first event.
    #[error("check the structure of a run: expected format {expected} in the header, found {found}")]
    Format {
        /// The format in the first event.
        expected: Format,
        /// The format in the header.
        found: Format,
    },
}

/// Encodes a format for `user_version`: the major number is in the upper sixteen bits.
pub(crate) fn user_version(format: Format) -> i32 {
    (u32::from(format.major) << 16 | u32::from(format.minor)).cast_signed()
}

/// Decodes the format in `user_version`.
pub(crate) fn format_of(user_version: i32) -> Format {
    let [a, b, c, d] = user_version.to_be_bytes();
    Format { major: u16::from_be_bytes([a, b]), minor: u16::from_be_bytes([c, d]) }
}

/// Writes the tables and the header fields into an empty file, in one transaction.
pub(crate) fn install(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "BEGIN; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {}; {SCHEMA} COMMIT;",
        user_version(FORMAT)
    ))
}

/// Checks that `sqlite_schema` holds what this version writes, byte for byte.
pub(crate) fn check_objects(connection: &Connection, path: &Path) -> Result<(), SchemaError> {
    let fault = |source| SchemaError::Fault(Fault::sqlite(path, source));
    let expected = expected().map_err(fault)?;
    let found = objects(connection).map_err(fault)?;
    let rows = expected.len().max(found.len());
    match (0..rows).find(|row| expected.get(*row) != found.get(*row)) {
        None => Ok(()),
        Some(row) => Err(SchemaError::Object {
            row: row + 1,
            expected: expected.get(row).map(describe),
            found: found.get(row).map(describe),
        }),
    }
}

/// Type, name, table and SQL; `None` for a column that is neither text nor blob.
type Object = [Option<Vec<u8>>; 4];

/// Returns what [`SCHEMA`] becomes in `sqlite_schema`, by asking SQLite itself once.
fn expected() -> rusqlite::Result<&'static [Object]> {
    static EXPECTED: OnceLock<Vec<Object>> = OnceLock::new();
    if let Some(known) = EXPECTED.get() {
        return Ok(known);
    }
    let memory = Connection::open_in_memory()?;
    install(&memory)?;
    let found = objects(&memory)?;
    Ok(EXPECTED.get_or_init(|| found))
}

fn objects(connection: &Connection) -> rusqlite::Result<Vec<Object>> {
    let mut statement =
        connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid LIMIT 100")?;
    let rows =
        statement.query_map([], |row| Ok([text(row, 0)?, text(row, 1)?, text(row, 2)?, text(row, 3)?]))?;
    rows.collect()
}

fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Vec<u8>>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) => Some(bytes.to_vec()),
        // A blob must not be mistaken for the text with the same bytes.
        ValueRef::Blob(bytes) => Some([b"blob ", bytes].concat()),
        ValueRef::Null => None,
        ValueRef::Integer(_) | ValueRef::Real(_) => Some(b"a number".to_vec()),
    })
}

fn describe(object: &Object) -> String {
    let parts: Vec<_> =
        object.iter().map(|part| String::from_utf8_lossy(part.as_deref().unwrap_or(b"NULL"))).collect();
    parts.join(" | ")
}

/// Runs `PRAGMA integrity_check`, which compares indexes with tables and reads every page.
pub(crate) fn check_integrity(connection: &Connection, path: &Path) -> Result<(), SchemaError> {
    let fault = |source| SchemaError::Fault(Fault::sqlite(path, source));
    let mut statement = connection.prepare("PRAGMA integrity_check(1)").map_err(fault)?;
    let mut rows = statement.query([]).map_err(fault)?;
    let message = match rows.next().map_err(fault)? {
        Some(row) => text(row, 0).map_err(fault)?.unwrap_or_default(),
        None => Vec::new(),
    };
    match message.as_slice() {
        b"ok" => Ok(()),
        other => Err(SchemaError::Integrity { message: String::from_utf8_lossy(other).into_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_survives_the_header() {
        for (major, minor) in [(1, 0), (1, 7), (40_000, 65_535)] {
            let format = Format { major, minor };
            assert_eq!(format_of(user_version(format)), format);
        }
    }

    #[test]
    fn an_object_more_less_or_changed_is_found() {
        for change in [
            "CREATE INDEX more ON events (name);",
            "DROP VIEW facts;",
            "DROP TRIGGER events_stay; CREATE TRIGGER events_stay BEFORE DELETE ON events BEGIN SELECT 1; END;",
        ] {
            let connection = Connection::open_in_memory().unwrap();
            install(&connection).unwrap();
            check_objects(&connection, Path::new("run.db")).unwrap();
            connection.execute_batch(change).unwrap();
            let error = check_objects(&connection, Path::new("run.db")).unwrap_err();
            assert!(matches!(error, SchemaError::Object { .. }), "{change}: {error}");
        }
    }
}
