//! Work that is handed from task to task, and what is made of all of it.

use crate::dispatch::{ArtifactHead, ArtifactKind};
use crate::event::TaskStatus;
use crate::id::{ArtifactId, CallId, ClaimId, InvocationId, TaskId};
use crate::sentence::SentenceEntry;
use crate::statement::StatementEntry;
use serde::{Deserialize, Serialize};

/// Tasks of one sequence number were handed out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TasksDispatched {
    /// The turn.
    pub turn: u32,
    /// The sequence number.
    pub sequence: u32,
    /// The tasks, in the order of their calls.
    pub tasks: Vec<DispatchedTask>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DispatchedTask {
    /// The call that asked for it.
    pub call: CallId,
    /// The task.
    pub task: TaskId,
    /// Its agent.
    pub agent: String,
}

/// A task that was handed out has ended, and whoever handed it out was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskReported {
    /// The task.
    pub task: TaskId,
    /// How it ended.
    pub status: TaskStatus,
    /// Whether every objective of it is answered.
    pub accepted: bool,
    /// What the task came to, stored by code for later tasks.
    pub report: ArtifactHead,
    /// The content of that.
    pub content: String,
}

/// Text was stored for others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArtifactStored {
    /// The turn.
    pub turn: u32,
    /// The model's own name for the call.
    pub call: CallId,
    /// Its id.
    pub artifact: ArtifactId,
    /// What it is.
    pub kind: ArtifactKind,
    /// One line on it.
    pub summary: String,
    /// The text; an agent's words, never evidence.
    pub content: String,
}

/// A stored text was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArtifactRetrieved {
    /// The turn.
    pub turn: u32,
    /// The model's own name for the call.
    pub call: CallId,
    /// Which one.
    pub artifact: ArtifactId,
}

/// What set a recovery off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryTrigger {
    /// The turns are spent, and an objective is unmet.
    StepsExhausted,
    /// An objective is met by what one weak source says; only in runs from before [`crate::Behaviour::AnsweredIsDone`].
    LowConfidence,
    /// The agent stopped, and an objective is unmet.
    ApparentCompletion,
}

impl RecoveryTrigger {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            RecoveryTrigger::StepsExhausted => "steps_exhausted",
            RecoveryTrigger::LowConfidence => "low_confidence",
            RecoveryTrigger::ApparentCompletion => "apparent_completion",
        }
    }
}

/// A task tries another way: `recovery:attempt=N`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecoveryBegun {
    /// Its number in the task, from 1.
    pub attempt: u32,
    /// What set it off.
    pub trigger: RecoveryTrigger,
    /// The objective that it is for.
    pub objective: String,
    /// The strategy's name.
    pub strategy: String,
    /// The call whose outcome it answers; `None` where it answers none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<InvocationId>,
    /// The calls that it suggests.
    pub calls: Vec<SuggestedCall>,
}

/// A call that a strategy suggests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuggestedCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: serde_json::Value,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecoveryEnded {
    /// Its number in the task.
    pub attempt: u32,
    /// Facts that were recorded in it.
    pub facts: u32,
    /// Objectives that were unanswered before it, and are answered after it.
    pub answered: Vec<String>,
}

/// A sentence of the narrative rests on what it cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SentenceAccepted {
    /// The claim.
    pub claim: ClaimId,
    /// The sentence.
    pub sentence: SentenceEntry,
}

/// A statement of the story is told: what it names is there, and states the fields that are said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatementTold {
    /// The claim.
    pub claim: ClaimId,
    /// The statement.
    pub statement: StatementEntry,
}

/// A lead says why it leaves questions of the case open. They stay open: its words say nothing of the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionsDeclined {
    /// The turn.
    pub turn: u32,
    /// The call.
    pub call: CallId,
    /// The agent whose questions they are.
    pub agent: String,
    /// Their names.
    pub questions: Vec<String>,
    /// The lead's reason, in its own words.
    pub reason: String,
}
