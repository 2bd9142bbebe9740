//! Prepares entries for the writer thread.

use crate::codec::{self, Body, MAX_PAYLOAD};
use crate::entry::{Entry, Placed};
use crate::stopped::{AppendError, Stopped};
use ledger::{Circumstance, Digest, Event, Stream};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

/// One append on its way to the writer thread.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) entries: Result<Vec<Prepared>, AppendError>,
    pub(crate) reply: SyncSender<Result<Vec<Placed>, Stopped>>,
}

/// An entry whose payload was checked and encoded.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) stream: Stream,
    pub(crate) event: Event,
    pub(crate) circumstance: Circumstance,
    pub(crate) payload: Option<PreparedPayload>,
}

/// A payload to be stored.
#[derive(Debug)]
pub(crate) struct PreparedPayload {
    pub(crate) digest: Digest,
    pub(crate) length: u64,
    pub(crate) body: Body,
}

/// Hashes and compresses on the caller's thread, so that the writer thread only has to write.
///
/// A failure still goes to the writer thread, to stop the recording there at the right place in the order of appends.
pub(super) fn prepare(entries: Vec<Entry>, raw: bool) -> Result<Vec<Prepared>, AppendError> {
    entries.into_iter().map(|entry| prepare_one(entry, raw)).collect()
}

fn prepare_one(entry: Entry, raw: bool) -> Result<Prepared, AppendError> {
    let Entry { stream, event, circumstance, payload } = entry;
    let payload = payload.map(|bytes| prepare_payload(&event, bytes, raw)).transpose()?;
    Ok(Prepared { stream, event, circumstance, payload })
}

fn prepare_payload(event: &Event, bytes: Arc<[u8]>, raw: bool) -> Result<PreparedPayload, AppendError> {
    let name = event.name();
    let length = bytes.len() as u64;
    if length > MAX_PAYLOAD {
        return Err(AppendError::PayloadTooLong { name, length });
    }
    let (expected, digest) = (event.payload(), Digest::of(&bytes));
    match expected == Some(digest) {
        true => {
            let body = if raw { Body::Raw(bytes) } else { codec::encode(bytes) };
            Ok(PreparedPayload { digest, length, body })
        }
        false => Err(AppendError::PayloadMismatch { name, expected, found: digest }),
    }
}
