//! The wire format of Messages API replies.

use super::super::measure::Measured;
use super::super::play::{Said, Says};
use super::text;
use serde_json::{Value, json};

pub(super) fn blocks(says: &Says) -> Vec<Value> {
    let block = |part: &Said| match part {
        Said::Text(text) => json!({"type": "text", "text": text}),
        Said::Thinking(thinking, signature) => {
            json!({"type": "thinking", "thinking": thinking, "signature": signature})
        }
        Said::Redacted(data) => json!({"type": "redacted_thinking", "data": data}),
        Said::Call { id, tool, arguments } => {
            let input: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
            json!({"type": "tool_use", "id": id, "name": tool, "input": input})
        }
    };
    says.parts.iter().map(block).collect()
}

fn stop(says: &Says) -> String {
    let told = if says.has_calls() { "tool_use" } else { "end_turn" };
    says.stop.clone().unwrap_or_else(|| told.to_owned())
}

fn usage(measured: Measured) -> Value {
    let Measured { input, cached, cache_written, output } = measured;
    let plain = input.saturating_sub(cached).saturating_sub(cache_written);
    json!({"input_tokens": plain, "cache_read_input_tokens": cached,
           "cache_creation_input_tokens": cache_written, "output_tokens": output})
}

pub(in super::super) fn whole(says: &Says, measured: Measured) -> Value {
    json!({"id": "msg_test", "type": "message", "role": "assistant", "content": blocks(says),
           "stop_reason": stop(says), "usage": usage(measured)})
}

/// Returns the reply as the events of a stream.
pub(in super::super) fn events(says: &Says, measured: Measured) -> Vec<String> {
    let event = |data: Value| format!("event: {}\ndata: {data}\n\n", text(&data, "type"));
    let start = json!({"id": "msg_test", "type": "message", "role": "assistant", "content": [], "usage": usage(Measured { output: 1, ..measured })});
    let mut events =
        vec![event(json!({"type": "message_start", "message": start})), event(json!({"type": "ping"}))];
    for (index, (part, block)) in says.parts.iter().zip(blocks(says)).enumerate() {
        let (begun, deltas) = begun(part, block);
        events.push(event(json!({"type": "content_block_start", "index": index, "content_block": begun})));
        for delta in deltas {
            events.push(event(json!({"type": "content_block_delta", "index": index, "delta": delta})));
        }
        events.push(event(json!({"type": "content_block_stop", "index": index})));
    }
    let delta = json!({"stop_reason": stop(says), "stop_sequence": null});
    events.push(event(
        json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": measured.output}}),
    ));
    events.push(event(json!({"type": "message_stop"})));
    events
}

/// Returns a block's start, and the deltas that follow.
fn begun(part: &Said, block: Value) -> (Value, Vec<Value>) {
    let pieces = |text: &str, kind: &str, member: &str| -> Vec<Value> {
        let letters: Vec<char> = text.chars().collect();
        let piece = |piece: &[char]| json!({"type": kind, member: piece.iter().collect::<String>()});
        letters.chunks(7).map(piece).collect()
    };
    match part {
        Said::Text(text) => (json!({"type": "text", "text": ""}), pieces(text, "text_delta", "text")),
        Said::Thinking(thinking, signature) => {
            let mut deltas = pieces(thinking, "thinking_delta", "thinking");
            deltas.push(json!({"type": "signature_delta", "signature": signature}));
            (json!({"type": "thinking", "thinking": "", "signature": ""}), deltas)
        }
        Said::Redacted(_) => (block, vec![]),
        Said::Call { id, tool, arguments } => (
            json!({"type": "tool_use", "id": id, "name": tool, "input": {}}),
            pieces(arguments, "input_json_delta", "partial_json"),
        ),
    }
}
