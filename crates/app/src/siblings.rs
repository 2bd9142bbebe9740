//! The tasks of a run that other tasks have assigned, and the results of those that have ended.

use crate::stored::{Recording, StoredTask};
use engine::Assignment;
use ledger::event::TaskAssigned;
use ledger::{Handed, TaskId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The tasks that were assigned so far.
#[derive(Default)]
pub(crate) struct Siblings {
    tasks: Mutex<BTreeMap<TaskId, Sibling>>,
}

struct Sibling {
    assigned: TaskAssigned,
    /// The result; `None` while the task runs.
    handed: Option<Arc<Handed>>,
}

impl Siblings {
    /// Collects the assigned tasks of a log.
    pub(crate) fn of(tasks: &[StoredTask], recording: &dyn Recording) -> Siblings {
        let siblings = Siblings::default();
        for task in tasks.iter().filter(|task| task.assigned.dispatch.is_some()) {
            let output = |digest: &_| recording.output(digest).ok();
            let handed = engine::handed(&task.assigned, &task.events, output).map(Arc::new);
            siblings.lock().insert(task.assigned.task, Sibling { assigned: task.assigned.clone(), handed });
        }
        siblings
    }

    /// Adds a newly assigned task.
    pub(crate) fn add(&self, assigned: TaskAssigned) {
        self.lock().insert(assigned.task, Sibling { assigned, handed: None });
    }

    /// Stores the result of a task that has ended.
    pub(crate) fn ended(&self, handed: Handed) {
        if let Some(sibling) = self.lock().get_mut(&handed.task) {
            sibling.handed = Some(Arc::new(handed));
        }
    }

    /// Returns the assignment of a task.
    pub(crate) fn assigned(&self, task: TaskId) -> Option<TaskAssigned> {
        self.lock().get(&task).map(|sibling| sibling.assigned.clone())
    }

    /// Returns the result of a task that has ended.
    pub(crate) fn handed(&self, task: TaskId) -> Option<Arc<Handed>> {
        self.lock().get(&task)?.handed.clone()
    }

    /// Returns the results that a task receives from the tasks before it.
    pub(crate) fn before(&self, assigned: &TaskAssigned) -> Vec<Arc<Handed>> {
        let after = assigned.dispatch.iter().flat_map(|dispatch| &dispatch.after);
        after.filter_map(|task| self.handed(*task)).collect()
    }

    /// Returns the results of these tasks; `None` if one of them has not ended.
    pub(crate) fn reported(&self, assignments: &[Assignment]) -> Option<Vec<Handed>> {
        let handed = |assignment: &Assignment| self.handed(assignment.task).map(Arc::unwrap_or_clone);
        assignments.iter().map(handed).collect()
    }

    /// Whether the task was assigned before with another agent or another dispatch.
    pub(crate) fn differs(&self, assignment: &Assignment) -> bool {
        let before = self.assigned(assignment.task);
        before.is_some_and(|before| {
            before.agent != assignment.agent || before.dispatch.as_deref() != Some(&assignment.dispatch)
        })
    }

    /// Returns all assignments.
    pub(crate) fn all(&self) -> Vec<TaskAssigned> {
        self.lock().values().map(|sibling| sibling.assigned.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<TaskId, Sibling>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
