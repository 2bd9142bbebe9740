//! The calls that a task has made, as far as they show what was examined: the basis for objectives and recoveries.

use crate::shelf::bounded;
use ledger::event::{InvocationEnded, InvocationStarted};
use ledger::{Cause, Completeness, InvocationId, Outcome, Output};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most reasons that are kept for one call.
const MOST_REASONS: usize = 8;

/// A call that was made.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) invocation: InvocationId,
    pub(crate) tool: String,
    /// The arguments as the agent wrote them.
    pub(crate) arguments: Value,
    /// The arguments as used.
    pub(crate) normalised: Option<Value>,
    pub(crate) outcome: Outcome,
    /// Whether it returned everything it was asked for, and nothing that it had to read was unread or damaged.
    pub(crate) whole: bool,
    /// Whether nothing that it had to read was unread or damaged, as far as it got.
    pub(crate) clean: bool,
    /// Why not everything was read, one line each, without repetitions.
    pub(crate) unread: Vec<String>,
    pub(crate) cause: Option<Cause>,
    pub(crate) output: Option<Arc<Output>>,
}

impl Made {
    pub(crate) fn of(
        started: &InvocationStarted,
        ended: &InvocationEnded,
        output: Option<Arc<Output>>,
    ) -> Made {
        let is_complete = ended.completeness == Completeness::Complete;
        let clean = ended.gaps.is_empty() && ended.defects.is_empty();
        let cause = Cause::of(ended.outcome, &ended.notes);
        Made {
            invocation: ended.invocation,
            tool: started.tool.clone(),
            arguments: started.arguments.clone(),
            normalised: ended.normalised.clone(),
            outcome: ended.outcome,
            whole: is_complete && clean,
            clean,
            unread: unread(ended, cause),
            cause,
            output,
        }
    }

    /// Checks whether it searched everything that it should and found nothing.
    pub(crate) fn is_empty_and_whole(&self) -> bool {
        self.whole && self.outcome == Outcome::Empty
    }

    /// Checks whether it is exactly this call.
    pub(crate) fn is(&self, tool: &str, arguments: &Value) -> bool {
        self.tool == tool && self.arguments == *arguments
    }
}

/// Returns what was not read: gaps, damage unless records were returned, and the note of a call that could not read at all.
fn unread(ended: &InvocationEnded, cause: Option<Cause>) -> Vec<String> {
    let gaps = ended.gaps.iter().map(|gap| format!("{}: {}", gap.path, gap.reason));
    let damage = ended.defects.iter().filter(|_| ended.outcome != Outcome::Ok);
    let damage = damage.map(|defect| format!("{}: {}", defect.path, defect.what));
    let refused = ended.gaps.is_empty() && cause.is_some_and(Cause::is_access);
    let note = ended.notes.iter().filter(|_| refused).take(1).cloned();
    let mut seen = BTreeSet::new();
    let told = gaps.chain(damage).chain(note).map(|reason| bounded(&reason));
    told.filter(|reason| seen.insert(reason.clone())).take(MOST_REASONS).collect()
}
