//! What an agent says besides its claims, apart from everything that is shown.

use crate::agent::Objective;
use crate::id::CallId;
use crate::statement::Chapter;
use serde::{Deserialize, Serialize};

/// The agent wrote down a remark: its own words, which nobody checked. It has no id, so that nothing can rest on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoteWritten {
    /// The turn.
    pub turn: u32,
    /// The model's own name for the call.
    pub call: CallId,
    /// The remark.
    pub text: String,
    /// The chapter of the story that it is on; `None` where it is on none. Since format 2.23.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chapter: Option<Chapter>,
}

/// The agent asks a question of its own, besides those that it was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectiveAdded {
    /// The turn.
    pub turn: u32,
    /// The model's own name for the call.
    pub call: CallId,
    /// The question, under a name that code gave it, and what answers it.
    pub objective: Objective,
}
