//! What a task is handed by the agent that dispatched it.

use crate::id::{ArtifactId, CallId, TaskId};
use serde::{Deserialize, Serialize};

/// Why a task exists that the run did not begin with, and what it was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dispatch {
    /// The task that handed it out.
    pub by: TaskId,
    /// The turn of that task.
    pub turn: u32,
    /// The call of that turn.
    pub call: CallId,
    /// Its place in the plan: tasks of one number run side by side, those of a higher one after them.
    pub sequence: u32,
    /// What it shall do, in the words of who handed it out; empty where its objectives say everything.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instruction: String,
    /// The tasks that had ended by then, whose facts it may derive from and whose artifacts it may read.
    pub after: Vec<TaskId>,
    /// The artifacts that its first message shows, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    /// An artifact that is only pointed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// An artifact that a task's first message names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Its id, as whoever named it wrote it.
    pub id: String,
    /// What of it is shown.
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
    /// Nothing: it does not fit beside the others.
    Elided,
}

/// What an artifact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactKind {
    /// A result, stored by its agent for others.
    Result,
    /// A section of work, saved by its agent as it went.
    Checkpoint,
    /// What a task came to, told from its log by code.
    Report,
}

impl ArtifactKind {
    /// The word for it.
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
    /// One line on it.
    pub summary: String,
    /// Characters of its content.
    pub characters: u32,
}
