//! Facts in their persisted form.
//!
//! A [`FactEntry`] is what stands in the log.
//! The runtime type that proves a value was grounded is `ground::Fact`, which only the gateway constructs.

use crate::digest::Digest;
use crate::id::{FactId, InvocationId, RecordId};
use crate::locator::{ByteSpan, Locator};
use crate::placement::Placement;
use crate::value::FieldValue;
use crate::vocabulary::Predicate;
use crate::writer::Writer;
use serde::{Deserialize, Serialize};

/// A grounded reading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FactEntry {
    /// Its id.
    pub id: FactId,
    /// What is said of the subject.
    pub predicate: Predicate,
    /// What the fact is about: a field of the record, grounded like any other.
    pub subject: BoundValue,
    /// The values, each bound to its field.
    pub values: Vec<BoundValue>,
    /// The invocation whose output holds them.
    pub invocation: InvocationId,
    /// The digest of that output.
    pub output: Digest,
    /// The one record in which they stand together.
    pub record: RecordId,
    /// The record's type.
    pub kind: String,
    /// Where the record stands in the evidence.
    pub locator: Locator,
    /// Whether the agent had been shown the record when it made the claim.
    pub shown: bool,
    /// Where the record's file stands, where that is no place in which Windows keeps such files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<Placement>,
}

impl FactEntry {
    /// The least trusted of those who could have written one of its values; `None` in runs before format 2.3.
    pub fn writer(&self) -> Option<Writer> {
        self.values.iter().chain([&self.subject]).filter_map(|value| value.writer).min()
    }
}

/// A value bound to a field of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundValue {
    /// The field.
    pub field: String,
    /// What the record holds there, whole.
    pub value: FieldValue,
    /// The words that were quoted from it; only with [`Tier::Quoted`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quotation: Option<String>,
    /// How the claimed text matched.
    pub tier: Tier,
    /// Where the value stands in the stored output.
    pub span: ByteSpan,
    /// Where its raw bytes stand in the evidence file, where they stand in one piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<ByteSpan>,
    /// Who could have written it; `None` in runs before format 2.3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<Writer>,
}

/// How a claimed value matched, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// The whole field, byte for byte.
    Exact,
    /// The whole field, after the equivalences that its type allows.
    Normalised,
    /// Equality of typed values.
    Typed,
    /// One contiguous span of a free-text field, at word boundaries.
    Quoted,
}

/// A citation that the rescue rewrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Healing {
    /// The id as the agent wrote it.
    pub cited: String,
    /// The invocation that does ground the reading.
    pub healed: InvocationId,
    /// Why the cited one did not.
    pub because: crate::rejection::RejectionCode,
}
