//! The views of a run that its events fold into.

use crate::evidence::EvidenceGraph;
use ledger::chain::{Circumstance, Cost};
use ledger::event::{
    CallRefused, ClaimAccepted, ClaimSubmitted, EvidenceHashed, InvocationEnded, InvocationStarted,
    NothingToRecord, PhaseEntered, RunOpened, RunSealed, TaskAssigned, TaskEnded, TurnFailed,
};
use ledger::{ClaimId, FactEntry, FactId, InvocationId, PhenomenonId, Rejection, TaskId};
use std::collections::BTreeMap;

/// A run as its events tell it.
#[derive(Debug)]
pub struct Run {
    /// Case, rules, tools.
    pub opened: RunOpened,
    /// When and where it was opened.
    pub circumstance: Circumstance,
    /// The evidence's hashes.
    pub integrity: Vec<EvidenceHashed>,
    /// The tasks by number.
    pub tasks: BTreeMap<TaskId, TaskView>,
    /// The seal; `None` for a run that did not end in order.
    pub sealed: Option<RunSealed>,
    /// Facts, phenomena, invocations and evidence as a graph.
    pub graph: EvidenceGraph,
}

/// One task.
#[derive(Debug)]
pub struct TaskView {
    /// Who does what.
    pub assigned: TaskAssigned,
    /// Its phases in order.
    pub phases: Vec<PhaseEntered>,
    /// Turns asked.
    pub turns: u32,
    /// The turn that failed, if one did.
    pub failed: Option<TurnFailed>,
    /// Its invocations in order.
    pub invocations: Vec<InvocationView>,
    /// Its claims in order.
    pub claims: Vec<ClaimView>,
    /// Its phenomena in order.
    pub phenomena: Vec<PhenomenonView>,
    /// Calls that were refused without running.
    pub refusals: Vec<CallRefused>,
    /// Calls that were answered from the log.
    pub served: u32,
    /// The agent's statement that there is nothing to record.
    pub nothing: Option<NothingToRecord>,
    /// How it ended; `None` while it runs.
    pub ended: Option<TaskEnded>,
}

/// One invocation.
#[derive(Debug)]
pub struct InvocationView {
    /// The call.
    pub started: InvocationStarted,
    /// Its end; `None` where the run broke off.
    pub ended: Option<InvocationEnded>,
    /// What it cost.
    pub cost: Option<Cost>,
}

/// One claim and what became of it.
#[derive(Debug)]
pub struct ClaimView {
    /// The claim as submitted.
    pub submitted: ClaimSubmitted,
    /// The verdict; `None` where the run broke off.
    pub judged: Option<Judged>,
}

/// A verdict.
#[derive(Debug)]
pub enum Judged {
    /// It became a fact.
    Accepted(Box<ClaimAccepted>),
    /// It was refused.
    Rejected(Rejection),
}

/// One phenomenon.
#[derive(Debug)]
pub struct PhenomenonView {
    /// Its id.
    pub id: PhenomenonId,
    /// The facts that it carries.
    pub facts: Vec<FactId>,
    /// The agent's own words.
    pub interpretation: String,
}

impl Run {
    /// All facts, task by task in the order of their acceptance.
    pub fn facts(&self) -> impl Iterator<Item = (TaskId, &ClaimAccepted)> {
        self.tasks.iter().flat_map(|(task, view)| view.accepted().map(|accepted| (*task, accepted)))
    }

    /// The fact with this id.
    pub fn fact(&self, id: FactId) -> Option<&FactEntry> {
        self.facts().map(|(_, accepted)| &accepted.fact).find(|fact| fact.id == id)
    }

    /// The invocation with this id, and its task.
    pub fn invocation(&self, id: InvocationId) -> Option<(TaskId, &InvocationView)> {
        self.tasks.iter().find_map(|(task, view)| {
            let found = view.invocations.iter().find(|invocation| invocation.started.invocation == id);
            found.map(|invocation| (*task, invocation))
        })
    }
}

impl TaskView {
    /// The grounded claims in order.
    pub fn accepted(&self) -> impl Iterator<Item = &ClaimAccepted> {
        self.claims.iter().filter_map(|claim| match &claim.judged {
            Some(Judged::Accepted(accepted)) => Some(accepted.as_ref()),
            Some(Judged::Rejected(_)) | None => None,
        })
    }

    pub(crate) fn claim_mut(&mut self, id: ClaimId) -> Option<&mut ClaimView> {
        // Verdicts follow their claims closely: the one sought is among the last.
        self.claims.iter_mut().rev().find(|claim| claim.submitted.claim == id)
    }

    pub(crate) fn invocation_mut(&mut self, id: InvocationId) -> Option<&mut InvocationView> {
        self.invocations.iter_mut().rev().find(|invocation| invocation.started.invocation == id)
    }
}
