//! One fact: everything known about it, down to the bytes.

use crate::error::{Trouble, causes};
use crate::house::House;
use crate::page::{Answer, Page};
use crate::pages::invocation::link;
use crate::pages::record::{bound, line, record};
use crate::shelf::Book;
use crate::text::segment;
use graph::{confidence, fact_title, value_text};
use ledger::event::ClaimAccepted;
use ledger::{BoundValue, ByteSpan, FactEntry, FactId, NodeId, TaskId, Tier, Writer};
use maud::{Markup, html};
use report::terminal as inert;

pub(crate) fn page(house: &House, name: &str, id: &str) -> Answer {
    let book = house.shelf.open(name)?;
    let found = id.parse::<FactId>().ok().and_then(|id| book.run.facts().find(|(_, it)| it.fact.id == id));
    let (task, accepted) = found.ok_or_else(|| Trouble::no_such("fact", id, Some(name)))?;
    let (fact, base) = (&accepted.fact, format!("/run/{}", segment(name)));
    let body = html! {
        h1 { (inert(&fact_title(fact))) }
        (told(&book, task, accepted, &base))
        h2 { "Values" }
        (values(fact))
        (writers(fact))
        h2 { "Proof" }
        (proof(&book, fact))
    };
    Ok(Page::of(name, &fact_title(fact), body))
}

fn told(book: &Book, task: TaskId, accepted: &ClaimAccepted, base: &str) -> Markup {
    let (run, fact) = (&book.run, &accepted.fact);
    let agent = run.tasks.get(&task).map_or("", |view| view.assigned.agent.name.as_str());
    let against = run.graph.resting_on(NodeId::Fact(fact.id));
    let sure = confidence([fact], 0);
    html! {
        dl.facts {
            dt { "Fact" } dd { code { (fact.id) } " from " code { (accepted.claim) } }
            dt { "Found by" } dd { (inert(agent)) " (" a href={ (base) "/calls?task=" (task.0) } { (task) } ")" }
            dt { "Call" }
            dd {
                a.item href=(link(base, fact.invocation, fact.record)) { code { (fact.invocation) } " " (fact.record) }
                @if let Some((_, call)) = run.invocation(fact.invocation) { " of " (inert(&call.started.tool)) }
                @if !fact.shown { ", which the agent had not been shown" }
            }
            @if let Some(healing) = &accepted.healing {
                dt { "Citation" }
                dd { span.tag.warn { "healed" } " cited as " code { (inert(&healing.cited)) } " (" (healing.because) ")" }
            }
            dt { "Place" }
            dd {
                code { (value_text(&fact.locator.to_string())) }
                @if let Some(placement) = fact.placement { " (" (placement.name()) ")" }
            }
            dt { "Record type" } dd { code { (inert(&fact.kind)) } }
            dt { "Output" } dd { "SHA-256 " code.digest { (fact.output) } }
            dt { "By itself" } dd { (sure.level().name()) " confidence (" (sure.thousandths()) " of 1000)" }
            @if !against.is_empty() {
                dt { "Used by" }
                dd { @for (place, node) in against.iter().enumerate() { @if place > 0 { ", " } code { (node) } } }
            }
        }
    }
}

fn values(fact: &FactEntry) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="Values" {
            table {
                thead { tr {
                    th scope="col" { "Field" } th scope="col" { "Value" } th scope="col" { "Matched" }
                    th scope="col" { "Output bytes" } th scope="col" { "Evidence bytes" } th scope="col" { "Writable by" }
                } }
                tbody { @for value in bound(fact) { (value_row(value)) } }
            }
        }
    }
}

fn value_row(value: &BoundValue) -> Markup {
    html! {
        tr {
            th scope="row" { (inert(&value.field)) }
            td {
                code.value { (value_text(&value.value.to_text())) }
                @if let Some(words) = &value.quotation { br; "quoting " code.value { mark { (inert(words)) } } }
            }
            td { (tier(value.tier)) }
            td.nowrap { code { (value.span) } }
            td.nowrap { @match value.at { Some(at) => code { (at) }, None => "–" } }
            td { (value.writer.map_or("–", Writer::name)) }
        }
    }
}

fn writers(fact: &FactEntry) -> Markup {
    html! {
        @if let Some(writer) = fact.writer() {
            p.note {
                "“Writable by” names the least privileged writer that could have set the value, by the default permissions of Windows; it does not say who did, or that the value is true. "
                (writer.name()) ": " (writer.meaning()) "."
            }
        }
    }
}

/// Renders the record, and the stored bytes that contain the values.
fn proof(book: &Book, fact: &FactEntry) -> Markup {
    let Some((_, call)) = book.run.invocation(fact.invocation) else { return html! {} };
    match app::read_output(&book.folder, call) {
        Ok(Some(output)) => {
            let spans: Vec<ByteSpan> = bound(fact).map(|value| value.span).collect();
            html! {
                @if let Some(shown) = output.record(fact.record) { (record(shown, &[fact], None)) }
                h3 { "As it is stored" }
                (line(&output, fact.record, &spans))
            }
        }
        Ok(None) => html! { p { "The call has no output." } },
        Err(error) => causes(&error),
    }
}

/// Returns the word for a tier.
const fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Exact => "exact",
        Tier::Normalised => "normalised",
        Tier::Typed => "typed",
        Tier::Quoted => "quoted",
    }
}
