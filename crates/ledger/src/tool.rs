//! Tools as the record sees them: specifications, outcomes, surfaces.

use crate::absence::Coverage;
use crate::value::FieldType;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a tool may do; a surface is a set of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ToolClass {
    /// Reads evidence.
    Investigate,
    /// Asks for facts to be recorded.
    Record,
    /// Changes the evidence graph beyond facts.
    GraphWrite,
    /// Reads the evidence graph and one's own outputs.
    GraphRead,
    /// Stores text for others.
    Artifact,
    /// Assigns tasks.
    Dispatch,
}

/// The tool classes that a turn may use.
pub type Surface = BTreeSet<ToolClass>;

/// One tool as it was offered in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSpec {
    /// Its name: `^[a-zA-Z0-9_-]{1,64}$`.
    pub name: String,
    /// What it may do.
    pub class: ToolClass,
    /// What it is for, for the model.
    pub description: String,
    /// JSON Schema (draft 2020-12) of its arguments.
    pub arguments: serde_json::Value,
    /// The record types that its output holds.
    pub records: Vec<RecordType>,
    /// Where its argument `source` chooses what is read: the record types that each choice gives. Empty before format 2.10.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, BTreeSet<String>>,
    /// The only record type that it gives where its argument `count_by` asks for counts. `None` before format 2.13, and where it counts nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<String>,
    /// The absences that an empty, complete call of it shows.
    pub covers: Vec<Coverage>,
}

/// What one record of an output is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordType {
    /// Its name, such as `registry_value`.
    pub name: String,
    /// What one such record is.
    pub meaning: String,
    /// The field that names what the record is about; it becomes the subject of a reading.
    pub subject: String,
    /// The fields: their types and meanings.
    pub fields: BTreeMap<String, FieldMeaning>,
    /// Fields that say of what the record really tells, such as the stream of a file: a reading of a record that has one must state it, or it would be a claim about something else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub qualifiers: Vec<String>,
    /// Fields that bound what the record tells, such as the conditions of a count: each fact of a record carries those that it has, whether the agent stated them or not. Empty before format 2.9.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
}

/// What a field of a record type holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldMeaning {
    /// Its types: more than one where the evidence decides, as in a registry value's data.
    pub types: Vec<FieldType>,
    /// What it means.
    pub meaning: String,
}

/// How an invocation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It returned records.
    Ok,
    /// It searched and found nothing.
    Empty,
    /// It could not do what was asked.
    Failed,
    /// It was stopped at a limit of time.
    Timeout,
    /// It was not allowed to run.
    Denied,
}

impl Outcome {
    /// Whether records of this invocation may ground a fact.
    pub const fn grounds(self) -> bool {
        match self {
            Outcome::Ok => true,
            Outcome::Empty | Outcome::Failed | Outcome::Timeout | Outcome::Denied => false,
        }
    }

    /// Whether it came to nothing that says anything of the evidence.
    pub const fn is_failure(self) -> bool {
        match self {
            Outcome::Ok | Outcome::Empty => false,
            Outcome::Failed | Outcome::Timeout | Outcome::Denied => true,
        }
    }
}

/// The first note of a call that is incomplete for no other reason than its gaps and defects.
pub const LEFT_UNREAD: &str = "what could not be read is told as gaps and damage";

/// Whether an output holds everything that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Completeness {
    /// Everything.
    Complete,
    /// Not everything: the tool stopped at a limit, or could not read all that lay in its way. Its first note says which.
    Truncated,
}
