//! Checks the task that records the matches of supplied rules: there is at most one, and code alone does it.

use super::log::Found;
use crate::run::hunt;
use graph::Run;
use ledger::HUNT;
use ledger::event::TaskAssigned;

/// Returns what is wrong with it.
pub(super) fn amiss(run: &Run) -> Vec<Found> {
    let tasks: Vec<&TaskAssigned> =
        run.tasks.values().map(|view| &view.assigned).filter(|assigned| assigned.hunt).collect();
    let own = |assigned: &&TaskAssigned| {
        assigned.agent.name == HUNT && assigned.model == HUNT && assigned.dispatch.is_none()
    };
    let mut found: Vec<Found> = tasks
        .iter()
        .filter(|assigned| !own(assigned))
        .map(|assigned| (assigned.task.to_string(), "it is a hunt, and not done by code alone".to_owned()))
        .collect();
    let mut say = |what: &str| found.push(("the hunt".to_owned(), what.to_owned()));
    let Some(brought) = &run.brought else {
        if !run.opened.brought.is_empty() && run.sealed.is_some() {
            say("rules were brought along, and the log does not say what they found");
        }
        if !tasks.is_empty() {
            say("it records what no rule found");
        }
        return found;
    };
    if run.opened.brought.is_empty() {
        say("the log tells what rules found, and none were brought along");
    }
    let expected = hunt::records_any(&run.opened, &brought.matched);
    let is_so = match (tasks.as_slice(), expected) {
        ([], false) => true,
        ([task], true) => {
            let again = hunt::assigned(&run.opened, task.task, &brought.matched);
            again.is_ok_and(|again| again == **task)
        }
        _ => false,
    };
    if !is_so {
        say("it does not record what follows from what the rules found");
    }
    found
}
