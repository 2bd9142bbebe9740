//! What the run was asked, and what it answers.

use super::{Scene, fact_link, say};
use crate::reach;
use crate::sources::ONE;
use crate::standing::{Standing, needs, standing};
use crate::synthesis::{Answered, answered};
use crate::text::status;
use graph::{Confidence, Level, Run, TaskView, answer_title};
use ledger::{FactId, Objective, TaskId, Weight};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// Facts of an answer that are shown at once; the others can be unfolded.
pub(super) const FIRST: usize = 5;
/// Those that can be unfolded at most: the others stand among the facts.
const LISTED: usize = 200;

/// What is told first.
const GROUPS: [(Weight, &str); 3] = [
    (Weight::Finding, "What an examiner asks first"),
    (Weight::Activity, "What was done"),
    (Weight::Context, "What the computer is, and who uses it"),
];

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let run = scene.run;
    let sure = graph::objective_confidences(run);
    html! {
        section #answers aria-labelledby="answers-title" {
            h2 #answers-title { "Answers" }
            @for (weight, title) in GROUPS {
                @let asked = asked(run, weight);
                @if !asked.is_empty() {
                    h3 { (title) }
                    ul.answers { @for it in &asked { (answer(scene, it, &sure)) } }
                }
            }
            h3 { "Who answered" }
            ul { @for (task, view) in &run.tasks { (agent(*task, view)) } }
        }
    }
}

/// How the run's questions are answered, in two lines for the top of the page.
pub(super) fn in_short(scene: &Scene<'_>) -> Markup {
    html! {
        p.key {
            a href="#answers" { "Answers" } ": "
            @for (it, number) in count(scene) {
                span class=(format!("state {}", it.class)) title=(it.meaning) { (number) " " (it.word) } " "
            }
        }
        p.note {
            (scene.corroborated.line(scene.run, &scene.told, &scene.ranked)) ". Not told: "
            a href="#limits" { (scene.limits.line()) } "."
        }
    }
}

/// How many objectives stand in which way.
fn count(scene: &Scene<'_>) -> Vec<(Standing, usize)> {
    let mut counted: BTreeMap<usize, (Standing, usize)> = BTreeMap::new();
    for view in scene.run.tasks.values() {
        for (index, objective) in view.assigned.agent.objectives.iter().enumerate() {
            let it = standing(answered(view, index, objective));
            counted.entry(it.place).or_insert((it, 0)).1 += 1;
        }
    }
    counted.into_values().collect()
}

/// An objective of a task.
struct Asked<'r> {
    task: TaskId,
    view: &'r TaskView,
    /// Its number among the agent's.
    index: usize,
    objective: &'r Objective,
}

/// The objectives of this weight, those with an answer first.
fn asked(run: &Run, weight: Weight) -> Vec<Asked<'_>> {
    let mut asked = Vec::new();
    for (task, view) in &run.tasks {
        for (index, objective) in view.assigned.agent.objectives.iter().enumerate() {
            if objective.weight == weight {
                asked.push(Asked { task: *task, view, index, objective });
            }
        }
    }
    asked.sort_by_key(|it| standing(answered(it.view, it.index, it.objective)).place);
    asked
}

fn agent(task: TaskId, view: &TaskView) -> Markup {
    let ended = view.ended.as_ref().map_or("did not end", |ended| status(ended.status));
    html! {
        li {
            (say(&view.assigned.agent.name)) " (" (say(&view.assigned.model)) "), " (task) ": " (ended)
            @if let Some(failed) = &view.failed { ". " span.bad { (say(&failed.reason)) } }
        }
    }
}

fn answer(scene: &Scene<'_>, it: &Asked<'_>, sure: &BTreeMap<(TaskId, &str), Confidence>) -> Markup {
    let answered = answered(it.view, it.index, it.objective);
    let stands = standing(answered);
    let sure = sure.get(&(it.task, it.objective.id.as_str())).copied();
    html! {
        li {
            span class=(format!("state {}", stands.class)) title=(stands.meaning) { (stands.word) } " "
            strong { (say(&it.objective.question)) } " "
            span.tag { (say(&it.view.assigned.agent.name)) }
            @match answered {
                Answered::Met(facts) => { (met(scene, it.objective, facts, sure)) }
                Answered::Empty(searches) => {
                    p.by { "Searched by " @for search in searches { a href=(format!("#{search}")) { (search) } " " } }
                    @for (log, line) in reach::logs(scene.run, it.objective) {
                        p.by {
                            a href=(format!("#proof-{}", log.id)) { (say(&line)) }
                            ": of other times it says nothing."
                        }
                    }
                }
                Answered::NotDeterminable(needed) => {
                    @let (lacking, unread) = needs(it.objective, needed);
                    @if !lacking.is_empty() {
                        p.by { "Needs " @for (number, kind) in lacking.iter().enumerate() { @if number > 0 { " or " } (say(kind)) } }
                    }
                    @if !unread.is_empty() {
                        p.by { "Could not read:" }
                        ul.by { @for reason in unread { li { (say(reason)) } } }
                    }
                }
                Answered::Nothing | Answered::Unmet | Answered::Unseen | Answered::Unended => {}
            }
        }
    }
}

fn met(scene: &Scene<'_>, objective: &Objective, facts: &[FactId], sure: Option<Confidence>) -> Markup {
    let shown = |facts: &[FactId]| {
        html! {
            ul.by {
                @for id in facts {
                    @if let Some(fact) = scene.run.fact(*id) {
                        li {
                            a href=(format!("#proof-{id}")) { (answer_title(fact, &objective.condition)) }
                            " " small { (say(&format!("{}:{}", fact.locator.evidence, fact.locator.path))) }
                        }
                    } @else {
                        li { (fact_link(scene.run, *id)) }
                    }
                }
            }
        }
    };
    let (first, rest) = facts.split_at(facts.len().min(FIRST));
    html! {
        (sources(scene, facts, sure))
        (shown(first))
        @if !rest.is_empty() {
            details {
                summary { (rest.len()) " more" }
                (shown(rest.get(..LISTED).unwrap_or(rest)))
                @if rest.len() > LISTED {
                    p.note { (rest.len() - LISTED) " more stand among the facts." }
                }
            }
        }
    }
}

/// From how many files the facts were read, and how sure the answer is, with all that other facts say of the same.
fn sources(scene: &Scene<'_>, facts: &[FactId], sure: Option<Confidence>) -> Markup {
    let read = facts.iter().filter_map(|id| scene.run.fact(*id)).map(|fact| &fact.locator);
    let files: BTreeSet<_> = read.map(|place| (&place.evidence, &place.path)).collect();
    html! {
        " "
        @match files.len() {
            _ if scene.corroborated.is_single_of(scene.run, facts) => span.tag.one { (ONE) },
            1 => span.tag { "one file, other sources name the same" },
            number => span.tag { (number) " files" },
        }
        @if let Some(sure) = sure {
            " " span class=(format!("tag {}", class(sure.level()))) { "confidence " (sure) }
        }
    }
}

const fn class(level: Level) -> &'static str {
    match level {
        Level::None | Level::Low => "low",
        Level::Moderate => "moderate",
        Level::High | Level::VeryHigh => "high",
    }
}
