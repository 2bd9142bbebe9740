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
    /// Its root cannot be read; any other unreadable folder is a gap in the index.
    #[error("build the name index")]
    Root(#[source] ReadError),
    /// There is more of something than fits the format.
    #[error("build the name index: {what}: at most {limit} fit")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// The format's limit.
        limit: u64,
    },
}

/// Why an index cannot be read; an invalid index is refused.
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
        /// Offset in the file.
        offset: u64,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// Bytes that must be in the file are outside of it.
    #[error("read the name index: byte {offset}: expected {length} bytes within {end}")]
    Outside {
        /// Their offset in the file.
        offset: u64,
        /// How many bytes are needed.
        length: u64,
        /// The end of the file, or of the part that must contain the bytes.
        end: u64,
    },
    /// A value is not as expected.
    #[error("read the name index: {what}: expected {expected}, found {found}")]
    Value {
        /// What the value is.
        what: &'static str,
        /// The expected value, or its limit.
        expected: u64,
        /// The value found.
        found: u64,
    },
    /// A name that a path cannot have.
    #[error("read the name index: row {row}: the name cannot stand in a path")]
    Name {
        /// The number of its entry.
        row: u32,
    },
    /// A text is not UTF-8.
    #[error("read the name index: byte {offset}: the text is not UTF-8")]
    Text {
        /// Offset in the file.
        offset: u64,
    },
}

impl IndexError {
    pub(super) const fn value(what: &'static str, expected: u64, found: u64) -> IndexError {
        IndexError::Value { what, expected, found }
    }
}
