//! What is appended, where it is placed, and what is recorded so far.

use ledger::{Circumstance, Digest, Event, Stream};
use std::sync::Arc;

/// One event to append.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The stream it belongs to.
    pub stream: Stream,
    /// The event.
    pub event: Event,
    /// Its circumstance.
    pub circumstance: Circumstance,
    /// The bytes that [`Event::payload`] names; `None` if it names none, or if they are already stored.
    pub payload: Option<Arc<[u8]>>,
}

/// The place of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placed {
    /// The position in the run, from 0.
    pub position: u64,
    /// The stream.
    pub stream: Stream,
    /// The position in the stream, from 0.
    pub sequence: u32,
}

/// What is recorded so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The hash of the run's last link; `None` before the first event.
    pub head: Option<Digest>,
    /// Number of events.
    pub events: u64,
    /// Number of different payloads.
    pub payloads: u64,
    /// Each stream's number of events and last link, in stream order.
    pub streams: Vec<(Stream, u32, Digest)>,
}
