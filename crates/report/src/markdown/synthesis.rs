//! The synthesis of all tasks: the story and, for a run with a lead, the assigned tasks, their results, and what was stored on the way.

use crate::contradicted::Contradictions;
use crate::inert::{cell, code, prose};
use crate::sources::{Corroborated, ONE};
use crate::story::{Group, Line, READING, arranged};
use crate::synthesis::title;
use crate::text::status;
use graph::{Placed, Run, TaskView, sentence_text};
use ledger::event::TaskReported;
use ledger::{Chapter, Dispatch, NodeId, TaskId};
use std::fmt::Write;

/// The maximum number of characters of a stored text that the page shows.
const MOST_SHOWN: usize = 2_000;

/// Writes the story, host by host in chronological order, with what agents wrote kept apart.
pub(super) fn told(out: &mut String, run: &Run, lines: &[Line<'_>], corroborated: &Corroborated) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\n## What happened\n\n\
         Agents chose the facts; code wrote the sentences, each from one fact or from a derivation. \
         Facts of one kind share a line; its number counts the records behind the statements below it. \
         An agent's comment is shown below its statement, as _{READING}_."
    );
    for of in arranged(run, lines) {
        if let Some(host) = &of.host {
            let _ = writeln!(out, "\n### {}", prose(host));
        }
        for episode in &of.episodes {
            let _ = match &episode.heading {
                Some(heading) => writeln!(out, "\n**{}**\n", code(&heading.text())),
                None => writeln!(out),
            };
            groups(out, run, lines, &episode.groups, corroborated);
        }
        if !of.machine.is_empty() {
            let _ = writeln!(out, "\n**{}**\n", Chapter::Machine.title());
            groups(out, run, lines, &of.machine, corroborated);
        }
    }
}

fn groups(out: &mut String, run: &Run, lines: &[Line<'_>], groups: &[Group], corroborated: &Corroborated) {
    for group in groups {
        let indent = match &group.heading {
            Some(heading) => {
                let _ = writeln!(out, "- {}", code(&heading.text()));
                "  "
            }
            None => "",
        };
        for line in group.members.iter().filter_map(|it| lines.get(*it)) {
            statement(out, run, line, corroborated, indent);
        }
    }
}

fn statement(out: &mut String, run: &Run, line: &Line<'_>, corroborated: &Corroborated, indent: &str) {
    let it = &line.statement;
    let at = line.moment().map_or_else(|| "without a time".to_owned(), |time| code(&time));
    let by = line.dated_by().map_or(String::new(), |field| format!(" ({})", code(field)));
    let between = line.zoned();
    let between =
        between.map_or(String::new(), |(between, fact)| format!(" ({between} by the host's zone, `{fact}`)"));
    let twice = it
        .twice
        .map_or(String::new(), |step| format!(", order not certain: a clock that was set back, `{step}`"));
    let one = if corroborated.is_single(run, [it.node]) { format!(", {ONE}") } else { String::new() };
    let _ = writeln!(
        out,
        "{indent}- {at}{by}{between}: {} (`{}`, {}{one}{twice}; chosen by {})",
        code(&line.words.text()),
        it.node,
        it.chapter.title(),
        prose(&line.tellers(run))
    );
    for remark in &line.remarks {
        let of = |stands: bool| {
            let values = remark.pieces.iter().filter(|piece| piece.stands == Some(stands));
            values.map(|piece| code(&piece.text)).collect::<Vec<_>>().join(", ")
        };
        let said = |what: &str, values: String| match values.is_empty() {
            true => String::new(),
            false => format!("; {what}: {values}"),
        };
        let _ = writeln!(
            out,
            "{indent}  - _{READING}_ ({}, {}): {}{}{}",
            prose(remark.agent),
            remark.task,
            code(remark.text),
            said("stands in what is told", of(true)),
            said("not found there", of(false))
        );
    }
}

/// Writes what agents wrote in runs of earlier versions: undated, and not part of what happened.
pub(super) fn readings(out: &mut String, run: &Run, sentences: &[Placed<'_>]) {
    if sentences.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\n## What an agent made of it\n\n\
         In this run, of an older version, agents wrote sentences. Each is _{READING}_: code checked that its values are in what it cites, not that it is true.\n"
    );
    let contradictions = Contradictions::of(run);
    for placed in sentences {
        let sentence = placed.sentence;
        let _ = writeln!(out, "- {} (`{}`)", code(&sentence_text(&sentence.text)), sentence.id);
        for id in &sentence.cites {
            let _ = writeln!(out, "  - `{id}`: {}", code(&title(run, *id)));
        }
        for fact in contradictions.to(placed) {
            let title = code(&title(run, NodeId::Fact(fact)));
            let _ = writeln!(out, "  - **the sweep contradicts this**: `{fact}`: {title}");
        }
    }
}

/// Writes which tasks were assigned, by whom, in which order, and their results; nothing for a run without a lead.
pub(super) fn dispatched(out: &mut String, run: &Run) {
    if run.tasks.values().all(|view| view.dispatched.is_empty()) {
        return;
    }
    let _ = writeln!(
        out,
        "\n## Assigned tasks\n\n\
         Tasks with the same number ran in parallel, those with a higher number after them. \
         Code decides whether a task is accepted, objective by objective.\n"
    );
    let _ = writeln!(out, "| number | task | agent | by | instruction | handed over | ended | accepted |");
    let _ = writeln!(out, "|---|---|---|---|---|---|---|---|");
    for (by, lead) in &run.tasks {
        for batch in &lead.dispatched {
            for task in &batch.tasks {
                let view = run.tasks.get(&task.task);
                let dispatch = view.and_then(|view| view.assigned.dispatch.as_deref());
                let reported = lead.reports.iter().find(|report| report.task == task.task);
                let _ = writeln!(
                    out,
                    "| {} | {} | {} | {by} | {} | {} | {} | {} |",
                    batch.sequence,
                    task.task,
                    cell(&task.agent),
                    dispatch.map_or_else(String::new, |dispatch| cell(&dispatch.instruction)),
                    dispatch.map_or_else(String::new, handed_over),
                    ended(view),
                    accepted(reported),
                );
            }
        }
    }
}

fn ended(view: Option<&TaskView>) -> &'static str {
    view.and_then(|view| view.ended.as_ref()).map_or("did not end", |ended| status(ended.status))
}

fn accepted(reported: Option<&TaskReported>) -> &'static str {
    match reported.map(|reported| reported.accepted) {
        None => "not reported",
        Some(true) => "yes",
        Some(false) => "**no**",
    }
}

/// Describes the tasks whose facts a task was given, and the artifacts that it was shown.
fn handed_over(dispatch: &Dispatch) -> String {
    let tasks = dispatch.after.iter().map(TaskId::to_string);
    let shown = dispatch.references.iter().map(|reference| {
        let shown = crate::synthesis::shown(&reference.shown);
        format!("{} ({shown})", cell(&reference.id))
    });
    tasks.chain(shown).collect::<Vec<_>>().join(", ")
}

/// Writes the recoveries that tasks tried.
pub(super) fn recoveries(out: &mut String, run: &Run) {
    if run.tasks.values().all(|view| view.recoveries.is_empty()) {
        return;
    }
    let _ = writeln!(out, "\n## Recoveries\n");
    let _ = writeln!(out, "| task | agent | attempt | because of | for | strategy | facts | then answered |");
    let _ = writeln!(out, "|---|---|---|---|---|---|---|---|");
    for (task, view) in &run.tasks {
        for (begun, end) in &view.recoveries {
            let because = begun.because.map_or_else(String::new, |call| format!(" after `{call}`"));
            let facts = end.as_ref().map_or_else(|| "it did not end".to_owned(), |end| end.facts.to_string());
            let answered = end.iter().flat_map(|end| &end.answered).map(|id| cell(id));
            let _ = writeln!(
                out,
                "| {task} | {} | {} | {}{because} | {} | {} | {facts} | {} |",
                cell(&view.assigned.agent.name),
                begun.attempt,
                prose(begun.trigger.name()),
                cell(&begun.objective),
                cell(&begun.strategy),
                answered.collect::<Vec<_>>().join(", "),
            );
        }
    }
}

/// Writes what agents stored for others in their own words.
pub(super) fn stored(out: &mut String, run: &Run) {
    if run.tasks.values().all(|view| view.artifacts.is_empty()) {
        return;
    }
    let _ = writeln!(
        out,
        "\n## Stored texts\n\nResults and checkpoints are an agent's own words, and nobody has checked them.\n"
    );
    for view in run.tasks.values() {
        let agent = &view.assigned.agent.name;
        for stored in &view.artifacts {
            let (kind, summary) = (stored.kind.name(), code(&stored.summary));
            let _ = writeln!(out, "- `{}`, {kind} of {}: {summary}", stored.artifact, prose(agent));
            content(out, &stored.content);
        }
    }
}

/// Writes a stored text line by line.
fn content(out: &mut String, text: &str) {
    let mut left = MOST_SHOWN;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let shown: String = line.chars().take(left).collect();
        left -= shown.chars().count();
        let _ = writeln!(out, "  - {}", code(&shown));
        if left == 0 {
            break;
        }
    }
    let rest = text.chars().filter(|c| *c != '\n').count().saturating_sub(MOST_SHOWN - left);
    if left == 0 && rest > 0 {
        let _ = writeln!(out, "  - and {rest} characters more");
    }
}
