//! Following a run that another process records: what came since somebody last looked.

use crate::open::OpenRunError;
use crate::outputs::open;
use ledger::event::Stored;
use ledger::{Circumstance, Event, Stream, TaskId};
use std::collections::BTreeMap;
use std::path::Path;
use store::{ReadError, Reader};

/// One event that was recorded.
#[derive(Debug)]
pub struct Happened {
    /// Its place in the run, from 0.
    pub position: u64,
    /// What it belongs to.
    pub stream: Stream,
    /// The event.
    pub event: Event,
    /// When it was recorded.
    pub circumstance: Circumstance,
}

/// What came from a position on.
#[derive(Debug)]
pub struct Followed {
    /// The events, in their order.
    pub events: Vec<Happened>,
    /// Where to look next.
    pub next: u64,
    /// Whether more is recorded already.
    pub more: bool,
    /// Whether the run is sealed: nothing will come any more.
    pub sealed: bool,
    /// The agents of the tasks so far.
    pub agents: BTreeMap<TaskId, String>,
}

/// The events of the run in `folder` from the position `from` on, at most `most` of them.
///
/// They are what the rows say: the chain is not checked, for that would read the whole log each time.
pub fn follow(folder: &Path, from: u64, most: usize) -> Result<Followed, OpenRunError> {
    let read = |source| OpenRunError::Read { folder: folder.to_owned(), source: Box::new(source) };
    let reader = open(folder)?;
    let (mut agents, mut sealed) = (BTreeMap::new(), false);
    // Before the rows are read: what is recorded in between is told by the next look.
    for (_, event, _) in reader.glance().map_err(read)? {
        match event {
            Event::TaskAssigned(assigned) => drop(agents.insert(assigned.task, assigned.agent.name)),
            Event::RunSealed(_) => sealed = true,
            _ => {}
        }
    }
    let (events, more) = events(&reader, from, most).map_err(read)?;
    let next = events.last().map_or(from, |last| last.position.saturating_add(1));
    Ok(Followed { events, next, more, sealed, agents })
}

/// How many events the run in `folder` has so far, as its rows say.
pub fn recorded_length(folder: &Path) -> Result<u64, OpenRunError> {
    let read = |source| OpenRunError::Read { folder: folder.to_owned(), source: Box::new(source) };
    open(folder)?.length().map_err(read)
}

fn events(reader: &Reader, from: u64, most: usize) -> Result<(Vec<Happened>, bool), ReadError> {
    let mut events = Vec::new();
    // A position that no row can have is after the last one.
    for link in reader.links_from(i64::try_from(from).unwrap_or(i64::MAX)) {
        if events.len() == most {
            return Ok((events, true));
        }
        let link = link?;
        let position = link.position;
        let misread = |_| ReadError::Chain(ledger::ChainError::Event { position });
        let event = Event::from_stored(&link.event).map_err(misread)?;
        let misread = |_| ReadError::Chain(ledger::ChainError::Circumstance { position });
        let circumstance = Circumstance::from_stored(&link.circumstance).map_err(misread)?;
        events.push(Happened { position, stream: link.stream, event, circumstance });
    }
    Ok((events, false))
}
