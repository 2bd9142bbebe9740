//! The fold: one event after another.

use crate::evidence::EvidenceGraph;
use crate::run::{ClaimView, InvocationView, Judged, PhenomenonView, Run, TaskView};
use ledger::event::TaskAssigned;
use ledger::{Circumstance, Event, Stream, TaskId};
use thiserror::Error;

/// Why events are not the log of a run.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum FoldError {
    /// The first event does not open a run.
    #[error("fold the log: position 0: expected run_opened, found {found}")]
    NotOpened {
        /// The first event's name, or `nothing`.
        found: &'static str,
    },
    /// An event stands where it cannot.
    #[error("fold the log: position {position}: {event} cannot stand in {stream} here: {because}")]
    OutOfPlace {
        /// Its position.
        position: u64,
        /// Its name.
        event: &'static str,
        /// Its stream.
        stream: Stream,
        /// What is wrong.
        because: &'static str,
    },
}

/// Folds the events of a run in their order of position.
pub fn fold(events: impl IntoIterator<Item = (Stream, Event, Circumstance)>) -> Result<Run, FoldError> {
    let mut events = events.into_iter();
    let mut run = match events.next() {
        Some((Stream::Run, Event::RunOpened(opened), circumstance)) => open(*opened, circumstance),
        Some((_, event, _)) => return Err(FoldError::NotOpened { found: event.name() }),
        None => return Err(FoldError::NotOpened { found: "nothing" }),
    };
    for (position, (stream, event, circumstance)) in (1..).zip(events) {
        let name = event.name();
        apply(&mut run, stream, event, circumstance).map_err(|because| FoldError::OutOfPlace {
            position,
            event: name,
            stream,
            because,
        })?;
    }
    Ok(run)
}

fn open(opened: ledger::event::RunOpened, circumstance: Circumstance) -> Run {
    let mut graph = EvidenceGraph::default();
    for evidence in &opened.case.evidence {
        graph.add_evidence(&evidence.label);
    }
    Run { opened, circumstance, integrity: Vec::new(), tasks: Default::default(), sealed: None, graph }
}

fn assign(run: &mut Run, assigned: TaskAssigned) -> Result<(), &'static str> {
    let task = assigned.task;
    let view = TaskView {
        assigned,
        phases: Vec::new(),
        turns: 0,
        failed: None,
        invocations: Vec::new(),
        claims: Vec::new(),
        phenomena: Vec::new(),
        refusals: Vec::new(),
        served: 0,
        nothing: None,
        ended: None,
    };
    match run.tasks.insert(task, view) {
        None => Ok(()),
        Some(_) => Err("the task was assigned before"),
    }
}

fn apply(
    run: &mut Run,
    stream: Stream,
    event: Event,
    circumstance: Circumstance,
) -> Result<(), &'static str> {
    if run.sealed.is_some() {
        return Err("the run was sealed before");
    }
    match (stream, event) {
        (Stream::Run, Event::TaskAssigned(assigned)) => assign(run, assigned),
        (Stream::Run, Event::EvidenceHashed(hashed)) => {
            run.integrity.push(hashed);
            Ok(())
        }
        (Stream::Run, Event::RunSealed(sealed)) => {
            run.sealed = Some(sealed);
            Ok(())
        }
        (Stream::Run, _) => Err("it belongs to a task"),
        (Stream::Task(task), event) => apply_to_task(run, task, event, circumstance),
    }
}

fn apply_to_task(
    run: &mut Run,
    id: TaskId,
    event: Event,
    circumstance: Circumstance,
) -> Result<(), &'static str> {
    let task = run.tasks.get_mut(&id).ok_or("the task was not assigned")?;
    if task.ended.is_some() {
        return Err("the task ended before");
    }
    match event {
        Event::RunOpened(_) | Event::TaskAssigned(_) | Event::EvidenceHashed(_) | Event::RunSealed(_) => {
            return Err("it belongs to the run");
        }
        Event::PhaseEntered(phase) => task.phases.push(phase),
        Event::TurnRequested(requested) => task.turns = requested.turn,
        Event::TurnReplied(_) | Event::OutputPaged(_) | Event::TimeSpent => {}
        Event::TurnFailed(failed) => task.failed = Some(failed),
        Event::InvocationStarted(started) => {
            run.graph.add_invocation(started.invocation, id);
            task.invocations.push(InvocationView { started, ended: None, cost: None });
        }
        Event::InvocationEnded(ended) => {
            let invocation = task.invocation_mut(ended.invocation).ok_or("the invocation was not started")?;
            invocation.cost = circumstance.cost;
            invocation.ended = Some(ended);
        }
        Event::CallRefused(refused) => task.refusals.push(refused),
        Event::CallServed(_) => task.served += 1,
        Event::ClaimSubmitted(submitted) => task.claims.push(ClaimView { submitted, judged: None }),
        Event::ClaimAccepted(accepted) => {
            run.graph.add_fact(&accepted.fact)?;
            let claim = task.claim_mut(accepted.claim).ok_or("the claim was not submitted")?;
            claim.judged = Some(Judged::Accepted(accepted));
        }
        Event::ClaimRejected(rejected) => {
            let claim = task.claim_mut(rejected.claim).ok_or("the claim was not submitted")?;
            claim.judged = Some(Judged::Rejected(rejected.rejection));
        }
        Event::PhenomenonRecorded(recorded) => {
            run.graph.add_phenomenon(recorded.phenomenon, &recorded.facts)?;
            task.phenomena.push(PhenomenonView {
                id: recorded.phenomenon,
                facts: recorded.facts,
                interpretation: recorded.interpretation,
            });
        }
        Event::NothingToRecord(nothing) => task.nothing = Some(nothing),
        Event::TaskEnded(ended) => task.ended = Some(ended),
    }
    Ok(())
}
