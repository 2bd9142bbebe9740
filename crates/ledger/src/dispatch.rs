//! What an agent gives to a task that it dispatches.

use crate::id::{ArtifactId, CallId, TaskId};
use serde::{Deserialize, Serialize};

/// Who dispatched a task, and what the task was given; tasks at the beginning of a run have none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dispatch {
    /// The task that dispatched it.
    pub by: TaskId,
    /// The turn of that task.
    pub turn: u32,
    /// The call of that turn.
    pub call: CallId,
    /// Its sequence number in the plan: tasks with the same number run side by side, tasks with a higher number after them.
    pub sequence: u32,
    /// What it should do, in the dispatcher's words; empty if its objectives say everything.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instruction: String,
    /// The tasks that had ended by then: it may derive from their facts and read their artifacts.
    pub after: Vec<TaskId>,
    /// The artifacts that its first message shows, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    /// An artifact that is only mentioned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// An artifact that a task's first message names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Its id, as the agent wrote it.
    pub id: String,
    /// What is shown of it.
    pub shown: ReferenceShown,
}

/// What is shown of a referenced artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case", deny_unknown_fields)]
pub enum ReferenceShown {
    /// All of it.
    Content {
        /// The content as it was stored.
        content: String,
    },
    /// There is no such artifact.
    NotFound,
    /// Nothing: it does not fit with the others.
    Elided,
}

/// The kind of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactKind {
    /// A result that an agent stored for others.
    Result,
    /// A part of the work that an agent saved as it went.
    Checkpoint,
    /// The result of a task, written by code from its log.
    Report,
}

impl ArtifactKind {
    /// Returns the word for it.
    pub const fn name(self) -> &'static str {
        match self {
            ArtifactKind::Result => "result",
            ArtifactKind::Checkpoint => "checkpoint",
            ArtifactKind::Report => "report",
        }
    }
}

/// An artifact without its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArtifactHead {
    /// Its id.
    pub artifact: ArtifactId,
    /// What it is.
    pub kind: ArtifactKind,
    /// One line about it.
    pub summary: String,
    /// The number of characters in its content.
    pub characters: u32,
}
