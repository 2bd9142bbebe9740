//! What happened, in the order of time, each sentence with what it rests on.

use super::{Scene, fact_link, say};
use crate::synthesis::{narrative, title};
use graph::{Run, fact_title};
use ledger::{FactId, NodeId, SentenceEntry};
use maud::{Markup, html};

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let sentences = narrative(scene.run);
    html! {
        section #happened aria-labelledby="happened-title" {
            h2 #happened-title { "What happened" }
            @if sentences.is_empty() {
                p { "No narrative was told in this run. The " a href="#timeline" { "timeline" } " has the times of its facts." }
            } @else {
                p.note {
                    "The words are an agent’s. Every value that a sentence names stands in what it cites, and what it says was done, a cited fact says; "
                    "a time is that of a cited fact and of what it dates."
                }
                ol.told {
                    @for (_, sentence) in sentences { (told(scene, sentence)) }
                }
            }
        }
    }
}

fn told(scene: &Scene<'_>, sentence: &SentenceEntry) -> Markup {
    let single = rests_on_one(scene, &sentence.cites);
    html! {
        li id=(sentence.id) {
            @match &sentence.time {
                Some(time) => time { (say(&time.to_text())) },
                None => span.undated { "without a time" },
            }
            div {
                (say(&sentence.text))
                @if single { " " span.tag.one { "one source" } }
                div.by {
                    @if let Some(field) = &sentence.dated_by { "dated by " code { (say(field)) } "; " }
                    "rests on "
                    @for (number, id) in sentence.cites.iter().enumerate() {
                        @if number > 0 { ", " }
                        (place(scene.run, *id))
                    }
                }
            }
        }
    }
}

/// What is cited: a fact by its proof, anything else by where it stands on the page.
pub(super) fn cited(run: &Run, id: NodeId) -> Markup {
    match id {
        NodeId::Fact(fact) => fact_link(run, fact),
        other => html! { a href=(format!("#{other}")) { (say(&title(run, other))) } },
    }
}

/// What is cited, where the sentence has its words already: a fact by where it stands.
fn place(run: &Run, id: NodeId) -> Markup {
    let fact = match id {
        NodeId::Fact(id) => run.fact(id),
        _ => None,
    };
    let Some(fact) = fact else { return cited(run, id) };
    let place = format!("{} in {}:{}", fact.kind, fact.locator.evidence, fact.locator.path);
    html! { a href=(format!("#proof-{}", fact.id)) title=(fact_title(fact)) { (say(&place)) } }
}

/// Whether everything that is cited was read from one file, and no other kind of source names the same thing.
pub(super) fn rests_on_one(scene: &Scene<'_>, cites: &[NodeId]) -> bool {
    let facts = || cites.iter().flat_map(|id| facts_of(scene.run, *id));
    let ranked = |fact| scene.carried.get(&fact).and_then(|number| scene.ranked.get(*number));
    let corroborated = facts().filter_map(ranked).any(|ranked| !ranked.corroborated_by.is_empty());
    !corroborated && scene.run.files(facts()) == 1
}

fn facts_of(run: &Run, id: NodeId) -> Vec<FactId> {
    match id {
        NodeId::Fact(id) => vec![id],
        NodeId::Derivation(id) => {
            let found = run.derivations().find(|(_, derived)| derived.derivation.id == id);
            found.map(|(_, it)| it.derivation.derivation.facts()).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}
