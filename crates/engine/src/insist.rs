//! Calls that lessons of earlier runs speak against: refused once, with the lesson, and made where the agent says why they should work now.

use crate::prompt::said;
use crate::task::Task;
use ledger::event::ObjectiveResult;
use ledger::turn::ToolCall;
use ledger::{Insisted, RememberedLesson};
use serde_json::Map;
use std::sync::Arc;

/// A lesson that was told by a refusal.
#[derive(Debug)]
pub(crate) struct Warned {
    /// The call that was refused for it.
    key: Vec<u8>,
    /// Whether the agent has said why such calls should work.
    insists: bool,
}

impl Task {
    /// Whether a call may run that was not made before, and what its agent says for it; otherwise the lesson that refuses it, and what is told.
    ///
    /// A lesson refuses once: another call that it speaks against runs then, for what was asked in it may be put right. The very same one needs a reason.
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
        // What code suggests where a question is open is not for a lesson to refuse.
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

    /// The objectives without an answer so far; told to code that reads lessons, and to nobody else.
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
