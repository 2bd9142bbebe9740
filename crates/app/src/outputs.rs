//! Reads the stored outputs of a run, one at a time.

use crate::open::OpenRunError;
use graph::InvocationView;
use ledger::{Digest, InvocationId, Output};
use std::path::Path;
use store::{ReadError, Reader};
use thiserror::Error;

/// Why the output of an invocation cannot be read.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The run cannot be opened.
    #[error(transparent)]
    Run(#[from] OpenRunError),
    /// The stored bytes cannot be read, or differ from those that were recorded.
    #[error("read the output of {invocation}")]
    Read {
        /// The invocation.
        invocation: InvocationId,
        /// The cause, with its position.
        #[source]
        source: Box<ReadError>,
    },
    /// The run names an output that is not stored.
    #[error("read the output of {invocation}: nothing is stored under the digest {digest}")]
    Missing {
        /// The invocation.
        invocation: InvocationId,
        /// The digest that the invocation names.
        digest: Digest,
    },
    /// The stored bytes are not a valid output.
    #[error("read the output of {invocation}")]
    Decode {
        /// The invocation.
        invocation: InvocationId,
        /// The cause, with its position.
        #[source]
        source: Box<ledger::OutputError>,
    },
}

/// Returns the stored output of an invocation of the run in `folder`, checked against its digest; `None` if the invocation has no output.
///
/// # Errors
///
/// Fails if the run or the output cannot be read.
pub fn read_output(folder: &Path, view: &InvocationView) -> Result<Option<Output>, OutputError> {
    match view.ended.as_ref().and_then(|ended| ended.output) {
        Some(digest) => output(&open(folder)?, view.started.invocation, digest).map(Some),
        None => Ok(None),
    }
}

/// Opens the run for a caller that reads several outputs.
pub(crate) fn open(folder: &Path) -> Result<Reader, OpenRunError> {
    Reader::open(folder)
        .map_err(|source| OpenRunError::Open { folder: folder.to_owned(), source: Box::new(source) })
}

pub(crate) fn output(
    reader: &Reader,
    invocation: InvocationId,
    digest: Digest,
) -> Result<Output, OutputError> {
    let bytes = bytes(reader, invocation, digest)?;
    let decode = |source| OutputError::Decode { invocation, source: Box::new(source) };
    Output::decode_digested(bytes, digest).map_err(decode)
}

/// Returns the stored bytes with this digest.
pub(crate) fn bytes(
    reader: &Reader,
    invocation: InvocationId,
    digest: Digest,
) -> Result<Vec<u8>, OutputError> {
    let read = |source| OutputError::Read { invocation, source: Box::new(source) };
    reader.payload(&digest).map_err(read)?.ok_or(OutputError::Missing { invocation, digest })
}
