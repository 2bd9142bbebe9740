//! The lessons of earlier runs that a run was given, and the calls that were refused because of them; empty if it was given none.

use crate::inert::{code, prose};
use graph::{Run, ToldLesson, told_lessons};
use ledger::TaskId;
use serde_json::{Value, json};
use std::fmt::Write;

/// The text above the lessons.
pub(crate) const TOLD: &str =
    "Lessons of earlier runs are advice on how to look. They are no evidence, and no fact is based on them.";

pub(crate) fn markdown(out: &mut String, run: &Run) {
    let told = told_lessons(run);
    if told.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n## Remembered from earlier runs\n\n{TOLD} {}.\n", line(&told));
    for it in &told {
        let lesson = it.lesson;
        let _ = writeln!(out, "- {} {}: {}", code(&lesson.id), lesson.rule.words(), prose(&lesson.text));
        for (task, what) in refused(it) {
            let _ = writeln!(out, "  - {task}: {}", prose(&what));
        }
        for (task, invocation, reason) in insisted(it) {
            let _ = writeln!(out, "  - {task}: `{invocation}` was made anyway, because: {}", prose(reason));
        }
    }
}

/// Counts the lessons, the refused calls and the calls that were insisted on.
pub(crate) fn line(told: &[ToldLesson<'_>]) -> String {
    let count = |number: usize, one: &str, several: &str| {
        format!("{number} {}", if number == 1 { one } else { several })
    };
    let refused = told.iter().map(|it| it.refused.len()).sum();
    let insisted = told.iter().map(|it| it.insisted.len()).sum();
    [
        count(told.len(), "lesson", "lessons"),
        count(refused, "call refused because of one", "calls refused because of one"),
        count(insisted, "call made with a reason", "calls made with a reason"),
    ]
    .join(", ")
}

/// Returns the calls that were refused because of a lesson.
pub(crate) fn refused<'t>(told: &'t ToldLesson<'_>) -> impl Iterator<Item = (TaskId, String)> + 't {
    told.refused
        .iter()
        .map(|(task, refused)| (*task, format!("a call to {} was refused because of it", refused.tool)))
}

/// Returns the calls that agents insisted on.
pub(crate) fn insisted<'t>(
    told: &'t ToldLesson<'_>,
) -> impl Iterator<Item = (TaskId, ledger::InvocationId, &'t str)> + 't {
    told.insisted.iter().map(|(task, invocation, insisted)| (*task, *invocation, insisted.reason.as_str()))
}

/// Returns the lessons as JSON; `None` if the run was given none.
pub(crate) fn json(run: &Run) -> Option<Value> {
    let told = told_lessons(run);
    let one = |it: &ToldLesson<'_>| {
        json!({
            "id": it.lesson.id,
            "rule": it.lesson.rule,
            "text": it.lesson.text,
            "refuses": it.lesson.refuses.is_some(),
            "agents": it.agents,
            "refused": it.refused.iter().map(|(task, refused)| json!({
                "task": task.to_string(), "tool": refused.tool, "call": refused.call,
            })).collect::<Vec<_>>(),
            "insisted": it.insisted.iter().map(|(task, invocation, insisted)| json!({
                "task": task.to_string(), "invocation": invocation, "reason": insisted.reason,
            })).collect::<Vec<_>>(),
        })
    };
    (!told.is_empty()).then(|| told.iter().map(one).collect())
}
