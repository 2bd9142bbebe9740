//! The report as Markdown.

mod facts;
mod limits;
mod synthesis;

use crate::costs::costs;
use crate::inert::{cell, code, prose};
use crate::limits::is_unlisted;
use crate::reach;
use crate::sources::{Corroborated, ONE};
use crate::standing::{beyond, needs_line, remarks, standing, unsearched};
use crate::tables_read::tables_read;
use crate::text::{by_code, ended, outcome};
use crate::withheld;
use graph::{Confidence, Question, Run, Stands, answer_title, narrative, ranked, refused_claims};
use ledger::event::EvidenceHashed;
use ledger::{EvidenceKind, IntegrityLevel};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Formats the whole run as one Markdown page.
pub fn markdown(run: &Run) -> String {
    let mut out = String::new();
    let ranked = ranked(run);
    let (told, corroborated) = (crate::story::lines(run), Corroborated::of(run));
    let questions = graph::questions(run);
    let not_told = crate::limits::limits(run, &questions);
    head(&mut out, run);
    crate::in_words::markdown(&mut out, run);
    crate::foremost::markdown(&mut out, run, &corroborated);
    synthesis::told(&mut out, run, &told, &corroborated);
    let _ = writeln!(
        out,
        "\n## Objectives\n\n{}. Limits: {}.\n",
        corroborated.line(run, &questions, &told, &ranked),
        not_told.line()
    );
    answers(&mut out, run, &questions, &corroborated);
    facts::findings(&mut out, run);
    crate::brought::markdown(&mut out, run);
    crate::nodes::markdown(&mut out, run);
    crate::contradictions::markdown(&mut out, run);
    synthesis::readings(&mut out, run, &narrative(run));
    synthesis::dispatched(&mut out, run);
    synthesis::recoveries(&mut out, run);
    synthesis::stored(&mut out, run);
    crate::notes::markdown(&mut out, run);
    limits::limits(&mut out, run, &not_told);
    crate::remembered::markdown(&mut out, run);
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
        writeln!(out, "Times are in UTC; the time zone of the case is {}.", code(&run.opened.case.time_zone));
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
        "Every fact was checked against the output of a tool call when it was recorded; \
         interpretations are an agent's own words, and nobody has checked them.\n"
    );
}

fn answers(out: &mut String, run: &Run, questions: &[Question<'_>], corroborated: &Corroborated) {
    if !questions.is_empty() {
        let _ = writeln!(out, "| agent | question | answer |\n|---|---|---|");
    }
    let sure = graph::answer_confidences(run, questions.iter().map(|it| it.stands.facts()));
    for (it, sure) in questions.iter().zip(sure) {
        let by: String = remarks(it).iter().map(|remark| format!(" ({})", prose(remark))).collect();
        let sure = sure.filter(|_| it.is_of_case());
        let _ = writeln!(
            out,
            "| {} | {}{by} | {} |",
            prose(it.agent),
            prose(&it.objective.question),
            answer(run, it, sure, corroborated)
        );
    }
    let _ = writeln!(out);
    if is_unlisted(run) {
        let _ = writeln!(
            out,
            "The run does not list the questions of its case, so those assigned to no agent are not shown.\n"
        );
    }
    for view in run.tasks.values() {
        let status = ended(view, questions);
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
        let _ = writeln!(out, "\nLanguage models, as counted by their providers:\n");
        for line in costs.lines() {
            let _ = writeln!(out, "- {}", prose(line));
        }
    }
}

fn answer(run: &Run, it: &Question<'_>, sure: Option<Confidence>, corroborated: &Corroborated) -> String {
    let word = standing(&it.stands).word;
    match &it.stands {
        Stands::NotAsked => word.to_owned(),
        Stands::Seen { .. } | Stands::Partly { .. } => match beyond(&it.stands) {
            more if more.is_empty() => word.to_owned(),
            more => format!("{word}: {}", cell(&more)),
        },
        Stands::Searched { searches, lacking } => {
            let searches: Vec<_> = searches.iter().map(|search| format!("`{search}`")).collect();
            let logs = reach::logs(run, it.objective);
            let reach = logs.iter().map(|(log, line)| {
                format!("<br>{} (`{}`): it does not cover other times", cell(line), log.id)
            });
            let lacking = match lacking.is_empty() {
                true => String::new(),
                false => format!("<br>{}", cell(&unsearched(it.objective, lacking))),
            };
            format!("{word} ({}){lacking}{}", searches.join(", "), reach.collect::<String>())
        }
        Stands::CannotBeTold(needed) => format!("{word}: {}", cell(&needs_line(it.objective, needed))),
        Stands::Answered(facts) => {
            let one = if corroborated.is_single_of(run, facts) { format!(", {ONE}") } else { String::new() };
            let told = facts.iter().filter_map(|id| run.fact(*id)).map(|fact| {
                let source = format!("{}:{}", fact.locator.evidence, fact.locator.path);
                let title = answer_title(fact, it.objective);
                format!("{} in {} (`{}`)", cell(&title), cell(&source), fact.id)
            });
            let sure = sure.map(|sure| format!("confidence: {sure}"));
            std::iter::once(format!("{word}{one}")).chain(told).chain(sure).collect::<Vec<_>>().join("<br>")
        }
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
            None => "the case gives no hash for it",
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

/// Describes where the run came from and when it was resumed; usually empty.
fn custody(run: &Run) -> String {
    let mut out = String::new();
    if let Some(parent) = &run.opened.parent {
        let _ = writeln!(
            out,
            "It branched off {} (head {}): {} differs starting at turn {}.",
            parent.run, parent.head, parent.task, parent.turn
        );
    }
    for (resumed, circumstance) in &run.resumed {
        let (at, program) = (code(&circumstance.at), prose(&resumed.program));
        let _ = writeln!(out, "It broke off, and was resumed at {at} (version {program}).");
    }
    out
}

/// Describes what the hash of a piece of evidence covers: without a manifest, only images and archives are hashed byte by byte.
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

/// Writes the calls by tool and outcome; each call that grounded facts is listed with them.
fn invocations(out: &mut String, run: &Run) {
    let mut tools: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut all = 0;
    for view in run.tasks.values().flat_map(|task| &task.invocations) {
        let ended = view.ended.as_ref();
        let outcomes = tools.entry(&view.started.tool).or_default();
        *outcomes.entry(outcome(ended.map(|ended| ended.outcome))).or_default() += 1;
        all += 1;
    }
    let _ = writeln!(
        out,
        "\n## Tool calls\n\n{all} calls; the page and the JSON report list each with its arguments.\n"
    );
    let _ = writeln!(out, "| tool | calls |\n|---|---|");
    for (tool, outcomes) in tools {
        let counted: Vec<String> = outcomes.iter().map(|(word, number)| format!("{number} {word}")).collect();
        let _ = writeln!(out, "| {} | {} |", cell(tool), counted.join(", "));
    }
}
