//! Why recording has stopped.

use crate::codec::MAX_PAYLOAD;
use crate::fault::Fault;
use ledger::{ChainError, Digest};
use std::sync::Arc;
use thiserror::Error;

/// Recording has stopped: this call and every later one fails for the same reason.
#[derive(Debug, Clone, Error)]
#[error("record events: recording stopped at position {position}")]
pub struct Stopped {
    /// The first position without an event.
    pub position: u64,
    /// The cause.
    #[source]
    pub reason: Arc<AppendError>,
}

/// Why an append failed, and with it the recording.
#[derive(Debug, Error)]
pub enum AppendError {
    /// The payload is not the one named by the event.
    #[error("append {name}: expected a payload with the digest {expected:?}, found {found}")]
    PayloadMismatch {
        /// The event's name.
        name: &'static str,
        /// The digest in the event, if there is one.
        expected: Option<Digest>,
        /// The digest of the given bytes.
        found: Digest,
    },
    /// The event names a payload that was neither given nor stored before.
    #[error("append {name}: expected a payload with the digest {expected}, found none")]
    PayloadMissing {
        /// The event's name.
        name: &'static str,
        /// The digest in the event.
        expected: Digest,
    },
    /// The payload is longer than can be stored.
    #[error("append {name}: expected a payload of at most {MAX_PAYLOAD} bytes, found {length}")]
    PayloadTooLong {
        /// The event's name.
        name: &'static str,
        /// Size of the payload in bytes.
        length: u64,
    },
    /// The event cannot be linked into the chain.
    #[error("append an event")]
    Chain(#[source] ChainError),
    /// The file could not be written.
    #[error("append events")]
    Fault(#[source] Fault),
    /// The run is sealed: nothing can follow.
    #[error("append events: the run is sealed")]
    Sealed,
    /// The writer thread is gone.
    #[error("append events: the writer thread has ended")]
    WriterGone,
}
