//! The shelf as a fold of a task's events: the basis for judging its claims.

use crate::setting::Setting;
use ground::{Held, Search, Shelf, read_invocation};
use ledger::absence::{near_in, unread_by};
use ledger::event::{InvocationEnded, InvocationStarted};
use ledger::{Claim, Output, TaskId, canonical};
use std::sync::Arc;

/// Adds an invocation to the shelf.
pub fn hold(
    shelf: &mut Shelf,
    started: &InvocationStarted,
    ended: &InvocationEnded,
    output: Option<Arc<Output>>,
) {
    shelf.push(Held {
        invocation: ended.invocation,
        summary: summary(&started.tool, &started.arguments),
        search: Search {
            tool: started.tool.clone(),
            arguments: ended.normalised.clone(),
            completeness: ended.completeness,
            whole: ended.gaps.is_empty() && ended.defects.is_empty(),
            logs: unread_by(ended),
            near: near_in(&ended.notes).map(str::to_owned).collect(),
        },
        outcome: ended.outcome,
        output,
        shown: ended.shown.clone(),
    });
}

/// Adds the cited ids that belong to other tasks, by their digits, to the shelf.
pub fn cite(shelf: &mut Shelf, setting: &Setting, own: TaskId, claim: &Claim) {
    let cited = match claim {
        Claim::Reading(reading) => std::slice::from_ref(&reading.invocation),
        Claim::Absence(absence) => absence.searches.as_slice(),
        // These cite facts, not invocations.
        Claim::Derivation(_) | Claim::Sentence(_) | Claim::Statement(_) => &[],
    };
    for id in cited.iter().filter_map(|cited| read_invocation(cited)) {
        if setting.is_foreign(id, own) {
            shelf.push_foreign(id);
        }
    }
}

/// Describes a call in one line: the tool and its arguments.
fn summary(tool: &str, arguments: &serde_json::Value) -> String {
    bounded(&format!("{tool} {}", canonical::to_string(arguments).unwrap_or_default()))
}

/// Returns at most 200 characters of what a model wrote.
pub(crate) fn bounded(text: &str) -> String {
    within(text, 200)
}

/// Returns at most `most` characters of a text.
pub(crate) fn within(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
