//! The differences between two runs, as text: totals first, then what only one of them has.

mod json;
mod lines;

pub use json::diff_json;

use crate::inert::terminal;
use graph::{Changes, Diff, Effort, Run, Setup};
use lines::Lines;
use std::fmt::Write;

/// The number of items of a kind that are listed, unless all are requested.
const SHOWN: usize = 10;

/// Formats the comparison as text; `all` lists everything, however long.
pub fn diff_text(diff: &Diff<'_>, all: bool) -> String {
    let mut out = String::new();
    head(&mut out, diff);
    totals(&mut out, diff);
    let most = if all { usize::MAX } else { SHOWN };
    let cut = Lines::new(&mut out, most).everything(diff);
    effort(&mut out, &diff.effort);
    let verdict = match diff.recorded_the_same() {
        true => "both runs recorded the same",
        false => "the runs recorded different things",
    };
    let _ = writeln!(out, "\n{verdict}{}", if cut { "; --all lists everything" } else { "" });
    out
}

fn head(out: &mut String, diff: &Diff<'_>) {
    let (before, after) = (diff.before, diff.after);
    if diff.setup.contains(&Setup::Case) {
        let names = [before, after].map(|run| terminal(&run.opened.case.name));
        let _ = writeln!(out, "the runs are of different cases: {} and {}", names[0], names[1]);
    } else if diff.setup.contains(&Setup::Evidence) {
        let _ = writeln!(out, "the runs are of different evidence");
    }
    for (which, run) in [("before", before), ("after ", after)] {
        let sealed = if run.sealed.is_some() { "" } else { ", not sealed" };
        let _ = writeln!(out, "{which}  {} ({}{sealed})", terminal(run.name()), terminal(&models(run)));
    }
    let told = [Setup::Case, Setup::Evidence];
    let other: Vec<_> = diff.setup.iter().filter(|it| !told.contains(it)).map(|it| it.name()).collect();
    if !other.is_empty() {
        let _ = writeln!(out, "different in the two runs: {}", other.join(", "));
    }
}

/// Returns the models of a run, without repeats.
fn models(run: &Run) -> String {
    let mut models: Vec<&str> = run.tasks.values().map(|view| view.assigned.model.as_str()).collect();
    models.sort_unstable();
    models.dedup();
    if models.is_empty() { "no task".to_owned() } else { models.join(", ") }
}

fn totals(out: &mut String, diff: &Diff<'_>) {
    let _ = writeln!(
        out,
        "\n{:<13} {:>8} {:>12} {:>12} {:>8}",
        "", "the same", "only before", "only after", "changed"
    );
    row(out, "phenomena", &diff.phenomena, Some(diff.changed_phenomena.len()));
    row(out, "facts", &diff.facts, Some(diff.changed_facts.len()));
    row(out, "absences", &diff.absences, None);
    row(out, "derivations", &diff.derivations, None);
    row(out, "entities", &diff.entities, None);
    row(out, "relations", &diff.relations, None);
    row(out, "hypotheses", &diff.hypotheses, Some(diff.changed_hypotheses.len()));
    row(out, "rejections", &diff.rejections, None);
}

/// Formats a row of the totals; a kind that neither run has is left out.
fn row<T>(out: &mut String, name: &str, changes: &Changes<T>, changed: Option<usize>) {
    let Changes { both, by_another_agent, removed, added } = changes;
    let numbers = [*both, removed.len(), added.len(), changed.unwrap_or(0)];
    if numbers == [0; 4] {
        return;
    }
    let changed = changed.map_or(String::new(), |changed| changed.to_string());
    let _ = write!(out, "{name:<13} {both:>8} {:>12} {:>12} {changed:>8}", removed.len(), added.len());
    let _ = match by_another_agent {
        0 => writeln!(out),
        moved => writeln!(out, "  {moved} by another agent"),
    };
    let end = out.trim_end_matches([' ', '\n']).len();
    out.truncate(end);
    out.push('\n');
}

fn effort(out: &mut String, [before, after]: &[Effort; 2]) {
    let _ = writeln!(out, "\n{:<24} {:>14} {:>14}", "cost", "before", "after");
    let mut row = |name: &str, of: fn(&Effort) -> u64| {
        let (before, after) = (of(before), of(after));
        if (before, after) != (0, 0) {
            let _ = writeln!(out, "{name:<24} {before:>14} {after:>14}");
        }
    };
    row("turns", |it| it.turns);
    row("tool calls", |it| it.invocations);
    row("calls served again", |it| it.served);
    row("calls refused", |it| it.refused_calls);
    row("claims", |it| it.claims);
    row("claims refused", |it| it.refused_claims);
    row("bytes returned", |it| it.output_bytes);
    row("tools, wall time (ms)", |it| it.tool_wall_microseconds / 1000);
    row("tools, CPU time (ms)", |it| it.tool_cpu_microseconds / 1000);
}
