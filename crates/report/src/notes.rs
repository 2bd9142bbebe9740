//! Notes of agents, apart from everything that code says: nobody checked them, no fact rests on them, and none has a time.

use crate::inert::{code, prose, terminal};
use graph::Run;
use ledger::TaskId;
use ledger::event::NoteWritten;
use serde_json::{Value, json};
use std::fmt::Write;

/// The heading of every format that people read.
pub(crate) const HEADING: &str = "Agents' notes (not checked)";

/// What is said below it.
pub(crate) const ABOUT: &str = "Remarks in an agent's own words. They are not facts, nothing is based on them, and nobody has checked them.";

/// The notes of all tasks, each with its task and agent, in the order in which a task wrote them.
pub(crate) fn notes(run: &Run) -> impl Iterator<Item = (TaskId, &str, &NoteWritten)> {
    run.tasks.iter().flat_map(|(task, view)| {
        view.notes.iter().map(move |note| (*task, view.assigned.agent.name.as_str(), note))
    })
}

/// The chapter of the story that a note is on, in words.
pub(crate) fn on(note: &NoteWritten) -> String {
    note.chapter.map_or_else(String::new, |chapter| format!(" on “{}”", chapter.title()))
}

/// For the terminal; empty where there are none.
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

/// For the report.
pub(crate) fn markdown(out: &mut String, run: &Run) {
    if notes(run).next().is_none() {
        return;
    }
    let _ = writeln!(out, "\n## {HEADING}\n\n{ABOUT}\n");
    for (task, agent, note) in notes(run) {
        let _ = writeln!(out, "- {} of {task}{}: {}", prose(agent), on(note), code(&note.text));
    }
}

/// For programs.
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
