//! What every format tells of all tasks together: answers, the narrative in its order, who was handed what.

use graph::{Placed, Run, TaskView, derivation_title, fact_title, narrative};
use ledger::event::{ArtifactStored, RecoveryBegun, RecoveryEnded, TasksDispatched, WithoutFact};
use ledger::{FactId, InvocationId, NodeId, Objective, Precision, ReferenceShown, Utc, Weight};
use serde_json::{Value, json};

/// How an objective stands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answered<'r> {
    /// Facts meet it.
    Met(&'r [FactId]),
    /// Complete searches found nothing.
    Empty(&'r [InvocationId]),
    /// It is only watched for, and nothing was found.
    Nothing,
    /// Nobody looked, or not everywhere.
    Unmet,
    /// What would answer it could not be read.
    NotDeterminable(&'r [String]),
    /// No call of the task looked at what could answer it.
    Unseen,
    /// The task did not end.
    Unended,
}

impl Answered<'_> {
    /// The word for it in JSON.
    const fn word(self) -> &'static str {
        match self {
            Answered::Met(_) => "met",
            Answered::Empty(_) => "empty",
            Answered::Nothing => "nothing_found",
            Answered::Unmet => "unmet",
            Answered::NotDeterminable(_) => "not_determinable",
            Answered::Unseen | Answered::Unended => "not_examined",
        }
    }
}

/// How the objective with this number stands.
pub(crate) fn answered<'r>(view: &'r TaskView, index: usize, objective: &Objective) -> Answered<'r> {
    let Some(result) = view.ended.as_ref().and_then(|ended| ended.objectives.get(index)) else {
        return Answered::Unended;
    };
    match &result.without {
        _ if !result.facts.is_empty() => Answered::Met(&result.facts),
        Some(WithoutFact::Empty { searches }) => Answered::Empty(searches),
        Some(WithoutFact::NotDeterminable { needed }) => Answered::NotDeterminable(needed),
        Some(WithoutFact::Unmet) | None if !view.has_looked(objective) => Answered::Unseen,
        Some(WithoutFact::Unmet) | None if objective.weight == Weight::Finding => Answered::Nothing,
        Some(WithoutFact::Unmet) | None => Answered::Unmet,
    }
}

/// When a sentence stands, as its source keeps it: an instant in UTC, or a local time that says so.
pub(crate) fn moment(placed: &Placed<'_>) -> Option<String> {
    let time = placed.sentence.time.as_ref()?;
    let zone = match (time.zone, placed.zone) {
        (None, _) => "",
        (Some(_), Some(_)) => " time",
        (Some(_), None) => " time, zone not known",
    };
    Some(format!("{}{zone}", time.to_text()))
}

/// Between which instants the local time of a sentence lies by the zone of its host, and the fact that tells that zone.
pub(crate) fn zoned(placed: &Placed<'_>) -> Option<(String, FactId)> {
    let (earliest, latest) = placed.between?;
    let text = |utc: Utc| utc.to_text(Precision::Second);
    Some((format!("between {} and {}", text(earliest), text(latest)), placed.zone?))
}

/// What a node says, whichever task recorded it; its id where it says nothing by itself.
pub(crate) fn title(run: &Run, id: NodeId) -> String {
    let said = match id {
        NodeId::Fact(id) => run.fact(id).map(fact_title),
        NodeId::Absence(id) => {
            let found = run.absences().find(|(_, covered)| covered.absence.id == id);
            found.map(|(_, covered)| covered.absence.absence.to_string())
        }
        NodeId::Derivation(id) => {
            let found = run.derivations().find(|(_, derived)| derived.derivation.id == id);
            found.map(|(_, derived)| derivation_title(&derived.derivation.derivation, |id| run.fact(id)))
        }
        NodeId::Invocation(_)
        | NodeId::Phenomenon(_)
        | NodeId::Entity(_)
        | NodeId::Relation(_)
        | NodeId::Hypothesis(_) => None,
    };
    said.unwrap_or_else(|| id.to_string())
}

/// What a task was shown of an artifact that it was pointed to.
pub(crate) const fn shown(shown: &ReferenceShown) -> &'static str {
    match shown {
        ReferenceShown::Content { .. } => "shown",
        ReferenceShown::NotFound => "not found",
        ReferenceShown::Elided => "left out: the bundle was full",
    }
}

/// Every objective with its answer.
pub(crate) fn answers_json(run: &Run) -> Vec<Value> {
    let mut answers = Vec::new();
    for (task, view) in &run.tasks {
        for (index, objective) in view.assigned.agent.objectives.iter().enumerate() {
            let answered = answered(view, index, objective);
            let (by, searches, needed) = match answered {
                Answered::Met(facts) => (facts, &[][..], &[][..]),
                Answered::Empty(searches) => (&[][..], searches, &[][..]),
                Answered::NotDeterminable(needed) => (&[][..], &[][..], needed),
                Answered::Nothing | Answered::Unmet | Answered::Unseen | Answered::Unended => {
                    (&[][..], &[][..], &[][..])
                }
            };
            answers.push(json!({
                "task": task.to_string(),
                "agent": view.assigned.agent.name,
                "objective": objective.id,
                "question": objective.question,
                "weight": objective.weight,
                "answer": answered.word(),
                "facts": by,
                "searches": searches,
                "needed": needed,
            }));
        }
    }
    answers
}

/// The narrative.
pub(crate) fn narrative_json(run: &Run) -> Vec<Value> {
    let sentence = |Placed { task, sentence, between, zone, twice, .. }: Placed<'_>| {
        let cites = sentence.cites.iter().map(|id| json!({"id": id, "title": title(run, *id)}));
        json!({
            "task": task.to_string(),
            "sentence": sentence.id,
            "text": sentence.text,
            "time": sentence.time,
            "dated_by": sentence.dated_by,
            "between": between.map(|(earliest, latest)| [earliest.to_string(), latest.to_string()]),
            "zone": zone,
            "stood_twice": twice,
            "cites": cites.collect::<Vec<_>>(),
        })
    };
    narrative(run).into_iter().map(sentence).collect()
}

/// The tasks that were handed out, in their order.
pub(crate) fn dispatched_json(run: &Run) -> Vec<Value> {
    let batches =
        run.tasks.iter().flat_map(|(by, lead)| lead.dispatched.iter().map(move |batch| (by, lead, batch)));
    let mut tasks = Vec::new();
    for (by, lead, TasksDispatched { turn, sequence, tasks: handed }) in batches {
        for task in handed {
            let view = run.tasks.get(&task.task);
            let reported = lead.reports.iter().find(|report| report.task == task.task);
            tasks.push(json!({
                "by": by.to_string(),
                "turn": turn,
                "sequence": sequence,
                "task": task.task.to_string(),
                "agent": task.agent,
                "dispatch": view.and_then(|view| view.assigned.dispatch.as_ref()),
                "status": view.and_then(|view| view.ended.as_ref()).map(|ended| ended.status),
                "accepted": reported.map(|report| report.accepted),
                "report": reported.map(|report| &report.report),
            }));
        }
    }
    tasks
}

/// The other ways that a task tried.
pub(crate) fn recoveries_json(recoveries: &[(RecoveryBegun, Option<RecoveryEnded>)]) -> Vec<Value> {
    recoveries.iter().map(|(begun, ended)| json!({"begun": begun, "ended": ended})).collect()
}

/// What a task stored.
pub(crate) fn artifacts_json(artifacts: &[ArtifactStored]) -> Vec<Value> {
    let stored = |stored: &ArtifactStored| {
        json!({
            "artifact": stored.artifact,
            "kind": stored.kind,
            "summary": stored.summary,
            "content": stored.content,
            "turn": stored.turn,
        })
    };
    artifacts.iter().map(stored).collect()
}
