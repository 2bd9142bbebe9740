//! Tools as the record describes them: specifications, outcomes, surfaces.

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
    /// Changes the evidence graph besides facts.
    GraphWrite,
    /// Reads the evidence graph and the task's own outputs.
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
    /// Its purpose, for the model.
    pub description: String,
    /// JSON Schema (draft 2020-12) of its arguments.
    pub arguments: serde_json::Value,
    /// The record types in its output.
    pub records: Vec<RecordType>,
    /// If its argument `source` chooses what is read: the record types that each choice returns. Empty before format 2.10.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, BTreeSet<String>>,
    /// The only record type that it returns if its argument `count_by` asks for counts.
    /// `None` before format 2.13, and if it counts nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<String>,
    /// The absences that its empty, complete call shows.
    pub covers: Vec<Coverage>,
}

/// A type of records in an output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordType {
    /// Its name, such as `registry_value`.
    pub name: String,
    /// What such a record is.
    pub meaning: String,
    /// The field that names what the record is about: the subject of a reading.
    pub subject: String,
    /// The fields: their types and meanings.
    pub fields: BTreeMap<String, FieldMeaning>,
    /// Fields that say what the record is really about, such as the stream of a file:
    /// a reading of a record with such a field must state it, or it would be a claim about something else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub qualifiers: Vec<String>,
    /// Fields that limit what the record says, such as the conditions of a count:
    /// each fact includes those that its record has, whether the agent stated them or not. Empty before format 2.9.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
}

/// What a field of a record type holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldMeaning {
    /// Its types: more than one if the evidence decides, as in a registry value's data.
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
    /// It was stopped at a time limit.
    Timeout,
    /// It was not allowed to run.
    Denied,
}

impl Outcome {
    /// Checks whether records of this invocation may ground a fact.
    pub const fn grounds(self) -> bool {
        match self {
            Outcome::Ok => true,
            Outcome::Empty | Outcome::Failed | Outcome::Timeout | Outcome::Denied => false,
        }
    }

    /// Checks whether it ended without a result that says anything about the evidence.
    pub const fn is_failure(self) -> bool {
        match self {
            Outcome::Ok | Outcome::Empty => false,
            Outcome::Failed | Outcome::Timeout | Outcome::Denied => true,
        }
    }
}

/// The first note of a call that is incomplete only because of its gaps and defects.
pub const LEFT_UNREAD: &str = "what could not be read is told as gaps and damage";

/// Whether an output holds everything that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Completeness {
    /// Everything.
    Complete,
    /// Not everything: the tool stopped at a limit, or could not read everything in its way. Its first note says which.
    Truncated,
}
