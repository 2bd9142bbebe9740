//! Chain of custody: what the evidence is, the result of the verification, and the history of the run.

use super::words::word;
use super::{Scene, say};
use crate::tables_read::tables_read;
use ledger::event::EvidenceHashed;
use ledger::{EvidenceKind, IntegrityLevel};
use maud::{Markup, html};

const IMAGE: &str = "disk image";

/// Renders what a reader must know first.
pub(super) fn badges(scene: &Scene<'_>) -> Markup {
    let run = scene.run;
    let holds = scene.verified.map(|it| it.findings.is_empty());
    html! {
        p.badges {
            @match (holds, run.sealed.is_some()) {
                (Some(false), _) => a.tag.bad href="#custody" { "verification failed" },
                (Some(true), true) => (reached(scene)),
                (None, true) => a.tag href="#custody" { "sealed, not verified" },
                (_, false) => a.tag.bad href="#custody" { "not sealed: the run broke off" },
            }
            @if !run.opened.confined { " " span.tag.bad { "tools ran unconfined" } }
            @if run.integrity.iter().any(|it| it.as_expected == Some(false)) {
                " " a.tag.bad href="#custody" { "evidence does not have the hash that the case gives" }
            }
        }
    }
}

/// Renders how far a sealed run without findings is verified, and what was not checked.
fn reached(scene: &Scene<'_>) -> Markup {
    let levels = scene.verified.map_or(&[][..], |it| &it.levels);
    let of = |reached: bool| {
        let of = levels.iter().filter(|level| (level.holds == Some(true)) == reached);
        of.map(|level| say(&level.name)).collect::<Vec<_>>().join(", ")
    };
    let (reached, open) = (of(true), of(false));
    html! {
        a.tag.good href="#custody" { "sealed; verified: " @if reached.is_empty() { "nothing" } @else { (reached) } }
        @if !open.is_empty() { " " a.tag href="#custody" { "not examined: " (open) } }
    }
}

/// Describes what the hash of a piece of evidence covers.
pub(super) fn hash_of(scene: &Scene<'_>, hashed: &EvidenceHashed) -> String {
    let kind = kind(scene, hashed);
    match (hashed.integrity.level, kind == IMAGE) {
        (IntegrityLevel::Full, true) => format!("SHA-256 of the whole {kind}"),
        (IntegrityLevel::Full, false) => {
            format!("SHA-256 of the whole {kind} (a line for each file: path, size, SHA-256)")
        }
        (IntegrityLevel::Sampled, _) => format!("SHA-256 over samples of the whole {kind}"),
        (IntegrityLevel::Stat, _) => format!("SHA-256 over names, sizes and times of the whole {kind}"),
    }
}

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    html! {
        section #custody aria-labelledby="custody-title" {
            h2 #custody-title { "Chain of custody" }
            (verified(scene))
            h3 { "Evidence" }
            (evidence(scene))
            h3 { "The run" }
            (history(scene))
        }
    }
}

fn verified(scene: &Scene<'_>) -> Markup {
    let Some(verified) = scene.verified else {
        return html! { p { "The run was not verified for this page; locard verify does that." } };
    };
    html! {
        @if let Some(head) = &verified.head { p { (word("Head of the chain", "head")) ": " code { (say(head)) } } }
        @if let Some(disclosure) = &scene.run.disclosure { p { (crate::withheld::root(disclosure)) } }
        ul.levels {
            @for level in &verified.levels {
                li {
                    @match level.holds {
                        Some(true) => span.state.met { "holds" },
                        Some(false) => span.state.unmet { "does not hold" },
                        None => span.state.nothing { "not examined" },
                    }
                    " " (say(&level.name))
                    @if let Some(because) = &level.because { ": " (say(because)) }
                }
            }
        }
        @if !verified.findings.is_empty() {
            p.bad { "What does not hold:" }
            ul { @for (place, what) in &verified.findings { li { code { (say(place)) } ": " (say(what)) } } }
        }
        p.note { "Nothing outside the run folder vouches for its head: compare it with a copy kept elsewhere." }
    }
}

fn evidence(scene: &Scene<'_>) -> Markup {
    if scene.run.integrity.is_empty() {
        return html! { p { "No evidence was hashed: the run broke off before that." } };
    }
    html! {
        div.scroll {
            table {
                thead { tr { th { "label" } th { "what" } th { "checked" } th { "SHA-256" } th.number { "files" } th.number { "bytes" } th.number { "facts" } th { "as expected" } } }
                tbody {
                    @for hashed in &scene.run.integrity {
                        tr {
                            th scope="row" { code { (say(&hashed.evidence)) } }
                            td { (kind(scene, hashed)) }
                            td { (checked(hashed)) }
                            td { code { (hashed.integrity.sha256) } }
                            td.number { (hashed.integrity.files) }
                            td.number { (hashed.integrity.bytes) }
                            td.number { (scene.run.graph.read_from(&hashed.evidence).len()) }
                            td {
                                @match hashed.as_expected {
                                    None => "the case gives no hash for it",
                                    Some(true) => "yes",
                                    Some(false) => strong.bad { "no" },
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn kind(scene: &Scene<'_>, hashed: &EvidenceHashed) -> &'static str {
    let entry = scene.run.opened.case.evidence.iter().find(|entry| entry.label == hashed.evidence);
    match entry.map(|entry| entry.kind) {
        Some(EvidenceKind::Directory) => "folder",
        Some(EvidenceKind::Archive) => "archive",
        Some(EvidenceKind::Image) => IMAGE,
        None => "piece of evidence",
    }
}

const fn checked(hashed: &EvidenceHashed) -> &'static str {
    match hashed.integrity.level {
        IntegrityLevel::Full => "every byte",
        IntegrityLevel::Sampled => "samples",
        IntegrityLevel::Stat => "names, sizes and times",
    }
}

fn history(scene: &Scene<'_>) -> Markup {
    let run = scene.run;
    html! {
        ul {
            li { "opened at " (say(&run.circumstance.at)) " by Locard " (say(&run.opened.program)) ", log format " (run.opened.format) }
            @if let Some(parent) = &run.opened.parent {
                li { "branched off " (parent.run) " (head " code { (parent.head) } "): " (parent.task) " differs starting at turn " (parent.turn) }
            }
            @for (resumed, circumstance) in &run.resumed {
                li { "broke off, and was resumed at " (say(&circumstance.at)) " (Locard " (say(&resumed.program)) ")" }
            }
            @if !run.circumstance.confinement.is_empty() { li { "tools were confined by " (say(&run.circumstance.confinement.join(", "))) } }
            @for indexed in &run.names {
                li { "names of " code { (say(&indexed.evidence)) } " were looked up in an index of " (indexed.entries) " entries, " code { (indexed.index) } }
            }
            @for (label, tables, rows) in tables_read(run) {
                li { "calls read " (tables) " case tables of " code { (say(label)) } ", which hold " (rows) " records" }
            }
            @for indexed in &run.timelines {
                li {
                    "the timeline of " code { (say(&indexed.evidence)) } " was looked up in an index of " (indexed.events) " times from "
                    (indexed.sources) " sources, " code { (indexed.index) }
                }
            }
        }
    }
}
