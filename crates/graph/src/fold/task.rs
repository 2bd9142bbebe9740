//! Folds the events of one task.

use super::{Because, check, nodes};
use crate::run::{ClaimView, InvocationView, Judged, PhenomenonView, Place, Run, TaskView};
use ledger::event::{
    AbsenceAccepted, ClaimAccepted, ClaimRejected, ClaimRepeated, ClaimSubmitted, DerivationAccepted,
    InvocationEnded, InvocationStarted, PhenomenonRecorded, RecoveryEnded, SentenceAccepted, StatementTold,
    TaskEnded, TaskReported, TurnRequested,
};
use ledger::{Circumstance, ClaimId, Event, MicroDollars, TaskId};

pub(super) fn apply(
    run: &mut Run,
    id: TaskId,
    event: Event,
    circumstance: Circumstance,
) -> Result<(), Because> {
    let task = open_task(run, id)?;
    if let Some(exchange) = event.exchange() {
        task.usage = task.usage.plus(exchange.usage);
        task.requests += exchange.attempts;
        // Each turn is rounded up, as the run's budget does.
        let cost = task.assigned.prices.map(|prices| prices.of(exchange.usage).0);
        task.cost = cost.map(|cost| MicroDollars(task.cost.unwrap_or_default().0.saturating_add(cost)));
    }
    match event {
        Event::RunOpened(_)
        | Event::RunResumed(_)
        | Event::NamesIndexed(_)
        | Event::TimelineIndexed(_)
        | Event::TablesRead(_)
        | Event::RulesMatched(_)
        | Event::TaskAssigned(_)
        | Event::EvidenceHashed(_)
        | Event::RunSealed(_) => {
            return Err("it belongs to the run");
        }
        Event::PhaseEntered(phase) => task.phases.push(phase),
        Event::TurnRequested(requested) => return turn(task, &requested),
        Event::OutputPaged(_)
        | Event::GraphRead(_)
        | Event::Recalled(_)
        | Event::ArtifactRetrieved(_)
        | Event::Cancelled
        | Event::TimeSpent
        | Event::PurseSpent(_) => {}
        Event::TurnReplied(_) | Event::RequestTooLong(_) => {}
        Event::TurnFailed(failed) => task.failed = Some(failed),
        Event::InvocationStarted(started) => return start(run, id, started, circumstance.at),
        Event::InvocationEnded(ended) => return end_invocation(run, id, ended, circumstance),
        Event::CallRefused(refused) => task.refusals.push(refused),
        Event::CallServed(_) => task.served += 1,
        Event::ClaimSubmitted(submitted) => return submit(run, id, submitted),
        Event::ClaimAccepted(accepted) => return accept(run, id, accepted),
        Event::ClaimRepeated(repeated) => return repeat(run, id, repeated),
        Event::AbsenceAccepted(covered) => return cover(run, id, covered),
        Event::DerivationAccepted(derived) => return derive(run, id, derived),
        Event::ClaimRejected(rejected) => return reject(run, id, rejected),
        Event::PhenomenonRecorded(recorded) => return phenomenon(run, id, recorded),
        Event::NothingToRecord(nothing) => task.nothing = Some(nothing),
        Event::NoteWritten(note) => task.notes.push(note),
        Event::ObjectiveAdded(added) => task.own.push(added.objective),
        Event::QuestionsDeclined(declined) => task.declined.push(declined),
        Event::EntityAdded(added) => return nodes::entity(run, id, added),
        Event::RelationAdded(added) => return nodes::relation(run, id, added),
        Event::HypothesisProposed(proposed) => return nodes::propose(run, id, proposed),
        Event::HypothesisAssessed(assessed) => return nodes::assess(run, id, assessed),
        Event::ArtifactStored(stored) => task.artifacts.push(stored),
        Event::TasksDispatched(dispatched) => task.dispatched.push(dispatched),
        Event::TaskReported(reported) => return report(run, id, reported),
        Event::RecoveryBegun(begun) => task.recoveries.push((begun, None)),
        Event::RecoveryEnded(ended) => return recover(task, ended),
        Event::SentenceAccepted(told) => return tell(run, id, told),
        Event::StatementTold(told) => return state(run, id, told),
        Event::TaskEnded(ended) => return end(run, id, ended, circumstance.at),
    }
    Ok(())
}

pub(super) fn open_task(run: &mut Run, id: TaskId) -> Result<&mut TaskView, Because> {
    let task = run.tasks.get_mut(&id).ok_or("the task was not assigned")?;
    match task.ended {
        None => Ok(task),
        Some(_) => Err("the task ended before"),
    }
}

fn turn(task: &mut TaskView, requested: &TurnRequested) -> Result<(), Because> {
    task.turns += 1;
    match requested.turn == task.turns {
        true => Ok(()),
        false => Err("its turn is not the next one"),
    }
}

fn start(run: &mut Run, id: TaskId, started: InvocationStarted, begun_at: String) -> Result<(), Because> {
    let invocation = started.invocation;
    let task = open_task(run, id)?;
    let place = Place { task: id, place: task.invocations.len() };
    task.invocations.push(InvocationView { started, begun_at, ended: None, ended_at: None, cost: None });
    match run.index.invocations.insert(invocation, place) {
        None => run.graph.add_invocation(invocation),
        Some(_) => Err("the invocation was started before"),
    }
}

fn end_invocation(
    run: &mut Run,
    id: TaskId,
    ended: InvocationEnded,
    circumstance: Circumstance,
) -> Result<(), Because> {
    let place = run.index.invocations.get(&ended.invocation).filter(|place| place.task == id).copied();
    let task = open_task(run, id)?;
    let invocation = place
        .and_then(|place| task.invocations.get_mut(place.place))
        .ok_or("the invocation was not started")?;
    if invocation.ended.is_some() {
        return Err("the invocation ended before");
    }
    invocation.cost = circumstance.cost;
    invocation.ended = Some(ended);
    invocation.ended_at = Some(circumstance.at);
    Ok(())
}

fn submit(run: &mut Run, id: TaskId, submitted: ClaimSubmitted) -> Result<(), Because> {
    let claim = submitted.claim;
    let task = open_task(run, id)?;
    let place = Place { task: id, place: task.claims.len() };
    task.claims.push(ClaimView { submitted, judged: None });
    match run.index.claims.insert(claim, place) {
        None => Ok(()),
        Some(_) => Err("the claim was submitted before"),
    }
}

fn accept(run: &mut Run, id: TaskId, accepted: Box<ClaimAccepted>) -> Result<(), Because> {
    check::is_reading(run, id, accepted.claim)?;
    check::grounding(run, id, &accepted.fact)?;
    run.graph.add_fact(&accepted.fact)?;
    let (claim, fact) = (accepted.claim, accepted.fact.id);
    let place = judge(run, id, claim, Judged::Accepted(accepted))?;
    match run.index.facts.insert(fact, place) {
        None => Ok(()),
        Some(_) => Err("its fact was recorded before"),
    }
}

/// Records that a claim repeats a fact of its own task.
fn repeat(run: &mut Run, id: TaskId, repeated: ClaimRepeated) -> Result<(), Because> {
    check::is_reading(run, id, repeated.claim)?;
    check::carried(run, id, &[repeated.fact])?;
    judge(run, id, repeated.claim, Judged::Repeated(repeated)).map(drop)
}

fn cover(run: &mut Run, id: TaskId, covered: AbsenceAccepted) -> Result<(), Because> {
    check::coverage(run, id, &covered)?;
    run.graph.add_absence(&covered.absence)?;
    let claim = covered.claim;
    judge(run, id, claim, Judged::Covered(Box::new(covered))).map(drop)
}

fn derive(run: &mut Run, id: TaskId, derived: DerivationAccepted) -> Result<(), Because> {
    check::derivation(run, id, &derived)?;
    run.graph.add_derivation(&derived.derivation)?;
    let claim = derived.claim;
    judge(run, id, claim, Judged::Derived(Box::new(derived))).map(drop)
}

fn tell(run: &mut Run, id: TaskId, told: SentenceAccepted) -> Result<(), Because> {
    check::sentence(run, id, &told)?;
    let claim = told.claim;
    judge(run, id, claim, Judged::Told(Box::new(told))).map(drop)
}

fn state(run: &mut Run, id: TaskId, told: StatementTold) -> Result<(), Because> {
    check::statement(run, id, &told)?;
    let claim = told.claim;
    judge(run, id, claim, Judged::Stated(Box::new(told))).map(drop)
}

/// Records a task's report to the task that assigned it: only once, and only after it ended.
fn report(run: &mut Run, id: TaskId, reported: TaskReported) -> Result<(), Because> {
    let of = run.tasks.get(&reported.task).ok_or("the task that it reports was not assigned")?;
    if of.assigned.dispatch.as_ref().is_none_or(|dispatch| dispatch.by != id) {
        return Err("the task that it reports was handed out by another one");
    }
    match &of.ended {
        Some(ended) if ended.status == reported.status => {}
        Some(_) => return Err("the task that it reports ended otherwise"),
        None => return Err("the task that it reports has not ended"),
    }
    let task = open_task(run, id)?;
    match task.reports.iter().any(|known| known.task == reported.task) {
        true => Err("the task was reported before"),
        false => {
            task.reports.push(reported);
            Ok(())
        }
    }
}

fn recover(task: &mut TaskView, ended: RecoveryEnded) -> Result<(), Because> {
    match task.recoveries.last_mut() {
        Some((begun, end)) if begun.attempt == ended.attempt && end.is_none() => {
            *end = Some(ended);
            Ok(())
        }
        Some(_) | None => Err("the recovery was not begun"),
    }
}

fn reject(run: &mut Run, id: TaskId, rejected: ClaimRejected) -> Result<(), Because> {
    judge(run, id, rejected.claim, Judged::Rejected(rejected.rejection)).map(drop)
}

fn judge(run: &mut Run, id: TaskId, claim: ClaimId, judged: Judged) -> Result<Place, Because> {
    let place = run.index.claims.get(&claim).filter(|place| place.task == id).copied();
    let place = place.ok_or("the claim was not submitted")?;
    let task = open_task(run, id)?;
    let claim = task.claims.get_mut(place.place).ok_or("the claim was not submitted")?;
    match claim.judged.replace(judged) {
        None => Ok(place),
        Some(_) => Err("the claim was judged before"),
    }
}

fn phenomenon(run: &mut Run, id: TaskId, recorded: PhenomenonRecorded) -> Result<(), Because> {
    check::carried(run, id, &recorded.facts)?;
    run.graph.add_phenomenon(recorded.phenomenon, &recorded.facts)?;
    let task = open_task(run, id)?;
    task.phenomena.push(PhenomenonView {
        id: recorded.phenomenon,
        facts: recorded.facts,
        interpretation: recorded.interpretation,
    });
    Ok(())
}

fn end(run: &mut Run, id: TaskId, ended: TaskEnded, at: String) -> Result<(), Because> {
    let behaviours = run.opened.behaviour.clone();
    let by_values = run.recorded.is_none();
    let task = open_task(run, id)?;
    check::totals(task, &ended)?;
    if by_values {
        check::objectives(task, &ended, &behaviours)?;
    }
    task.ended = Some(ended);
    task.ended_at = Some(at);
    Ok(())
}
