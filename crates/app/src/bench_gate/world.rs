//! Worlds other than the run's own: the same tasks, with outputs as they would be if one thing were different.
//!
//! What is false in such a world is false by construction, whatever the run contains.

use super::idle::{self, State};
use super::material::TaskMaterial;
use super::worded;
use ground::{Held, Shelf};
use ledger::{Clock, Digest, FieldValue, Output, Placement, Record, RecordId, placement};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The difference between a world and the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Beside {
    /// Every file that belongs in a certain place is in somebody's Downloads folder.
    Moved,
    /// Every log is a copy that another computer wrote.
    Foreign,
    /// Nothing that starts by itself is active.
    Idle(State),
    /// Every time is that of a copy that a collector made.
    Copied,
    /// Texts and lists contain sentences that deny and report.
    Worded,
    /// The outputs are counts of the records in the run's outputs.
    Counted,
}

impl Beside {
    /// The worlds that are made by changing records one by one.
    pub(super) const OF_RECORDS: [Beside; 8] = [
        Beside::Moved,
        Beside::Foreign,
        Beside::Idle(State::Disabled),
        Beside::Idle(State::OnDemand),
        Beside::Idle(State::Once),
        Beside::Idle(State::UntilEnd),
        Beside::Copied,
        Beside::Worded,
    ];

    /// Returns a record as it would be in this world; `None` if the world has no counterpart.
    fn changed(self, record: &Record) -> Option<Record> {
        match self {
            Beside::Moved => moved(record),
            Beside::Foreign => foreign(record),
            Beside::Idle(state) => idle::idle(record, state),
            Beside::Copied => copied(record),
            Beside::Worded => worded::worded(record),
            Beside::Counted => None,
        }
    }
}

/// The tasks of a run in another world.
pub(super) struct World {
    pub(super) beside: Beside,
    pub(super) tasks: Vec<TaskMaterial>,
}

impl World {
    /// Makes the world in which each record is changed in this way.
    pub(super) fn of_records(beside: Beside, tasks: &[TaskMaterial]) -> World {
        let mut known: BTreeMap<Digest, Option<Arc<Output>>> = BTreeMap::new();
        let mut of_task = |task: &TaskMaterial| {
            let mut shelf = Shelf::default();
            for held in task.shelf.held() {
                let output = held.output.as_deref().and_then(|output| {
                    known.entry(output.digest()).or_insert_with(|| changed(output, beside)).clone()
                });
                shelf.push(Held { output, ..held.clone() });
            }
            TaskMaterial::of_shelf(task.task, shelf)
        };
        World { beside, tasks: tasks.iter().map(&mut of_task).collect() }
    }
}

/// Returns an output as a call would have returned it in another world; `None` if no record remains.
fn changed(output: &Output, beside: Beside) -> Option<Arc<Output>> {
    let records = output.records().iter().filter_map(|record| beside.changed(record));
    let numbered = |(number, record): (u32, Record)| Record { id: RecordId(number), ..record };
    let records: Vec<Record> = (0..).zip(records).map(numbered).collect();
    (!records.is_empty()).then(|| Output::new(records).ok().map(Arc::new)).flatten()
}

/// Returns a record of a log in its place that names another computer.
fn foreign(record: &Record) -> Option<Record> {
    let is_kept = |record: &&Record| placement::is_of_event_log(record) && record.placement.is_none();
    let mut record = Some(record).filter(is_kept)?.clone();
    let name = record.locator.path.rsplit('/').next().unwrap_or_default().to_owned();
    record.locator.path = record.locator.path.replace(&name, &format!("Copied-{name}"));
    if let Some(field) = record.fields.get_mut("computer") {
        field.value = FieldValue::Name("BIRCH-01.corp.example".to_owned());
    }
    record.placement = Some(Placement::Foreign);
    Some(record)
}

/// Returns a record of a file that is in a place where anyone may have put it.
fn moved(record: &Record) -> Option<Record> {
    let mut record = Some(record).filter(|record| placement::has_place(record))?.clone();
    let name = record.locator.path.rsplit('/').next().unwrap_or_default();
    record.locator.path = format!("Users/mara/Downloads/{name}");
    record.placement = Some(Placement::Elsewhere);
    Some(record)
}

/// Returns a record whose times are those of a copy; `None` if it has no times.
fn copied(record: &Record) -> Option<Record> {
    let mut record = record.clone();
    let mut changed = false;
    for field in record.fields.values_mut() {
        if let FieldValue::Time(time) = &mut field.value {
            time.clock = Clock::CollectionCopy;
            changed = true;
        }
    }
    changed.then_some(record)
}
