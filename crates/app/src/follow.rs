//! Follows a run that another process records: returns the events since the last look.

use crate::open::OpenRunError;
use crate::outputs::open;
use ledger::event::Stored;
use ledger::{Circumstance, Event, Stream, TaskId};
use std::collections::BTreeMap;
use std::path::Path;
use store::{ReadError, Reader};

/// One recorded event.
#[derive(Debug)]
pub struct Happened {
    /// Its position in the run, from 0.
    pub position: u64,
    /// The stream that it belongs to.
    pub stream: Stream,
    /// The event.
    pub event: Event,
    /// The circumstance of its recording, such as the time.
    pub circumstance: Circumstance,
}

/// The events from a position on.
#[derive(Debug)]
pub struct Followed {
    /// The events, in order.
    pub events: Vec<Happened>,
    /// The position to continue from.
    pub next: u64,
    /// Whether more events are recorded already.
    pub more: bool,
    /// Whether the run is sealed, so that no more events will follow.
    pub sealed: bool,
    /// The agents of the tasks so far.
    pub agents: BTreeMap<TaskId, String>,
}

/// Returns at most `most` events of the run in `folder`, starting at position `from`.
///
/// The events are read from the rows without checking the chain, because that would read the whole log each time.
///
/// # Errors
///
/// Fails if the run cannot be opened or read.
pub fn follow(folder: &Path, from: u64, most: usize) -> Result<Followed, OpenRunError> {
    let read = |source| OpenRunError::Read { folder: folder.to_owned(), source: Box::new(source) };
    let reader = open(folder)?;
    let (mut agents, mut sealed) = (BTreeMap::new(), false);
    // This comes before the rows are read: the next call reports what is recorded in between.
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

/// Returns how many events the run in `folder` has so far, according to its rows.
///
/// # Errors
///
/// Fails if the run cannot be opened or read.
pub fn recorded_length(folder: &Path) -> Result<u64, OpenRunError> {
    let read = |source| OpenRunError::Read { folder: folder.to_owned(), source: Box::new(source) };
    open(folder)?.length().map_err(read)
}

fn events(reader: &Reader, from: u64, most: usize) -> Result<(Vec<Happened>, bool), ReadError> {
    let mut events = Vec::new();
    // A position beyond the range of rows is after the last one.
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
