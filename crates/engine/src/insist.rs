//! Calls that lessons of earlier runs advise against:
//! they are refused once, with the lesson, and run if the agent says why they should work now.

use crate::prompt::said;
use crate::task::Task;
use ledger::event::ObjectiveResult;
use ledger::turn::ToolCall;
use ledger::{Insisted, RememberedLesson};
use serde_json::Map;
use std::sync::Arc;

/// A lesson that a refusal has shown to the agent.
#[derive(Debug)]
pub(crate) struct Warned {
    /// The refused call.
    key: Vec<u8>,
    /// Whether the agent has given a reason why such calls should work.
    insists: bool,
}

impl Task {
    /// Checks whether a new call may run, and returns the agent's reason for it;
    /// otherwise returns the lesson that refuses it, and the message.
    ///
    /// A lesson refuses once. After that, another call that it advises against runs, because the agent may have corrected it.
    /// Exactly the same call needs a reason.
    pub(crate) fn spoken_against(
        &mut self,
        call: &ToolCall,
        key: &[u8],
        reason: Option<String>,
    ) -> Result<Option<Insisted>, (String, String)> {
        let none = Map::new();
        let lessons = Arc::clone(&self.lessons);
        let against = lessons.against(&call.tool, call.arguments.as_object().unwrap_or(&none));
        let Some(first) = against.first() else { return Ok(None) };
        let warn = |insists| Warned { key: key.to_vec(), insists };
        if let Some(reason) = reason {
            self.warned.extend(against.iter().map(|lesson| (lesson.id.clone(), warn(true))));
            return Ok(Some(Insisted { lesson: first.id.clone(), reason }));
        }
        // A lesson must not refuse a call that code suggests for an open question.
        if self.recoveries.suggests(&call.tool, &call.arguments) {
            return Ok(None);
        }
        let mut warned = against.iter().filter_map(|lesson| self.warned.get(&lesson.id)).peekable();
        if warned.peek().is_some() {
            return match warned.all(|warned| warned.key == key && !warned.insists) {
                true => Err((first.id.clone(), again(first))),
                false => Ok(None),
            };
        }
        self.warned.extend(against.iter().map(|lesson| (lesson.id.clone(), warn(false))));
        Err((first.id.clone(), told(first)))
    }

    /// Returns the objectives without an answer so far; only code that reads lessons gets them.
    pub(crate) fn open_objectives(&self) -> Arc<[String]> {
        if !self.lessons.may_refuse() {
            return Arc::default();
        }
        let open = self.standing().results().into_iter().filter(ObjectiveResult::is_unmet);
        open.map(|result| result.id).collect()
    }
}

fn told(lesson: &RememberedLesson) -> String {
    format!(
        "an earlier run showed: {}. Look for it in another way, or make this call again with `reason`: why it should work now",
        said(lesson)
    )
}

fn again(lesson: &RememberedLesson) -> String {
    format!(
        "this very call was refused for the lesson {}: it runs with `reason`, which says why it should work now",
        lesson.id
    )
}
