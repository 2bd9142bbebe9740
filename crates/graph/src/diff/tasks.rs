//! Compares how tasks ended.

use crate::run::{Run, TaskView};
use ledger::event::{Spent, TaskStatus};
use std::collections::{BTreeMap, BTreeSet};

/// A task that ended differently, or that only one of the runs has.
#[derive(Debug)]
pub struct ChangedTask<'r> {
    /// Its agent.
    pub agent: &'r str,
    /// The task in the first run.
    pub before: Option<&'r TaskView>,
    /// The task in the second run.
    pub after: Option<&'r TaskView>,
    /// The objectives that are met in only one run, by name.
    pub objectives: Vec<ChangedObjective<'r>>,
}

/// An objective that is met in only one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedObjective<'r> {
    /// Its name.
    pub id: &'r str,
    /// The number of facts that meet it in the first run; `None` if the task did not end or lacks the objective.
    pub before: Option<usize>,
    /// The number of facts that meet it in the second run.
    pub after: Option<usize>,
}

/// The end of a task, if it ended.
type End = Option<(TaskStatus, Option<Spent>)>;

/// Returns the tasks that ended differently, by agent; several tasks of one agent are sorted by how they ended.
pub(super) fn tasks<'r>(before: &'r Run, after: &'r Run) -> Vec<ChangedTask<'r>> {
    let (old, new) = (by_agent(before), by_agent(after));
    let agents: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    let mut changed = Vec::new();
    for agent in agents {
        let of = |tasks: &BTreeMap<&str, Vec<&'r TaskView>>| tasks.get(agent).cloned().unwrap_or_default();
        let (old, new) = (of(&old), of(&new));
        for place in 0..old.len().max(new.len()) {
            let (before, after) = (old.get(place).copied(), new.get(place).copied());
            let objectives = objectives(before, after);
            let same = before.map(end) == after.map(end) && objectives.is_empty();
            if !same {
                changed.push(ChangedTask { agent, before, after, objectives });
            }
        }
    }
    changed
}

fn by_agent(run: &Run) -> BTreeMap<&str, Vec<&TaskView>> {
    let mut tasks: BTreeMap<&str, Vec<&TaskView>> = BTreeMap::new();
    for view in run.tasks.values() {
        tasks.entry(&view.assigned.agent.name).or_default().push(view);
    }
    for of_one in tasks.values_mut() {
        of_one.sort_by_cached_key(|view| (end(view), met(Some(*view)), view.assigned.model.clone()));
    }
    tasks
}

fn end(view: &TaskView) -> End {
    view.ended.as_ref().map(|ended| (ended.status, ended.spent))
}

/// Counts the facts that meet each objective of a task that ended.
fn met(view: Option<&TaskView>) -> BTreeMap<&str, usize> {
    let objectives = view.and_then(|view| view.ended.as_ref()).map(|ended| ended.objectives.as_slice());
    objectives.unwrap_or_default().iter().map(|it| (it.id.as_str(), it.facts.len())).collect()
}

fn objectives<'r>(before: Option<&'r TaskView>, after: Option<&'r TaskView>) -> Vec<ChangedObjective<'r>> {
    let (old, new) = (met(before), met(after));
    let names: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    let changed = |id| ChangedObjective { id, before: old.get(id).copied(), after: new.get(id).copied() };
    let is_met = |facts: Option<usize>| facts.is_some_and(|facts| facts > 0);
    names.into_iter().map(changed).filter(|it| is_met(it.before) != is_met(it.after)).collect()
}
