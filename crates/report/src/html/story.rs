//! What happened, host by host in chronological order: each statement with what it is based on, and next to it the agents' comments.

use super::attack_path;
use super::{Scene, fact_link, say};
use crate::sources::ONE;
use crate::story::{Group, Line, OfHost, READING, Remark, arranged};
use crate::synthesis::title;
use detect::Level;
use graph::{Run, fact_title};
use ledger::{Chapter, NodeId, Weight};
use maud::{Markup, html};
use phrases::{Phrase, Piece};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The number of lines shown at once in a longer story; those that stand out least are folded.
const SHOWN: usize = 60;

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let lines = &scene.told;
    html! {
        section #happened aria-labelledby="happened-title" {
            h2 #happened-title { "What happened" }
            @if lines.is_empty() {
                p { "This run has no story. The " a href="#timeline" { "timeline" } " has the times of its facts." }
            } @else {
                p.note {
                    "Agents chose the facts; code wrote the sentences, each from one fact or from a derivation. "
                    "The time is the fact’s, and the text says what it dates. Facts of one kind share a line; its number counts the records behind the statements below it. "
                    "An agent’s comment is shown beside it in a box, as " em { (READING) } ". "
                    "A " strong { "bar" } " marks what " a href="#foremost" { "stands out" } "."
                }
                (attack_path::figure(scene))
                (hosts(scene))
                @let (untold, all) = untold(scene, lines);
                @if untold > 0 {
                    p.note {
                        "It is a choice: of " (all) " facts that answer what an examiner asks first, no statement tells " (untold)
                        ". They stand under " a href="#answers" { "Answers" } "."
                    }
                }
            }
        }
    }
}

fn hosts(scene: &Scene<'_>) -> Markup {
    let hosts = arranged(scene.run, &scene.told);
    let shown = shown(scene, &hosts);
    html! {
        @for of in &hosts {
            @if let Some(host) = &of.host { h3 { (say(host)) } }
            @for episode in &of.episodes {
                @let (open, folded): (Vec<_>, Vec<_>) = episode.groups.iter().partition(|it| it.members.first().is_some_and(|it| shown.contains(it)));
                @if let Some(heading) = &episode.heading { h4.episode { (said(heading)) } }
                (list(scene, &open))
                @if !folded.is_empty() {
                    details { summary { (folded.len()) @if folded.len() == 1 { " more line that stands" } @else { " more lines that stand" } " out less" } (list(scene, &folded)) }
                }
            }
            @if !of.machine.is_empty() {
                details.machine {
                    summary { (Chapter::Machine.title()) ": " (of.machine.iter().map(|it| it.members.len()).sum::<usize>()) " statements of what any computer has or how it is set up" }
                    (list(scene, &of.machine.iter().collect::<Vec<_>>()))
                }
            }
        }
    }
}

/// Returns the first statements of the groups that are shown at once, chosen by how much they stand out.
fn shown(scene: &Scene<'_>, hosts: &[OfHost]) -> BTreeSet<usize> {
    let groups = hosts.iter().flat_map(|of| &of.episodes).flat_map(|it| &it.groups);
    let level = |group: &Group| {
        let levels = group.members.iter().filter_map(|it| scene.told.get(*it));
        levels.map(|line| line.weighed.level).max()
    };
    let mut all: Vec<_> = groups.filter_map(|it| Some((Reverse(level(it)), *it.members.first()?))).collect();
    all.sort_unstable();
    all.into_iter().take(SHOWN).map(|(_, first)| first).collect()
}

fn list(scene: &Scene<'_>, groups: &[&Group]) -> Markup {
    let lines = |group: &Group| -> Vec<&Line<'_>> {
        group.members.iter().filter_map(|it| scene.told.get(*it)).collect()
    };
    html! {
        @if !groups.is_empty() {
            ol.told {
                @for group in groups {
                    @match &group.heading {
                        None => @for line in lines(group) { (told(scene, line)) },
                        Some(heading) => {
                            li.several.heavy[lines(group).iter().any(|line| stands_out(line))] {
                                span.undated {}
                                details { summary { (said(heading)) } ol.told { @for line in lines(group) { (told(scene, line)) } } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn stands_out(line: &Line<'_>) -> bool {
    line.weighed.level >= Level::Medium
}

/// Counts the facts that answer the heaviest objectives but are in no statement, and all such facts.
fn untold(scene: &Scene<'_>, lines: &[Line<'_>]) -> (usize, usize) {
    let mut answering: BTreeSet<NodeId> = BTreeSet::new();
    for question in scene.questions.iter().filter(|it| it.objective.weight == Weight::Finding) {
        answering.extend(question.stands.facts().iter().copied().map(NodeId::Fact));
    }
    let told: BTreeSet<NodeId> = lines.iter().map(|line| line.statement.node).collect();
    (answering.difference(&told).count(), answering.len())
}

fn told(scene: &Scene<'_>, line: &Line<'_>) -> Markup {
    let (statement, is_marked) = (&line.statement, stands_out(line));
    let single = scene.corroborated.is_single(scene.run, [statement.node]);
    html! {
        li.heavy[is_marked] id=(statement.id) {
            @match line.moment() {
                Some(time) => time { (say(&time)) },
                None => span.undated { "without a time" },
            }
            div {
                @if is_marked { span.hidden { "Stands out: " } }
                (said(&line.words))
                " " span.tag { (statement.chapter.title()) }
                @if single { " " span.tag.one { (ONE) } }
                @if let Some(step) = statement.twice {
                    " " a.tag href=(format!("#proof-{step}")) title="A log continues with earlier times over this time: the clock was set back, or records came late." { "order not certain" }
                }
                div.by {
                    @if let Some(field) = line.dated_by() { "dated by " code { (say(field)) } "; " }
                    "based on " (place(scene.run, statement.node))
                    @if let Some((between, zone)) = line.zoned() {
                        "; " (between) " by the " a href=(format!("#proof-{zone}")) { "time zone of its host" }
                    }
                    "; chosen by " (say(&line.tellers(scene.run)))
                }
                @for remark in &line.remarks { (reading(remark)) }
            }
        }
    }
}

/// Renders a sentence that code wrote, with the values from the evidence set apart.
fn said(phrase: &Phrase) -> Markup {
    html! {
        @for piece in &phrase.pieces {
            @match piece {
                Piece::Words(text) => (say(text)),
                Piece::Value { text, .. } => b.value { (say(text)) },
                Piece::Told { value, text, .. } => b.value title=(say(value)) { (say(text)) },
                Piece::Computed { text } => b.value title="worked out by code" { (say(text)) },
            }
        }
    }
}

/// Renders an agent's comment, kept apart from what happened. Each value in it is marked by whether the statements contain it.
fn reading(remark: &Remark<'_>) -> Markup {
    html! {
        aside.reading {
            span.head { (READING) " (" (say(remark.agent)) ", " (remark.task) ")" }
            " "
            @for piece in &remark.pieces {
                @match piece.stands {
                    None => (say(&piece.text)),
                    Some(true) => span.stands title="This value stands in what is told." { (say(&piece.text)) },
                    Some(false) => { span.stray title="This value does not stand in what is told." { (say(&piece.text)) } span.not { " [not found]" } },
                }
            }
        }
    }
}

/// Renders a cited node: a fact with a link to its proof, anything else with a link to its place on the page.
pub(super) fn cited(run: &Run, id: NodeId) -> Markup {
    match id {
        NodeId::Fact(fact) => fact_link(run, fact),
        other => html! { a href=(format!("#{other}")) { (say(&title(run, other))) } },
    }
}

/// Renders a link for a statement whose words are already shown: a fact is linked by its place in the evidence.
fn place(run: &Run, id: NodeId) -> Markup {
    let fact = match id {
        NodeId::Fact(id) => run.fact(id),
        _ => None,
    };
    let Some(fact) = fact else { return cited(run, id) };
    let place = format!("{} in {}:{}", fact.kind, fact.locator.evidence, fact.locator.path);
    html! { a href=(format!("#proof-{}", fact.id)) title=(fact_title(fact)) { (say(&place)) } }
}
