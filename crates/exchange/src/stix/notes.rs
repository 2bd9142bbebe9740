//! Notes: what agents wrote, and what code concluded from several facts.
//!
//! A note with an agent's words names the agent as its author; one that code decided names only the tool.

use super::Bundle;
use graph::{confidence, derivation_title, phenomenon_title};
use ledger::{FactId, NodeId, TaskId};
use serde_json::{Value, json};

/// Returns all notes except those on single facts, in the order of tasks.
pub(super) fn told(bundle: &Bundle<'_>) -> Vec<Value> {
    let mut notes = Vec::new();
    let run = bundle.view.run;
    for (task, view) in &run.tasks {
        notes.extend(view.derived().map(|it| {
            let title = derivation_title(&it.derivation.derivation, |id| run.fact(id));
            let facts = it.derivation.derivation.terms().iter().map(|term| term.fact);
            let lines = [format!("what facts say together, checked by code: {title}")];
            note(bundle, &it.derivation.id.to_string(), &lines, facts, None)
        }));
        notes.extend(view.covered().map(|it| {
            let searches: Vec<String> = it.absence.searches.iter().map(ToString::to_string).collect();
            let lines = [
                format!("absent: {}", it.absence.absence),
                format!("{}: {}", it.absence.absence.shown_by(), searches.join(", ")),
            ];
            note(bundle, &it.absence.id.to_string(), &lines, [], None)
        }));
        notes.extend(view.phenomena.iter().map(|it| phenomenon(bundle, *task, it)));
        notes.extend(view.hypotheses.iter().map(|it| hypothesis(bundle, *task, it)));
        notes.extend(view.stated().filter_map(|it| {
            let statement = &it.statement;
            let comment = statement.comment.as_deref()?;
            let lines = [format!("the agent's reading, not checked, of {}: {comment}", statement.node)];
            Some(note(
                bundle,
                &statement.id.to_string(),
                &lines,
                facts_of(bundle, statement.node),
                Some(*task),
            ))
        }));
        notes.extend(run.sentences().filter(|(of, _)| *of == *task).map(|(_, it)| {
            let facts = it.sentence.cites.iter().flat_map(|node| facts_of(bundle, *node));
            let cites: Vec<String> = it.sentence.cites.iter().map(ToString::to_string).collect();
            let lines = [
                format!("the agent's reading, not checked: {}", it.sentence.text),
                format!("cites {}", cites.join(", ")),
            ];
            note(bundle, &it.sentence.id.to_string(), &lines, facts, Some(*task))
        }));
    }
    notes
}

fn phenomenon(bundle: &Bundle<'_>, task: TaskId, it: &graph::PhenomenonView) -> Value {
    let facts: Vec<_> = it.facts.iter().filter_map(|id| bundle.view.run.fact(*id)).collect();
    let sure = confidence(facts.iter().copied(), 0).thousandths() / 10;
    let mut lines = vec![phenomenon_title(&facts)];
    if !it.interpretation.is_empty() {
        lines.push(format!("the agent's words: {}", it.interpretation));
    }
    let mut note = note(bundle, &it.id.to_string(), &lines, it.facts.iter().copied(), Some(task));
    if let Some(members) = note.as_object_mut() {
        members.insert("confidence".to_owned(), json!(sure));
    }
    note
}

fn hypothesis(bundle: &Bundle<'_>, task: TaskId, it: &graph::HypothesisView) -> Value {
    let mut lines = vec![format!("an explanation under test: {}", it.proposed.statement)];
    let last = it.assessments.last();
    lines.extend(last.map(|said| format!("{}: {}", said.assessment, said.reason)));
    let nodes = last.into_iter().flat_map(|said| said.supporting.iter().chain(&said.contradicting));
    let facts: Vec<FactId> = nodes.flat_map(|node| facts_of(bundle, *node)).collect();
    note(bundle, &it.proposed.hypothesis.to_string(), &lines, facts, Some(task))
}

/// Returns the facts of a cited node: itself, or those it is based on.
fn facts_of(bundle: &Bundle<'_>, node: NodeId) -> Vec<FactId> {
    match node {
        NodeId::Fact(fact) => vec![fact],
        NodeId::Derivation(id) => {
            let known = bundle.view.run.derivations().find(|(_, it)| it.derivation.id == id);
            let terms = known.map(|(_, it)| it.derivation.derivation.terms());
            terms.into_iter().flatten().map(|term| term.fact).collect()
        }
        NodeId::Invocation(_)
        | NodeId::Phenomenon(_)
        | NodeId::Absence(_)
        | NodeId::Entity(_)
        | NodeId::Relation(_)
        | NodeId::Hypothesis(_) => Vec::new(),
    }
}

/// Returns a note on the observed data of facts, or on the report if it is based on none.
fn note(
    bundle: &Bundle<'_>,
    own: &str,
    lines: &[String],
    facts: impl IntoIterator<Item = FactId>,
    author: Option<TaskId>,
) -> Value {
    let known = facts.into_iter().filter(|id| bundle.view.run.fact(*id).is_some());
    let mut refs: Vec<String> = known.map(|id| bundle.observed_id(id)).collect();
    refs.sort();
    refs.dedup();
    if refs.is_empty() {
        refs.push(bundle.id("report", "report"));
    }
    let mut members = json!({
        "abstract": own,
        "content": lines.join("\n"),
        "object_refs": refs,
        "external_references": bundle.reference(own, "the node of the run that this note tells".to_owned()),
    });
    if let (Some(task), Some(members)) = (author, members.as_object_mut()) {
        let model = bundle.view.run.tasks.get(&task).map_or("", |view| &view.assigned.model);
        members.insert("authors".to_owned(), json!([format!("{} ({model})", bundle.view.agent(task))]));
    }
    bundle.object("note", own, members)
}
