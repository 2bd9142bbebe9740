//! The results of a reply, event by event.

use super::page::{cut, phase_name};
use crate::commands::replay::other_rules::claimed;
use ledger::event::{CallRefused, ClaimAccepted, ClaimSubmitted, InvocationEnded, TaskEnded};
use ledger::{CallId, Candidate, Claim, Event, Healing, Outcome, Rejection, canonical};
use report::terminal;
use std::fmt::Write;

/// Appends the description of an event; some events have none.
pub(super) fn told(out: &mut String, event: &Event) {
    if let Some(line) = line(event) {
        let _ = writeln!(out, "  {line}");
    }
    if let Event::ClaimRejected(rejected) = event {
        advice(out, &rejected.rejection);
    }
}

fn line(event: &Event) -> Option<String> {
    Some(match event {
        Event::InvocationStarted(it) => made(&it.call, &it.tool, &format!("runs as {}", it.invocation)),
        Event::InvocationEnded(it) => ended(it),
        Event::CallRefused(it) => made(&it.call, &it.tool, &refused(it)),
        Event::CallServed(it) => made(&it.call, &it.tool, &format!("answered from {}", it.invocation)),
        Event::OutputPaged(it) => {
            made(&it.call, &it.invocation.to_string(), &format!("{} up to {}", it.shown.first, it.shown.end))
        }
        Event::GraphRead(it) => {
            made(&it.call, &it.tool, &format!("{} nodes, {} more", it.shown, it.left_out))
        }
        Event::ClaimSubmitted(it) => submitted(it),
        Event::ClaimAccepted(it) => accepted(it),
        Event::ClaimRepeated(it) => format!("  accepted: {} already says so{}", it.fact, healed(&it.healing)),
        Event::AbsenceAccepted(it) => format!("  accepted: {}", it.absence.id),
        Event::DerivationAccepted(it) => format!("  accepted: {}", it.derivation.id),
        Event::ClaimRejected(it) => {
            format!("  refused: {}: {}", it.rejection.code, cut(&it.rejection.reason))
        }
        Event::PhenomenonRecorded(it) => format!("{} recorded with {} facts", it.phenomenon, it.facts.len()),
        Event::NothingToRecord(it) => format!("nothing to record: {}", cut(&it.reason)),
        Event::NoteWritten(it) => format!("note, not checked: {}", cut(&it.text)),
        Event::ObjectiveAdded(it) => {
            format!("adds the question {}: {}", terminal(&it.objective.id), cut(&it.objective.question))
        }
        Event::QuestionsDeclined(it) => {
            format!("declined {} of {}: {}", it.questions.join(", "), it.agent, cut(&it.reason))
        }
        Event::EntityAdded(it) => format!("{} {}: {}", it.entity, it.kind.name(), cut(&it.name)),
        Event::RelationAdded(it) => format!("{} {} {} {}", it.relation, it.from, it.kind.name(), it.to),
        Event::HypothesisProposed(it) => format!("{} proposed: {}", it.hypothesis, cut(&it.statement)),
        Event::HypothesisAssessed(it) => {
            format!("{} {}: {}", it.hypothesis, it.assessment.name(), cut(&it.reason))
        }
        Event::PhaseEntered(it) => format!("the phase {} begins: {}", phase_name(it.phase), cut(&it.reason)),
        Event::TurnFailed(it) => format!("the model was not available: {}", cut(&it.reason)),
        Event::Recalled(it) => {
            let shown = format!("{} records, {} more", it.shown.len(), it.left_out);
            made(&it.call, &format!("recall {}", cut(&it.text)), &shown)
        }
        Event::RequestTooLong(it) => format!("the request was too long: {}", cut(&it.reason)),
        Event::TasksDispatched(it) => {
            let tasks: Vec<_> =
                it.tasks.iter().map(|it| format!("{} ({})", it.task, terminal(&it.agent))).collect();
            format!("assigned, sequence {}: {}", it.sequence, tasks.join(", "))
        }
        Event::TaskReported(it) => {
            let accepted = if it.accepted { "accepted" } else { "not accepted" };
            format!("{} reported: {}, {accepted}", it.task, report::status(it.status))
        }
        Event::ArtifactStored(it) => {
            format!("{} stored ({}): {}", it.artifact, it.kind.name(), cut(&it.summary))
        }
        Event::ArtifactRetrieved(it) => format!("{} read", it.artifact),
        Event::RecoveryBegun(it) => format!(
            "recovery:attempt={} {} for {}: {}",
            it.attempt,
            it.trigger.name(),
            terminal(&it.objective),
            terminal(&it.strategy)
        ),
        Event::RecoveryEnded(it) => format!(
            "recovery:attempt={} ended: {} facts, answered: {}",
            it.attempt,
            it.facts,
            if it.answered.is_empty() { "nothing".to_owned() } else { cut(&it.answered.join(", ")) }
        ),
        Event::SentenceAccepted(it) => format!("  accepted: {}", it.sentence.id),
        Event::StatementTold(it) => format!("  told: {} as {}", it.statement.node, it.statement.id),
        Event::Cancelled => "it was cancelled".to_owned(),
        Event::TimeSpent => "its time ran out".to_owned(),
        Event::PurseSpent(_) => "the run's budget ran out".to_owned(),
        Event::TaskEnded(it) => task_ended(it),
        Event::RunOpened(_)
        | Event::RunResumed(_)
        | Event::NamesIndexed(_)
        | Event::TimelineIndexed(_)
        | Event::TablesRead(_)
        | Event::RulesMatched(_)
        | Event::TaskAssigned(_)
        | Event::EvidenceHashed(_)
        | Event::RunSealed(_)
        | Event::TurnRequested(_)
        | Event::TurnReplied(_) => return None,
    })
}

/// One line with a call and its result.
fn made(call: &CallId, what: &str, became: &str) -> String {
    format!("{} {} {became}", terminal(&call.0), terminal(what))
}

fn task_ended(it: &TaskEnded) -> String {
    let status = report::status(it.status);
    format!("the task ended: {status}; {} facts, {} claims refused", it.facts, it.rejections)
}

fn submitted(it: &ClaimSubmitted) -> String {
    let cited = match &it.stated {
        Claim::Reading(reading) => {
            let record = reading.record.as_deref().map_or(String::new(), |id| format!(" {id}"));
            format!(" citing {}{record}", reading.invocation)
        }
        Claim::Absence(absence) => format!(" citing {}", absence.searches.join(", ")),
        Claim::Derivation(_) | Claim::Statement(_) => String::new(),
        Claim::Sentence(sentence) => format!(" citing {}", sentence.cites.join(", ")),
    };
    format!("{} claimed {}", it.claim, cut(&format!("{}{cited}", claimed(&it.stated))))
}

fn accepted(it: &ClaimAccepted) -> String {
    let healed = healed(&it.healing);
    format!("  accepted: {} in {} of {}{healed}", it.fact.id, it.fact.record, it.fact.invocation)
}

fn healed(healing: &Option<Healing>) -> String {
    healing.as_ref().map_or(String::new(), |healing| {
        format!(", the citation {} healed ({})", cut(&healing.cited), healing.because)
    })
}

fn ended(it: &InvocationEnded) -> String {
    let outcome = match it.outcome {
        Outcome::Ok => "ok",
        Outcome::Empty => "empty",
        Outcome::Failed => "failed",
        Outcome::Timeout => "timeout",
        Outcome::Denied => "denied",
    };
    let notes: String = it.notes.iter().map(|note| format!("; {}", cut(note))).collect();
    format!(
        "  {}: {outcome}, {} records, {} bytes, {} gaps, {} defects{notes}",
        it.invocation,
        it.records,
        it.bytes,
        it.gaps.len(),
        it.defects.len()
    )
}

fn refused(it: &CallRefused) -> String {
    let refusal = canonical::to_string(&it.refusal).unwrap_or_default();
    format!("refused: {}: {}", refusal.trim_matches('"'), cut(&it.told))
}

/// The hint and the candidates of a rejection.
fn advice(out: &mut String, rejection: &Rejection) {
    if !rejection.hint.is_empty() {
        let _ = writeln!(out, "      {}", cut(&rejection.hint));
    }
    for Candidate { invocation, summary, record, field, text } in &rejection.candidates {
        let record = record.map_or(String::new(), |record| format!(" {record}"));
        let field = field.as_ref().map_or(String::new(), |field| format!(" {field}"));
        let what = text.as_ref().unwrap_or(summary);
        let _ = writeln!(out, "      {}", cut(&format!("{invocation}{record}{field}: {what}")));
    }
}
