//! What every format says about all tasks together: answers, the sentences of earlier versions, the assigned tasks.

use crate::contradicted::Contradictions;
use graph::{Asker, Placed, Question, Run, Stands, derivation_title, fact_title, narrative};
use ledger::event::{ArtifactStored, RecoveryBegun, RecoveryEnded, TasksDispatched};
use ledger::{InvocationId, NodeId, ReferenceShown};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Describes a node, whichever task recorded it; a node without words of its own is described by its id.
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

/// Describes what a task was shown of an artifact that it was referred to.
pub(crate) const fn shown(shown: &ReferenceShown) -> &'static str {
    match shown {
        ReferenceShown::Content { .. } => "shown",
        ReferenceShown::NotFound => "not found",
        ReferenceShown::Elided => "left out: the bundle was full",
    }
}

/// Returns every question of the case with its answer.
pub(crate) fn answers_json(run: &Run) -> Vec<Value> {
    let one = |question: &Question<'_>| {
        let (searches, needed) = match &question.stands {
            Stands::Searched { searches, lacking } => (searches.clone(), lacking.clone()),
            Stands::CannotBeTold(needed) => (Vec::new(), needed.clone()),
            Stands::Partly { calls, missing } => (calls.clone(), missing.clone()),
            Stands::Seen { records, .. } => {
                let calls: BTreeSet<InvocationId> = records.iter().map(|seen| seen.invocation).collect();
                (calls.into_iter().collect(), Vec::new())
            }
            Stands::Answered(_) | Stands::NotAsked => (Vec::new(), Vec::new()),
        };
        let seen = match &question.stands {
            Stands::Seen { records, .. } => records.clone(),
            _ => Vec::new(),
        };
        json!({
            "task": question.tasks.first().map(ToString::to_string),
            "tasks": question.tasks.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "agent": question.agent,
            "by": match question.by {
                Asker::Standard => "standard",
                Asker::Owner => "owner",
                Asker::Agent => "agent",
                Asker::Unlisted => "unlisted",
            },
            "objective": question.objective.id,
            "question": question.objective.question,
            "remark": crate::standing::asker(question),
            "weight": question.objective.weight,
            "answer": question.stands.word(),
            "declined": question.declined,
            "before_sweep": question.before_sweep.as_ref().map(graph::Stands::word),
            "facts": question.stands.facts(),
            "searches": searches,
            "seen": seen,
            "needed": needed,
        })
    };
    graph::questions(run).iter().map(one).collect()
}

/// Returns the sentences that agents wrote in runs before [`ledger::Behaviour::Tells`].
pub(crate) fn narrative_json(run: &Run) -> Vec<Value> {
    let contradictions = Contradictions::of(run);
    let sentence = |placed: Placed<'_>| {
        let Placed { task, sentence, between, zone, twice, .. } = placed;
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
            "contradicted_by": contradictions.to(&placed),
            "cites": cites.collect::<Vec<_>>(),
        })
    };
    narrative(run).into_iter().map(sentence).collect()
}

/// Returns the assigned tasks, in order.
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

/// Returns the recoveries that a task tried.
pub(crate) fn recoveries_json(recoveries: &[(RecoveryBegun, Option<RecoveryEnded>)]) -> Vec<Value> {
    recoveries.iter().map(|(begun, ended)| json!({"begun": begun, "ended": ended})).collect()
}

/// Returns what a task stored.
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
