//! Fetches and checks the payloads that a log's events name, in parallel with the reading of the log.

use crate::stored::{AnswerError, Recording};
use ledger::turn::Reply;
use ledger::{Digest, Event, Output, OutputError};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use store::{ReadError, Reader};

/// A stored payload whose bytes have the digest that names them.
#[derive(Debug, Clone)]
pub(crate) enum Payload {
    /// The output of a tool.
    Output(Result<Arc<Output>, Arc<OutputError>>),
    /// A reply of a model.
    Reply(Result<Arc<Reply>, Arc<serde_json::Error>>),
}

/// The requested payloads by digest; `None` if nothing is stored under it.
#[derive(Debug, Default)]
pub(crate) struct Fetched(HashMap<Digest, Result<Option<Payload>, Arc<ReadError>>>);

/// Collects the payloads that events name, for the thread that fetches them.
pub(crate) struct Wanted {
    sender: Sender<(Digest, Kind)>,
    known: RefCell<HashSet<Digest>>,
}

#[derive(Clone, Copy)]
enum Kind {
    Output,
    Reply,
}

impl Wanted {
    /// Requests the payload that the event names, unless it was requested before.
    pub(crate) fn of(&self, event: &Event) {
        let kind = match event {
            Event::InvocationEnded(_) => Kind::Output,
            Event::TurnReplied(_) => Kind::Reply,
            _ => return,
        };
        if let Some(digest) = event.payload()
            && self.known.borrow_mut().insert(digest)
        {
            // The receiving thread runs until this sender is dropped.
            let _ = self.sender.send((digest, kind));
        }
    }
}

/// Runs `work`, while a thread fetches the payloads it requests through `reader`; returns the results of both.
pub(crate) fn beside<T>(reader: Reader, work: impl FnOnce(&Wanted) -> T) -> (T, Fetched) {
    let (sender, wanted) = channel();
    std::thread::scope(|scope| {
        let fetching = scope.spawn(move || {
            let fetch = |(digest, kind)| (digest, fetch(&reader, &digest, kind));
            Fetched(wanted.into_iter().map(fetch).collect())
        });
        let done = work(&Wanted { sender, known: RefCell::default() });
        // If the thread panicked, its payloads are missing and are reported as such.
        (done, fetching.join().unwrap_or_default())
    })
}

fn fetch(reader: &Reader, digest: &Digest, kind: Kind) -> Result<Option<Payload>, Arc<ReadError>> {
    let Some(bytes) = reader.payload(digest).map_err(Arc::new)? else { return Ok(None) };
    Ok(Some(match kind {
        Kind::Output => {
            Payload::Output(Output::decode_digested(bytes, *digest).map(Arc::new).map_err(Arc::new))
        }
        Kind::Reply => Payload::Reply(serde_json::from_slice(&bytes).map(Arc::new).map_err(Arc::new)),
    }))
}

impl Fetched {
    /// Returns the payload with this digest.
    pub(crate) fn get(&self, digest: &Digest) -> Result<Option<Payload>, Arc<ReadError>> {
        self.0.get(digest).cloned().unwrap_or(Ok(None))
    }

    fn named(&self, digest: &Digest, what: &'static str) -> Result<Payload, AnswerError> {
        match self.get(digest) {
            Ok(Some(payload)) => Ok(payload),
            Ok(None) => Err(AnswerError::Missing { what, digest: *digest }),
            Err(source) => Err(AnswerError::Unreadable { what, source }),
        }
    }
}

impl Recording for Fetched {
    fn reply(&self, digest: &Digest) -> Result<Reply, AnswerError> {
        let what = "the stored reply";
        match self.named(digest, what)? {
            Payload::Reply(reply) => reply.map(Arc::unwrap_or_clone).map_err(AnswerError::Reply),
            Payload::Output(_) => Err(AnswerError::Missing { what, digest: *digest }),
        }
    }

    fn output(&self, digest: &Digest) -> Result<Arc<Output>, AnswerError> {
        let what = "the stored output";
        match self.named(digest, what)? {
            Payload::Output(output) => output.map_err(AnswerError::Output),
            Payload::Reply(_) => Err(AnswerError::Missing { what, digest: *digest }),
        }
    }
}
