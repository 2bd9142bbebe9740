//! Rejections: why a claim was refused, and what the agent was told.

use crate::id::{InvocationId, RecordId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a claim was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RejectionCode {
    /// No invocation of this task has the cited id.
    UnknownInvocation,
    /// The value is in the record, but in another field.
    WrongField,
    /// The cited invocation belongs to another agent or task.
    ForeignInvocation,
    /// The cited invocation returned nothing that could ground a fact.
    FailedInvocation,
    /// The value is not in the output.
    ValueAbsent,
    /// The values are in the output, but not together in one record.
    SplitAcrossRecords,
    /// Several places hold the values; the agent must choose.
    Ambiguous,
    /// The value says too little to tell one record from another.
    TooWeak,
    /// A time without a zone.
    NaiveTime,
    /// The record cannot prove the predicate.
    Overclaim,
    /// The cited searches do not cover the claimed absence.
    CoverageMissing,
    /// No fact of this task has the id that a derivation names.
    UnknownFact,
    /// The facts do not support the derivation.
    NotDerived,
    /// The claim cannot be read.
    Malformed,
}

impl RejectionCode {
    /// Returns the name used in the log.
    pub const fn name(self) -> &'static str {
        match self {
            RejectionCode::UnknownInvocation => "unknown_invocation",
            RejectionCode::WrongField => "wrong_field",
            RejectionCode::ForeignInvocation => "foreign_invocation",
            RejectionCode::FailedInvocation => "failed_invocation",
            RejectionCode::ValueAbsent => "value_absent",
            RejectionCode::SplitAcrossRecords => "split_across_records",
            RejectionCode::Ambiguous => "ambiguous",
            RejectionCode::TooWeak => "too_weak",
            RejectionCode::NaiveTime => "naive_time",
            RejectionCode::Overclaim => "overclaim",
            RejectionCode::CoverageMissing => "coverage_missing",
            RejectionCode::UnknownFact => "unknown_fact",
            RejectionCode::NotDerived => "not_derived",
            RejectionCode::Malformed => "malformed",
        }
    }
}

impl fmt::Display for RejectionCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A refused claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rejection {
    /// Why.
    pub code: RejectionCode,
    /// One sentence about what is wrong.
    pub reason: String,
    /// What to do next; empty if there is no advice.
    pub hint: String,
    /// Real places the agent can choose from, at most a handful.
    pub candidates: Vec<Candidate>,
}

/// A real place that the agent may have meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// An invocation of the same task.
    pub invocation: InvocationId,
    /// One line about that call: tool and arguments.
    pub summary: String,
    /// The record, if one is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordId>,
    /// The field, if one is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The text at that place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}
