//! One tool call: its arguments, its result, and the facts based on it.

use crate::error::{Trouble, causes};
use crate::house::House;
use crate::page::{Answer, Page, stretch, text};
use crate::pages::lists::ending;
use crate::pages::record::record;
use crate::routes::Asked;
use crate::shelf::Book;
use crate::text::{bytes, count, milliseconds, segment};
use axum::response::Response;
use graph::InvocationView;
use ledger::event::InvocationEnded;
use ledger::{FactEntry, InvocationId, Output, RecordId, TaskId};
use maud::{Markup, html};
use report::terminal as inert;
use std::collections::BTreeMap;

/// The number of records on a page.
pub(super) const RECORDS: usize = 50;

/// The maximum number of bytes of a stored output that are sent at once.
const MOST: usize = 64 << 20;

/// The number of gaps, and of places of damage, that are shown.
const SHOWN: usize = 100;

pub(crate) fn page(house: &House, name: &str, id: &str, asked: &Asked) -> Answer {
    let book = house.shelf.open(name)?;
    let (task, call) = find(&book, id)?;
    let base = format!("/run/{}", segment(name));
    let output = app::read_output(&book.folder, call);
    let body = html! {
        h1 { (inert(&call.started.tool)) " " code.id { (call.started.invocation) } }
        (told(&book, task, call, &base))
        @if let Some(ended) = &call.ended { (shortcomings(ended)) }
        @match &output {
            Ok(Some(output)) => (records(&book, call, output, &base, asked)),
            Ok(None) => p { "The call has no output." },
            // The log's information about the call is shown anyway.
            Err(error) => { h2 { "The output cannot be read" } (causes(error)) },
        }
    };
    Ok(Page::of(name, &format!("{} {}", call.started.tool, call.started.invocation), body))
}

/// Returns the stored output unchanged.
pub(crate) fn raw(house: &House, name: &str, id: &str) -> Answer<Response> {
    let book = house.shelf.open(name)?;
    let (_, call) = find(&book, id)?;
    let output = app::read_output(&book.folder, call)?;
    let output = output.ok_or_else(|| Trouble::no_such("output of", id, Some(name)))?;
    match output.bytes().len() {
        bytes if bytes > MOST => Err(Trouble::TooLong { bytes, most: MOST }),
        _ => Ok(text(output.bytes().to_vec())),
    }
}

fn find<'b>(book: &'b Book, id: &str) -> Answer<(TaskId, &'b InvocationView)> {
    let found = id.parse::<InvocationId>().ok().and_then(|id| book.run.invocation(id));
    found.ok_or_else(|| Trouble::no_such("invocation", id, Some(&book.name)))
}

fn told(book: &Book, task: TaskId, call: &InvocationView, base: &str) -> Markup {
    let started = &call.started;
    let agent = book.run.tasks.get(&task).map_or("", |view| view.assigned.agent.name.as_str());
    html! {
        dl.facts {
            dt { "Outcome" } dd { (ending(call)) }
            dt { "Asked by" } dd { (inert(agent)) " (" a href={ (base) "/calls?task=" (task.0) } { (task) } "), turn " (started.turn) }
            dt { "Arguments" } dd { pre tabindex="0" { code { (arguments(&started.arguments)) } } }
            @if let Some(ended) = &call.ended {
                @if let Some(used) = ended.normalised.as_ref().filter(|used| **used != started.arguments) {
                    dt { "As used" } dd { pre tabindex="0" { code { (arguments(used)) } } }
                }
                dt { "Output" }
                dd {
                    (count(ended.records as usize, "record", "records")) ", " (bytes(ended.bytes))
                    @if let Some(digest) = ended.output {
                        ", SHA-256 " code.digest { (digest) } " · "
                        a href={ (base) "/inv/" (started.invocation) "/output" } { "the stored output as text" }
                    }
                }
                @if !ended.notes.is_empty() {
                    dt { "Notes of the tool" }
                    dd { ul.plain { @for note in &ended.notes { li { (inert(note)) } } } }
                }
            }
            @if let Some(cost) = call.cost {
                dt { "Cost" }
                dd {
                    (milliseconds(cost.wall_microseconds)) " wall, " (milliseconds(cost.cpu_microseconds)) " CPU, "
                    (cost.peak_kib) " KiB at most"
                    @if let Some(from) = cost.served_from { "; answered by " a href={ (base) "/inv/" (from) } { code { (from) } } }
                }
            }
        }
    }
}

/// Formats arguments on several lines; characters that would move or hide text are escaped on each line.
fn arguments(value: &serde_json::Value) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
    text.lines().map(inert).collect::<Vec<_>>().join("\n")
}

fn shortcomings(ended: &InvocationEnded) -> Markup {
    html! {
        @if !ended.gaps.is_empty() {
            h2 { (count(ended.gaps.len(), "gap", "gaps")) }
            ul {
                @for gap in ended.gaps.iter().take(SHOWN) { li { code { (inert(&gap.path)) } ": " (inert(&gap.reason)) } }
                @if ended.gaps.len() > SHOWN { li.note { "and " (ended.gaps.len() - SHOWN) " more" } }
            }
        }
        @if !ended.defects.is_empty() {
            h2 { (count(ended.defects.len(), "defect", "defects")) }
            ul {
                @for defect in ended.defects.iter().take(SHOWN) {
                    li { code { (inert(&defect.path)) @if let Some(at) = defect.offset { " @ " (at) } } ": " (inert(&defect.what)) }
                }
                @if ended.defects.len() > SHOWN { li.note { "and " (ended.defects.len() - SHOWN) " more" } }
            }
        }
    }
}

fn records(book: &Book, call: &InvocationView, output: &Output, base: &str, asked: &Asked) -> Markup {
    let id = call.started.invocation;
    let facts = resting(book, id);
    let all = output.records();
    let address = |from: usize| format!("{base}/inv/{id}?from={from}");
    let part = stretch(asked.number("from"), all.len(), RECORDS, address);
    html! {
        h2 { (count(all.len(), "record", "records")) }
        @if !facts.is_empty() {
            p {
                (count(facts.values().map(Vec::len).sum(), "fact is based", "facts are based")) " on "
                @for (place, record) in facts.keys().take(SHOWN).enumerate() {
                    @if place > 0 { ", " }
                    a href=(link(base, id, *record)) { (record) }
                }
                @if facts.len() > SHOWN { " and more" }
                "; what they state is " mark { "highlighted" } "."
            }
        }
        (part.links)
        @for shown in all.iter().skip(part.first).take(part.end - part.first) {
            (record(shown, facts.get(&shown.id).map_or(&[][..], Vec::as_slice), Some(base)))
        }
        (part.links)
    }
}

/// Returns the address of a record.
pub(super) fn link(base: &str, invocation: InvocationId, record: RecordId) -> String {
    let from = record.0 as usize / RECORDS * RECORDS;
    match from {
        0 => format!("{base}/inv/{invocation}#{record}"),
        from => format!("{base}/inv/{invocation}?from={from}#{record}"),
    }
}

/// Returns the facts that are based on the records of an invocation.
fn resting(book: &Book, id: InvocationId) -> BTreeMap<RecordId, Vec<&FactEntry>> {
    let mut facts: BTreeMap<RecordId, Vec<&FactEntry>> = BTreeMap::new();
    for fact in book.run.graph.grounded_in(id).into_iter().filter_map(|fact| book.run.fact(fact)) {
        facts.entry(fact.record).or_default().push(fact);
    }
    facts
}
