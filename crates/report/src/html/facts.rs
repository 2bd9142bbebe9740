//! Every fact with its proof.

use super::{Scene, pack, say};
use crate::text::{bound, tier};
use ledger::event::ClaimAccepted;
use ledger::{BoundValue, FactEntry, FactId, TaskId};
use maud::{Markup, PreEscaped, html};

/// Facts that stand in the page as they are; those after them are packed.
pub(super) const PLAIN: usize = 2_000;
/// Facts of one packed piece: a filter can match one fact of each, and then all of them are unpacked.
pub(super) const PACKED: usize = 20;

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let (plain, rest) = scene.order.split_at(scene.order.len().min(PLAIN));
    html! {
        section #facts aria-labelledby="facts-title" {
            h2 #facts-title { "Facts and proofs" }
            p.note {
                (scene.order.len()) " facts, those of the most telling findings first. Unfold one for its proof: the call, its arguments, the record as stored with the values marked, and where it stands in the evidence. "
                (crate::writers::legend())
            }
            form #filter hidden aria-label="Filter facts" {}
            p #matching role="status" aria-live="polite" {}
            div #list { @for id in plain { (fact(scene, *id)) } }
            @if !rest.is_empty() {
                noscript {
                    p.bad {
                        "Without its script this page shows the first " (PLAIN) " facts; "
                        (rest.len()) " more stand in it packed. locard facts and locard export --as csv-facts list all of them."
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

/// The facts, drawn one after the other.
fn drawn(scene: &Scene<'_>, piece: &[FactId]) -> String {
    html! { @for id in piece { (fact(scene, *id)) } }.into_string()
}

fn fact(scene: &Scene<'_>, id: FactId) -> Markup {
    let Some((task, accepted)) = scene.accepted(id) else { return PreEscaped(String::new()) };
    let fact = &accepted.fact;
    html! {
        article.fact id=(id) {
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

/// Agent, kind of source, how it matched, who could have written it, whether its citation was healed.
fn tags(scene: &Scene<'_>, task: TaskId, accepted: &ClaimAccepted) -> Markup {
    let fact = &accepted.fact;
    let agent = scene.run.tasks.get(&task).map_or("", |view| view.assigned.agent.name.as_str());
    let weakest = fact.values.iter().map(|value| value.tier).max();
    html! {
        span.tags {
            span.tag { (say(agent)) }
            span.tag { (say(&fact.kind)) }
            @if let Some(weakest) = weakest { span.tag { (tier(weakest)) } }
            @if let Some(writer) = fact.writer() { span.tag { "writable by " (writer) } }
            @if accepted.healing.is_some() { span.tag.healed { "healed citation" } }
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
                dt { "healed" } dd { "the agent cited " code { (say(&healing.cited)) } " (" (healing.because.name()) ")" }
            }
            dt { "output" } dd {
                @match scene.run.told_output(fact.output) {
                    Some(output) => { code { (output) } " (SHA-256)" },
                    None => "its digest is withheld",
                }
                ", record " (fact.record)
            }
            @if let Some(opening) = scene.run.disclosure.as_ref().and_then(|it| it.openings.get(&fact.id)) {
                dt { "fact hash" } dd { code { (opening.hash) } }
            }
            dt { "evidence" } dd { code { (say(&fact.locator.to_string())) } }
            @if let Some(hashed) = hashed {
                dt { "its hash" } dd { code { (hashed.integrity.sha256) } " (SHA-256)" }
            }
        }
        div.scroll {
            table {
                thead { tr { th { "field" } th { "value" } th { "matched" } th { "output bytes" } th { "evidence bytes" } th { "writable by" } } }
                tbody { @for value in bound(fact) { (row(value)) } }
            }
        }
        (scene.proofs.show(fact))
    }
}

fn row(value: &BoundValue) -> Markup {
    html! {
        tr {
            th scope="row" { code { (say(&value.field)) } }
            td { code { (say(&value.value.to_text())) } @if let Some(words) = &value.quotation { " quoting “" (say(words)) "”" } }
            td { (tier(value.tier)) }
            td { (value.span) }
            td { @if let Some(at) = value.at { (at) } }
            td { @if let Some(writer) = value.writer { (writer) } }
        }
    }
}

impl<'r> Scene<'r> {
    /// A fact with its verdict and its task.
    pub(super) fn accepted(&self, id: FactId) -> Option<(TaskId, &'r ClaimAccepted)> {
        let accepted = self.run.accepted(id)?;
        let (task, _) = self.run.invocation(accepted.fact.invocation)?;
        Some((task, accepted))
    }

    /// The facts of the page in its order.
    pub(super) fn entries(&self) -> impl Iterator<Item = (TaskId, &'r FactEntry)> {
        self.order.iter().filter_map(|id| self.accepted(*id)).map(|(task, accepted)| (task, &accepted.fact))
    }
}
