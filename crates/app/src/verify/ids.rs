//! Checks ids: each must be the one that the run's seed produces for its position in its task.
//!
//! This goes from the id to the position, whereas the engine goes from the position to the id.

use super::log::{Found, Log, place};
use ledger::{EntityId, Event, IdSpace, TaskId};
use std::collections::{BTreeMap, BTreeSet};

/// The number of nodes of each kind that a task has made so far.
#[derive(Default)]
struct Made {
    invocations: u32,
    claims: u32,
    phenomena: u32,
    entities: BTreeSet<EntityId>,
    relations: u32,
    hypotheses: u32,
    artifacts: u32,
}

/// Returns the events whose ids do not match their positions.
pub(super) fn misplaced(log: Log<'_>) -> Vec<Found> {
    let ids = IdSpace::new(log.opened.seed);
    let mut tasks: BTreeMap<TaskId, Made> = BTreeMap::new();
    let mut found = Vec::new();
    for (position, task, event) in log.of_tasks() {
        let made = tasks.entry(task).or_default();
        if let Some((id, at, expected)) = made.next(event, &ids)
            && at != (task, expected)
        {
            let what = format!("{id} is not the id of number {expected} of its kind in {task}");
            found.push((place(position, event), what));
        }
    }
    found
}

/// An id, the position that its digits encode, and its actual number in its task.
type Placed = (String, (TaskId, u32), u32);

impl Made {
    fn next(&mut self, event: &Event, ids: &IdSpace) -> Option<Placed> {
        match event {
            Event::InvocationStarted(started) => {
                let id = started.invocation;
                Some((id.to_string(), id.place(ids), next(&mut self.invocations)))
            }
            Event::ClaimSubmitted(submitted) => {
                let id = submitted.claim;
                Some((id.to_string(), id.place(ids), next(&mut self.claims)))
            }
            // The result of a claim has the number of the claim.
            Event::ClaimAccepted(accepted) => {
                let id = accepted.fact.id;
                Some((id.to_string(), id.place(ids), self.claims.saturating_sub(1)))
            }
            Event::AbsenceAccepted(accepted) => {
                let id = accepted.absence.id;
                Some((id.to_string(), id.place(ids), self.claims.saturating_sub(1)))
            }
            Event::DerivationAccepted(accepted) => {
                let id = accepted.derivation.id;
                Some((id.to_string(), id.place(ids), self.claims.saturating_sub(1)))
            }
            Event::SentenceAccepted(accepted) => {
                let id = accepted.sentence.id;
                Some((id.to_string(), id.place(ids), self.claims.saturating_sub(1)))
            }
            Event::StatementTold(told) => {
                let id = told.statement.id;
                Some((id.to_string(), id.place(ids), self.claims.saturating_sub(1)))
            }
            Event::PhenomenonRecorded(recorded) => {
                let id = recorded.phenomenon;
                Some((id.to_string(), id.place(ids), next(&mut self.phenomena)))
            }
            Event::EntityAdded(added) => {
                let known = self.entities.len() as u32;
                let id = added.entity;
                let is_new = self.entities.insert(id);
                is_new.then(|| (id.to_string(), id.place(ids), known))
            }
            Event::RelationAdded(added) => {
                let id = added.relation;
                Some((id.to_string(), id.place(ids), next(&mut self.relations)))
            }
            Event::HypothesisProposed(proposed) => {
                let id = proposed.hypothesis;
                Some((id.to_string(), id.place(ids), next(&mut self.hypotheses)))
            }
            Event::ArtifactStored(stored) => {
                let id = stored.artifact;
                Some((id.to_string(), id.place(ids), next(&mut self.artifacts)))
            }
            Event::TaskReported(reported) => {
                let id = reported.report.artifact;
                Some((id.to_string(), id.place(ids), next(&mut self.artifacts)))
            }
            Event::RunOpened(_)
            | Event::RunResumed(_)
            | Event::NamesIndexed(_)
            | Event::ClaimRepeated(_)
            | Event::TimelineIndexed(_)
            | Event::TablesRead(_)
            | Event::RulesMatched(_)
            | Event::TaskAssigned(_)
            | Event::EvidenceHashed(_)
            | Event::RunSealed(_)
            | Event::PhaseEntered(_)
            | Event::TurnRequested(_)
            | Event::TurnReplied(_)
            | Event::TurnFailed(_)
            | Event::InvocationEnded(_)
            | Event::CallRefused(_)
            | Event::CallServed(_)
            | Event::OutputPaged(_)
            | Event::ClaimRejected(_)
            | Event::NothingToRecord(_)
            | Event::NoteWritten(_)
            | Event::ObjectiveAdded(_)
            | Event::QuestionsDeclined(_)
            | Event::HypothesisAssessed(_)
            | Event::GraphRead(_)
            | Event::RequestTooLong(_)
            | Event::Recalled(_)
            | Event::TasksDispatched(_)
            | Event::ArtifactRetrieved(_)
            | Event::RecoveryBegun(_)
            | Event::RecoveryEnded(_)
            | Event::Cancelled
            | Event::TimeSpent
            | Event::PurseSpent(_)
            | Event::TaskEnded(_) => None,
        }
    }
}

/// Returns the number of the next node of a kind.
fn next(made: &mut u32) -> u32 {
    let number = *made;
    *made = made.saturating_add(1);
    number
}
