//! A question that a person asked in words, as it is stored in the log.

use serde::{Deserialize, Serialize};

/// The agent and model name of a task that records the answer to such a question: only code runs it.
pub const ASK: &str = "ask";

/// A question in words, and the rows that answer it, found before its task began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedQuestion {
    /// The question as typed.
    pub question: String,
    /// The version of the grammar that planned it.
    pub plan: u32,
    /// The rows of case tables that its task records; empty if nothing answers it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<AskedRows>,
}

/// Rows of one table, and their fields that answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedRows {
    /// The type of the records, and the name of their table.
    pub record: String,
    /// The label of the evidence.
    pub evidence: String,
    /// The numbers of the rows.
    pub rows: Vec<i64>,
    /// Names of fields.
    pub fields: Vec<String>,
}
