//! What came of running the tools of a run again.

use super::calls::Difference;
use ledger::event::{TableDigest, TablesRead};
use ledger::{Integrity, IntegrityLevel, InvocationId};
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;

/// What the tools of a run say now.
#[derive(Debug, Clone, Serialize)]
pub struct Reproduced {
    /// Whether every call that could be compared gave what is recorded, and every hash over bytes of evidence was found again.
    pub same: bool,
    /// The evidence that was read.
    pub evidence: Vec<EvidenceAgain>,
    /// Case tables that calls read again and that are not those of the log.
    pub tables_differing: Vec<TablesDiffer>,
    /// Invocations of the log that were compared.
    pub invocations: u64,
    /// Of these, those whose call gave what is recorded.
    pub invocations_same: u64,
    /// Calls that were made: identical ones once.
    pub calls: u64,
    /// Invocations whose call gives something else now, in the order of the log.
    pub differing: Vec<CallDiffers>,
    /// Invocations that cannot be compared.
    pub not_compared: Vec<NotCompared>,
    /// The version of the program that made the run.
    pub made_by: String,
    /// Tools whose description is not the recorded one: their answers may differ for that reason.
    pub tools_changed: Vec<String>,
    /// What else is to be known.
    pub notes: Vec<String>,
}

/// Case tables of a group, then and now.
#[derive(Debug, Clone, Serialize)]
pub struct TablesDiffer {
    /// Those of the log.
    pub recorded: TablesRead,
    /// What the same evidence gives now.
    pub now: Vec<TableDigest>,
}

/// A piece of evidence, then and now.
#[derive(Debug, Clone, Serialize)]
pub struct EvidenceAgain {
    /// Its label.
    pub label: String,
    /// Where it lies now.
    pub path: PathBuf,
    /// What its hash was; `None` where the run has none.
    pub recorded: Option<Integrity>,
    /// What it is, taken as closely; `None` where it was not taken.
    pub now: Option<Integrity>,
    /// Whether both are the same; `None` where they cannot be compared.
    pub same: Option<bool>,
    /// Why it could not be taken.
    pub failed: Option<String>,
}

impl EvidenceAgain {
    /// Whether the run has a hash over its bytes that was not found again. One over names, sizes and times differs in a copy, too.
    pub(crate) fn is_other(&self) -> bool {
        let over_bytes = |recorded: &Integrity| recorded.level != IntegrityLevel::Stat;
        self.same != Some(true) && self.recorded.as_ref().is_some_and(over_bytes)
    }
}

/// An invocation whose call gives something else now.
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
    /// The arguments as the model wrote them.
    pub arguments: Value,
    /// In what both answers differ.
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
    /// Why.
    pub because: String,
}
