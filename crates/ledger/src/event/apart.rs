//! What an agent says besides its claims; it is kept separate from everything that is shown.

use crate::agent::Objective;
use crate::id::CallId;
use crate::statement::Chapter;
use serde::{Deserialize, Serialize};

/// A remark that the agent wrote down, in its own unchecked words. It has no id, so that nothing can be based on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoteWritten {
    /// The turn.
    pub turn: u32,
    /// The model's own name for the call.
    pub call: CallId,
    /// The remark.
    pub text: String,
    /// The chapter of the story that it is about; `None` for none. Since format 2.23.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chapter: Option<Chapter>,
}

/// A question that the agent added to those it was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectiveAdded {
    /// The turn.
    pub turn: u32,
    /// The model's own name for the call.
    pub call: CallId,
    /// The question, with a name from code, and what answers it.
    pub objective: Objective,
}
