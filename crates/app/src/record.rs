//! Glue: appends the engine's events to the store.

use crate::clock::Clock;
use ledger::chain::Cost;
use ledger::{Circumstance, Event, Stream};
use std::sync::Arc;
use store::{Durability, Entry, Placed, Stopped, Writer};

/// Appends events with the time of their recording.
#[derive(Clone)]
pub(crate) struct Recorder {
    writer: Writer,
    clock: Arc<dyn Clock>,
}

impl Recorder {
    pub(crate) fn new(writer: Writer, clock: Arc<dyn Clock>) -> Recorder {
        Recorder { writer, clock }
    }

    pub(crate) fn writer(&self) -> &Writer {
        &self.writer
    }

    /// Appends a task's events as one transaction.
    ///
    /// The append is durable before a paid model is asked, so that nothing that was paid for is lost.
    /// Facts become durable soon, but nothing waits for it, because nothing outside the run depends on them yet (decision 0021).
    pub(crate) fn append(
        &self,
        stream: Stream,
        events: Vec<engine::Append>,
        cost: Option<Cost>,
        paid_call_follows: bool,
    ) -> Result<Vec<Placed>, Stopped> {
        let accepted = events.iter().any(|append| matches!(append.event, Event::ClaimAccepted(_)));
        let durability = match (paid_call_follows, accepted) {
            (true, _) => Durability::Durable,
            (false, true) => Durability::Soon,
            (false, false) => Durability::Buffered,
        };
        let entries = events.into_iter().map(|append| {
            let mut circumstance = Circumstance::at(self.clock.now());
            if matches!(append.event, Event::InvocationEnded(_)) {
                circumstance.cost = cost;
            }
            Entry { stream, event: append.event, circumstance, payload: append.payload }
        });
        self.writer.append(entries.collect(), durability)
    }

    /// Makes an entry for an event of the run itself.
    pub(crate) fn run_entry(&self, event: Event) -> Entry {
        let circumstance = Circumstance::at(self.clock.now());
        Entry { stream: Stream::Run, event, circumstance, payload: None }
    }

    pub(crate) fn append_to_run(&self, entries: Vec<Entry>) -> Result<(), Stopped> {
        self.writer.append(entries, Durability::Durable).map(drop)
    }
}
