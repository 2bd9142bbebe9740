//! The phenomena, by the objective that they answer.

use super::{Scene, fact_link, say};
use graph::{FIRST, Ranked};
use ledger::Weight;
use maud::{Markup, html};

/// Phenomena of one group that are shown at once; the others can be unfolded.
const SHOWN: usize = 10;
/// Phenomena of one group that are listed at all: the facts of the others stand among the facts.
const LISTED: usize = 200;

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    html! {
        section #findings aria-labelledby="findings-title" {
            h2 #findings-title { "Findings" }
            p.note {
                "What matters most comes first, by rules that code applies: the objective that is answered, how many kinds of sources name the same thing, how rare such facts are in this run."
            }
            h3 { "The first " (scene.ranked.len().min(FIRST)) }
            ol.findings {
                @for number in 0..scene.ranked.len().min(FIRST) { (finding(scene, number)) }
            }
            h3 { "By objective" }
            @for (name, numbers) in by_objective(scene) { (group(scene, &name, &numbers, &html! {})) }
        }
    }
}

/// A link to a phenomenon, where it is shown, or else to its first fact.
pub(super) fn link(scene: &Scene<'_>, number: usize) -> Markup {
    let Some(ranked) = scene.ranked.get(number) else { return html! {} };
    let id = ranked.phenomenon.id;
    match number < FIRST {
        true => html! { a href=(format!("#{id}")) { (id) } },
        false => html! { code { (id) } },
    }
}

fn finding(scene: &Scene<'_>, number: usize) -> Markup {
    let Some(ranked) = scene.ranked.get(number) else { return html! {} };
    let phenomenon = ranked.phenomenon;
    let (first, rest) = phenomenon.facts.split_at(phenomenon.facts.len().min(1));
    html! {
        li id=(phenomenon.id) {
            @for id in first { (fact_link(scene.run, *id)) }
            span.tags { @for reason in reasons(scene, ranked) { span.tag { (say(&reason)) } } }
            @if !phenomenon.interpretation.is_empty() {
                p.words { "Interpretation: " (say(&phenomenon.interpretation)) }
            }
            @if !rest.is_empty() {
                details open[rest.len() < 3] {
                    summary { "and " (rest.len()) " more" }
                    ul.by { @for id in rest { li { (fact_link(scene.run, *id)) } } }
                }
            }
        }
    }
}

/// Why a phenomenon stands where it does.
fn reasons(scene: &Scene<'_>, ranked: &Ranked<'_>) -> Vec<String> {
    let mut reasons = Vec::new();
    if let Some(answered) = ranked.objective {
        reasons.push(format!("answers {}/{}", answered.agent, answered.id));
    }
    match ranked.corroborated_by.len() {
        0 if scene.corroborated.is_single_of(scene.run, &ranked.phenomenon.facts) => {
            reasons.push(crate::sources::ONE.to_owned());
        }
        0 => {}
        _ => {
            let kinds: Vec<_> = ranked.corroborated_by.iter().copied().collect();
            reasons.push(format!("named by {}, too", kinds.join(", ")));
        }
    }
    if ranked.linked_to.is_some() {
        reasons.push("names what another finding names".to_owned());
    }
    if ranked.close_to.is_some() {
        reasons.push("within half an hour of another finding".to_owned());
    }
    reasons
}

/// The objectives that are answered, the heaviest first, each with the numbers of its phenomena; last what answers none.
fn by_objective(scene: &Scene<'_>) -> Vec<(String, Vec<usize>)> {
    let mut groups: Vec<(Option<Weight>, String, Vec<usize>)> = Vec::new();
    for (number, ranked) in scene.ranked.iter().enumerate() {
        let (weight, name) = match ranked.objective {
            Some(it) => (Some(it.weight), question(scene, it.agent, it.id)),
            None => (None, "Besides what was asked".to_owned()),
        };
        match groups.iter_mut().find(|group| group.1 == name) {
            Some(group) => group.2.push(number),
            None => groups.push((weight, name, vec![number])),
        }
    }
    groups.sort_by_key(|(weight, ..)| std::cmp::Reverse(*weight));
    groups.into_iter().map(|(_, name, numbers)| (name, numbers)).collect()
}

fn question(scene: &Scene<'_>, agent: &str, id: &str) -> String {
    let agents = scene.run.tasks.values().map(|view| &view.assigned.agent).filter(|it| it.name == agent);
    let found = agents.flat_map(|agent| &agent.objectives).find(|objective| objective.id == id);
    found.map_or_else(|| format!("{agent}/{id}"), |objective| format!("{} ({agent})", objective.question))
}

/// A group of phenomena under its name, each by what it says, with what stands below them.
pub(super) fn group(scene: &Scene<'_>, name: &str, numbers: &[usize], below: &Markup) -> Markup {
    let line = |number: &usize| {
        let ranked = scene.ranked.get(*number);
        let first = ranked.and_then(|ranked| ranked.phenomenon.facts.first());
        html! {
            @if let (Some(ranked), Some(first)) = (ranked, first) {
                li { (fact_link(scene.run, *first)) @if ranked.phenomenon.facts.len() > 1 { " and " (ranked.phenomenon.facts.len() - 1) " more" } }
            }
        }
    };
    let (first, rest) = numbers.split_at(numbers.len().min(SHOWN));
    html! {
        details.group {
            summary { (say(name)) " " span.tag { (numbers.len()) } }
            ul { @for number in first { (line(number)) } }
            @if !rest.is_empty() {
                details {
                    summary { (rest.len()) " more" }
                    ul { @for number in rest.iter().take(LISTED) { (line(number)) } }
                    @if rest.len() > LISTED {
                        p.note { (rest.len() - LISTED) " more stand among the facts." }
                    }
                }
            }
            (below)
        }
    }
}
