//! A question that a person asked in words, as it stands in the log.

use serde::{Deserialize, Serialize};

/// The name of the agent and the model of a task that records what answers a question: code alone.
pub const ASK: &str = "ask";

/// A question in words, and what was found to answer it before its task began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedQuestion {
    /// As it was typed.
    pub question: String,
    /// The version of the grammar that planned it.
    pub plan: u32,
    /// The rows of case tables that its task records; none where nothing answers it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<AskedRows>,
}

/// Rows of one table, and the fields of them that answer.
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
