//! The findings and the facts that they are based on.

use crate::foremost::says;
use crate::inert::{cell, code};
use crate::text::clipped;
use graph::{FIRST, Ranked, Run, TaskView, phenomenon_title, ranked, value_text};
use ledger::FactEntry;
use ledger::event::ClaimAccepted;
use std::fmt::Write;

/// The number of facts listed below a finding. The page and `locard facts` show all of them, with the bytes of each value.
const SHOWN_FACTS: usize = 6;

/// Writes the first findings with their facts, and the others by title.
pub(super) fn findings(out: &mut String, run: &Run) {
    let ranked = ranked(run);
    let _ = writeln!(out, "\n## Findings\n");
    let _ = writeln!(
        out,
        "What stands out most comes first. Code ranks it by the rules that its facts match, the question it answers, how many kinds of sources name the same thing, and how rare such facts are in this run. \
         `locard facts` and the page show each fact with its proof: call, record, bytes of every value, and who could have written it."
    );
    if !run.opened.writers.is_empty() {
        let _ = writeln!(out, "\n{}", crate::writers::legend());
    }
    for (place, ranked) in ranked.iter().take(FIRST).enumerate() {
        finding(out, run, place + 1, ranked);
    }
    if ranked.len() > FIRST {
        let _ = writeln!(out, "\n### Findings that stand out less\n");
    }
    for (place, ranked) in ranked.iter().enumerate().skip(FIRST) {
        let (level, facts) = (ranked.rank.level.name(), ranked.facts.len());
        let s = if facts == 1 { "" } else { "s" };
        let _ = writeln!(out, "{}. {} ({level}, {facts} fact{s})", place + 1, code(&title(run, ranked)));
    }
    for view in run.tasks.values() {
        loose(out, run, view);
    }
}

fn finding(out: &mut String, run: &Run, number: usize, ranked: &Ranked<'_>) {
    let phenomenon = ranked.phenomenon;
    let _ = writeln!(out, "\n### {number}. {}\n", code(&title(run, ranked)));
    if !phenomenon.interpretation.is_empty() {
        let _ = writeln!(out, "*Interpretation:* {}\n", code(&phenomenon.interpretation));
    }
    let _ = writeln!(out, "{}\n", reasons(run, ranked));
    let facts: Vec<&ClaimAccepted> = ranked.facts.iter().filter_map(|id| run.accepted(*id)).collect();
    list(out, run, &facts);
}

/// Returns a heading from what its facts say.
fn title(run: &Run, ranked: &Ranked<'_>) -> String {
    let entries: Vec<&FactEntry> = ranked.facts.iter().filter_map(|id| run.fact(*id)).collect();
    clipped(&phenomenon_title(&entries))
}

/// Describes how much a phenomenon stands out, and the reasons for its rank.
fn reasons(run: &Run, ranked: &Ranked<'_>) -> String {
    let reasons: Vec<String> =
        crate::weight::reasons(run, ranked).iter().map(|reason| cell(reason)).collect();
    format!("**{}**, {} points: {}.", ranked.rank.level.name(), ranked.rank.points, reasons.join("; "))
}

/// Writes the facts that were recorded before the run broke off but whose phenomenon was not.
fn loose(out: &mut String, run: &Run, view: &TaskView) {
    let loose: Vec<_> =
        view.accepted().filter(|accepted| run.graph.carried_by(accepted.fact.id).is_empty()).collect();
    if !loose.is_empty() {
        let _ = writeln!(out, "\n### Facts that no finding carries\n");
        list(out, run, &loose);
    }
}

/// Writes each fact in code's words: where it was read, who could have written it, and how its citation was found if that is not obvious.
fn list(out: &mut String, run: &Run, facts: &[&ClaimAccepted]) {
    for accepted in facts.iter().take(SHOWN_FACTS) {
        let fact = &accepted.fact;
        let place = cell(&value_text(&fact.locator.to_string()));
        let writer = fact.writer().map_or(String::new(), |writer| format!(", writable by {writer}"));
        let _ = write!(out, "- {} (`{}`, {place}{writer}", code(&says(run, fact)), fact.id);
        if let Some(healing) = &accepted.healing {
            let _ =
                write!(out, "; healed: cited as {} ({})", cell(&healing.cited), cell(healing.because.name()));
        }
        let _ = match fact.shown {
            true => writeln!(out, ")"),
            false => writeln!(out, "; not shown to the agent)"),
        };
    }
    if facts.len() > SHOWN_FACTS {
        let _ = writeln!(out, "- and {} more", facts.len() - SHOWN_FACTS);
    }
}
