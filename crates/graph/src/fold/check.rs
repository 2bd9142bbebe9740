//! What an event says of earlier ones must be what they say.

use super::Because;
use crate::run::{Judged, Run, TaskView};
use ledger::event::{AbsenceAccepted, DerivationAccepted, TaskEnded};
use ledger::{Claim, ClaimId, Completeness, FactEntry, FactId, Outcome, TaskId};

/// Whether a fact that `task` states rests on an invocation of its own that can ground one, and on that invocation's output.
pub(super) fn grounding(run: &Run, task: TaskId, fact: &FactEntry) -> Result<(), Because> {
    let (owner, invocation) = run.invocation(fact.invocation).ok_or("its invocation is unknown")?;
    if owner != task {
        return Err("its invocation belongs to another task");
    }
    let ended = invocation.ended.as_ref().ok_or("its invocation has not ended")?;
    if !ended.outcome.grounds() {
        return Err("its invocation did not end in a way that grounds a fact");
    }
    match ended.output == Some(fact.output) {
        true => Ok(()),
        false => Err("its output is not that of its invocation"),
    }
}

/// Whether a claim of `task` is a reading, which alone becomes a fact.
pub(super) fn is_reading(run: &Run, task: TaskId, claim: ClaimId) -> Result<(), Because> {
    match stated(run, task, claim)? {
        Claim::Reading(_) => Ok(()),
        Claim::Absence(_) | Claim::Derivation(_) => Err("its claim is no reading"),
    }
}

/// Whether an absence that `task` states is the one that it claimed, and rests on searches of its own that ended empty and complete.
pub(super) fn coverage(run: &Run, task: TaskId, covered: &AbsenceAccepted) -> Result<(), Because> {
    match stated(run, task, covered.claim)? {
        Claim::Absence(claimed) if claimed.absence.form() == covered.absence.absence.form() => {}
        Claim::Absence(_) | Claim::Reading(_) | Claim::Derivation(_) => {
            return Err("its claim is no such absence");
        }
    }
    if covered.absence.searches.is_empty() {
        return Err("it rests on no search");
    }
    for search in &covered.absence.searches {
        let (owner, invocation) = run.invocation(*search).ok_or("its search is unknown")?;
        if owner != task {
            return Err("its search belongs to another task");
        }
        let ended = invocation.ended.as_ref().ok_or("its search has not ended")?;
        if (ended.outcome, ended.completeness) != (Outcome::Empty, Completeness::Complete) {
            return Err("its search did not end empty and complete");
        }
    }
    Ok(())
}

/// Whether a derivation that `task` states is the one that it claimed, over facts of its own.
pub(super) fn derivation(run: &Run, task: TaskId, derived: &DerivationAccepted) -> Result<(), Because> {
    match stated(run, task, derived.claim)? {
        Claim::Derivation(claimed) if *claimed == derived.derivation.derivation => {}
        Claim::Absence(_) | Claim::Reading(_) | Claim::Derivation(_) => {
            return Err("its claim is no such derivation");
        }
    }
    carried(run, task, &derived.derivation.derivation.facts())
}

fn stated(run: &Run, task: TaskId, claim: ClaimId) -> Result<&Claim, Because> {
    let place = run.index.claims.get(&claim).filter(|place| place.task == task);
    let view = place.and_then(|place| run.tasks.get(&task)?.claims.get(place.place));
    view.map(|view| &view.submitted.stated).ok_or("the claim was not submitted")
}

/// Whether a phenomenon carries facts, and only facts of its own task.
pub(super) fn carried(run: &Run, task: TaskId, facts: &[FactId]) -> Result<(), Because> {
    if facts.is_empty() {
        return Err("it carries no fact");
    }
    for fact in facts {
        let place = run.index.facts.get(fact).ok_or("it carries an unknown fact")?;
        if place.task != task {
            return Err("it carries a fact of another task");
        }
    }
    Ok(())
}

/// Whether a task's end counts what its events were.
pub(super) fn totals(task: &TaskView, ended: &TaskEnded) -> Result<(), Because> {
    let rejected = |judged: &Judged| matches!(judged, Judged::Rejected(_));
    let rejections = task.claims.iter().filter(|claim| claim.judged.as_ref().is_some_and(rejected)).count();
    if ended.turns != task.turns {
        return Err("its number of turns is not that of the log");
    }
    if ended.facts as usize != task.accepted().count() {
        return Err("its number of facts is not that of the log");
    }
    if ended.rejections as usize != rejections {
        return Err("its number of refused claims is not that of the log");
    }
    objectives(task, ended)
}

/// Whether each objective is met by the facts that its condition holds for, in the agent's order.
fn objectives(task: &TaskView, ended: &TaskEnded) -> Result<(), Because> {
    let objectives = &task.assigned.agent.objectives;
    if ended.objectives.len() != objectives.len() {
        return Err("its objectives are not those of its agent");
    }
    for (objective, result) in objectives.iter().zip(&ended.objectives) {
        if objective.id != result.id || objective.is_required() == result.watched {
            return Err("its objectives are not those of its agent");
        }
        let meeting = task.accepted().map(|accepted| &accepted.fact);
        let meeting = meeting.filter(|fact| objective.condition.holds(fact)).map(|fact| fact.id);
        if !meeting.eq(result.facts.iter().copied()) {
            return Err("an objective's facts are not those that meet it");
        }
    }
    Ok(())
}
