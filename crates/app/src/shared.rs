//! What two tasks of a run ask alike is looked up once.
//!
//! A tool is a pure function of its arguments and of the evidence, so that an identical call of another task gets the same answer, under an invocation of its own.
//! Which task came first is chance: it is told beside the log's chains ([`Cost::served_from`]), never in them.

use engine::ToolReturn;
use ledger::chain::Cost;
use ledger::{Digest, InvocationId, Outcome};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Longest output in bytes that is kept for others.
const LONGEST: usize = 4 << 20;

/// Most outputs that are kept.
const MOST: usize = 256;

/// The answers of a run's tools, for all its tasks.
#[derive(Clone, Default)]
pub(crate) struct Shared {
    answers: Arc<Mutex<HashMap<Digest, Slot>>>,
}

/// The answer to one call, once there is one; whoever holds it looks it up.
type Slot = Arc<Mutex<Option<Answer>>>;

struct Answer {
    invocation: InvocationId,
    returned: ToolReturn,
}

impl Shared {
    /// The answer of an identical call, or else that of `call`; only what ended in order is kept.
    pub(crate) fn call(
        &self,
        invocation: InvocationId,
        (tool, arguments): (&str, &Value),
        call: impl FnOnce() -> (ToolReturn, Option<Cost>),
    ) -> (ToolReturn, Option<Cost>) {
        let key = Digest::of_parts(&[tool.as_bytes(), arguments.to_string().as_bytes()]);
        let Some(slot) = self.slot(key) else { return call() };
        let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = held.as_ref() {
            let cost = Cost { served_from: Some(answer.invocation), ..Cost::default() };
            return (answer.returned.clone(), Some(cost));
        }
        let (returned, cost) = call();
        let short = returned.output.as_ref().is_none_or(|output| output.bytes().len() <= LONGEST);
        if matches!(returned.outcome, Outcome::Ok | Outcome::Empty) && short {
            *held = Some(Answer { invocation, returned: returned.clone() });
        }
        (returned, cost)
    }

    /// The slot of a call; `None` once there are too many.
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
            normalised: None,
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
        let mut calls = 0;
        let mut ask = |task, path: &str, outcome| {
            shared.call(id(task), ("list", &json!({ "path": path })), || {
                calls += 1;
                (returned(outcome), Some(Cost::default()))
            })
        };
        let first = ask(1, "a", Outcome::Ok);
        let second = ask(2, "a", Outcome::Ok);
        assert_eq!(first.1.unwrap().served_from, None);
        assert_eq!(second.1.unwrap().served_from, Some(id(1)));
        ask(2, "b", Outcome::Failed);
        ask(1, "b", Outcome::Failed);
        assert_eq!(calls, 3, "what failed is tried again");
    }
}
