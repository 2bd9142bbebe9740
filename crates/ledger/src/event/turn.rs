//! Turns: requests to a model, and their results.

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
    /// The number of calls that it asks for.
    pub calls: u32,
    /// The network exchange; `None` for a model that does not use a network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Exchange>,
}

/// The model was not available.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnFailed {
    /// The turn.
    pub turn: u32,
    /// What its provider said.
    pub reason: String,
    /// The network exchange, as far as it got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Exchange>,
}

/// The request was longer than the model accepts, according to its provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestTooLong {
    /// The turn; its number is not used again.
    pub turn: u32,
    /// What its provider said.
    pub reason: String,
    /// The network exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Exchange>,
}

/// The part cut from the conversation was searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recalled {
    /// The turn.
    pub turn: u32,
    /// The model's own name for the call.
    pub call: CallId,
    /// The searched text.
    pub text: String,
    /// The records shown, best first.
    pub shown: Vec<RecalledRecord>,
    /// The number of records that were found but not shown for lack of room.
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
