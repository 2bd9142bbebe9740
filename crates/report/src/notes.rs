//! Agents' notes, kept apart from everything that code says: they are unchecked and undated, and no fact is based on them.

use crate::inert::{code, prose, terminal};
use graph::Run;
use ledger::TaskId;
use ledger::event::NoteWritten;
use serde_json::{Value, json};
use std::fmt::Write;

/// The heading in every format for people.
pub(crate) const HEADING: &str = "Agents' notes (not checked)";

/// The text below the heading.
pub(crate) const ABOUT: &str = "Remarks in an agent's own words. They are not facts, nothing is based on them, and nobody has checked them.";

/// Returns the notes of all tasks with task and agent, in the order in which each task wrote them.
pub(crate) fn notes(run: &Run) -> impl Iterator<Item = (TaskId, &str, &NoteWritten)> {
    run.tasks.iter().flat_map(|(task, view)| {
        view.notes.iter().map(move |note| (*task, view.assigned.agent.name.as_str(), note))
    })
}

/// Returns the chapter of the story that a note is about, in words.
pub(crate) fn on(note: &NoteWritten) -> String {
    note.chapter.map_or_else(String::new, |chapter| format!(" on “{}”", chapter.title()))
}

/// Formats the notes for the terminal; empty if there are none.
pub(crate) fn text(run: &Run) -> String {
    let mut out = String::new();
    if notes(run).next().is_some() {
        let _ = writeln!(out, "{HEADING}");
    }
    for (task, agent, note) in notes(run) {
        let (agent, on) = (terminal(agent), on(note));
        let _ = writeln!(out, "  {agent} of {task}{on}: {}", terminal(&note.text));
    }
    out
}

/// Writes the notes for the Markdown report.
pub(crate) fn markdown(out: &mut String, run: &Run) {
    if notes(run).next().is_none() {
        return;
    }
    let _ = writeln!(out, "\n## {HEADING}\n\n{ABOUT}\n");
    for (task, agent, note) in notes(run) {
        let _ = writeln!(out, "- {} of {task}{}: {}", prose(agent), on(note), code(&note.text));
    }
}

/// Returns the notes as JSON.
pub(crate) fn json(run: &Run) -> Vec<Value> {
    let one = |(task, agent, note): (TaskId, &str, &NoteWritten)| {
        json!({
            "task": task.to_string(),
            "agent": agent,
            "turn": note.turn,
            "text": note.text,
            "chapter": note.chapter,
            "checked": false,
        })
    };
    notes(run).map(one).collect()
}
