//! Checks the sweep of a run: code must ask exactly the questions that the agents left open.

use super::log::Found;
use crate::run::sweep::{is_swept, left_open};
use graph::Run;
use ledger::event::TaskAssigned;
use ledger::{Objective, SWEEP};

/// Returns what is wrong with the sweep.
pub(super) fn amiss(run: &Run) -> Vec<Found> {
    let swept: Vec<&TaskAssigned> =
        run.tasks.values().map(|view| &view.assigned).filter(|assigned| assigned.sweep).collect();
    let own = |assigned: &&TaskAssigned| {
        assigned.agent.name == SWEEP && assigned.model == SWEEP && assigned.dispatch.is_none()
    };
    let mut found: Vec<Found> = swept
        .iter()
        .filter(|assigned| !own(assigned))
        .map(|assigned| (assigned.task.to_string(), "it is a sweep, and not done by code alone".to_owned()))
        .collect();
    match is_swept(&run.opened) {
        false if !swept.is_empty() => {
            found.push(("the sweep".to_owned(), "by its rules the run has none".to_owned()));
        }
        true if run.sealed.is_some() || !swept.is_empty() => {
            let asked: Vec<&[Objective]> =
                swept.iter().map(|assigned| assigned.agent.objectives.as_slice()).collect();
            if left_open(run) != asked {
                let what = "it does not ask what the agents of the run left open";
                found.push(("the sweep".to_owned(), what.to_owned()));
            }
        }
        true | false => {}
    }
    found
}
