//! Payloads by digest, and why a stored row cannot be read.

use crate::codec::{self, Encoding, MAX_PAYLOAD};
use crate::column::{Column, Misfit, Place};
use crate::fault::Fault;
use ledger::{ChainError, Digest};
use rusqlite::types::Type;
use rusqlite::{Connection, Row};
use std::path::Path;
use thiserror::Error;

/// Why a stored row cannot be read, or is not what was recorded.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file could not be read, or its structure is damaged.
    #[error("read the table {table}")]
    Fault {
        /// The table.
        table: &'static str,
        /// The cause.
        #[source]
        source: Fault,
    },
    /// The run could not be opened.
    #[error("read a payload")]
    Open(#[source] crate::open::OpenError),
    /// A column has the wrong type, or a value outside its bounds.
    #[error("read {place}: expected {expected} in `{column}`, found {found}")]
    Column {
        /// The row.
        place: Place,
        /// The column.
        column: &'static str,
        /// What it must contain.
        expected: &'static str,
        /// The type found.
        found: Type,
    },
    /// The rows of `events` are not in order.
    #[error("read events, position {found}: expected a position from {expected} on")]
    Order {
        /// The lowest position that would be valid.
        expected: i64,
        /// The position found.
        found: i64,
    },
    /// The link does not fit the chain.
    #[error("read events")]
    Chain(#[source] ChainError),
    /// The column `name` is not the event's name.
    #[error("read events, position {position}: expected {expected:?} in `name`, found {found:?}")]
    Name {
        /// The row.
        position: u64,
        /// The event's name.
        expected: &'static str,
        /// The name found, with invalid UTF-8 replaced.
        found: String,
    },
    /// The body does not yield as many bytes as `length` declares.
    #[error("read {place}: expected a {encoding} body of {length} bytes")]
    Body {
        /// The row.
        place: Place,
        /// How the body should be encoded.
        encoding: Encoding,
        /// The number of bytes that it should yield.
        length: u64,
    },
    /// The bytes do not have their digest.
    #[error("read {place}: expected bytes with the digest {expected}, found {found}")]
    Digest {
        /// The row.
        place: Place,
        /// The digest that they should have.
        expected: Digest,
        /// The digest of the bytes found.
        found: Digest,
    },
}

impl ReadError {
    pub(crate) fn at(place: Place) -> impl Fn(Misfit) -> ReadError {
        move |Misfit { column, expected, found }| ReadError::Column { place, column, expected, found }
    }
}

/// One stored payload, without its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PayloadEntry {
    /// The digest of the bytes, unchecked.
    pub digest: Digest,
    /// How they are stored.
    pub encoding: Encoding,
    /// Their number once decoded, unchecked.
    pub length: u64,
}

/// Every stored payload in recorded order; a row that cannot be read is returned as its error.
pub type PayloadIndex = Vec<Result<PayloadEntry, ReadError>>;

fn fault(path: &Path) -> impl Fn(rusqlite::Error) -> ReadError {
    |source| ReadError::Fault { table: "payloads", source: Fault::sqlite(path, source) }
}

/// Returns the bytes with this digest, checked against it.
pub(crate) fn read(
    connection: &Connection,
    path: &Path,
    digest: &Digest,
) -> Result<Option<Vec<u8>>, ReadError> {
    let fault = fault(path);
    let sql = "SELECT rowid, digest, encoding, length, body FROM payloads WHERE digest = ?1";
    let mut statement = connection.prepare_cached(sql).map_err(&fault)?;
    let mut rows = statement.query([digest.as_bytes().as_slice()]).map_err(&fault)?;
    let Some(row) = rows.next().map_err(&fault)? else { return Ok(None) };
    let (place, entry) = entry(row)?;
    let PayloadEntry { encoding, length, .. } = entry;
    let body = Column(4, "body").blob(row).map_err(ReadError::at(place))?;
    let bytes = codec::decode(encoding, length, body).ok_or(ReadError::Body { place, encoding, length })?;
    let found = Digest::of(&bytes);
    match found == *digest {
        true => Ok(Some(bytes)),
        false => Err(ReadError::Digest { place, expected: *digest, found }),
    }
}

/// Reads the index of all payloads from the table itself.
pub(crate) fn index(connection: &Connection, path: &Path) -> Result<PayloadIndex, ReadError> {
    let fault = fault(path);
    let sql = "SELECT rowid, digest, encoding, length FROM payloads NOT INDEXED ORDER BY rowid";
    let mut statement = connection.prepare_cached(sql).map_err(&fault)?;
    let mut rows = statement.query([]).map_err(&fault)?;
    let mut index = Vec::new();
    while let Some(row) = rows.next().map_err(&fault)? {
        index.push(entry(row).map(|(_, entry)| entry));
    }
    Ok(index)
}

fn entry(row: &Row<'_>) -> Result<(Place, PayloadEntry), ReadError> {
    let unplaced = ReadError::at(Place::Payload { row: 0 });
    let place = Place::Payload { row: Column(0, "rowid").integer(row).map_err(unplaced)? };
    let misfit = ReadError::at(place);
    let digest = Column(1, "digest").digest(row).map_err(&misfit)?;
    let name = Column(2, "encoding").text(row).map_err(&misfit)?;
    let encoding = Encoding::from_name(name).ok_or_else(|| {
        misfit(Misfit { column: "encoding", expected: "`raw` or `zstd`", found: Type::Text })
    })?;
    let length: u64 = Column(3, "length").integer(row).map_err(&misfit)?;
    if length > MAX_PAYLOAD {
        let expected = "at most 900 MiB";
        return Err(misfit(Misfit { column: "length", expected, found: Type::Integer }));
    }
    Ok((place, PayloadEntry { digest, encoding, length }))
}
