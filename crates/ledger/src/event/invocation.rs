//! A tool's run, from its start to its end.

use crate::digest::Digest;
use crate::id::{CallId, InvocationId, RecordId};
use crate::record::{Defect, Gap};
use crate::remembered::Insisted;
use crate::tool::{Completeness, Outcome};
use serde::{Deserialize, Serialize};

/// A tool is about to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvocationStarted {
    /// The invocation.
    pub invocation: InvocationId,
    /// The turn that asked for it.
    pub turn: u32,
    /// The model's own name for the call.
    pub call: CallId,
    /// The tool.
    pub tool: String,
    /// The arguments as the model wrote them, without its reason for insisting on the call.
    pub arguments: serde_json::Value,
    /// Why it runs although a lesson of earlier runs advises against it. Since format 2.26.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insists: Option<Insisted>,
}

/// A tool has run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvocationEnded {
    /// The invocation.
    pub invocation: InvocationId,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether it returned everything it was asked for.
    pub completeness: Completeness,
    /// The arguments as used; `None` if the tool never read them.
    pub normalised: Option<serde_json::Value>,
    /// The digest of the stored output; `None` where there is none.
    pub output: Option<Digest>,
    /// The number of records in it.
    pub records: u32,
    /// The number of its stored bytes.
    pub bytes: u64,
    /// The records that the agent was shown.
    pub shown: Vec<RecordRange>,
    /// Damage found.
    pub defects: Vec<Defect>,
    /// What was not examined.
    pub gaps: Vec<Gap>,
    /// What the tool says about its work; never evidence.
    pub notes: Vec<String>,
}

/// Records from `first` up to, but not including, `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordRange {
    /// The first record.
    pub first: RecordId,
    /// The record after the last.
    pub end: RecordId,
}

impl RecordRange {
    /// Returns the range of one record.
    pub fn of(record: RecordId) -> RecordRange {
        RecordRange { first: record, end: RecordId(record.0.saturating_add(1)) }
    }

    /// Checks whether the record is in the range.
    pub fn contains(&self, record: RecordId) -> bool {
        self.first <= record && record < self.end
    }
}
