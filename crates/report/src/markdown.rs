//! The report as Markdown.

mod facts;
mod limits;
mod synthesis;

use crate::costs::costs;
use crate::inert::{cell, code, prose};
use crate::reach;
use crate::sources::{Corroborated, ONE};
use crate::standing::{needs_line, standing};
use crate::synthesis::{Answered, answered};
use crate::tables_read::tables_read;
use crate::text::{by_code, outcome, status};
use crate::withheld;
use graph::{Run, TaskView, answer_title, narrative, ranked, refused_claims};
use ledger::event::EvidenceHashed;
use ledger::{EvidenceKind, IntegrityLevel, Objective};
use std::fmt::Write;

/// The whole run as one Markdown page.
pub fn markdown(run: &Run) -> String {
    let mut out = String::new();
    let ranked = ranked(run);
    let (told, corroborated) = (narrative(run), Corroborated::of(run));
    head(&mut out, run);
    synthesis::told(&mut out, run, &told, &corroborated);
    let _ = writeln!(
        out,
        "\n## Objectives\n\n{}. Not told: {}.\n",
        corroborated.line(run, &told, &ranked),
        crate::limits::limits(run).line()
    );
    answers(&mut out, run, &corroborated);
    facts::phenomena(&mut out, run);
    crate::nodes::markdown(&mut out, run);
    synthesis::dispatched(&mut out, run);
    synthesis::recoveries(&mut out, run);
    synthesis::stored(&mut out, run);
    limits::limits(&mut out, run);
    rejections(&mut out, run);
    evidence(&mut out, run);
    invocations(&mut out, run);
    out
}

fn head(out: &mut String, run: &Run) {
    let _ = writeln!(out, "# {}\n", prose(&run.opened.case.title));
    let name = run.name();
    let _ = writeln!(
        out,
        "Run {}, opened {}, Locard {}.",
        code(name),
        code(&run.circumstance.at),
        prose(&run.opened.program)
    );
    let _ =
        writeln!(out, "Times are in UTC; people of the case think in {}.", code(&run.opened.case.time_zone));
    let _ = match &run.sealed {
        Some(_) => writeln!(out, "The run is sealed."),
        None => writeln!(out, "**The run is not sealed: it broke off.**"),
    };
    out.push_str(&custody(run));
    for sentence in withheld::notice(run) {
        let _ = writeln!(out, "**{}**", prose(&sentence));
    }
    if let Some(disclosure) = &run.disclosure {
        let _ = writeln!(out, "{}", prose(&withheld::root(disclosure)));
    }
    if !run.opened.confined {
        let _ = writeln!(out, "**Tools ran unconfined, at the request of whoever started the run.**");
    }
    let _ = writeln!(
        out,
        "Facts stand in the output of a tool call, checked when they were recorded; \
         interpretations are an agent's own words and were checked by nobody.\n"
    );
}

fn answers(out: &mut String, run: &Run, corroborated: &Corroborated) {
    let _ = writeln!(out, "| agent | question | answer |\n|---|---|---|");
    for view in run.tasks.values() {
        for (index, objective) in view.assigned.agent.objectives.iter().enumerate() {
            let _ = writeln!(
                out,
                "| {} | {} | {} |",
                prose(&view.assigned.agent.name),
                prose(&objective.question),
                answer(run, view, index, objective, corroborated)
            );
        }
    }
    let _ = writeln!(out);
    for view in run.tasks.values() {
        let status = view.ended.as_ref().map_or("did not end", |ended| status(ended.status));
        let _ = writeln!(
            out,
            "Agent {} ({}): {status}, {} turns.",
            prose(&view.assigned.agent.name),
            prose(&view.assigned.model),
            view.turns
        );
    }
    let costs = costs(run);
    if !costs.is_empty() {
        let _ = writeln!(out, "\nLanguage models, by what their providers counted:\n");
        for line in costs.lines() {
            let _ = writeln!(out, "- {}", prose(line));
        }
    }
}

fn answer(
    run: &Run,
    view: &TaskView,
    index: usize,
    objective: &Objective,
    corroborated: &Corroborated,
) -> String {
    let result = view.ended.as_ref().and_then(|ended| ended.objectives.get(index));
    let answered = answered(view, index, objective);
    let word = standing(answered).word;
    match answered {
        Answered::Unended | Answered::Nothing | Answered::Unmet => word.to_owned(),
        Answered::Unseen => format!("{word}: no call of the agent looked at what could answer it"),
        Answered::Empty(searches) => {
            let searches: Vec<_> = searches.iter().map(|search| format!("`{search}`")).collect();
            let logs = reach::logs(run, objective);
            let reach = logs.iter().map(|(log, line)| {
                format!("<br>{} (`{}`): of other times it says nothing", cell(line), log.id)
            });
            format!("{word} ({}){}", searches.join(", "), reach.collect::<String>())
        }
        Answered::NotDeterminable(needed) => format!("{word}: {}", cell(&needs_line(objective, needed))),
        Answered::Met(facts) => std::iter::once(match corroborated.is_single_of(run, facts) {
            true => format!("{word}, {ONE}"),
            false => word.to_owned(),
        })
        .chain(facts.iter().filter_map(|id| run.fact(*id)).map(|fact| {
            let source = format!("{}:{}", fact.locator.evidence, fact.locator.path);
            format!(
                "{} in {} (`{}`)",
                cell(&answer_title(fact, &objective.condition)),
                cell(&source),
                fact.id
            )
        }))
        .chain(
            result
                .and_then(|it| graph::objective_confidence(run, it))
                .map(|sure| format!("confidence: {sure}")),
        )
        .collect::<Vec<_>>()
        .join("<br>"),
    }
}

fn rejections(out: &mut String, run: &Run) {
    let refused = refused_claims(run);
    let _ = writeln!(out, "\n## Refused claims\n");
    if refused.is_empty() {
        let _ = writeln!(out, "No claim was refused.");
        return;
    }
    let _ = writeln!(out, "| code | corrected later | abandoned |\n|---|---|---|");
    for (code, (corrected, abandoned)) in by_code(&refused) {
        let _ = writeln!(out, "| {} | {corrected} | {abandoned} |", cell(code.name()));
    }
}

fn evidence(out: &mut String, run: &Run) {
    let _ = writeln!(out, "\n## Evidence\n");
    let _ = writeln!(out, "| label | checked | SHA-256 | taken of | files | bytes | facts | as expected |");
    let _ = writeln!(out, "|---|---|---|---|---|---|---|---|");
    for hashed in &run.integrity {
        let level = match hashed.integrity.level {
            IntegrityLevel::Full => "every byte",
            IntegrityLevel::Sampled => "samples",
            IntegrityLevel::Stat => "names, sizes and times",
        };
        let expected = match hashed.as_expected {
            None => "the case names no hash of it",
            Some(true) => "yes",
            Some(false) => "**no**",
        };
        let unread = match hashed.gaps.len() {
            0 => String::new(),
            number => format!(", but for {number} that could not be read"),
        };
        let _ = writeln!(
            out,
            "| {} | {level}{unread} | `{}` | {} | {} | {} | {} | {expected} |",
            cell(&hashed.evidence),
            hashed.integrity.sha256,
            hashed_as(run, hashed),
            hashed.integrity.files,
            hashed.integrity.bytes,
            run.graph.read_from(&hashed.evidence).len()
        );
    }
    for indexed in &run.names {
        let (label, entries, index) = (code(&indexed.evidence), indexed.entries, indexed.index);
        let _ =
            writeln!(out, "\nNames of {label} were looked up in an index of {entries} entries, `{index}`.");
    }
    for (label, tables, rows) in tables_read(run) {
        let label = code(label);
        let _ = writeln!(out, "\nCalls read {tables} case tables of {label}, which hold {rows} records.");
    }
    for indexed in &run.timelines {
        let (label, index) = (code(&indexed.evidence), indexed.index);
        let (events, sources) = (indexed.events, indexed.sources);
        let _ = writeln!(
            out,
            "\nThe timeline of {label} was looked up in an index of {events} times from {sources} sources, `{index}`."
        );
    }
}

/// Where the run came from, and when it went on after it had broken off; mostly nothing.
fn custody(run: &Run) -> String {
    let mut out = String::new();
    if let Some(parent) = &run.opened.parent {
        let _ = writeln!(
            out,
            "It branched off {} (head {}): {} goes another way from turn {}.",
            parent.run, parent.head, parent.task, parent.turn
        );
    }
    for (resumed, circumstance) in &run.resumed {
        let (at, program) = (code(&circumstance.at), prose(&resumed.program));
        let _ = writeln!(out, "It had broken off, and went on at {at} (version {program}).");
    }
    out
}

/// What the hash of a piece of evidence covers: only every byte of an image or an archive is hashed without a manifest.
fn hashed_as(run: &Run, hashed: &EvidenceHashed) -> &'static str {
    let entry = run.opened.case.evidence.iter().find(|entry| entry.label == hashed.evidence);
    match (entry.map(|entry| entry.kind), hashed.integrity.level) {
        (None | Some(EvidenceKind::Directory), _)
        | (Some(_), IntegrityLevel::Sampled | IntegrityLevel::Stat) => "its manifest",
        (Some(EvidenceKind::Archive | EvidenceKind::Image), IntegrityLevel::Full) => {
            match hashed.integrity.files {
                0 | 1 => "its file",
                _ => "its files, one after the other",
            }
        }
    }
}

fn invocations(out: &mut String, run: &Run) {
    let _ = writeln!(out, "\n## Invocations\n");
    let _ = writeln!(
        out,
        "| invocation | tool | arguments | outcome | records | facts |\n|---|---|---|---|---|---|"
    );
    for view in run.tasks.values().flat_map(|task| &task.invocations) {
        let ended = view.ended.as_ref();
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {} | {} |",
            view.started.invocation,
            cell(&view.started.tool),
            cell(&view.started.arguments.to_string()),
            outcome(ended.map(|ended| ended.outcome)),
            ended.map_or(0, |ended| ended.records),
            run.graph.grounded_in(view.started.invocation).len()
        );
    }
}
