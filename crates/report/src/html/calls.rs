//! Every tool call, and the cost of the run: time, turns, tokens, money.

use super::{Scene, say};
use crate::costs::costs;
use crate::text::{outcome, status};
use graph::{InvocationView, Run, TaskView};
use ledger::{Completeness, FactId, InvocationId, TaskId};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The maximum length of a call's arguments, in characters.
const LONGEST: usize = 600;
/// The number of a call's facts that are shown with their titles.
const TITLED: usize = 5;
/// The number of further facts that are shown by id.
const NAMED: usize = 20;

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let run = scene.run;
    html! {
        section #calls aria-labelledby="calls-title" {
            h2 #calls-title { "Tool calls and cost" }
            (tasks(run))
            @for line in costs(run).lines() { p { (say(line)) } }
            h3 { "By tool" }
            @if run.tasks.values().all(|view| view.invocations.is_empty()) {
                p { "No tool was called." }
            } @else {
                (by_tool(run))
                h3 { "Each call" }
            }
            @for (task, view) in &run.tasks {
                @if !view.invocations.is_empty() { (of_task(run, *task, view)) }
            }
        }
    }
}

fn tasks(run: &Run) -> Markup {
    if run.tasks.is_empty() {
        return html! { p { "No task was assigned." } };
    }
    html! {
        div.scroll {
            table {
                thead { tr { th { "task" } th { "agent" } th { "model" } th { "assigned by" } th.number { "turns" } th.number { "calls" } th.number { "answered from the log" } th.number { "facts" } th.number { "alternatives tried" } th { "ended" } } }
                tbody {
                    @for (task, view) in &run.tasks {
                        tr id=(task) {
                            th scope="row" { (task) }
                            td { (say(&view.assigned.agent.name)) }
                            td { (say(&view.assigned.model)) }
                            td { @if let Some(dispatch) = &view.assigned.dispatch { (dispatch.by) ", turn " (dispatch.turn) } }
                            td.number { (view.turns) }
                            td.number { (view.invocations.len()) }
                            td.number { (view.served) }
                            td.number { (view.accepted().count()) }
                            td.number { (view.recoveries.len()) }
                            td { (view.ended.as_ref().map_or("did not end", |ended| status(ended.status))) }
                        }
                    }
                }
            }
        }
    }
}

#[derive(Default)]
struct Used {
    calls: u32,
    failed: u32,
    records: u64,
    facts: usize,
    microseconds: u64,
}

fn by_tool(run: &Run) -> Markup {
    let mut used: BTreeMap<&str, Used> = BTreeMap::new();
    for made in run.tasks.values().flat_map(|view| &view.invocations) {
        let tool = used.entry(&made.started.tool).or_default();
        tool.calls += 1;
        if let Some(ended) = &made.ended {
            tool.failed += u32::from(ended.outcome.is_failure());
            tool.records += u64::from(ended.records);
        }
        tool.facts += run.graph.grounded_in(made.started.invocation).len();
        tool.microseconds += made.cost.as_ref().map_or(0, |cost| cost.wall_microseconds);
    }
    html! {
        div.scroll {
            table.numbers {
                thead { tr { th { "tool" } th { "calls" } th { "failed" } th { "records" } th { "facts" } th { "seconds" } } }
                tbody {
                    @for (tool, used) in &used {
                        tr {
                            th scope="row" { code { (say(tool)) } }
                            td.number { (used.calls) } td.number { (used.failed) } td.number { (used.records) } td.number { (used.facts) }
                            td.number { (seconds(used.microseconds)) }
                        }
                    }
                }
            }
        }
    }
}

fn of_task(run: &Run, task: TaskId, view: &TaskView) -> Markup {
    html! {
        details {
            summary { (say(&view.assigned.agent.name)) ", " (task) " " span.tag { (view.invocations.len()) " calls" } }
            ol.calls { @for made in &view.invocations { (call(run, made)) } }
        }
    }
}

fn call(run: &Run, made: &InvocationView) -> Markup {
    let facts = run.graph.grounded_in(made.started.invocation);
    let arguments = made.started.arguments.to_string();
    let mut shown: String = arguments.chars().take(LONGEST).collect();
    if shown.len() < arguments.len() {
        shown.push('…');
    }
    html! {
        li id=(made.started.invocation) {
            code { (made.started.invocation) } " turn " (made.started.turn) ": " code { (say(&made.started.tool)) " " (say(&shown)) }
            div.by {
                (outcome(made.ended.as_ref().map(|ended| ended.outcome)))
                @if let Some(ended) = &made.ended {
                    ", " (ended.records) " records, " (completeness(ended.completeness))
                    @if let Some(output) = ended.output.and_then(|it| run.told_output(it)) { ", output " code { (output.short()) } }
                    @for note in &ended.notes { "; " (say(note)) }
                }
                @if let Some(cost) = &made.cost {
                    ", " (seconds(cost.wall_microseconds)) " s"
                    @if let Some(from) = &cost.served_from { ", answered from " a href=(format!("#{from}")) { (from) } }
                }
            }
            @if !facts.is_empty() {
                (resting(run, made.started.invocation, &facts))
            }
        }
    }
}

/// Renders the facts from a call: the first ones with their titles, the others by id, because a large run has many.
fn resting(run: &Run, call: InvocationId, facts: &[FactId]) -> Markup {
    let (first, rest) = facts.split_at(facts.len().min(TITLED));
    let (named, more) = rest.split_at(rest.len().min(NAMED));
    html! {
        details {
            summary { (facts.len()) " facts are based on it" }
            ul {
                @for fact in first { li { (super::fact_link(run, *fact)) } }
                @if !named.is_empty() {
                    li { @for fact in named { a href=(format!("#proof-{fact}")) { (fact) } " " } }
                }
                @if !more.is_empty() {
                    li { (more.len()) " more: to see them, search the facts for " code { (call) } "." }
                }
            }
        }
    }
}

const fn completeness(completeness: Completeness) -> &'static str {
    match completeness {
        Completeness::Complete => "complete",
        Completeness::Truncated => "truncated",
    }
}

/// Formats microseconds as seconds with three decimal places.
fn seconds(microseconds: u64) -> String {
    format!("{}.{:03}", microseconds / 1_000_000, microseconds / 1_000 % 1_000)
}
