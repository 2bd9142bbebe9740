//! Phenomena and their facts.

use crate::inert::{cell, code};
use crate::text::{bound, tier};
use graph::{Ranked, Run, TaskView, fact_title, phenomenon_title, ranked, value_text};
use ledger::event::ClaimAccepted;
use ledger::{FactEntry, Healing};
use std::fmt::Write;

/// Every phenomenon with its facts, and the facts that none carries.
pub(super) fn phenomena(out: &mut String, run: &Run) {
    let _ = writeln!(out, "\n## Phenomena\n");
    let _ = writeln!(
        out,
        "What stands out most comes first: by the rules that its facts fit, the objective that is answered, how many kinds of sources name the same thing, and how rare such facts are in this run."
    );
    if !run.opened.writers.is_empty() {
        let _ = writeln!(out, "\n{}", crate::writers::legend());
    }
    for (place, ranked) in ranked(run).iter().enumerate() {
        let phenomenon = ranked.phenomenon;
        let facts: Vec<_> = ranked.facts.iter().filter_map(|id| run.accepted(*id)).collect();
        let entries: Vec<&FactEntry> = facts.iter().map(|accepted| &accepted.fact).collect();
        let _ = writeln!(out, "\n### {}. {}\n", place + 1, code(&phenomenon_title(&entries)));
        if !phenomenon.interpretation.is_empty() {
            let _ = writeln!(out, "*Interpretation:* {}\n", code(&phenomenon.interpretation));
        }
        let _ = writeln!(out, "{}\n", reasons(ranked));
        table(out, &facts);
    }
    for view in run.tasks.values() {
        loose(out, run, view);
    }
}

/// How much a phenomenon stands out, and why it stands where it does.
fn reasons(ranked: &Ranked<'_>) -> String {
    let reasons: Vec<String> = crate::weight::reasons(ranked).iter().map(|reason| cell(reason)).collect();
    format!("**{}**, {} points: {}.", ranked.rank.level.name(), ranked.rank.points, reasons.join("; "))
}

/// Facts that were recorded when the run broke off, before their phenomenon was.
fn loose(out: &mut String, run: &Run, view: &TaskView) {
    let loose: Vec<_> =
        view.accepted().filter(|accepted| run.graph.carried_by(accepted.fact.id).is_empty()).collect();
    if !loose.is_empty() {
        let _ = writeln!(out, "\n### Facts that no phenomenon carries\n");
        table(out, &loose);
    }
}

fn table(out: &mut String, facts: &[&ClaimAccepted]) {
    let _ = writeln!(out, "| fact | says | values | evidence | cited as |\n|---|---|---|---|---|");
    for accepted in facts {
        let fact = &accepted.fact;
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {} |",
            fact.id,
            cell(&fact_title(fact)),
            values(fact),
            evidence(fact),
            citation(fact, accepted.healing.as_ref())
        );
    }
}

/// Every value in full, with how it matched, its bytes in the stored output, and who could have written it.
fn values(fact: &FactEntry) -> String {
    let value = |value: &ledger::BoundValue| {
        let quoted = value.quotation.as_ref();
        let quoted = quoted.map_or(String::new(), |words| format!(", quoting {}", cell(words)));
        let (field, text) = (cell(&value.field), cell(&value_text(&value.value.to_text())));
        let writer = value.writer.map_or(String::new(), |writer| format!(", writable by {writer}"));
        format!("{field} = {text} ({}, output bytes {}{quoted}{writer})", tier(value.tier), value.span)
    };
    bound(fact).map(value).collect::<Vec<_>>().join("<br>")
}

/// Where the record stands in the evidence, and the raw bytes of its values.
fn evidence(fact: &FactEntry) -> String {
    let mut lines = vec![cell(&value_text(&fact.locator.to_string()))];
    for value in bound(fact) {
        if let Some(at) = value.at {
            lines.push(format!("{} at bytes {at}", cell(&value.field)));
        }
    }
    lines.join("<br>")
}

fn citation(fact: &FactEntry, healing: Option<&Healing>) -> String {
    let mut lines = vec![format!("`{}` `{}`", fact.invocation, fact.record)];
    if let Some(healing) = healing {
        lines.push(format!("healed: cited as {} ({})", cell(&healing.cited), cell(healing.because.name())));
    }
    if !fact.shown {
        lines.push("not shown to the agent".to_owned());
    }
    lines.join("<br>")
}
