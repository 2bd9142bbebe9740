//! Turns: what a model was asked, and what came of it.

use crate::digest::Digest;
use crate::exchange::Exchange;
use crate::id::{CallId, InvocationId, RecordId};
use serde::{Deserialize, Serialize};

/// The model was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnRequested {
    /// Its number in the task, from 1.
    pub turn: u32,
    /// The digest of the full request: system prompt, tools, messages.
    pub request: Digest,
}

/// The model answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnReplied {
    /// The turn.
    pub turn: u32,
    /// The digest of the stored reply.
    pub reply: Digest,
    /// Calls that it asks for.
    pub calls: u32,
    /// What it was over the network; `None` for a model that is asked over none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Exchange>,
}

/// The model could not be had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnFailed {
    /// The turn.
    pub turn: u32,
    /// What its provider said.
    pub reason: String,
    /// What it was over the network, as far as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Exchange>,
}

/// The request was longer than the model takes, so its provider says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestTooLong {
    /// The turn; its number is not used again.
    pub turn: u32,
    /// What its provider said.
    pub reason: String,
    /// What it was over the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Exchange>,
}

/// What was cut from the conversation was searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recalled {
    /// The turn.
    pub turn: u32,
    /// The model's own name for the call.
    pub call: CallId,
    /// What was looked for.
    pub text: String,
    /// The records shown, the best first.
    pub shown: Vec<RecalledRecord>,
    /// Records that were found and did not fit.
    pub left_out: u32,
}

/// A record that was shown again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecalledRecord {
    /// The invocation whose output holds it.
    pub invocation: InvocationId,
    /// The record.
    pub record: RecordId,
}
