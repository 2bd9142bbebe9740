//! What happened, in the order of time, each sentence with what it rests on.

use super::{Scene, fact_link, say};
use crate::sources::ONE;
use crate::synthesis::{moment, narrative, title};
use graph::{Ranked, Run, fact_title};
use ledger::{NodeId, SentenceEntry};
use maud::{Markup, html};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The sentences that are shown at once: those that rest on what matters most.
const FIRST: usize = 16;

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let sentences: Vec<_> = narrative(scene.run).into_iter().map(|(_, sentence)| sentence).collect();
    let (first, rest) = parted(scene, &sentences);
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
                ol.told { @for sentence in first { (told(scene, sentence)) } }
                @if !rest.is_empty() {
                    details {
                        summary { (rest.len()) " more sentences" }
                        ol.told { @for sentence in rest { (told(scene, sentence)) } }
                    }
                }
            }
        }
    }
}

/// The sentences that matter most and the others, both in the order of time.
///
/// Of the heaviest objectives each has its best sentence before one has its second: many alike say less than one of each kind.
fn parted<'r>(
    scene: &Scene<'_>,
    sentences: &[&'r SentenceEntry],
) -> (Vec<&'r SentenceEntry>, Vec<&'r SentenceEntry>) {
    let told: Vec<_> =
        sentences.iter().map(|sentence| (sentence.time.is_some(), best(scene, sentence))).collect();
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    let points = |place: &usize| told.get(*place).map(|(dated, best)| (*dated, best.map(|it| it.points)));
    order.sort_by_key(|place| Reverse(points(place)));
    let mut so_far = BTreeMap::new();
    let mut keyed: Vec<_> = order
        .into_iter()
        .filter_map(|place| {
            let (dated, best) = told.get(place)?;
            let objective = best.and_then(|it| it.objective);
            let before = so_far.entry(objective).and_modify(|count| *count += 1).or_insert(0);
            Some(((Reverse((*dated, objective.map(|it| it.weight))), *before), place))
        })
        .collect();
    keyed.sort_by_key(|(key, _)| *key);
    let first: Vec<usize> = keyed.into_iter().take(FIRST).map(|(_, place)| place).collect();
    let all = sentences.iter().copied().enumerate();
    let (first, rest): (Vec<_>, Vec<_>) = all.partition(|(place, _)| first.contains(place));
    let bare = |part: Vec<(usize, &'r SentenceEntry)>| part.into_iter().map(|(_, it)| it).collect();
    (bare(first), bare(rest))
}

/// The phenomenon with the most points of those that carry what a sentence cites.
fn best<'s>(scene: &'s Scene<'_>, sentence: &SentenceEntry) -> Option<&'s Ranked<'s>> {
    let facts = sentence.cites.iter().filter_map(|id| match id {
        NodeId::Fact(fact) => scene.carried.get(fact),
        _ => None,
    });
    facts.filter_map(|number| scene.ranked.get(*number)).max_by_key(|ranked| ranked.points)
}

fn told(scene: &Scene<'_>, sentence: &SentenceEntry) -> Markup {
    let single = scene.corroborated.is_single(scene.run, sentence.cites.iter().copied());
    html! {
        li id=(sentence.id) {
            @match moment(sentence) {
                Some(time) => time { (say(&time)) },
                None => span.undated { "without a time" },
            }
            div {
                (say(&sentence.text))
                @if single { " " span.tag.one { (ONE) } }
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
