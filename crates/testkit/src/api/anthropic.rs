//! The Messages API: its rules, and its replies on the wire.

use super::play::{Said, Says};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What was said before: thinking comes back as it was, or not at all.
#[derive(Debug, Default)]
pub(super) struct Issued {
    thoughts: Vec<Value>,
    /// The thinking of a reply by each of its calls.
    of_call: BTreeMap<String, Vec<Value>>,
}

impl Issued {
    pub(super) fn take(&mut self, says: &Says) {
        let thoughts: Vec<_> = blocks(says).into_iter().filter(is_thinking).collect();
        for part in &says.parts {
            if let Said::Call { id, .. } = part {
                self.of_call.insert(id.clone(), thoughts.clone());
            }
        }
        self.thoughts.extend(thoughts);
    }
}

fn kind(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn is_thinking(block: &Value) -> bool {
    matches!(kind(block), "thinking" | "redacted_thinking")
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(plain)
}

fn members(value: &Value, place: &str, known: &[&str]) -> Result<(), String> {
    let empty = Map::new();
    let members = value.as_object().unwrap_or(&empty);
    match members.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(format!("{place}{name}: Extra inputs are not permitted")),
        None => Ok(()),
    }
}

/// The first rule that a request breaks, as the server would say it.
pub(super) fn check(body: &Value, issued: &Issued) -> Result<(), String> {
    members(
        body,
        "",
        &["model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream", "thinking"],
    )?;
    let limit = body.get("max_tokens").and_then(Value::as_u64).filter(|limit| *limit > 0);
    let limit = limit.ok_or("max_tokens: Field required")?;
    thinking(body, limit)?;
    let none = Vec::new();
    let tools = body.get("tools").and_then(Value::as_array).unwrap_or(&none);
    check_tools(tools)?;
    let system = body.get("system").and_then(Value::as_array).unwrap_or(&none);
    if system.iter().any(|block| text(block, "text").is_empty()) {
        return Err("system: text content blocks must be non-empty".to_owned());
    }
    let messages = body.get("messages").and_then(Value::as_array).ok_or("messages: Field required")?;
    if messages.is_empty() {
        return Err("messages: at least one message is required".to_owned());
    }
    let blocks = messages.iter().filter_map(|message| message.get("content")?.as_array()).flatten();
    let marked =
        tools.iter().chain(system).chain(blocks).filter(|block| block.get("cache_control").is_some());
    let marked = marked.count();
    if marked > 4 {
        return Err(format!("A maximum of 4 blocks with cache_control may be provided. Found {marked}."));
    }
    conversation(messages, issued)?;
    is_led_by_thinking(body, messages)
}

fn thinking(body: &Value, limit: u64) -> Result<(), String> {
    let Some(thinking) = body.get("thinking").filter(|thinking| kind(thinking) == "enabled") else {
        return Ok(());
    };
    match thinking.get("budget_tokens").and_then(Value::as_u64) {
        Some(budget) if budget < 1024 => {
            Err("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024".to_owned())
        }
        Some(budget) if budget >= limit => {
            Err("`max_tokens` must be greater than `thinking.budget_tokens`.".to_owned())
        }
        Some(_) => Ok(()),
        None => Err("thinking.enabled.budget_tokens: Field required".to_owned()),
    }
}

fn check_tools(tools: &[Value]) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for (at, tool) in tools.iter().enumerate() {
        let place = format!("tools.{at}.");
        members(tool, &place, &["name", "description", "input_schema", "cache_control"])?;
        if !is_name(text(tool, "name")) {
            return Err(format!("{place}name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"));
        }
        if tool.pointer("/input_schema/type") != Some(&json!("object")) {
            return Err(format!("{place}input_schema.type: Input should be 'object'"));
        }
        if !names.insert(text(tool, "name")) {
            return Err("tools: Tool names must be unique.".to_owned());
        }
    }
    Ok(())
}

fn conversation(messages: &[Value], issued: &Issued) -> Result<(), String> {
    let mut open: BTreeSet<String> = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for (at, message) in messages.iter().enumerate() {
        members(message, &format!("messages.{at}."), &["role", "content"])?;
        let expected = if at % 2 == 0 { "user" } else { "assistant" };
        if text(message, "role") != expected {
            return Err(match at {
                0 => "messages: first message must use the \"user\" role".to_owned(),
                _ => format!("messages: roles must alternate, message {at} is not of the {expected}"),
            });
        }
        let content = message.get("content").and_then(Value::as_array);
        let content = content.ok_or_else(|| format!("messages.{at}.content: Input should be a list"))?;
        if content.is_empty() {
            return Err(format!("messages.{at}: all messages must have non-empty content"));
        }
        for (place, block) in content.iter().enumerate() {
            check_block(block, &format!("messages.{at}.content.{place}"), expected, issued)?;
        }
        answered(at, content, &open)?;
        open = calls(at, content, &mut seen)?;
        kept_thinking(at, content, issued)?;
    }
    match messages.len() % 2 {
        1 => Ok(()),
        _ => Err("This model does not support assistant message prefill.".to_owned()),
    }
}

fn check_block(block: &Value, place: &str, role: &str, issued: &Issued) -> Result<(), String> {
    let dot = format!("{place}.");
    match (kind(block), role) {
        ("text", _) => {
            members(block, &dot, &["type", "text", "cache_control"])?;
            match text(block, "text").trim().is_empty() {
                true => Err("messages: text content blocks must contain non-whitespace text".to_owned()),
                false => Ok(()),
            }
        }
        ("tool_use", "assistant") => {
            members(block, &dot, &["type", "id", "name", "input", "cache_control"])?;
            match block.get("input").is_some_and(Value::is_object) {
                true => Ok(()),
                false => Err(format!("{place}.tool_use.input: Input should be a valid dictionary")),
            }
        }
        ("tool_result", "user") => {
            members(block, &dot, &["type", "tool_use_id", "content", "is_error", "cache_control"])?;
            match (block.get("content"), text(block, "content").is_empty(), block.get("is_error")) {
                (Some(Value::String(_)), false, None | Some(Value::Bool(_))) => Ok(()),
                _ => Err(format!("{place}.tool_result: content cannot be empty or of this type")),
            }
        }
        ("thinking" | "redacted_thinking", "assistant") => match issued.thoughts.contains(block) {
            true => Ok(()),
            false => Err(format!("{place}: Invalid `signature` in `thinking` block")),
        },
        (kind, role) => Err(format!("{place}: `{kind}` blocks are not permitted in the {role} role")),
    }
}

fn answered(at: usize, content: &[Value], open: &BTreeSet<String>) -> Result<(), String> {
    let results: Vec<_> = content
        .iter()
        .filter(|block| kind(block) == "tool_result")
        .map(|block| text(block, "tool_use_id"))
        .collect();
    if let Some(orphan) = results.iter().find(|id| !open.contains(**id)) {
        return Err(format!(
            "messages.{at}: unexpected `tool_use_id` found in `tool_result` blocks: {orphan}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
        ));
    }
    let unique: BTreeSet<_> = results.iter().copied().collect();
    if unique.len() != results.len() {
        return Err(format!(
            "messages.{at}: each tool_use must have a single result. Found multiple `tool_result` blocks."
        ));
    }
    let first: BTreeSet<_> = content
        .iter()
        .take_while(|block| kind(block) == "tool_result")
        .map(|block| text(block, "tool_use_id"))
        .collect();
    match open.iter().find(|id| !first.contains(id.as_str())) {
        Some(missing) => Err(format!(
            "messages.{}: `tool_use` ids were found without `tool_result` blocks immediately after: {missing}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
            at.saturating_sub(1)
        )),
        None => Ok(()),
    }
}

fn calls(at: usize, content: &[Value], seen: &mut BTreeSet<String>) -> Result<BTreeSet<String>, String> {
    let mut open = BTreeSet::new();
    for block in content.iter().filter(|block| kind(block) == "tool_use") {
        let id = text(block, "id").to_owned();
        if !is_name(&id) || !is_name(text(block, "name")) {
            return Err(format!(
                "messages.{at}: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
            ));
        }
        if !seen.insert(id.clone()) {
            return Err(format!("messages.{at}: `tool_use` ids must be unique: {id}"));
        }
        open.insert(id);
    }
    Ok(open)
}

/// Of a reply with calls all the thinking comes back, complete and in order.
fn kept_thinking(at: usize, content: &[Value], issued: &Issued) -> Result<(), String> {
    let call = content.iter().find(|block| kind(block) == "tool_use");
    let Some(expected) = call.and_then(|call| issued.of_call.get(text(call, "id"))) else { return Ok(()) };
    let found: Vec<_> = content.iter().filter(|block| is_thinking(block)).cloned().collect();
    match found == *expected {
        true => Ok(()),
        false => Err(format!(
            "messages.{at}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response."
        )),
    }
}

fn is_led_by_thinking(body: &Value, messages: &[Value]) -> Result<(), String> {
    let is_enabled = body.get("thinking").is_some_and(|thinking| kind(thinking) == "enabled");
    let last = messages.iter().rev().find(|message| text(message, "role") == "assistant");
    let content = last.and_then(|message| message.get("content")?.as_array());
    let Some(content) = content.filter(|_| is_enabled) else { return Ok(()) };
    let calls = content.iter().any(|block| kind(block) == "tool_use");
    match content.first() {
        Some(first) if calls && !is_thinking(first) => Err(format!(
            "messages: Expected `thinking` or `redacted_thinking`, but found `{}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.",
            kind(first)
        )),
        _ => Ok(()),
    }
}

fn blocks(says: &Says) -> Vec<Value> {
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

fn usage(output: u64) -> Value {
    json!({"input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 30, "output_tokens": output})
}

pub(super) fn whole(says: &Says) -> Value {
    json!({"id": "msg_test", "type": "message", "role": "assistant", "content": blocks(says),
           "stop_reason": stop(says), "usage": usage(7)})
}

/// The reply as events, each as it stands in the stream.
pub(super) fn events(says: &Says) -> Vec<String> {
    let event = |data: Value| format!("event: {}\ndata: {data}\n\n", text(&data, "type"));
    let start =
        json!({"id": "msg_test", "type": "message", "role": "assistant", "content": [], "usage": usage(1)});
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
    events.push(event(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}})));
    events.push(event(json!({"type": "message_stop"})));
    events
}

/// A block as it begins, and what is added to it.
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
