//! What was not examined, and what is damaged.

use super::outcome;
use crate::inert::code;
use graph::{InvocationView, Run};
use ledger::event::InvocationEnded;
use ledger::{Completeness, Defect, Gap, Outcome};
use std::collections::BTreeSet;
use std::fmt::Write;

pub(super) fn limits(out: &mut String, run: &Run) {
    not_examined(out, run);
    damaged(out, run);
}

fn invocations(run: &Run) -> impl Iterator<Item = &InvocationView> {
    run.tasks.values().flat_map(|view| &view.invocations)
}

fn ends(run: &Run) -> impl Iterator<Item = &InvocationEnded> {
    invocations(run).filter_map(|view| view.ended.as_ref())
}

/// Gaps, each once, and every invocation that did not return all that was asked for.
fn not_examined(out: &mut String, run: &Run) {
    let unhashed = run.integrity.iter().flat_map(|hashed| &hashed.gaps);
    let gaps: BTreeSet<&Gap> = ends(run).flat_map(|ended| &ended.gaps).chain(unhashed).collect();
    let _ = writeln!(out, "\n## Not examined\n");
    for gap in &gaps {
        let _ = writeln!(out, "- {}: {}", code(&gap.path), code(&gap.reason));
    }
    let mut whole = gaps.is_empty();
    for view in invocations(run) {
        if let Some(shortfall) = shortfall(view) {
            whole = false;
            let started = &view.started;
            let arguments = code(&started.arguments.to_string());
            let note = view.ended.as_ref().and_then(|ended| ended.notes.first());
            let note = note.map_or(String::new(), |note| format!(": {}", code(note)));
            let _ = writeln!(
                out,
                "- `{}` {} {arguments} {shortfall}{note}",
                started.invocation,
                code(&started.tool)
            );
        }
    }
    if whole {
        let _ = writeln!(out, "No tool reported a gap, and every call returned all that was asked for.");
    }
}

/// In what way an invocation did not return all that was asked for.
fn shortfall(view: &InvocationView) -> Option<&'static str> {
    let Some(ended) = &view.ended else { return Some(outcome(None)) };
    match (ended.outcome, ended.completeness) {
        (Outcome::Failed | Outcome::Timeout | Outcome::Denied, _) => Some(outcome(Some(ended.outcome))),
        (Outcome::Ok | Outcome::Empty, Completeness::Truncated) => Some("truncated"),
        (Outcome::Ok | Outcome::Empty, Completeness::Complete) => None,
    }
}

/// Defects, each once, and what the hashes of the evidence do not cover.
fn damaged(out: &mut String, run: &Run) {
    let defects: BTreeSet<&Defect> = ends(run).flat_map(|ended| &ended.defects).collect();
    let _ = writeln!(out, "\n## Damaged evidence\n");
    for defect in &defects {
        let at = defect.offset.map_or(String::new(), |offset| format!(" at {offset:#x}"));
        let _ = writeln!(out, "- {}{at}: {}", code(&defect.path), code(&defect.what));
    }
    let mut sound = defects.is_empty();
    for hashed in &run.integrity {
        for gap in &hashed.gaps {
            sound = false;
            let label = code(&hashed.evidence);
            let _ = writeln!(out, "- {label} is hashed without {}: {}", code(&gap.path), code(&gap.reason));
        }
    }
    if sound {
        let _ = writeln!(out, "No tool met damage, and the hashes cover all of the evidence.");
    }
}
