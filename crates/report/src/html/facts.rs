//! Every fact with its proof.

use super::words::{self, word};
use super::{Scene, custody, pack, say};
use crate::sources::ONE;
use crate::text::{bound, tier};
use graph::value_text;
use ledger::event::ClaimAccepted;
use ledger::{BoundValue, FactEntry, FactId, Locator, TaskId};
use maud::{Markup, PreEscaped, html};

/// Up to this number, all facts are on the page unpacked.
const WHOLE: usize = 2_000;
/// With more facts, the first ones are unpacked and the others packed, because browsers repeatedly traverse all elements that a page contains.
const FEW: usize = 500;
/// The number of facts in one packed piece. If a filter matches one fact of each piece, all pieces are unpacked.
pub(super) const PACKED: usize = 20;

/// Returns the number of facts that are on the page unpacked; this always includes those that are cited.
pub(super) fn plain(scene: &Scene<'_>) -> usize {
    match scene.order.len() {
        all if all <= WHOLE => all,
        _ => FEW.max(scene.cited.len()),
    }
}

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let (plain, rest) = scene.order.split_at(plain(scene).min(scene.order.len()));
    html! {
        section #facts aria-labelledby="facts-title" {
            h2 #facts-title { "Facts and proofs" }
            p.note {
                (scene.order.len()) " facts; those behind answers, findings and the story come first. Open one to see its proof: the call, its arguments, the "
                (word("record", "record")) " as stored with the values marked, and its place in the evidence. "
                "Tags: agent, record type, how it " (word("matched", "matched")) ", who could have written it ("
                (word("writable by", "writer")) "), " (words::one_source()) ", " (word("citation healed", "healed")) "."
            }
            p.paper {
                "The printout has short proofs of the " (scene.printed.len()) " facts behind what stands out, the story, and the first of each answer and finding, under the references in brackets. The page itself has all "
                (scene.order.len()) " with their records as stored, and what is cut on paper."
            }
            form #filter hidden aria-label="Filter facts" {}
            div #notice role="status" aria-live="polite" {}
            p #matching role="status" aria-live="polite" {}
            div #list { @for id in plain { (fact(scene, *id)) } }
            @if !rest.is_empty() {
                noscript {
                    p.bad {
                        "Without JavaScript this page shows only the first " (plain.len()) " facts; "
                        (rest.len()) " more are stored in it, compressed. locard facts and locard export --as csv-facts list all of them."
                    }
                }
                @for piece in rest.chunks(PACKED) {
                    (pack::packed(&drawn(scene, piece)))
                }
            }
            p { button #more type="button" hidden { "Show more" } }
        }
    }
}

/// Renders the facts one after the other.
fn drawn(scene: &Scene<'_>, piece: &[FactId]) -> String {
    html! { @for id in piece { (fact(scene, *id)) } }.into_string()
}

fn fact(scene: &Scene<'_>, id: FactId) -> Markup {
    let Some((task, accepted)) = scene.accepted(id) else { return PreEscaped(String::new()) };
    let fact = &accepted.fact;
    html! {
        article.fact.cited[scene.cited.contains(&id)].printed[scene.printed.contains(&id)] id=(id) {
            details {
                summary {
                    span.what { (super::titled(fact)) }
                    (tags(scene, task, accepted))
                }
                div id=(format!("proof-{id}")) tabindex="-1" { (proof(scene, task, accepted)) }
            }
        }
    }
}

/// Renders the agent, the kind of source, how the values matched, who could have written them, and whether the citation was healed.
fn tags(scene: &Scene<'_>, task: TaskId, accepted: &ClaimAccepted) -> Markup {
    let fact = &accepted.fact;
    let agent = scene.run.tasks.get(&task).map_or("", |view| view.assigned.agent.name.as_str());
    let weakest = fact.values.iter().map(|value| value.tier).max();
    html! {
        span.tags {
            span.tag { (say(agent)) } " "
            span.tag { (say(&fact.kind)) } " "
            @if let Some(weakest) = weakest { span.tag { "matched " (tier(weakest)) } " " }
            @if let Some(writer) = fact.writer() { span.tag { "writable by " (writer) } " " }
            @if scene.corroborated.is_single_of(scene.run, &[fact.id]) { span.tag.one { (ONE) } " " }
            @if accepted.healing.is_some() { span.tag.healed { "citation healed" } " " }
            @if let Some(rules) = scene.brought.get(&fact.id) {
                @for rule in crate::brought::rules_of(scene.run, rules) { span.tag { (say(&rule)) } " " }
            }
            @if !fact.shown { span.tag.low { "not shown to the agent" } }
        }
    }
}

fn proof(scene: &Scene<'_>, task: TaskId, accepted: &ClaimAccepted) -> Markup {
    let fact = &accepted.fact;
    let call = scene.run.invocation(fact.invocation).map(|(_, view)| &view.started);
    let hashed = scene.run.integrity.iter().find(|hashed| hashed.evidence == fact.locator.evidence);
    html! {
        dl {
            dt { "fact" } dd { code { (fact.id) } " of " (task) @if let Some(number) = scene.carried.get(&fact.id) {
                ", carried by " (super::findings::link(scene, *number))
            } }
            dt { "tool call" } dd {
                a href=(format!("#{}", fact.invocation)) { (fact.invocation) }
                @if let Some(call) = call { " " code { (say(&call.tool)) " " (say(&call.arguments.to_string())) } }
            }
            @if let Some(healing) = &accepted.healing {
                dt { (word("citation healed", "healed")) } dd { "the agent cited " code { (say(&healing.cited)) } " (" (healing.because.name()) ")" }
            }
            dt { "stored output" } dd {
                "record " (fact.record) " of the output "
                @match scene.run.told_output(fact.output) {
                    Some(output) => { "with the SHA-256 " code { (output) } },
                    None => "whose digest is withheld",
                }
            }
            @if let Some(opening) = scene.run.disclosure.as_ref().and_then(|it| it.openings.get(&fact.id)) {
                dt { "fact hash" } dd { code { (opening.hash) } }
            }
            dt { "evidence" } dd {
                code { (value_text(&fact.locator.to_string())) } (place(&fact.locator))
                @if let Some(placement) = fact.placement { " (" (placement.name()) ")" }
            }
            @if let Some(hashed) = hashed {
                dt { (custody::hash_of(scene, hashed)) } dd { code { (hashed.integrity.sha256) } }
            }
        }
        div.scroll {
            table {
                thead { tr { th { "field" } th { "value" } th { (word("matched", "matched")) } th { (word("output bytes", "bytes")) } th { (word("evidence bytes", "bytes")) } th { (word("writable by", "writer")) } } }
                tbody { @for value in bound(fact) { (row(value)) } }
            }
        }
        @if bound(fact).any(|value| value.at.is_none()) { p.by { (nowhere(&fact.locator)) } }
        (scene.proofs.show(fact))
    }
}

fn row(value: &BoundValue) -> Markup {
    html! {
        tr {
            th scope="row" { code { (say(&value.field)) } }
            td { code { (value_text(&value.value.to_text())) } @if let Some(words) = &value.quotation { " quoting “" (say(words)) "”" } }
            td { (tier(value.tier)) }
            td { (value.span) }
            td { @if let Some(at) = value.at { (at) } @else { "none" } }
            td { @if let Some(writer) = value.writer { (writer) } @else { "not recorded" } }
        }
    }
}

/// Renders the part of a locator after the `@`.
fn place(locator: &Locator) -> Markup {
    html! {
        @if let Some(span) = locator.span {
            ": the " (span.length) " bytes from offset " (format!("{:#x}", span.offset))
            @if locator.path.is_empty() { " of the medium" } @else { " of that file" }
        }
    }
}

/// Explains why a value has no evidence bytes.
const fn nowhere(locator: &Locator) -> &'static str {
    match locator.span {
        None => {
            "No evidence bytes: the record has no bytes of its own in a file; it is an entry of a copied folder, or a tool counted or joined it. Its path and its stored output say where it comes from."
        }
        Some(_) => {
            "No evidence bytes: the file does not hold the value in one piece (it is compressed, encoded or assembled). The @ gives the place of the whole record."
        }
    }
}

impl<'r> Scene<'r> {
    /// Returns the verdict on a fact, and its task.
    pub(super) fn accepted(&self, id: FactId) -> Option<(TaskId, &'r ClaimAccepted)> {
        let accepted = self.run.accepted(id)?;
        let (task, _) = self.run.invocation(accepted.fact.invocation)?;
        Some((task, accepted))
    }

    /// Returns the facts in page order.
    pub(super) fn entries(&self) -> impl Iterator<Item = (TaskId, &'r FactEntry)> {
        self.verdicts().map(|(task, accepted)| (task, &accepted.fact))
    }

    /// Returns the facts with their verdicts, in page order.
    pub(super) fn verdicts(&self) -> impl Iterator<Item = (TaskId, &'r ClaimAccepted)> {
        self.order.iter().filter_map(|id| self.accepted(*id))
    }
}
