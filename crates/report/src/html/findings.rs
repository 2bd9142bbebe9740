//! The phenomena, by the objective that they answer.

use super::foremost::mark;
use super::{Scene, fact_link, say, words};
use crate::weight::reasons;
use graph::FIRST;
use ledger::Weight;
use maud::{Markup, html};

/// A finding with at most this many facts after its first one shows them unfolded.
pub(super) const OPEN: usize = 2;
/// The number of phenomena in a group that are shown at once; the others can be unfolded.
const SHOWN: usize = 10;
/// The maximum number of phenomena listed in a group; the facts of the others are in the list of facts.
const LISTED: usize = 200;

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    html! {
        section #findings aria-labelledby="findings-title" {
            h2 #findings-title { "Findings" }
            p.note {
                (words::word("Findings", "finding")) " that stand out most come first. Code ranks them by the rules that their facts match, the objective they answer, how many kinds of sources name the same thing, and how rare such facts are in this run."
            }
            @if scene.ranked.is_empty() {
                p { "No fact was recorded." }
            } @else {
                (only_one(scene))
                h3 { "The first " (scene.ranked.len().min(FIRST)) }
                ol.findings {
                    @for number in 0..scene.ranked.len().min(FIRST) { (finding(scene, number)) }
                }
                h3 { "By objective" }
                @for (name, numbers) in by_objective(scene) {
                    (group(&name, "finding", numbers.len(), &|place| in_short(scene, numbers.get(place).copied()), &html! {}))
                }
            }
        }
    }
}

/// Renders a filter for findings with a single source. It works by style sheet, so it needs no script.
fn only_one(scene: &Scene<'_>) -> Markup {
    let one = (0..scene.ranked.len()).filter(|number| of_one_source(scene, *number)).count();
    html! {
        p {
            label.check {
                input #only-one type="checkbox" autocomplete="off";
                "one source only: " (one) " of " (scene.ranked.len()) " findings"
            }
        }
    }
}

fn of_one_source(scene: &Scene<'_>, number: usize) -> bool {
    let facts = scene.ranked.get(number).map_or(&[][..], |ranked| &ranked.facts);
    scene.corroborated.is_single_of(scene.run, facts)
}

/// Renders a link to a phenomenon if it is shown, or to its first fact otherwise.
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
    let (first, rest) = ranked.facts.split_at(ranked.facts.len().min(1));
    let one = of_one_source(scene, number);
    html! {
        li.one[one] id=(phenomenon.id) {
            @for id in first { (fact_link(scene.run, *id)) }
            span.tags {
                @if one { span.tag.one { (words::one_source()) } " " }
                (mark(ranked.rank.level.name())) " "
                @for reason in reasons(scene.run, ranked) { span.tag { (say(&reason)) } " " }
            }
            @if !phenomenon.interpretation.is_empty() {
                p.words { "Interpretation: " (say(&phenomenon.interpretation)) }
            }
            @if !rest.is_empty() {
                details open[rest.len() <= OPEN] {
                    summary { "and " (rest.len()) " more" }
                    ul.by { @for id in rest { li { (fact_link(scene.run, *id)) } } }
                }
            }
        }
    }
}

/// Groups the phenomena by answered objective, heaviest first, with their numbers; those that answer none come last.
fn by_objective(scene: &Scene<'_>) -> Vec<(String, Vec<usize>)> {
    let mut groups: Vec<(Option<Weight>, String, Vec<usize>)> = Vec::new();
    for (number, ranked) in scene.ranked.iter().enumerate() {
        let (weight, name) = match ranked.rank.objective {
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

/// Renders a phenomenon by its first fact.
fn in_short(scene: &Scene<'_>, number: Option<usize>) -> Markup {
    let Some(number) = number else { return html! {} };
    let facts = scene.ranked.get(number).map_or(&[][..], |ranked| &ranked.facts);
    html! {
        @if let Some(first) = facts.first() {
            li.one[of_one_source(scene, number)] {
                (fact_link(scene.run, *first)) @if facts.len() > 1 { " and " (facts.len() - 1) " more" }
            }
        }
    }
}

/// Renders a group under its name: this many lines of one kind, the first ones visible at once, followed by further content.
pub(super) fn group(
    name: &str,
    of: &str,
    lines: usize,
    line: &dyn Fn(usize) -> Markup,
    below: &Markup,
) -> Markup {
    let listed = lines.min(SHOWN + LISTED);
    html! {
        details.group {
            summary { (say(name)) " " span.tag { (lines) " " (of) @if lines != 1 { "s" } } }
            ul { @for place in 0..lines.min(SHOWN) { (line(place)) } }
            @if lines > SHOWN {
                details {
                    summary { (lines - SHOWN) " more" }
                    ul { @for place in SHOWN..listed { (line(place)) } }
                    @if lines > listed {
                        p.note { (lines - listed) " more are among the facts." }
                    }
                }
            }
            (below)
        }
    }
}
