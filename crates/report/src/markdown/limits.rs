//! What was not examined, and what is damaged.

use crate::inert::{code, prose};
use crate::limits::Limits;
use graph::Run;
use std::fmt::Write;

pub(super) fn limits(out: &mut String, run: &Run, limits: &Limits<'_>) {
    not_examined(out, limits);
    damaged(out, run);
}

fn not_examined(out: &mut String, limits: &Limits<'_>) {
    let _ = writeln!(out, "\n## Not examined\n\n{}.\n", limits.line());
    for (kind, questions) in &limits.lacking {
        let _ = writeln!(out, "- Needs {}:", prose(kind));
        for it in questions {
            let _ = writeln!(out, "  - {} ({})", prose(it.question), prose(it.agent));
        }
    }
    for (it, reasons) in &limits.unread {
        let _ = writeln!(out, "- {} ({}) could not be read:", prose(it.question), prose(it.agent));
        for reason in reasons {
            let _ = writeln!(out, "  - {}", code(reason));
        }
    }
    for (it, how) in &limits.open {
        let _ = writeln!(out, "- Open ({how}): {} ({})", prose(it.question), prose(it.agent));
    }
    if !limits.is_listed {
        let _ = writeln!(out, "- The run does not list the questions of its case.");
    }
    for it in limits.gaps.iter().chain(&limits.short) {
        let invocation = it.invocation.map_or(String::new(), |id| format!("`{id}` "));
        let _ = writeln!(out, "- {invocation}{}: {}", code(&it.place), code(&it.reason));
    }
    if limits.gaps.is_empty() && limits.short.is_empty() {
        let _ = writeln!(out, "- No tool reported a gap, and every call returned all that was asked for.");
    }
    for check in &limits.unchecked {
        let _ = writeln!(out, "- {}", prose(check));
    }
}

/// Writes the damage, without repeats, and what the hashes of the evidence do not cover.
fn damaged(out: &mut String, run: &Run) {
    let defects = graph::damage(run);
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
            let _ = writeln!(out, "- {label} was hashed without {}: {}", code(&gap.path), code(&gap.reason));
        }
    }
    if sound {
        let _ = writeln!(out, "No tool found damage, and the hashes cover all of the evidence.");
    }
}
