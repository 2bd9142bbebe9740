//! The shelf as a fold of a task's events: what its claims are judged against.

use crate::setting::Setting;
use ground::{Held, Shelf};
use ledger::event::{InvocationEnded, InvocationStarted};
use ledger::{Output, Reading, TaskId, canonical};
use std::sync::Arc;

/// Puts an invocation on the shelf.
pub fn hold(
    shelf: &mut Shelf,
    started: &InvocationStarted,
    ended: &InvocationEnded,
    output: Option<Arc<Output>>,
) {
    shelf.push(Held {
        invocation: ended.invocation,
        summary: summary(&started.tool, &started.arguments),
        outcome: ended.outcome,
        output,
        shown: ended.shown.clone(),
    });
}

/// Lets the shelf know that a cited id is another task's, where its digits say so.
pub fn cite(shelf: &mut Shelf, setting: &Setting, own: TaskId, reading: &Reading) {
    if let Ok(cited) = reading.invocation.trim().parse()
        && setting.is_foreign(cited, own)
    {
        shelf.push_foreign(cited);
    }
}

/// One line on a call: the tool and its arguments.
fn summary(tool: &str, arguments: &serde_json::Value) -> String {
    bounded(&format!("{tool} {}", canonical::to_string(arguments).unwrap_or_default()))
}

/// At most 200 characters of what a model wrote.
pub(crate) fn bounded(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
