//! What a run was told of earlier ones, and which of its calls were refused for it; nothing where it was told nothing.

use crate::inert::{code, prose};
use graph::{Run, ToldLesson, told_lessons};
use ledger::TaskId;
use serde_json::{Value, json};
use std::fmt::Write;

/// What stands above the lessons.
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

/// How many lessons, refused calls and calls that were insisted on there are.
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

/// The calls that were refused for a lesson.
pub(crate) fn refused<'t>(told: &'t ToldLesson<'_>) -> impl Iterator<Item = (TaskId, String)> + 't {
    told.refused
        .iter()
        .map(|(task, refused)| (*task, format!("a call to {} was refused because of it", refused.tool)))
}

/// The calls that agents insisted on.
pub(crate) fn insisted<'t>(
    told: &'t ToldLesson<'_>,
) -> impl Iterator<Item = (TaskId, ledger::InvocationId, &'t str)> + 't {
    told.insisted.iter().map(|(task, invocation, insisted)| (*task, *invocation, insisted.reason.as_str()))
}

/// The same for programs; `None` where the run was told nothing.
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
