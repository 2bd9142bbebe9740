//! The long lists of a run: facts, calls, refused claims.

use crate::error::Trouble;
use crate::house::House;
use crate::lines::outcome;
use crate::page::{Answer, Page, stretch};
use crate::routes::Asked;
use crate::text::{bytes, clipped, count, segment};
use graph::{Fate, InvocationView, fact_title, refused_claims};
use ledger::{Claim, Reading, TaskId};
use maud::{Markup, html};
use report::terminal as inert;

/// The number of rows on a page.
const ROWS: usize = 100;

/// The number of characters of arguments that a row shows.
const ARGUMENTS: usize = 160;

pub(crate) fn facts(house: &House, name: &str, asked: &Asked) -> Answer {
    let book = house.shelf.open(name)?;
    let run = &book.run;
    let base = format!("/run/{}", segment(name));
    let all: Vec<_> = run.facts().collect();
    let part = stretch(asked.number("from"), all.len(), ROWS, |from| format!("{base}/facts?from={from}"));
    let body = html! {
        h1 { "Facts" }
        p { (count(all.len(), "fact", "facts")) ", each grounded in a record of a tool’s output." }
        (part.links)
        ul.rows {
            @for (task, accepted) in all.iter().skip(part.first).take(part.end - part.first) {
                @let fact = &accepted.fact;
                li {
                    a.item href={ (base) "/fact/" (fact.id) } { (inert(&fact_title(fact))) }
                    br;
                    span.note {
                        (inert(run.tasks.get(task).map_or("", |view| view.assigned.agent.name.as_str()))) " · "
                        code { (inert(&fact.locator.to_string())) }
                        @if accepted.healing.is_some() { " · citation healed" }
                    }
                }
            }
        }
        (part.links)
    };
    Ok(Page::of(name, "Facts", body))
}

pub(crate) fn calls(house: &House, name: &str, asked: &Asked) -> Answer {
    let book = house.shelf.open(name)?;
    let run = &book.run;
    let base = format!("/run/{}", segment(name));
    let only = match asked.text("task") {
        Some(task) => {
            let task = task.parse().map(TaskId).ok().filter(|task| run.tasks.contains_key(task));
            Some(task.ok_or_else(|| {
                Trouble::no_such("task", asked.text("task").unwrap_or_default(), Some(name))
            })?)
        }
        None => None,
    };
    let tasks = run.tasks.iter().filter(|(task, _)| only.is_none_or(|only| only == **task));
    let all: Vec<_> =
        tasks.flat_map(|(task, view)| view.invocations.iter().map(move |call| (*task, view, call))).collect();
    let of = only.map_or(String::new(), |task| format!("task={}&", task.0));
    let part = stretch(asked.number("from"), all.len(), ROWS, |from| format!("{base}/calls?{of}from={from}"));
    let body = html! {
        h1 { "Calls" @if let Some(task) = only { " of " (task) } }
        p {
            (count(all.len(), "tool call", "tool calls")) ", in the order of tasks and turns."
            @if only.is_some() { " " a href={ (base) "/calls" } { "Those of all tasks" } }
        }
        (part.links)
        div.wide tabindex="0" role="region" aria-label="Calls" {
            table {
                thead { tr {
                    th scope="col" { "Call" } th scope="col" { "Agent" } th.number scope="col" { "Turn" } th scope="col" { "Tool and arguments" }
                    th scope="col" { "Outcome" } th.number scope="col" { "Records" } th.number scope="col" { "Output" } th.number scope="col" { "Facts" }
                } }
                tbody {
                    @for (_, view, call) in all.iter().skip(part.first).take(part.end - part.first) {
                        @let facts = run.graph.grounded_in(call.started.invocation).len();
                        (call_row(&view.assigned.agent.name, call, facts, &base))
                    }
                }
            }
        }
        (part.links)
    };
    Ok(Page::of(name, "Calls", body))
}

fn call_row(agent: &str, call: &InvocationView, facts: usize, base: &str) -> Markup {
    let arguments = call.started.arguments.to_string();
    let (arguments, whole) = clipped(&arguments, ARGUMENTS);
    html! {
        tr {
            th scope="row" { a.item href={ (base) "/inv/" (call.started.invocation) } { code { (call.started.invocation) } } }
            td { (inert(agent)) }
            td.number { (call.started.turn) }
            td { b { (inert(&call.started.tool)) } " " code { (inert(arguments)) @if !whole { "…" } } }
            td { (ending(call)) }
            td.number { (call.ended.as_ref().map_or("–".to_owned(), |ended| ended.records.to_string())) }
            td.number.nowrap { (call.ended.as_ref().map_or("–".to_owned(), |ended| bytes(ended.bytes))) }
            td.number { (facts) }
        }
    }
}

/// Renders how a call ended, as a coloured word.
pub(crate) fn ending(call: &InvocationView) -> Markup {
    let Some(ended) = &call.ended else { return html! { span.tag.warn { "has not ended" } } };
    let class = match ended.outcome {
        ledger::Outcome::Ok => "good",
        ledger::Outcome::Empty => "plain",
        ledger::Outcome::Failed | ledger::Outcome::Timeout | ledger::Outcome::Denied => "bad",
    };
    html! {
        span.tag.(class) { (outcome(ended.outcome)) }
        @if ended.completeness == ledger::Completeness::Truncated { " " span.tag.warn { "truncated" } }
    }
}

pub(crate) fn refused(house: &House, name: &str, asked: &Asked) -> Answer {
    let book = house.shelf.open(name)?;
    let base = format!("/run/{}", segment(name));
    let all = refused_claims(&book.run);
    let part = stretch(asked.number("from"), all.len(), ROWS, |from| format!("{base}/refused?from={from}"));
    let body = html! {
        h1 { "Refused claims" }
        p { (count(all.len(), "claim was refused", "claims were refused")) ": what agents asked to have recorded and the gateway did not accept." }
        (part.links)
        @for claim in all.iter().skip(part.first).take(part.end - part.first) {
            article.refused {
                h2 {
                    span.tag.bad { (claim.rejection.code) } " " (inert(claim.agent)) ", turn " (claim.turn)
                }
                dl.facts {
                    dt { "Claim" } dd { code { (claim.claim) } }
                    dt { "Claimed" } dd { code { (inert(&claimed(claim.stated))) } }
                    @if let Claim::Reading(reading) = claim.stated {
                        dt { "Citing" }
                        dd { (citing(&reading.invocation, &base)) @if let Some(record) = &reading.record { " " code { (inert(record)) } } }
                    }
                    dt { "Told" } dd { (inert(&claim.rejection.reason)) }
                    @if !claim.rejection.hint.is_empty() { dt { "Hint" } dd { (inert(&claim.rejection.hint)) } }
                    dt { "Ended" }
                    dd {
                        @match claim.fate {
                            Fate::Corrected { by, tries } => { "corrected after " (tries) " tries by " code { (by) } },
                            Fate::Abandoned => "abandoned",
                        }
                    }
                }
            }
        }
        (part.links)
    };
    Ok(Page::of(name, "Refused claims", body))
}

/// Renders the call id that an agent wrote, as a link if it can be one.
fn citing(written: &str, base: &str) -> Markup {
    match written.parse::<ledger::InvocationId>() {
        Ok(id) => html! { a href={ (base) "/inv/" (id) } { code { (id) } } },
        Err(_) => html! { code { (inert(written)) } },
    }
}

/// Describes what was claimed, in one line.
pub(crate) fn claimed(claim: &Claim) -> String {
    match claim {
        Claim::Reading(reading) => read(reading),
        Claim::Absence(absence) => absence.absence.to_string(),
        Claim::Derivation(derivation) => derivation.to_string(),
        Claim::Sentence(sentence) => sentence.text.clone(),
        Claim::Statement(statement) => statement.to_string(),
    }
}

fn read(reading: &Reading) -> String {
    let value = |value: &ledger::ClaimedValue| match &value.field {
        Some(field) => format!("{field} = {}", value.value),
        None => value.value.clone(),
    };
    let values: Vec<_> = reading.values.iter().map(value).collect();
    let subject = if reading.subject.is_empty() { String::new() } else { format!(" {}:", reading.subject) };
    format!("{}{subject} {}", reading.predicate, values.join(", "))
}
