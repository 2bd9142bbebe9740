//! Checks that what an event says about earlier events is true.

use super::{Because, nodes};
use crate::run::{InvocationView, Judged, Run, TaskView};
use ledger::absence::{UnreadLogs, unread_by};
use ledger::event::{
    AbsenceAccepted, DerivationAccepted, InvocationEnded, ObjectiveResult, SeenRecord, SentenceAccepted,
    StatementTold, TaskEnded, WithoutFact,
};
use ledger::statement::fields_of;
use ledger::{
    Behaviour, Claim, ClaimId, Completeness, FactEntry, FactId, InvocationId, NodeId, Objective, Outcome,
    TaskId,
};

/// Checks that a fact of `task` is based on one of its own invocations that can ground facts, and on that invocation's output.
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

/// Checks that a claim of `task` is a reading: only readings become facts.
pub(super) fn is_reading(run: &Run, task: TaskId, claim: ClaimId) -> Result<(), Because> {
    match stated(run, task, claim)? {
        Claim::Reading(_) => Ok(()),
        Claim::Absence(_) | Claim::Derivation(_) | Claim::Sentence(_) | Claim::Statement(_) => {
            Err("its claim is no reading")
        }
    }
}

/// Checks that an absence of `task` is the claimed one and is based on its own searches that ended empty and complete.
pub(super) fn coverage(run: &Run, task: TaskId, covered: &AbsenceAccepted) -> Result<(), Because> {
    match stated(run, task, covered.claim)? {
        Claim::Absence(claimed) if claimed.absence.form() == covered.absence.absence.form() => {}
        Claim::Absence(_)
        | Claim::Reading(_)
        | Claim::Derivation(_)
        | Claim::Sentence(_)
        | Claim::Statement(_) => {
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
        let of_file = covered.absence.absence.is_as_it_stands()
            && unread_by(ended).is_some_and(UnreadLogs::is_as_it_stands);
        let is_whole = ended.completeness == Completeness::Complete || of_file;
        if ended.outcome != Outcome::Empty || !is_whole {
            return Err("its search did not end empty and complete");
        }
    }
    Ok(())
}

/// Checks that a derivation of `task` is the claimed one and is based on its own facts.
pub(super) fn derivation(run: &Run, task: TaskId, derived: &DerivationAccepted) -> Result<(), Because> {
    match stated(run, task, derived.claim)? {
        Claim::Derivation(claimed) if *claimed == derived.derivation.derivation => {}
        Claim::Absence(_)
        | Claim::Reading(_)
        | Claim::Derivation(_)
        | Claim::Sentence(_)
        | Claim::Statement(_) => {
            return Err("its claim is no such derivation");
        }
    }
    known(run, task, &derived.derivation.derivation.facts())
}

/// Checks that a sentence of `task` is the claimed one and cites nodes that the task may use.
pub(super) fn sentence(run: &Run, task: TaskId, told: &SentenceAccepted) -> Result<(), Because> {
    match stated(run, task, told.claim)? {
        Claim::Sentence(claimed) if claimed.text == told.sentence.text => {}
        Claim::Sentence(_)
        | Claim::Statement(_)
        | Claim::Absence(_)
        | Claim::Reading(_)
        | Claim::Derivation(_) => {
            return Err("its claim is no such sentence");
        }
    }
    match told.sentence.cites.is_empty() {
        true => Err("it cites nothing"),
        false => nodes::own(run, task, told.sentence.cites.iter().copied()),
    }
}

/// Checks that a statement of `task` is the claimed one, about a node that the task may use, with fields that a fact states.
pub(super) fn statement(run: &Run, task: TaskId, told: &StatementTold) -> Result<(), Because> {
    let statement = &told.statement;
    match stated(run, task, told.claim)? {
        Claim::Statement(claimed) if claimed.node.trim() == statement.node.to_string() => {}
        Claim::Statement(_)
        | Claim::Sentence(_)
        | Claim::Absence(_)
        | Claim::Reading(_)
        | Claim::Derivation(_) => {
            return Err("its claim is no such statement");
        }
    }
    nodes::own(run, task, std::iter::once(statement.node))?;
    let stated = match statement.node {
        NodeId::Fact(fact) => run.fact(fact).map(fields_of).unwrap_or_default(),
        NodeId::Absence(_) | NodeId::Derivation(_) => Vec::new(),
        NodeId::Invocation(_)
        | NodeId::Phenomenon(_)
        | NodeId::Entity(_)
        | NodeId::Relation(_)
        | NodeId::Hypothesis(_) => return Err("such a node cannot be told"),
    };
    match statement.fields.iter().all(|field| stated.contains(&field.as_str())) {
        true => Ok(()),
        false => Err("it says a field that its fact does not state"),
    }
}

fn stated(run: &Run, task: TaskId, claim: ClaimId) -> Result<&Claim, Because> {
    let place = run.index.claims.get(&claim).filter(|place| place.task == task);
    let view = place.and_then(|place| run.tasks.get(&task)?.claims.get(place.place));
    view.map(|view| &view.submitted.stated).ok_or("the claim was not submitted")
}

/// Checks that a phenomenon carries facts, all from its own task.
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

/// Checks that the list of facts is not empty and that each is the task's own or was handed over to it.
pub(super) fn known(run: &Run, task: TaskId, facts: &[FactId]) -> Result<(), Because> {
    if facts.is_empty() {
        return Err("it names no fact");
    }
    for fact in facts {
        let place = run.index.facts.get(fact).ok_or("it names an unknown fact")?;
        if !is_handed(run, task, place.task) {
            return Err("it names a fact of a task that handed nothing over to its own");
        }
    }
    Ok(())
}

/// Checks whether `task` may use what `owner` recorded: they are the same task, or `owner` ended before and was handed over.
pub(super) fn is_handed(run: &Run, task: TaskId, owner: TaskId) -> bool {
    let Some(view) = run.tasks.get(&task) else { return false };
    let given = view.assigned.dispatch.as_ref().is_some_and(|dispatch| dispatch.after.contains(&owner));
    owner == task || given || view.reports.iter().any(|report| report.task == owner)
}

/// Checks that the totals at a task's end match its events.
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
    Ok(())
}

/// Checks that each objective lists exactly the facts that meet its condition, in the agent's order.
pub(super) fn objectives(task: &TaskView, ended: &TaskEnded, behaviours: &[u16]) -> Result<(), Because> {
    stand(task, &task.assigned.agent.objectives, &ended.objectives, behaviours)?;
    stand(task, &task.own, &ended.own, behaviours)
}

fn stand(
    task: &TaskView,
    objectives: &[Objective],
    results: &[ObjectiveResult],
    behaviours: &[u16],
) -> Result<(), Because> {
    if results.len() != objectives.len() {
        return Err("its objectives are not those of its agent");
    }
    let recovers = behaviours.contains(&u16::from(Behaviour::Recovers));
    let sources_first = behaviours.contains(&u16::from(Behaviour::SourcesFirst));
    let questions = behaviours.contains(&u16::from(Behaviour::Questions));
    for (objective, result) in objectives.iter().zip(results) {
        let watched = !questions && !objective.is_required();
        if objective.id != result.id || watched != result.watched {
            return Err("its objectives are not those of its agent");
        }
        let meeting = task.accepted().map(|accepted| &accepted.fact);
        let meeting = meeting.filter(|fact| objective.is_answered_by(fact)).map(|fact| fact.id);
        if !meeting.eq(result.facts.iter().copied()) {
            return Err("an objective's facts are not those that meet it");
        }
        if result.without.is_some() != (recovers && result.facts.is_empty()) {
            return Err(
                "it says of an objective how it stands without a fact where that is not told, or says nothing of it",
            );
        }
        result.without.as_ref().map_or(Ok(()), |without| match questions {
            true => looked(task, without),
            false => stands(task, objective, without, sources_first),
        })?;
    }
    Ok(())
}

/// Checks whether the log of the task's calls permits this status of an objective without facts.
///
/// The content of records is not checked here; `verify` does that with the outputs.
fn stands(
    task: &TaskView,
    objective: &Objective,
    without: &WithoutFact,
    sources_first: bool,
) -> Result<(), Because> {
    // Only its records show whether a listing contains a source.
    let needs_source = sources_first && objective.searched.iter().any(|by| by.sources.is_some());
    let may_be_undeterminable = sources_first || objective.is_required();
    let plain = |view: &InvocationView| {
        let mut searches = objective.searched.iter().filter(|by| by.sources.is_none());
        searches.any(|by| by.is(&view.started.tool, &view.started.arguments))
    };
    let is_empty = |view: &InvocationView| view.ended.as_ref().is_some_and(found_nothing);
    let is_searched = task.invocations.iter().any(|view| plain(view) && is_empty(view));
    match without {
        WithoutFact::Empty { searches, .. } => {
            let known = |id| task.invocations.iter().find(|view| view.started.invocation == id);
            let covers = |id: &InvocationId| {
                known(*id).is_some_and(|view| match is_searched {
                    true => plain(view) && is_empty(view),
                    false => is_part_of_search(objective, view),
                })
            };
            match !searches.is_empty() && searches.iter().all(covers) {
                true => Ok(()),
                false => Err("an objective is said to be empty that no complete, empty search covers"),
            }
        }
        WithoutFact::Unmet if is_searched && !needs_source => {
            Err("an objective is said to be unmet that a complete, empty search covers")
        }
        WithoutFact::Unmet => Ok(()),
        WithoutFact::NotDeterminable { needed } if needed.is_empty() || !may_be_undeterminable => {
            Err("an objective is said not to be determinable, and not why")
        }
        WithoutFact::NotDeterminable { .. } => Ok(()),
        WithoutFact::Seen { .. } | WithoutFact::Partly { .. } | WithoutFact::NotAsked => {
            Err("an objective stands in a way that the run does not tell apart")
        }
    }
}

/// Checks whether a question can have this status without facts: the named calls belong to its task and had that result.
fn looked(task: &TaskView, without: &WithoutFact) -> Result<(), Because> {
    let known = |id: &InvocationId| task.invocations.iter().find(|view| view.started.invocation == *id);
    let ended = |id: &InvocationId| known(id).and_then(|view| view.ended.as_ref());
    let searched =
        |id: &InvocationId| ended(id).is_some_and(|ended| !ended.outcome.is_failure() && is_clean(ended));
    let returned = |seen: &SeenRecord| {
        ended(&seen.invocation).is_some_and(|ended| u64::from(seen.record.0) < u64::from(ended.records))
    };
    match without {
        WithoutFact::Empty { searches, .. } if searches.is_empty() || !searches.iter().all(searched) => {
            Err("a question is said to be searched by calls that searched nothing to its end")
        }
        WithoutFact::Seen { records, number } => {
            let counts = !records.is_empty() && *number >= records.len() as u64;
            match counts && records.iter().all(returned) {
                true => Ok(()),
                false => Err("a question is said to be seen in records that no call of its task returned"),
            }
        }
        WithoutFact::Partly { calls, .. }
            if calls.is_empty() || !calls.iter().all(|id| known(id).is_some()) =>
        {
            Err("a question is said to be partly searched by calls that its task did not make")
        }
        WithoutFact::NotDeterminable { needed } if needed.is_empty() => {
            Err("a question is said not to be determinable, and not why")
        }
        WithoutFact::Unmet => Err("a question is said to be unmet, and not how it was looked for"),
        WithoutFact::Empty { .. }
        | WithoutFact::Partly { .. }
        | WithoutFact::NotDeterminable { .. }
        | WithoutFact::NotAsked => Ok(()),
    }
}

/// Checks whether a call listed what had to be searched, or searched part of it without result.
fn is_part_of_search(objective: &Objective, view: &InvocationView) -> bool {
    let Some(ended) = &view.ended else { return false };
    let mut kinds = objective.searched.iter().filter_map(|by| Some((by, by.sources.as_ref()?)));
    kinds.any(|(by, sources)| {
        let lists = by.is(&view.started.tool, &view.started.arguments) && is_whole(ended);
        let searches = sources.each.as_ref().is_some_and(|each| each.tool == view.started.tool);
        lists || (searches && found_nothing(ended))
    })
}

fn found_nothing(ended: &InvocationEnded) -> bool {
    ended.outcome == Outcome::Empty && is_whole(ended)
}

fn is_whole(ended: &InvocationEnded) -> bool {
    ended.completeness == Completeness::Complete && is_clean(ended)
}

fn is_clean(ended: &InvocationEnded) -> bool {
    ended.gaps.is_empty() && ended.defects.is_empty()
}
