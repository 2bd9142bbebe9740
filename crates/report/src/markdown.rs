//! The report as Markdown.

use crate::inert::markdown as inert;
use crate::text::{status, tier};
use graph::{Fate, Run, TaskView, fact_title, phenomenon_title, refused_claims};
use ledger::{FactEntry, IntegrityLevel};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The whole run as one Markdown page.
pub fn markdown(run: &Run) -> String {
    let mut out = String::new();
    head(&mut out, run);
    answers(&mut out, run);
    phenomena(&mut out, run);
    not_read(&mut out, run);
    rejections(&mut out, run);
    evidence(&mut out, run);
    invocations(&mut out, run);
    out
}

fn head(out: &mut String, run: &Run) {
    let _ = writeln!(out, "# {}\n", inert(&run.opened.case.title));
    let name = run.circumstance.run.as_ref().map_or("", |run| run.as_str());
    let _ = writeln!(out, "Run `{name}`, opened {}, Locard {}.", run.circumstance.at, run.opened.program);
    let _ = match &run.sealed {
        Some(_) => writeln!(out, "The run is sealed."),
        None => writeln!(out, "**The run is not sealed: it broke off.**"),
    };
    if !run.opened.confined {
        let _ = writeln!(out, "**Tools ran unconfined, at the request of whoever started the run.**");
    }
    let _ = writeln!(
        out,
        "Facts stand in the output of a tool call, checked when they were recorded; \
         interpretations are an agent's own words and were checked by nobody.\n"
    );
}

fn answers(out: &mut String, run: &Run) {
    let _ = writeln!(out, "## Objectives\n");
    let _ = writeln!(out, "| agent | question | answer |\n|---|---|---|");
    for view in run.tasks.values() {
        for (index, objective) in view.assigned.agent.objectives.iter().enumerate() {
            let _ = writeln!(
                out,
                "| {} | {} | {} |",
                inert(&view.assigned.agent.name),
                inert(&objective.question),
                answer(run, view, index)
            );
        }
    }
    let _ = writeln!(out);
    for view in run.tasks.values() {
        let status = view.ended.as_ref().map_or("did not end", |ended| status(ended.status));
        let _ = writeln!(
            out,
            "Agent {} ({}): {status}, {} turns.",
            inert(&view.assigned.agent.name),
            inert(&view.assigned.model),
            view.turns
        );
    }
}

fn answer(run: &Run, view: &TaskView, index: usize) -> String {
    let result = view.ended.as_ref().and_then(|ended| ended.objectives.get(index));
    match result.map(|result| result.facts.as_slice()) {
        None => "not examined".to_owned(),
        Some([]) => "unmet".to_owned(),
        Some(facts) => facts
            .iter()
            .filter_map(|id| run.fact(*id))
            .map(|fact| format!("{} (`{}`)", inert(&fact_title(fact)), fact.id))
            .collect::<Vec<_>>()
            .join("<br>"),
    }
}

fn phenomena(out: &mut String, run: &Run) {
    let _ = writeln!(out, "\n## Phenomena");
    for view in run.tasks.values() {
        for phenomenon in &view.phenomena {
            let facts: Vec<&FactEntry> = phenomenon.facts.iter().filter_map(|id| run.fact(*id)).collect();
            let _ = writeln!(out, "\n### {}\n", inert(&phenomenon_title(&facts)));
            if !phenomenon.interpretation.is_empty() {
                let _ = writeln!(out, "*Interpretation:* {}\n", inert(&phenomenon.interpretation));
            }
            let _ = writeln!(out, "| fact | says | proof | evidence |\n|---|---|---|---|");
            for fact in facts {
                let _ = writeln!(
                    out,
                    "| `{}` | {} | {} | {} |",
                    fact.id,
                    inert(&fact_title(fact)),
                    proof(fact),
                    inert(&fact.locator.to_string())
                );
            }
        }
    }
}

fn proof(fact: &FactEntry) -> String {
    let values: Vec<_> = fact
        .values
        .iter()
        .map(|value| format!("{} {} @ {}", inert(&value.field), tier(value.tier), value.span))
        .collect();
    let seen = if fact.shown { "" } else { ", not shown to the agent" };
    format!("`{}` {}{seen}: {}", fact.invocation, fact.record, values.join("; "))
}

/// Gaps and defects, each once.
fn not_read(out: &mut String, run: &Run) {
    let ends =
        || run.tasks.values().flat_map(|view| view.invocations.iter()).filter_map(|view| view.ended.as_ref());
    let unhashed = run.integrity.iter().flat_map(|hashed| &hashed.gaps);
    let gaps: BTreeSet<_> = ends().flat_map(|ended| ended.gaps.iter()).chain(unhashed).collect();
    let defects: BTreeSet<_> = ends().flat_map(|ended| ended.defects.iter()).collect();
    let _ = writeln!(out, "\n## Not examined\n");
    if gaps.is_empty() {
        let _ = writeln!(out, "No tool reported a gap.");
    }
    for gap in gaps {
        let _ = writeln!(out, "- {}: {}", inert(&gap.path), inert(&gap.reason));
    }
    let _ = writeln!(out, "\n## Damaged evidence\n");
    if defects.is_empty() {
        let _ = writeln!(out, "No tool met damage.");
    }
    for defect in defects {
        let at = defect.offset.map_or(String::new(), |offset| format!(" at {offset:#x}"));
        let _ = writeln!(out, "- {}{at}: {}", inert(&defect.path), inert(&defect.what));
    }
}

fn rejections(out: &mut String, run: &Run) {
    let refused = refused_claims(run);
    let _ = writeln!(out, "\n## Refused claims\n");
    if refused.is_empty() {
        let _ = writeln!(out, "No claim was refused.");
        return;
    }
    let mut counts: BTreeMap<_, (u32, u32)> = BTreeMap::new();
    for claim in &refused {
        let count = counts.entry(claim.rejection.code).or_default();
        match claim.fate {
            Fate::Corrected { .. } => count.0 += 1,
            Fate::Abandoned => count.1 += 1,
        }
    }
    let _ = writeln!(out, "| code | corrected later | abandoned |\n|---|---|---|");
    for (code, (corrected, abandoned)) in counts {
        let _ = writeln!(out, "| {} | {corrected} | {abandoned} |", inert(code.name()));
    }
}

fn evidence(out: &mut String, run: &Run) {
    let _ = writeln!(out, "\n## Evidence\n");
    let _ = writeln!(out, "| label | checked | SHA-256 of its manifest | files | bytes | as expected |");
    let _ = writeln!(out, "|---|---|---|---|---|---|");
    for hashed in &run.integrity {
        let level = match hashed.integrity.level {
            IntegrityLevel::Full => "every byte",
            IntegrityLevel::Sampled => "samples",
            IntegrityLevel::Stat => "names, sizes and times",
        };
        let expected = match hashed.as_expected {
            None => "no hash was given",
            Some(true) => "yes",
            Some(false) => "**no**",
        };
        let _ = writeln!(
            out,
            "| {} | {level} | `{}` | {} | {} | {expected} |",
            inert(&hashed.evidence),
            hashed.integrity.sha256,
            hashed.integrity.files,
            hashed.integrity.bytes
        );
    }
}

fn invocations(out: &mut String, run: &Run) {
    let _ = writeln!(out, "\n## Invocations\n");
    let _ = writeln!(out, "| invocation | tool | arguments | outcome | records |\n|---|---|---|---|---|");
    for view in run.tasks.values().flat_map(|task| task.invocations.iter()) {
        let (outcome, records) = match &view.ended {
            Some(ended) => (outcome(ended.outcome), ended.records),
            None => ("broke off", 0),
        };
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {outcome} | {records} |",
            view.started.invocation,
            inert(&view.started.tool),
            inert(&view.started.arguments.to_string())
        );
    }
}

const fn outcome(outcome: ledger::Outcome) -> &'static str {
    match outcome {
        ledger::Outcome::Ok => "ok",
        ledger::Outcome::Empty => "empty",
        ledger::Outcome::Failed => "failed",
        ledger::Outcome::Timeout => "timeout",
        ledger::Outcome::Denied => "denied",
    }
}
