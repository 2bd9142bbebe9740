//! The result of running the tools of a run again.

use super::calls::Difference;
use ledger::event::{TableDigest, TablesRead};
use ledger::{Integrity, IntegrityLevel, InvocationId};
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;

/// The result of running the tools of a run again.
#[derive(Debug, Clone, Serialize)]
pub struct Reproduced {
    /// Whether every comparable call returned the recorded answer, no case table
    /// differs, and every hash over bytes of evidence is the same.
    pub same: bool,
    /// The evidence that was read.
    pub evidence: Vec<EvidenceAgain>,
    /// Case tables that calls read again and that differ from those in the log.
    pub tables_differing: Vec<TablesDiffer>,
    /// The number of invocations that were compared.
    pub invocations: u64,
    /// The number of these whose call returned the recorded answer.
    pub invocations_same: u64,
    /// The number of calls that were made; identical ones were made once.
    pub calls: u64,
    /// Invocations whose call returns something different now, in the order of the log.
    pub differing: Vec<CallDiffers>,
    /// Invocations that cannot be compared.
    pub not_compared: Vec<NotCompared>,
    /// The version of the program that made the run.
    pub made_by: String,
    /// Tools whose specification differs from the recorded one, which may explain different answers.
    pub tools_changed: Vec<String>,
    /// Further notes.
    pub notes: Vec<String>,
}

/// Case tables of a group, recorded and now.
#[derive(Debug, Clone, Serialize)]
pub struct TablesDiffer {
    /// The tables in the log.
    pub recorded: TablesRead,
    /// The tables of the same evidence now.
    pub now: Vec<TableDigest>,
}

/// A piece of evidence, recorded and now.
#[derive(Debug, Clone, Serialize)]
pub struct EvidenceAgain {
    /// Its label.
    pub label: String,
    /// Its present path.
    pub path: PathBuf,
    /// Its recorded hash; `None` if the run has none.
    pub recorded: Option<Integrity>,
    /// Its present hash at the same level; `None` if it was not computed.
    pub now: Option<Integrity>,
    /// Whether both are equal; `None` if they cannot be compared.
    pub same: Option<bool>,
    /// Why the present hash could not be computed.
    pub failed: Option<String>,
}

impl EvidenceAgain {
    /// Whether the run has a hash over the bytes that is different now or could not be computed. A hash over names, sizes and times does
    /// not count, because it differs for a copy.
    pub(crate) fn is_other(&self) -> bool {
        let over_bytes = |recorded: &Integrity| recorded.level != IntegrityLevel::Stat;
        self.same != Some(true) && self.recorded.as_ref().is_some_and(over_bytes)
    }
}

/// An invocation whose call returns something different now.
#[derive(Debug, Clone, Serialize)]
pub struct CallDiffers {
    /// The invocation.
    pub invocation: InvocationId,
    /// Its task.
    pub task: String,
    /// Its agent.
    pub agent: String,
    /// The tool.
    pub tool: String,
    /// The arguments in the log.
    pub arguments: Value,
    /// The differences between both answers.
    pub differences: Vec<Difference>,
}

/// An invocation that cannot be compared.
#[derive(Debug, Clone, Serialize)]
pub struct NotCompared {
    /// The invocation.
    pub invocation: InvocationId,
    /// Its task.
    pub task: String,
    /// The tool.
    pub tool: String,
    /// The reason.
    pub because: String,
}
