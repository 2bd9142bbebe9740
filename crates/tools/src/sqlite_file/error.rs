//! Why a database cannot be read.

use super::words;
use evidence::{EvidencePath, ReadError};
use std::io;
use thiserror::Error;

/// Why a database, or what was asked of it, cannot be read.
#[derive(Debug, Error)]
pub(crate) enum SqliteError {
    #[error(
        "{path} is no SQLite database: byte 0: expected 53514c69746520666f726d6174203300 (\"SQLite format 3\") and 100 bytes of header, found {found} in a file of {size} bytes; an encrypted database has no such header either"
    )]
    Header { path: EvidencePath, found: String, size: u64 },
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("copy {path} to the scratch folder")]
    Copy {
        path: EvidencePath,
        #[source]
        source: io::Error,
    },
    #[error("open {path}: {}", code(source))]
    Open { path: EvidencePath, source: rusqlite::Error },
    #[error("read the tables of {path}: {}", words(source))]
    Schema { path: EvidencePath, source: rusqlite::Error },
    #[error("argument \"sql\": {message}{}. {help}", place(*offset))]
    Statement {
        message: String,
        /// Bytes from the beginning of the statement, if known.
        offset: Option<usize>,
        /// What can be asked for.
        help: String,
    },
    #[error("argument \"sql\": expected one SELECT, found {found}")]
    NotASelect { found: &'static str },
}

/// Returns only SQLite's code: the message of a failed opening names the scratch folder, which differs from call to call.
fn code(error: &rusqlite::Error) -> String {
    error.sqlite_error().map_or_else(|| "SQLite gives no reason".to_owned(), ToString::to_string)
}

fn place(offset: Option<usize>) -> String {
    offset.map(|offset| format!(" at byte {offset}")).unwrap_or_default()
}
