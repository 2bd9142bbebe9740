//! Reads every payload that an event names, and reports those that no event names.

use super::log::Logged;
use crate::fetched::{Fetched, Payload};
use crate::names::told;
use ledger::event::InvocationEnded;
use ledger::turn::Reply;
use ledger::{Digest, Event, Output};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::Reader;

/// The payloads of a run, and what is wrong with them.
#[derive(Default)]
pub(super) struct Payloads {
    /// The number of intact payloads.
    pub(super) number: u64,
    pub(super) replies: BTreeMap<Digest, Arc<Reply>>,
    pub(super) outputs: BTreeMap<Digest, Arc<Output>>,
    pub(super) found: Vec<super::log::Found>,
}

/// Checks the payloads that `events` name; `whole` means that these are all events of the run.
pub(super) fn read(reader: &Reader, fetched: &Fetched, events: &Logged, whole: bool) -> Payloads {
    let mut payloads = Payloads::default();
    let mut named = BTreeSet::new();
    for (position, (_, event, _)) in events.iter().enumerate() {
        let Some(digest) = event.payload().filter(|digest| named.insert(*digest)) else { continue };
        let place = || format!("payload {digest} of position {position} ({})", event.name());
        match fetched.get(&digest) {
            Ok(Some(payload)) => {
                payloads.number += 1;
                if let Err(what) = payloads.take(digest, payload) {
                    payloads.found.push((place(), what));
                }
            }
            Ok(None) => payloads.found.push((place(), "it is missing".to_owned())),
            Err(error) => payloads.found.push((place(), told(&*error))),
        }
    }
    for (_, event, _) in events {
        if let Event::InvocationEnded(ended) = event {
            payloads.size(ended);
        }
        if let Event::TurnReplied(replied) = event {
            let reply = payloads.replies.get(&replied.reply);
            if reply.is_some_and(|reply| reply.calls().count() != replied.calls as usize) {
                let what = "it makes another number of calls than its event says".to_owned();
                payloads.found.push((format!("payload {}", replied.reply), what));
            }
        }
    }
    // Beyond a break of the chain, the events and the payloads that they name are unknown.
    if whole {
        payloads.unnamed(reader, &named);
    }
    payloads
}

impl Payloads {
    fn take(&mut self, digest: Digest, payload: Payload) -> Result<(), String> {
        match payload {
            Payload::Output(output) => {
                drop(self.outputs.insert(digest, output.map_err(|error| told(&*error))?));
            }
            Payload::Reply(reply) => {
                drop(self.replies.insert(digest, reply.map_err(|error| told(&*error))?));
            }
        }
        Ok(())
    }

    /// Checks what an event says about the size of its output.
    fn size(&mut self, ended: &InvocationEnded) {
        let output = ended.output.and_then(|digest| self.outputs.get(&digest));
        let (records, bytes) = output.map_or((0, 0), |output| (output.count(), output.bytes().len()));
        let shown = ended.shown.iter().all(|range| range.end.0 as usize <= records);
        let mut say = |what: &str| self.found.push((ended.invocation.to_string(), what.to_owned()));
        if ended.records as usize != records || ended.bytes != bytes as u64 || !shown {
            say("its output has another size than the log says");
        }
        // An absence depends on the fact that nothing was found.
        if !ended.outcome.grounds() && records > 0 {
            say("it has records, but did not end as a call that found some");
        }
        if ended.outcome.grounds() && output.is_some() && records == 0 {
            say("it ended as a call that found records, but has none");
        }
        if ended.output.is_some() == ended.outcome.is_failure() {
            say("its outcome does not go with whether it has an output");
        }
    }

    fn unnamed(&mut self, reader: &Reader, named: &BTreeSet<Digest>) {
        let table = || "the table payloads".to_owned();
        match reader.payload_index() {
            Err(error) => self.found.push((table(), told(&error))),
            Ok(index) => {
                for entry in index {
                    match entry {
                        Err(error) => self.found.push((table(), told(&error))),
                        Ok(entry) if named.contains(&entry.digest) => {}
                        Ok(entry) => {
                            let what = "no event names it".to_owned();
                            self.found.push((format!("payload {}", entry.digest), what));
                        }
                    }
                }
            }
        }
    }
}
