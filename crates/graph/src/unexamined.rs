//! What a run did not examine, for whatever reason, and which evidence was damaged.

use crate::run::{InvocationView, Run};
use ledger::event::{InvocationEnded, Spent};
use ledger::tool::LEFT_UNREAD;
use ledger::{Completeness, Defect, InvocationId, Outcome};
use std::collections::BTreeSet;

/// Something that was not examined.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unexamined {
    /// The incomplete call, if it was a call.
    pub invocation: Option<InvocationId>,
    /// A path in the evidence, a call, or an agent.
    pub place: String,
    /// Why it was not examined.
    pub reason: String,
}

/// Returns everything that was not examined, without repeats: gaps that tools reported, evidence without files, files that could not be hashed,
/// calls that did not return everything requested, and agents whose budget ran out.
pub fn unexamined(run: &Run) -> BTreeSet<Unexamined> {
    let hashing = run.integrity.iter().flat_map(|hashed| &hashed.gaps);
    let invocations = || run.tasks.values().flat_map(|task| &task.invocations);
    let reported = invocations().filter_map(|view| view.ended.as_ref()).flat_map(|ended| &ended.gaps);
    let gaps = hashing.chain(reported).map(|gap| Unexamined {
        invocation: None,
        place: gap.path.clone(),
        reason: gap.reason.clone(),
    });
    let empty = empty_evidence(run).map(|label| Unexamined {
        invocation: None,
        place: label.to_owned(),
        reason: NO_FILE.to_owned(),
    });
    gaps.chain(empty).chain(invocations().filter_map(shortfall)).chain(cut_short(run)).collect()
}

/// The reason for a piece of evidence without files.
pub const NO_FILE: &str = "the evidence holds no file";

/// Returns the labels of the pieces of evidence that contain no file.
pub fn empty_evidence(run: &Run) -> impl Iterator<Item = &str> {
    let empty = run.integrity.iter().filter(|hashed| hashed.integrity.files == 0);
    empty.map(|hashed| hashed.evidence.as_str())
}

/// Returns the damage that tools found in the evidence, without repeats.
pub fn damage(run: &Run) -> BTreeSet<&Defect> {
    let invocations = run.tasks.values().flat_map(|task| &task.invocations);
    invocations.filter_map(|view| view.ended.as_ref()).flat_map(|ended| &ended.defects).collect()
}

/// Returns how an invocation failed to return everything that was requested.
fn shortfall(view: &InvocationView) -> Option<Unexamined> {
    let place = format!("{} {}", view.started.tool, view.started.arguments);
    let invocation = Some(view.started.invocation);
    let Some(ended) = &view.ended else {
        return Some(Unexamined { invocation, place, reason: "the run broke off".to_owned() });
    };
    let kind = match (ended.outcome, ended.completeness) {
        (Outcome::Failed, _) => "the call failed",
        (Outcome::Timeout, _) => "the call was stopped before it was done",
        (Outcome::Denied, _) => "the call was not allowed",
        (Outcome::Ok | Outcome::Empty, Completeness::Truncated) if is_told_elsewhere(ended) => return None,
        (Outcome::Ok | Outcome::Empty, Completeness::Truncated) => "the call stopped before the end",
        (Outcome::Ok | Outcome::Empty, Completeness::Complete) => return None,
    };
    let note = ended.notes.first().map_or(String::new(), |note| format!(": {note}"));
    Some(Unexamined { invocation, place, reason: format!("{kind}{note}") })
}

/// Checks whether a call is incomplete only because of gaps and damage, which are reported separately.
fn is_told_elsewhere(ended: &InvocationEnded) -> bool {
    ended.notes.first().is_some_and(|note| note == LEFT_UNREAD)
}

fn cut_short(run: &Run) -> impl Iterator<Item = Unexamined> {
    run.tasks.values().filter_map(|task| {
        let reason = match (&task.failed, task.ended.as_ref()?.spent) {
            (Some(failed), _) => &format!("the agent's model gave no reply: {}", failed.reason),
            (None, None) => return None,
            (None, Some(Spent::Turns)) => "the agent's turns were spent before it was done",
            (None, Some(Spent::RejectedClaims)) => "the agent's budget of refused readings was spent",
            (None, Some(Spent::WallTime)) => "the agent's time was spent before it was done",
            (None, Some(Spent::Tokens)) => "the run's tokens were spent before the agent was done",
            (None, Some(Spent::Cost)) => "the run's money was spent before the agent was done",
        };
        Some(Unexamined {
            invocation: None,
            place: task.assigned.agent.name.clone(),
            reason: reason.to_owned(),
        })
    })
}
