//! What a task may use from other tasks: the results of those that had ended when it was assigned, and of those that were reported to it.

use ledger::{Event, Stream, TaskId};
use std::collections::{BTreeMap, BTreeSet};

/// For each task, the tasks whose results it has received so far.
#[derive(Debug, Default)]
pub(super) struct Handing(BTreeMap<TaskId, BTreeSet<TaskId>>);

impl Handing {
    /// Processes the next event of the log.
    pub(super) fn apply(&mut self, stream: Stream, event: &Event) {
        match (stream, event) {
            (_, Event::TaskAssigned(assigned)) => {
                let after = assigned.dispatch.iter().flat_map(|dispatch| &dispatch.after);
                self.0.entry(assigned.task).or_default().extend(after);
            }
            (Stream::Task(task), Event::TaskReported(reported)) => {
                self.0.entry(task).or_default().insert(reported.task);
            }
            (_, _) => {}
        }
    }

    /// Returns a task and those whose results it has received.
    pub(super) fn of(&self, task: TaskId) -> impl Iterator<Item = TaskId> + Clone {
        std::iter::once(task).chain(self.0.get(&task).into_iter().flatten().copied())
    }
}
