//! Conclusions from the facts: by code (derivations, absences, confidence in answers), and by agents in their own words.
//!
//! The description of each says who made it.

use super::{Graph, Node};
use graph::{Asker, Confidence, Question, TaskView, confidence, derivation_title, phenomenon_title};
use ledger::{FactId, NodeId, TaskId};
use serde_json::{Value, json};

const BY_CODE: &str = "decided by code over facts";

/// Returns all assertions of a task, except the answers to its questions, which belong to the run.
pub(super) fn of(graph: &Graph<'_>, task: TaskId, view: &TaskView) -> Vec<Value> {
    let by_agent = format!(
        "the words of agent {} ({}, {task}): an interpretation, no evidence",
        view.assigned.agent.name, view.assigned.model
    );
    let mut nodes = Vec::new();
    nodes.extend(view.derived().map(|it| {
        let own = it.derivation.id.to_string();
        let title = derivation_title(&it.derivation.derivation, |id| graph.run.fact(id));
        result(graph, &own, BY_CODE, Some(title), it.derivation.derivation.facts(), None)
    }));
    nodes.extend(view.covered().map(|it| {
        let own = it.absence.id.to_string();
        let said = it.absence.absence.to_string();
        assertion(graph, &own, it.absence.absence.shown_by(), &said)
    }));
    nodes.extend(view.phenomena.iter().map(|it| {
        let facts: Vec<_> = it.facts.iter().filter_map(|id| graph.run.fact(*id)).collect();
        let (title, sure) = (phenomenon_title(&facts), confidence(facts.iter().copied(), 0));
        let words = Some(&it.interpretation).filter(|words| !words.is_empty()).cloned();
        let mut node = result(graph, &it.id.to_string(), &by_agent, words, it.facts.clone(), Some(sure));
        if let Some(members) = node.as_object_mut() {
            members.insert("core:name".to_owned(), json!(title));
        }
        node
    }));
    nodes.extend(view.hypotheses.iter().map(|it| {
        let last = it.assessments.last();
        let weighed = last.map(|said| format!("{by_agent}; {}: {}", said.assessment, said.reason));
        let cited = last.into_iter().flat_map(|said| said.supporting.iter().chain(&said.contradicting));
        let own = it.proposed.hypothesis.to_string();
        let described = weighed.as_deref().unwrap_or(&by_agent);
        annotation(graph, &own, described, &it.proposed.statement, cited.copied())
    }));
    nodes.extend(view.entities.iter().map(|it| {
        let said = format!("{} {}", it.kind, it.name);
        annotation(
            graph,
            &it.entity.to_string(),
            &by_agent,
            &said,
            it.facts.iter().map(|id| NodeId::Fact(*id)),
        )
    }));
    nodes.extend(view.relations.iter().map(|it| {
        let said = format!("{} {} {}", it.from, it.kind, it.to);
        annotation(
            graph,
            &it.relation.to_string(),
            &by_agent,
            &said,
            it.facts.iter().map(|id| NodeId::Fact(*id)),
        )
    }));
    nodes.extend(view.stated().filter_map(|it| {
        let statement = &it.statement;
        let comment = statement.comment.as_deref()?;
        Some(annotation(
            graph,
            &statement.id.to_string(),
            &by_agent,
            comment,
            std::iter::once(statement.node),
        ))
    }));
    nodes.extend(graph.run.sentences().filter(|(of, _)| *of == task).map(|(_, it)| {
        let cites = it.sentence.cites.iter().copied();
        annotation(graph, &it.sentence.id.to_string(), &by_agent, &it.sentence.text, cites)
    }));
    nodes
}

/// Returns the status of each question of the case and the confidence in the answer; a question that an agent added itself has no confidence.
pub(super) fn of_questions(graph: &Graph<'_>) -> Vec<Value> {
    let questions = graph::questions(graph.run);
    let sure = graph::answer_confidences(graph.run, questions.iter().map(|it| it.stands.facts()));
    let answer = |(it, sure): (&Question<'_>, Option<Confidence>)| {
        let asked = match it.by {
            Asker::Agent => "asked by an agent of the run: code checked its condition alone",
            Asker::Standard | Asker::Owner | Asker::Unlisted => BY_CODE,
        };
        let own = format!("question/{}/{}", it.agent, it.objective.id);
        let statement = format!("{} {}", it.objective.question, it.stands.word());
        let sure = sure.filter(|_| it.is_of_case());
        result(graph, &own, asked, Some(statement.trim().to_owned()), it.stands.facts().to_vec(), sure)
    };
    questions.iter().zip(sure).map(answer).collect()
}

fn result(
    graph: &Graph<'_>,
    own: &str,
    described: &str,
    statement: Option<String>,
    facts: Vec<FactId>,
    sure: Option<Confidence>,
) -> Value {
    let node = graph.node(own);
    let mut members = json!({
        "core:description": [described],
        "core:externalReference": graph.external(&node, own),
    });
    if let Some(members) = members.as_object_mut() {
        members.extend(statement.map(|said| ("core:statement".to_owned(), json!([said]))));
        members.extend(sure.map(|sure| ("core:hasFacet".to_owned(), certainty(&node, sure))));
        let content: Vec<Value> = facts.into_iter().map(|fact| graph.observable(fact)).collect();
        if !content.is_empty() {
            members.insert("analysis:resultContent".to_owned(), json!(content));
        }
    }
    graph.new_node("analyticresult", "analysis:AnalyticResult", own, members)
}

/// Returns the confidence in hundredths: `core:confidence` is a whole number from 0 to 100.
fn certainty(node: &Node<'_>, sure: Confidence) -> Value {
    let hundredths = (sure.thousandths() / 10).to_string();
    let value = json!({"@type": "xsd:nonNegativeInteger", "@value": hundredths});
    node.part("core:ConfidenceFacet", json!({"core:confidence": value}))
}

fn assertion(graph: &Graph<'_>, own: &str, described: &str, statement: &str) -> Value {
    let members = json!({
        "core:description": [described],
        "core:statement": [statement],
        "core:externalReference": graph.external(&graph.node(own), own),
    });
    graph.new_node("assertion", "core:Assertion", own, members)
}

/// Returns an annotation of nodes of the graph, or a plain assertion if it concerns none.
fn annotation(
    graph: &Graph<'_>,
    own: &str,
    described: &str,
    statement: &str,
    about: impl Iterator<Item = NodeId>,
) -> Value {
    let mut node = assertion(graph, own, described, statement);
    let about: Vec<Value> = about.filter_map(|id| graph.of_node(id)).collect();
    if let (Some(members), false) = (node.as_object_mut(), about.is_empty()) {
        members.insert("@type".to_owned(), json!("core:Annotation"));
        members.insert("core:object".to_owned(), json!(about));
    }
    node
}
