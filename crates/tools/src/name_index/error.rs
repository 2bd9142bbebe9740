//! Why an index cannot be built or read.

use evidence::ReadError;
use std::io;
use thiserror::Error;

/// Why an index cannot be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// The evidence cannot be opened.
    #[error("build the name index")]
    Open(#[source] evidence::OpenError),
    /// Its root cannot be read; any other folder that cannot is a gap in the index.
    #[error("build the name index")]
    Root(#[source] ReadError),
    /// There is more of something than the format holds.
    #[error("build the name index: {what}: at most {limit} fit")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// The most that the format holds.
        limit: u64,
    },
}

/// Why an index cannot be read; an index that is not what it must be is refused.
///
/// Its path is left out: it differs between equal runs.
#[derive(Debug, Error)]
pub enum IndexError {
    /// The file cannot be opened.
    #[error("open the name index")]
    Open(#[source] io::Error),
    /// Its bytes cannot be read.
    #[error("read the name index: byte {offset}")]
    Read {
        /// Bytes from its start.
        offset: u64,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Something lies outside of the file.
    #[error("read the name index: byte {offset}: expected {length} bytes within {end}")]
    Outside {
        /// Bytes from its start.
        offset: u64,
        /// How many are needed.
        length: u64,
        /// Where the file, or the part that must hold them, ends.
        end: u64,
    },
    /// A value is not what must stand there.
    #[error("read the name index: {what}: expected {expected}, found {found}")]
    Value {
        /// The value.
        what: &'static str,
        /// What must stand there, or its bound.
        expected: u64,
        /// What stands there.
        found: u64,
    },
    /// A name is none that a path can have.
    #[error("read the name index: row {row}: the name cannot stand in a path")]
    Name {
        /// The number of its entry.
        row: u32,
    },
    /// A text is not UTF-8.
    #[error("read the name index: byte {offset}: the text is not UTF-8")]
    Text {
        /// Bytes from its start.
        offset: u64,
    },
}

impl IndexError {
    pub(super) const fn value(what: &'static str, expected: u64, found: u64) -> IndexError {
        IndexError::Value { what, expected, found }
    }
}
