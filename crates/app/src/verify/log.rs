//! The log for the checks: events in order, with their payloads.

use ledger::event::RunOpened;
use ledger::turn::Reply;
use ledger::{Circumstance, Digest, Event, Output, Stream, TaskId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Events with their streams and circumstances, in the order of their position.
pub(super) type Logged = Vec<(Stream, Event, Circumstance)>;

/// A place in the run, and what is wrong there.
pub(super) type Found = (String, String);

/// A log with an intact chain, and the payloads that could be read.
#[derive(Clone, Copy)]
pub(super) struct Log<'l> {
    pub(super) events: &'l Logged,
    pub(super) opened: &'l RunOpened,
    pub(super) replies: &'l BTreeMap<Digest, Arc<Reply>>,
    pub(super) outputs: &'l BTreeMap<Digest, Arc<Output>>,
}

impl<'l> Log<'l> {
    /// Returns the events of the tasks, with their positions.
    pub(super) fn of_tasks(self) -> impl Iterator<Item = (usize, TaskId, &'l Event)> {
        self.events.iter().enumerate().filter_map(|(position, (stream, event, _))| match stream {
            Stream::Task(task) => Some((position, *task, event)),
            Stream::Run => None,
        })
    }
}

/// Returns an event's place, as findings show it.
pub(super) fn place(position: usize, event: &Event) -> String {
    format!("position {position} ({})", event.name())
}
