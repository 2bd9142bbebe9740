//! What a task has seen: the only place where the gateway looks.

use crate::index::{Index, Lazy};
use ledger::absence::UnreadLogs;
use ledger::event::RecordRange;
use ledger::{Completeness, InvocationId, Outcome, Output, Reading, RejectionCode};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, MutexGuard};

/// A task's own invocations, up to the place of the claim in the log.
///
/// Of other tasks it knows ids and nothing more, so that another's output cannot be searched even by mistake.
#[derive(Debug, Clone, Default)]
pub struct Shelf {
    held: Vec<Held>,
    places: BTreeMap<InvocationId, usize>,
    foreign: BTreeSet<InvocationId>,
    /// How often readings were refused: by the reason, and by what they are about.
    refused: BTreeMap<(RejectionCode, String), u32>,
    index: Lazy,
}

/// One invocation of the task.
#[derive(Debug, Clone)]
pub struct Held {
    /// Its id.
    pub invocation: InvocationId,
    /// One line on the call: tool and arguments.
    pub summary: String,
    /// What it searched.
    pub search: Search,
    /// How it ended.
    pub outcome: Outcome,
    /// Its output, where there is one.
    pub output: Option<Arc<Output>>,
    /// The records that the agent has been shown.
    pub shown: Vec<RecordRange>,
}

/// What an invocation searched: what an absence rests on.
#[derive(Debug, Clone)]
pub struct Search {
    /// The tool.
    pub tool: String,
    /// The arguments as they were used; `None` where the tool never came to read them.
    pub arguments: Option<Value>,
    /// Whether it returned everything that was asked for.
    pub completeness: Completeness,
    /// Whether nothing in its way was damaged or left unread.
    pub whole: bool,
    /// What of the transaction logs of its hive it left unread, where it left nothing else.
    pub logs: Option<UnreadLogs>,
    /// What it named as near the thing that it did not find.
    pub near: Vec<String>,
}

impl Held {
    /// The output, where its records may ground a fact.
    pub(crate) fn grounds(&self) -> Option<&Output> {
        self.output.as_deref().filter(|_| self.outcome.grounds())
    }
}

impl Shelf {
    /// Adds an invocation of the task; call it in the order of their starts.
    ///
    /// An id that is already there is replaced in its place.
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

    /// Notes that the agent has been shown more records; `false` where the task has no such invocation.
    pub fn show(&mut self, id: InvocationId, range: RecordRange) -> bool {
        let held = self.places.get(&id).and_then(|place| self.held.get_mut(*place));
        held.map(|held| held.shown.push(range)).is_some()
    }

    /// The task's invocations in the order of their starts.
    pub fn held(&self) -> &[Held] {
        &self.held
    }

    /// The task's invocation with this id.
    pub fn get(&self, id: InvocationId) -> Option<&Held> {
        self.held.get(*self.places.get(&id)?)
    }

    /// The index over the outputs, brought up to date; only one may be held at a time.
    pub(crate) fn index(&self) -> MutexGuard<'_, Index> {
        self.index.up_to(&self.held)
    }

    /// Notes that a reading of the task was refused.
    pub fn note_refused(&mut self, reading: &Reading, code: RejectionCode) {
        *self.refused.entry((code, about(reading))).or_default() += 1;
    }

    /// How often a reading about the same was refused for this reason.
    pub(crate) fn times_refused(&self, reading: &Reading, code: RejectionCode) -> u32 {
        self.refused.get(&(code, about(reading))).copied().unwrap_or_default()
    }

    /// Whether another task of the run has an invocation with this id.
    pub fn is_foreign(&self, id: InvocationId) -> bool {
        self.foreign.contains(&id)
    }
}

/// What a reading is about: its subject and its longest value.
fn about(reading: &Reading) -> String {
    if let (true, Some(record)) = (reading.values.is_empty(), &reading.record)
        && !reading.fields.is_empty()
    {
        return format!("{}\n{record}", reading.predicate);
    }
    let longest = reading.values.iter().map(|value| value.value.trim()).max_by_key(|value| value.len());
    format!("{}\n{}", reading.subject.trim(), longest.unwrap_or_default())
}
