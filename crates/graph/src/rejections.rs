//! The rejection report: what was refused, and how it ended.

use crate::run::{ClaimView, Judged, Run, TaskView};
use ledger::{ClaimId, Reading, Rejection, TaskId};
use serde::Serialize;
use std::collections::BTreeSet;

/// A refused claim and what became of it.
#[derive(Debug, Clone, Serialize)]
pub struct RefusedClaim<'a> {
    /// The task.
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
    pub reading: &'a Reading,
    /// Why it was refused, and what the agent was told.
    pub rejection: &'a Rejection,
    /// How it ended.
    pub fate: Fate,
}

/// How a refused claim ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub enum Fate {
    /// A later claim of the same task made the same point and was grounded.
    Corrected {
        /// That claim.
        by: ClaimId,
        /// Claims at this point from the first refused one to the grounded one, both counted.
        tries: u32,
    },
    /// No later claim made the point.
    Abandoned,
}

/// Every refused claim of a run, task by task in order.
pub fn refused_claims(run: &Run) -> Vec<RefusedClaim<'_>> {
    run.tasks.iter().flat_map(|(task, view)| of_task(*task, view)).collect()
}

fn of_task(task: TaskId, view: &TaskView) -> Vec<RefusedClaim<'_>> {
    let mut refused = Vec::new();
    for (index, claim) in view.claims.iter().enumerate() {
        if let Some(Judged::Rejected(rejection)) = &claim.judged {
            refused.push(RefusedClaim {
                task,
                agent: &view.assigned.agent.name,
                model: &view.assigned.model,
                claim: claim.submitted.claim,
                turn: claim.submitted.turn,
                reading: &claim.submitted.reading,
                rejection,
                fate: fate(&claim.submitted.reading, view.claims.get(index + 1..).unwrap_or_default()),
            });
        }
    }
    refused
}

fn fate(reading: &Reading, later: &[ClaimView]) -> Fate {
    let attempts = later.iter().filter(|claim| same_point(reading, &claim.submitted.reading));
    for (tries, claim) in (2..).zip(attempts) {
        if let Some(Judged::Accepted(accepted)) = &claim.judged {
            return Fate::Corrected { by: accepted.claim, tries };
        }
    }
    Fate::Abandoned
}

/// Whether two readings try to make the same point: more than half of what they cite and state agrees.
///
/// A judgement about intent, for the report only; nothing is accepted or refused by it.
fn same_point(a: &Reading, b: &Reading) -> bool {
    let (a, b) = (parts(a), parts(b));
    let agreed = a.intersection(&b).count();
    agreed * 2 > a.union(&b).count()
}

fn parts(reading: &Reading) -> BTreeSet<(&str, &str)> {
    let mut parts = BTreeSet::from([
        ("predicate", reading.predicate.as_str()),
        ("invocation", reading.invocation.as_str()),
    ]);
    if !reading.subject.is_empty() {
        parts.insert(("subject", &reading.subject));
    }
    if let Some(record) = &reading.record {
        parts.insert(("record", record));
    }
    parts.extend(reading.values.iter().map(|value| ("value", value.value.as_str())));
    parts
}
