//! Claims: what an agent asks to have recorded. They are not yet established.

use crate::absence::AbsenceClaim;
use crate::derivation::Derivation;
use crate::sentence::SentenceClaim;
use crate::statement::StatementClaim;
use serde::{Deserialize, Serialize};

/// What an agent asks to have recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// Values are in the evidence.
    Reading(Reading),
    /// Something is absent.
    Absence(AbsenceClaim),
    /// Facts say something together.
    Derivation(Derivation),
    /// Cited nodes support a sentence of the narrative.
    Sentence(SentenceClaim),
    /// A node is part of the story. Since format 2.22.
    Statement(StatementClaim),
}

/// A claim that values are together in one record of one invocation's output.
///
/// Everything is kept as the agent wrote it: ids may be invented, fields misnamed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// What is said of the subject.
    pub predicate: String,
    /// The subject of the reading; empty if the agent leaves it to the record.
    #[serde(default)]
    pub subject: String,
    /// The values, each with the field in which it is claimed to be.
    pub values: Vec<ClaimedValue>,
    /// The id of the invocation whose output is cited.
    pub invocation: String,
    /// The id of the cited record, such as `r0`.
    #[serde(default)]
    pub record: Option<String>,
    /// The fields whose values the gateway should copy from the cited record. Since format 2.21.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
}

/// One value of a reading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimedValue {
    /// The field of the record; `None` if the agent gave only the value.
    #[serde(default)]
    pub field: Option<String>,
    /// The value as text.
    pub value: String,
}
