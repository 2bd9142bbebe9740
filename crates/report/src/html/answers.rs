//! What the run was asked, and what it answers.

use super::narrative::rests_on_one;
use super::{Scene, fact_link, say};
use crate::synthesis::{Answered, answered};
use crate::text::status;
use graph::{Confidence, Level, Run, TaskView, answer_title};
use ledger::{FactId, NodeId, Objective, TaskId, Weight};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// Facts of an answer that are shown at once; the others can be unfolded.
const FIRST: usize = 5;

/// What is told first.
const GROUPS: [(Weight, &str); 3] = [
    (Weight::Finding, "What an examiner asks first"),
    (Weight::Activity, "What was done"),
    (Weight::Context, "What the computer is, and who uses it"),
];

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let run = scene.run;
    let sure = graph::objective_confidences(run);
    let counted = count(scene);
    html! {
        section #answers aria-labelledby="answers-title" {
            h2 #answers-title { "Answers" }
            p.key {
                @for (class, word, number) in counted {
                    span class=(format!("state {class}")) { (number) " " (word) } " "
                }
            }
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

/// How many objectives stand in which way, by the words that the list uses.
fn count(scene: &Scene<'_>) -> Vec<(&'static str, &'static str, usize)> {
    let mut counted: BTreeMap<usize, (&'static str, &'static str, usize)> = BTreeMap::new();
    for view in scene.run.tasks.values() {
        for (index, objective) in view.assigned.agent.objectives.iter().enumerate() {
            let (place, class, word) = word(answered(view, index, objective));
            counted.entry(place).or_insert((class, word, 0)).2 += 1;
        }
    }
    counted.into_values().collect()
}

/// The place in the order of states, the class of the style sheet, the word.
const fn word(answered: Answered<'_>) -> (usize, &'static str, &'static str) {
    match answered {
        Answered::Met(_) => (0, "met", "met"),
        Answered::Empty(_) => (1, "empty", "searched completely: nothing there"),
        Answered::Nothing => (2, "nothing", "nothing of the kind found"),
        Answered::Unmet => (3, "unmet", "unmet"),
        Answered::NotDeterminable(_) => (4, "unknown", "not determinable"),
        Answered::Unseen | Answered::Unended => (5, "unknown", "not examined"),
    }
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
    asked.sort_by_key(|it| word(answered(it.view, it.index, it.objective)).0);
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
    let (_, class, word) = word(answered);
    let sure = sure.get(&(it.task, it.objective.id.as_str())).copied();
    html! {
        li {
            span class=(format!("state {class}")) { (word) } " "
            strong { (say(&it.objective.question)) } " "
            span.tag { (say(&it.view.assigned.agent.name)) }
            @match answered {
                Answered::Met(facts) => { (met(scene, it.objective, facts, sure)) }
                Answered::Empty(searches) => {
                    p.by { "Searched by " @for search in searches { a href=(format!("#{search}")) { (search) } " " } }
                }
                Answered::NotDeterminable(needed) => {
                    @if !needed.is_empty() {
                        p.by { "It would need:" }
                        ul { @for needed in needed { li { (say(needed)) } } }
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
            details { summary { (rest.len()) " more" } (shown(rest)) }
        }
    }
}

/// From how many files the facts were read, and how sure the answer is, with all that other facts say of the same.
fn sources(scene: &Scene<'_>, facts: &[FactId], sure: Option<Confidence>) -> Markup {
    let read = facts.iter().filter_map(|id| scene.run.fact(*id)).map(|fact| &fact.locator);
    let files: BTreeSet<_> = read.map(|place| (&place.evidence, &place.path)).collect();
    let nodes: Vec<NodeId> = facts.iter().map(|id| NodeId::Fact(*id)).collect();
    html! {
        " "
        @match files.len() {
            1 if rests_on_one(scene, &nodes) => span.tag.one { "one source" },
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
