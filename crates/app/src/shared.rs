//! Answers identical calls of several tasks of a run from one lookup.
//!
//! A tool is a pure function of its arguments and of the evidence, so an identical
//! call of another task gets the same answer, under its own invocation.
//! Which task came first is chance, so that is stored outside the log's chains ([`Cost::served_from`]).

use crate::course::invocations;
use crate::stored::{self, Recording, StoredTask};
use engine::ToolReturn;
use ledger::chain::Cost;
use ledger::{Digest, InvocationId, Outcome, canonical};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The most bytes of kept outputs in total.
const MOST_BYTES: usize = 512 << 20;
/// The most answers to keep.
const MOST: usize = 1 << 16;

/// The answers of a run's tools, shared by all its tasks.
#[derive(Clone, Default)]
pub(crate) struct Shared {
    answers: Arc<Mutex<HashMap<Digest, Slot>>>,
    /// The number of bytes of the kept outputs.
    bytes: Arc<AtomicUsize>,
}

/// The answer to one call, once there is one; whoever holds the lock makes the call.
type Slot = Arc<Mutex<Option<Answer>>>;

struct Answer {
    invocation: InvocationId,
    returned: ToolReturn,
}

impl Shared {
    /// Collects the answers in a log.
    pub(crate) fn of<'l>(
        tasks: impl IntoIterator<Item = &'l StoredTask>,
        recording: &dyn Recording,
    ) -> Shared {
        let shared = Shared::default();
        for task in tasks {
            for (started, ended) in invocations(task) {
                let Ok(returned) = stored::returned(recording, ended) else { continue };
                let Some(slot) = shared.slot(key(&started.tool, &started.arguments)) else { continue };
                let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
                if held.is_none() {
                    *held = shared.kept(started.invocation, &returned);
                }
            }
        }
        shared
    }

    /// Returns the answer of an identical call, or makes `call`. Calls that were stopped or denied are not kept.
    pub(crate) fn call(
        &self,
        invocation: InvocationId,
        (tool, arguments): (&str, &Value),
        call: impl FnOnce() -> (ToolReturn, Option<Cost>),
    ) -> (ToolReturn, Option<Cost>) {
        let Some(slot) = self.slot(key(tool, arguments)) else { return call() };
        let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = held.as_ref() {
            let cost = Cost { served_from: Some(answer.invocation), ..Cost::default() };
            return (answer.returned.clone(), Some(cost));
        }
        let (returned, cost) = call();
        *held = self.kept(invocation, &returned);
        (returned, cost)
    }

    /// Returns the answer to keep; `None` if another attempt may have a different result, or too much is kept already.
    fn kept(&self, invocation: InvocationId, returned: &ToolReturn) -> Option<Answer> {
        match returned.outcome {
            Outcome::Ok | Outcome::Empty => {}
            // The tool accepted its arguments, and would fail in the same way again.
            Outcome::Failed if returned.normalised.is_some() => {}
            Outcome::Failed | Outcome::Timeout | Outcome::Denied => return None,
        }
        let bytes = returned.output.as_ref().map_or(0, |output| output.bytes().len());
        let before = self.bytes.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > MOST_BYTES {
            self.bytes.fetch_sub(bytes, Ordering::Relaxed);
            return None;
        }
        Some(Answer { invocation, returned: returned.clone() })
    }

    /// Returns the slot of a call; `None` once there are too many.
    fn slot(&self, key: Digest) -> Option<Slot> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = answers.len();
        match answers.get(&key) {
            Some(slot) => Some(Arc::clone(slot)),
            None if known >= MOST => None,
            None => Some(Arc::clone(answers.entry(key).or_default())),
        }
    }
}

fn key(tool: &str, arguments: &Value) -> Digest {
    // The canonical form orders the members, regardless of their original order.
    let arguments = canonical::to_vec(arguments).unwrap_or_default();
    Digest::of_parts(&[tool.as_bytes(), &arguments])
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use ledger::{Completeness, IdSpace, Seed, TaskId};
    use serde_json::json;

    fn returned(outcome: Outcome) -> ToolReturn {
        ToolReturn {
            outcome,
            completeness: Completeness::Complete,
            normalised: Some(json!({})),
            output: None,
            defects: Vec::new(),
            gaps: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn an_identical_call_of_another_task_is_answered_once_and_says_by_which() {
        let ids = IdSpace::new(Seed(Digest::of(b"shared")));
        let id = |task| InvocationId::assign(&ids, TaskId(task), 0).unwrap();
        let shared = Shared::default();
        let calls = std::cell::Cell::new(0);
        let ask = |task, path: &str, outcome| {
            shared.call(id(task), ("list", &json!({ "path": path })), || {
                calls.set(calls.get() + 1);
                (returned(outcome), Some(Cost::default()))
            })
        };
        let first = ask(1, "a", Outcome::Ok);
        let second = ask(2, "a", Outcome::Ok);
        assert_eq!(first.1.unwrap().served_from, None);
        assert_eq!(second.1.unwrap().served_from, Some(id(1)));
        ask(2, "b", Outcome::Failed);
        ask(1, "b", Outcome::Failed);
        assert_eq!(calls.get(), 2, "the tool is the same, and so is the evidence");
        ask(2, "c", Outcome::Timeout);
        ask(1, "c", Outcome::Timeout);
        assert_eq!(calls.get(), 4, "what was stopped is tried again");
    }
}
