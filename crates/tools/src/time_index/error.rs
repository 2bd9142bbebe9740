//! Why a timeline index cannot be built or read.

use std::io;
use thiserror::Error;

/// Why a timeline index cannot be built.
#[derive(Debug, Error)]
pub enum TimelineBuildError {
    /// The evidence cannot be opened.
    #[error("build the timeline index")]
    Open(#[source] evidence::OpenError),
    /// Its root cannot be read, or what is there cannot be listed; a single source that cannot be read is a gap in the index.
    #[error("build the timeline index")]
    Evidence(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The index has no stored form.
    #[error("build the timeline index")]
    Form(#[source] serde_json::Error),
}

/// Why a timeline index cannot be read; one that is not what it must be is refused.
///
/// Its path is left out: it differs between equal runs.
#[derive(Debug, Error)]
pub enum TimelineIndexError {
    /// The file cannot be opened.
    #[error("open the timeline index")]
    Open(#[source] io::Error),
    /// Its bytes cannot be read.
    #[error("read the timeline index: byte {offset}")]
    Read {
        /// Bytes from its start.
        offset: u64,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Something lies outside of the file.
    #[error("read the timeline index: byte {offset}: expected {length} bytes within {end}")]
    Outside {
        /// Bytes from its start.
        offset: u64,
        /// How many are needed.
        length: u64,
        /// Where the file, or the part that must hold them, ends.
        end: u64,
    },
    /// A value is not what must stand there.
    #[error("read the timeline index: {what}: expected {expected}, found {found}")]
    Value {
        /// The value.
        what: &'static str,
        /// What must stand there, or its bound.
        expected: u64,
        /// What stands there.
        found: u64,
    },
    /// What it says of its sources cannot be read.
    #[error("read the timeline index: its sources")]
    Head(#[source] serde_json::Error),
    /// A text is not UTF-8.
    #[error("read the timeline index: byte {offset}: the text is not UTF-8")]
    Text {
        /// Bytes from its start.
        offset: u64,
    },
    /// The times are not in their order.
    #[error("read the timeline index: row {row}: the times are not in order")]
    Order {
        /// The number of the row.
        row: u64,
    },
}
