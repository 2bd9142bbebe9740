//! Hypotheses with what supports and contradicts them, and the other nodes that are based on facts: absences, derivations, entities, relations.

use super::story::cited;
use super::{Scene, fact_link, say};
use crate::nodes;
use graph::{HypothesisView, Run, derivation_title, is_telling, standing};
use ledger::NodeId;
use maud::{Markup, html};

/// The number of an entity's facts that are listed.
const LISTED: usize = 20;

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let run = scene.run;
    html! {
        section #hypotheses aria-labelledby="hypotheses-title" {
            h2 #hypotheses-title { "Hypotheses" }
            @if nodes::hypotheses(run).next().is_none() {
                p { "No hypothesis was proposed in this run." }
            } @else {
                p.note { "An agent’s own words, with what it cites for and against each hypothesis; code counts the sources behind each side, and counts nothing that many computers have (ordinary or low)." }
            }
            @for hypothesis in nodes::hypotheses(run) { (one(run, hypothesis)) }
            (absences(run))
            (derivations(run))
            (entities(run))
        }
    }
}

fn one(run: &Run, hypothesis: &HypothesisView) -> Markup {
    let last = hypothesis.assessments.last();
    let reason = last.map_or("", |last| last.reason.as_str());
    html! {
        article.hypothesis id=(hypothesis.proposed.hypothesis) {
            h3 { (say(&hypothesis.proposed.statement)) }
            p { span.tag { (nodes::stands(standing(run, hypothesis))) } @if !reason.is_empty() { " " (say(reason)) } }
            @for line in nodes::test_of(run, hypothesis) { p.note { (say(&line)) } }
            @if let Some(last) = last {
                @let (telling, ordinary) = parted(run, &last.supporting);
                div.sides {
                    (side(run, "For it", &telling))
                    (side(run, "Against it", &last.contradicting))
                }
                @if !ordinary.is_empty() { (side(run, "Ordinary or low, not counted", &ordinary)) }
            }
        }
    }
}

/// Splits nodes into those that distinguish this computer from an untouched one, and the rest.
fn parted(run: &Run, nodes: &[NodeId]) -> (Vec<NodeId>, Vec<NodeId>) {
    nodes.iter().partition(|node| is_telling(run, **node))
}

fn side(run: &Run, title: &str, nodes: &[NodeId]) -> Markup {
    html! {
        details open[nodes.len() <= LISTED] {
            summary { (title) " " span.tag { (nodes.len()) } }
            ul { @for id in nodes { li { (cited(run, *id)) } } }
            @if nodes.is_empty() { p.note { "Nothing was cited." } }
        }
    }
}

fn absences(run: &Run) -> Markup {
    html! {
        @if run.absences().next().is_some() {
            h3 { "Absences" }
            p.note { "Each is based on a complete search that found nothing; the call says what it covered." }
            @if run.absences().any(|(_, covered)| covered.absence.absence.is_as_it_stands()) {
                p.note { (nodes::OF_ITS_FILE) }
            }
            ul {
                @for (_, covered) in run.absences() {
                    li id=(covered.absence.id) {
                        (say(&covered.absence.absence.to_string())) ", searched by "
                        @for search in &covered.absence.searches { a href=(format!("#{search}")) { (search) } " " }
                    }
                }
            }
        }
    }
}

fn derivations(run: &Run) -> Markup {
    html! {
        @if run.derivations().next().is_some() {
            h3 { "Derivations" }
            p.note { "Code checked each one against the facts that it cites." }
            ul {
                @for (_, derived) in run.derivations() {
                    li id=(derived.derivation.id) {
                        (say(&derivation_title(&derived.derivation.derivation, |id| run.fact(id)))) ": "
                        @for fact in derived.derivation.derivation.facts() { (fact_link(run, fact)) " " }
                        @for listed in &derived.derivation.clocks { "by the clock steps that " (listed) " lists " }
                    }
                }
            }
        }
    }
}

fn entities(run: &Run) -> Markup {
    let entities = nodes::entities(run);
    html! {
        @if !entities.is_empty() {
            h3 { "What the facts name" }
            ul {
                @for ((kind, name), facts) in &entities {
                    li {
                        (kind.name()) " " code { (say(name)) } ": "
                        @for fact in facts.iter().take(LISTED) { (fact_link(run, *fact)) " " }
                        @if facts.len() > LISTED { "and " (facts.len() - LISTED) " more" }
                    }
                }
                @for relation in nodes::relations(run) {
                    li id=(relation.relation) {
                        (say(&nodes::end(run, relation.from))) " " (relation.kind.name()) " " (say(&nodes::end(run, relation.to)))
                        " (interpretation)"
                    }
                }
            }
        }
    }
}
