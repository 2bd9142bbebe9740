//! Events about work that tasks assign to other tasks, and about its results.

use crate::dispatch::{ArtifactHead, ArtifactKind};
use crate::event::TaskStatus;
use crate::id::{ArtifactId, CallId, ClaimId, InvocationId, TaskId};
use crate::sentence::SentenceEntry;
use crate::statement::StatementEntry;
use serde::{Deserialize, Serialize};

/// Tasks with one sequence number were assigned.
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

/// One of the assigned tasks.
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

/// An assigned task has ended, and the assigning task was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskReported {
    /// The task.
    pub task: TaskId,
    /// How it ended.
    pub status: TaskStatus,
    /// Whether all its objectives are answered.
    pub accepted: bool,
    /// The report on the task, stored by code for later tasks.
    pub report: ArtifactHead,
    /// The content of the report.
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
    /// One line about it.
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
    /// The artifact.
    pub artifact: ArtifactId,
}

/// What triggered a recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryTrigger {
    /// The turns ran out, and an objective is unmet.
    StepsExhausted,
    /// An objective is met only by one weak source; only in runs before [`crate::Behaviour::AnsweredIsDone`].
    LowConfidence,
    /// The agent stopped, and an objective is unmet.
    ApparentCompletion,
}

impl RecoveryTrigger {
    /// Returns the word for it.
    pub const fn name(self) -> &'static str {
        match self {
            RecoveryTrigger::StepsExhausted => "steps_exhausted",
            RecoveryTrigger::LowConfidence => "low_confidence",
            RecoveryTrigger::ApparentCompletion => "apparent_completion",
        }
    }
}

/// A task began to try another way: `recovery:attempt=N`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecoveryBegun {
    /// Its number in the task, from 1.
    pub attempt: u32,
    /// What triggered it.
    pub trigger: RecoveryTrigger,
    /// The objective that it should meet.
    pub objective: String,
    /// The strategy's name.
    pub strategy: String,
    /// The call whose outcome it responds to; `None` if there is none.
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

/// The result of a recovery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecoveryEnded {
    /// Its number in the task.
    pub attempt: u32,
    /// The number of facts recorded in it.
    pub facts: u32,
    /// Objectives that were unanswered before it and are answered after it.
    pub answered: Vec<String>,
}

/// The cited nodes support a sentence of the narrative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SentenceAccepted {
    /// The claim.
    pub claim: ClaimId,
    /// The sentence.
    pub sentence: SentenceEntry,
}

/// A statement became part of the story: its node is known, and states the requested fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatementTold {
    /// The claim.
    pub claim: ClaimId,
    /// The statement.
    pub statement: StatementEntry,
}

/// A lead gave its reason for leaving questions of the case open. They stay open: its words say nothing about the evidence.
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
