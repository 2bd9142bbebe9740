//! A provider's messages, exactly as received.
//!
//! Thinking goes back with its signature or not at all, and a signature only fits the exact bytes that it was made for.
//! So the received message is kept in the reply, and no message is rebuilt while it fits.

use super::address::Dialect;
use super::transcript::{Part, Transcript};
use ledger::turn::{Message, ReplyBlock, TurnRequest};
use serde_json::Value;
use serde_json::value::RawValue;

/// The most bytes of a message that are kept.
const LARGEST: usize = 1024 * 1024;

/// Returns the block that keeps a message; `None` if the message is too long: then it is rebuilt.
pub(crate) fn block(dialect: Dialect, message: &RawValue) -> Option<ReplyBlock> {
    let provider = dialect.name().to_owned();
    let message = message.get().to_owned();
    (message.len() <= LARGEST).then_some(ReplyBlock::Verbatim { provider, message })
}

/// Returns for each turn of the conversation its message as received, if that matches what the engine made of it.
pub(crate) fn of(
    request: &TurnRequest,
    transcript: &Transcript,
    dialect: Dialect,
) -> Vec<Option<Box<RawValue>>> {
    let both = request.messages.iter().zip(&transcript.turns);
    both.map(|(message, turn)| match message.as_ref() {
        Message::User(_) => None,
        Message::Assistant(blocks) => blocks.iter().find_map(|block| kept(block, dialect, &turn.parts)),
    })
    .collect()
}

fn kept(block: &ReplyBlock, dialect: Dialect, parts: &[Part]) -> Option<Box<RawValue>> {
    let message = match block {
        ReplyBlock::Verbatim { provider, message } if provider == dialect.name() => message,
        ReplyBlock::Verbatim { .. } | ReplyBlock::Text { .. } | ReplyBlock::Call(_) => return None,
    };
    let said: Value = serde_json::from_str(message).ok()?;
    let calls = match dialect {
        Dialect::Anthropic => Some(&said),
        Dialect::OpenAi => said.get("tool_calls"),
    };
    let calls = calls.and_then(Value::as_array).into_iter().flatten();
    let said = calls.filter(|call| match dialect {
        Dialect::Anthropic => call.get("type").and_then(Value::as_str) == Some("tool_use"),
        Dialect::OpenAi => true,
    });
    let ours = parts.iter().filter_map(|part| match part {
        Part::Call { call, .. } => Some(call.as_str()),
        Part::Text(_) | Part::Result { .. } => None,
    });
    // If the engine has replaced an id, the call is answered under its new id.
    let is_same = said.map(|call| call.get("id").and_then(Value::as_str)).eq(ours.map(Some));
    is_same.then(|| RawValue::from_string(message.clone()).ok()).flatten()
}
