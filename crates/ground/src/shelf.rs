//! What a task has seen: the only place that the gateway searches.

use crate::index::{Index, Lazy};
use ledger::absence::UnreadLogs;
use ledger::event::RecordRange;
use ledger::{Completeness, InvocationId, Outcome, Output, Reading, RejectionCode};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, MutexGuard};

/// A task's own invocations, up to the claim's position in the log.
///
/// Of other tasks it knows only ids, so their outputs cannot be searched even by mistake.
#[derive(Debug, Clone, Default)]
pub struct Shelf {
    held: Vec<Held>,
    places: BTreeMap<InvocationId, usize>,
    foreign: BTreeSet<InvocationId>,
    /// How often readings were refused, by reason and by what they are about.
    refused: BTreeMap<(RejectionCode, String), u32>,
    index: Lazy,
}

/// One invocation of the task.
#[derive(Debug, Clone)]
pub struct Held {
    /// Its id.
    pub invocation: InvocationId,
    /// One line about the call: tool and arguments.
    pub summary: String,
    /// What it searched.
    pub search: Search,
    /// How it ended.
    pub outcome: Outcome,
    /// Its output, if there is one.
    pub output: Option<Arc<Output>>,
    /// The records that the agent was shown.
    pub shown: Vec<RecordRange>,
}

/// What an invocation searched: the basis of an absence.
#[derive(Debug, Clone)]
pub struct Search {
    /// The tool.
    pub tool: String,
    /// The arguments as used; `None` if the tool never read them.
    pub arguments: Option<Value>,
    /// Whether it returned everything it was asked for.
    pub completeness: Completeness,
    /// Whether nothing that it had to read was damaged or left unread.
    pub whole: bool,
    /// Which transaction logs of its hive it left unread, if it left nothing else unread.
    pub logs: Option<UnreadLogs>,
    /// What it reported as similar to the thing that it did not find.
    pub near: Vec<String>,
}

impl Held {
    /// Returns the output, if its records can ground a fact.
    pub(crate) fn grounds(&self) -> Option<&Output> {
        self.output.as_deref().filter(|_| self.outcome.grounds())
    }
}

impl Shelf {
    /// Adds an invocation of the task; call it in the order in which they started.
    ///
    /// An id that is already present is replaced in place.
    pub fn push(&mut self, held: Held) {
        match self.places.get(&held.invocation).and_then(|place| self.held.get_mut(*place)) {
            Some(known) => {
                *known = held;
                self.index.forget();
            }
            None => {
                self.places.insert(held.invocation, self.held.len());
                self.held.push(held);
            }
        }
    }

    /// Adds the id of another task's invocation.
    pub fn push_foreign(&mut self, id: InvocationId) {
        self.foreign.insert(id);
    }

    /// Notes that the agent was shown more records; `false` if the task has no such invocation.
    pub fn show(&mut self, id: InvocationId, range: RecordRange) -> bool {
        let held = self.places.get(&id).and_then(|place| self.held.get_mut(*place));
        held.map(|held| held.shown.push(range)).is_some()
    }

    /// Returns the task's invocations in the order in which they started.
    pub fn held(&self) -> &[Held] {
        &self.held
    }

    /// Returns the task's invocation with this id.
    pub fn get(&self, id: InvocationId) -> Option<&Held> {
        self.held.get(*self.places.get(&id)?)
    }

    /// Returns the up-to-date index over the outputs; only one guard may be held at a time.
    pub(crate) fn index(&self) -> MutexGuard<'_, Index> {
        self.index.up_to(&self.held)
    }

    /// Notes that a reading of the task was refused.
    pub fn note_refused(&mut self, reading: &Reading, code: RejectionCode) {
        *self.refused.entry((code, about(reading))).or_default() += 1;
    }

    /// Returns how often a reading about the same thing was refused for this reason.
    pub(crate) fn times_refused(&self, reading: &Reading, code: RejectionCode) -> u32 {
        self.refused.get(&(code, about(reading))).copied().unwrap_or_default()
    }

    /// Checks whether another task of the run has an invocation with this id.
    pub fn is_foreign(&self, id: InvocationId) -> bool {
        self.foreign.contains(&id)
    }
}

/// Returns what a reading is about: its subject and its longest value.
fn about(reading: &Reading) -> String {
    if let (true, Some(record)) = (reading.values.is_empty(), &reading.record)
        && !reading.fields.is_empty()
    {
        return format!("{}\n{record}", reading.predicate);
    }
    let longest = reading.values.iter().map(|value| value.value.trim()).max_by_key(|value| value.len());
    format!("{}\n{}", reading.subject.trim(), longest.unwrap_or_default())
}
