//! The questions of the run and their answers.

use super::{Scene, fact_link, say};
use crate::reach;
use crate::sources::ONE;
use crate::standing::{Standing, needs, remarks, standing, unsearched};
use crate::text::ended;
use graph::{Confidence, Level, Question, Stands, TaskView, answer_title, value_text};
use ledger::{FactId, InvocationId, Objective, TaskId, Weight};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// The number of an answer's facts that are shown at once; the others can be unfolded.
pub(super) const FIRST: usize = 5;
/// The number of calls that are listed for a partly searched question.
const SHOWN_CALLS: usize = 8;
/// The maximum number of facts that can be unfolded; the others are in the list of facts.
const LISTED: usize = 200;

/// The groups of questions, in display order.
const GROUPS: [(Weight, &str); 3] = [
    (Weight::Finding, "What an examiner asks first"),
    (Weight::Activity, "What was done"),
    (Weight::Context, "What the computer is, and who uses it"),
];

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let run = scene.run;
    let sure = graph::answer_confidences(run, scene.questions.iter().map(|it| it.stands.facts()));
    let mut all: Vec<_> = scene.questions.iter().zip(sure).collect();
    all.sort_by_key(|(it, _)| standing(&it.stands).place);
    let (asked, own): (Vec<_>, Vec<_>) = all.into_iter().partition(|(it, _)| it.is_of_case());
    html! {
        section #answers aria-labelledby="answers-title" {
            h2 #answers-title { "Answers" }
            @for (weight, title) in GROUPS {
                @let asked = asked.iter().filter(|(it, _)| it.objective.weight == weight).collect::<Vec<_>>();
                @if !asked.is_empty() {
                    h3 { (title) }
                    ul.answers { @for (it, sure) in &asked { (answer(scene, it, *sure)) } }
                }
            }
            @if !own.is_empty() {
                h3 { "Questions that agents added" }
                p.note { "An agent of the run added these questions. Code checked that a fact meets the condition; nobody checked that the condition fits the question." }
                ul.answers { @for (it, _) in &own { (answer(scene, it, None)) } }
            }
            @if crate::limits::is_unlisted(run) {
                p.note { "This run does not list the questions of its case, so those assigned to no agent are not shown." }
            }
            h3 { "Who answered" }
            ul { @for (task, view) in &run.tasks { (agent(*task, view, &scene.questions)) } }
        }
    }
}

/// Renders how the run's questions were answered, in two lines for the top of the page.
pub(super) fn in_short(scene: &Scene<'_>) -> Markup {
    html! {
        p.key {
            a href="#answers" { "Answers" } ": "
            @for (it, number) in count(scene) {
                span class=(format!("state {}", it.class)) title=(it.meaning) { (number) " " (it.word) } " "
            }
        }
        p.note {
            (scene.corroborated.line(scene.run, &scene.questions, &scene.told, &scene.ranked)) ". Limits: "
            a href="#limits" { (scene.limits.line()) } "."
        }
    }
}

/// Counts the questions by status.
fn count(scene: &Scene<'_>) -> Vec<(Standing, usize)> {
    let mut counted: BTreeMap<usize, (Standing, usize)> = BTreeMap::new();
    for question in scene.questions.iter().filter(|it| it.is_of_case()) {
        let it = standing(&question.stands);
        counted.entry(it.place).or_insert((it, 0)).1 += 1;
    }
    counted.into_values().collect()
}

fn agent(task: TaskId, view: &TaskView, questions: &[Question<'_>]) -> Markup {
    let ended = ended(view, questions);
    html! {
        li {
            (say(&view.assigned.agent.name)) " (" (say(&view.assigned.model)) "), " (task) ": " (ended)
            @if let Some(failed) = &view.failed { ". " span.bad { (say(&failed.reason)) } }
        }
    }
}

fn answer(scene: &Scene<'_>, it: &Question<'_>, sure: Option<Confidence>) -> Markup {
    let stands = standing(&it.stands);
    html! {
        li {
            span class=(format!("state {}", stands.class)) title=(stands.meaning) { (stands.word) } " "
            strong { (say(&it.objective.question)) } " "
            span.tag { (say(it.agent)) }
            @for remark in remarks(it) { " " span.tag { (say(&remark)) } }
            @match &it.stands {
                Stands::Answered(facts) => { (met(scene, it.objective, facts, sure)) }
                Stands::Searched { searches, lacking } => {
                    (calls("Searched by ", searches.iter().copied()))
                    @if !lacking.is_empty() { p.by { (say(&unsearched(it.objective, lacking))) } }
                    @for (log, line) in reach::logs(scene.run, it.objective) {
                        p.by {
                            a href=(format!("#proof-{}", log.id)) { (say(&line)) }
                            ": it does not cover other times."
                        }
                    }
                }
                Stands::CannotBeTold(needed) => {
                    @let (lacking, unread) = needs(it.objective, needed);
                    @if !lacking.is_empty() {
                        p.by { "Needs " @for (number, kind) in lacking.iter().enumerate() { @if number > 0 { " or " } (say(kind)) } }
                    }
                    @if !unread.is_empty() {
                        p.by { "Could not read:" }
                        ul.by { @for reason in unread { li { (say(reason)) } } }
                    }
                }
                Stands::Seen { records, number } => {
                    @let by: BTreeSet<InvocationId> = records.iter().map(|seen| seen.invocation).collect();
                    (calls(&format!("{number} records that would answer it were returned by "), by))
                }
                Stands::Partly { calls: made, missing } => {
                    (calls("Looked at by ", made.iter().copied().take(SHOWN_CALLS)))
                    @if !missing.is_empty() {
                        p.by { "Not searched, or not read:" }
                        ul.by { @for line in missing { li { (say(line)) } } }
                    }
                }
                Stands::NotAsked => {}
            }
        }
    }
}

/// Renders links to calls.
fn calls(what: &str, calls: impl IntoIterator<Item = InvocationId>) -> Markup {
    html! {
        p.by { (what) @for call in calls { a href=(format!("#{call}")) { (call) } " " } }
    }
}

fn met(scene: &Scene<'_>, objective: &Objective, facts: &[FactId], sure: Option<Confidence>) -> Markup {
    let shown = |facts: &[FactId]| {
        html! {
            ul.by.met {
                @for id in facts {
                    @if let Some(fact) = scene.run.fact(*id) {
                        li {
                            a href=(format!("#proof-{id}")) { (answer_title(fact, objective)) }
                            " " small { (value_text(&format!("{}:{}", fact.locator.evidence, fact.locator.path))) }
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
                    p.note { (rest.len() - LISTED) " more are among the facts." }
                }
            }
        }
    }
}

/// Renders the number of files the facts were read from, and the confidence in the answer, which also uses other facts about the same thing.
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
