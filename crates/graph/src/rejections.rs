//! The report of refused claims and how each ended.

use crate::point::Points;
use crate::run::{Judged, Run, TaskView};
use ledger::{Claim, ClaimId, Rejection, TaskId};
use serde::Serialize;

/// A refused claim and what became of it.
#[derive(Debug, Clone, Serialize)]
pub struct RefusedClaim<'a> {
    /// The task.
    #[serde(serialize_with = "as_text")]
    pub task: TaskId,
    /// Its agent.
    pub agent: &'a str,
    /// Its model.
    pub model: &'a str,
    /// The claim.
    pub claim: ClaimId,
    /// The turn in which it was made.
    pub turn: u32,
    /// What was claimed.
    #[serde(flatten)]
    pub stated: &'a Claim,
    /// Why it was refused, and what the agent was told about it.
    pub rejection: &'a Rejection,
    /// How it ended.
    pub fate: Fate,
}

/// The fate of a refused claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub enum Fate {
    /// A later claim of the same task made the same point and was grounded.
    Corrected {
        /// The first such claim.
        by: ClaimId,
        /// The number of claims of the task that make this point, from this claim to the grounded one inclusive: at least 2.
        /// Earlier refused claims at the same point do not count, nor do claims in between that make another point.
        tries: u32,
    },
    /// No later claim made the point.
    Abandoned,
}

fn as_text<S: serde::Serializer>(task: &TaskId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(task)
}

/// Returns every refused claim of a run, task by task in order.
pub fn refused_claims(run: &Run) -> Vec<RefusedClaim<'_>> {
    run.tasks.iter().flat_map(|(task, view)| of_task(*task, view)).collect()
}

fn of_task(task: TaskId, view: &TaskView) -> Vec<RefusedClaim<'_>> {
    let points = Points::of(view);
    let mut refused = Vec::new();
    for (index, claim) in view.claims.iter().enumerate() {
        if let Some(Judged::Rejected(rejection)) = &claim.judged {
            refused.push(RefusedClaim {
                task,
                agent: &view.assigned.agent.name,
                model: &view.assigned.model,
                claim: claim.submitted.claim,
                turn: claim.submitted.turn,
                stated: &claim.submitted.stated,
                rejection,
                fate: fate(view, &points, index),
            });
        }
    }
    refused
}

fn fate(view: &TaskView, points: &Points<'_>, refused: usize) -> Fate {
    for (tries, later) in (2..).zip(points.made_again(refused)) {
        let later = view.claims.get(later).filter(|claim| claim.judged.as_ref().is_some_and(Judged::stands));
        if let Some(later) = later {
            return Fate::Corrected { by: later.submitted.claim, tries };
        }
    }
    Fate::Abandoned
}
