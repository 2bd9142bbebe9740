//! The tasks of a run that were handed out, and what those that ended hand over.

use crate::stored::{Recording, StoredTask};
use engine::Assignment;
use ledger::event::TaskAssigned;
use ledger::{Handed, TaskId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The tasks that were handed out so far.
#[derive(Default)]
pub(crate) struct Siblings {
    tasks: Mutex<BTreeMap<TaskId, Sibling>>,
}

struct Sibling {
    assigned: TaskAssigned,
    /// `None` while it runs.
    handed: Option<Arc<Handed>>,
}

impl Siblings {
    /// Those of a log.
    pub(crate) fn of(tasks: &[StoredTask], recording: &dyn Recording) -> Siblings {
        let siblings = Siblings::default();
        for task in tasks.iter().filter(|task| task.assigned.dispatch.is_some()) {
            let output = |digest: &_| recording.output(digest).ok();
            let handed = engine::handed(&task.assigned, &task.events, output).map(Arc::new);
            siblings.lock().insert(task.assigned.task, Sibling { assigned: task.assigned.clone(), handed });
        }
        siblings
    }

    /// A task is handed out.
    pub(crate) fn add(&self, assigned: TaskAssigned) {
        self.lock().insert(assigned.task, Sibling { assigned, handed: None });
    }

    /// A task has ended.
    pub(crate) fn ended(&self, handed: Handed) {
        if let Some(sibling) = self.lock().get_mut(&handed.task) {
            sibling.handed = Some(Arc::new(handed));
        }
    }

    /// The task as it was assigned.
    pub(crate) fn assigned(&self, task: TaskId) -> Option<TaskAssigned> {
        self.lock().get(&task).map(|sibling| sibling.assigned.clone())
    }

    /// What a task that has ended hands over.
    pub(crate) fn handed(&self, task: TaskId) -> Option<Arc<Handed>> {
        self.lock().get(&task)?.handed.clone()
    }

    /// What the tasks before a task handed over to it.
    pub(crate) fn before(&self, assigned: &TaskAssigned) -> Vec<Arc<Handed>> {
        let after = assigned.dispatch.iter().flat_map(|dispatch| &dispatch.after);
        after.filter_map(|task| self.handed(*task)).collect()
    }

    /// What these tasks hand over; `None` where one of them has not ended.
    pub(crate) fn reported(&self, assignments: &[Assignment]) -> Option<Vec<Handed>> {
        let handed = |assignment: &Assignment| self.handed(assignment.task).map(Arc::unwrap_or_clone);
        assignments.iter().map(handed).collect()
    }

    /// Whether a task was handed out before, and otherwise than now.
    pub(crate) fn differs(&self, assignment: &Assignment) -> bool {
        let before = self.assigned(assignment.task);
        before.is_some_and(|before| {
            before.agent != assignment.agent || before.dispatch.as_deref() != Some(&assignment.dispatch)
        })
    }

    /// All of them, as they were assigned.
    pub(crate) fn all(&self) -> Vec<TaskAssigned> {
        self.lock().values().map(|sibling| sibling.assigned.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<TaskId, Sibling>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
