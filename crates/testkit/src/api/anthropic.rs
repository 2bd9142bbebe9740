//! The rules of the Messages API.

mod wire;

use super::play::{Said, Says};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use wire::blocks;
pub(super) use wire::{events, whole};

/// The replies that the server sent before: thinking must come back unchanged, or not at all.
#[derive(Debug, Default)]
pub(super) struct Issued {
    thoughts: Vec<Value>,
    /// The replies with a call of this id: `None` for a call, otherwise the thinking between the calls.
    of_call: BTreeMap<String, Vec<Vec<Option<Value>>>>,
}

impl Issued {
    pub(super) fn take(&mut self, says: &Says) {
        let blocks = blocks(says);
        let order = order(&blocks);
        for part in &says.parts {
            if let Said::Call { id, .. } = part {
                self.of_call.entry(id.clone()).or_default().push(order.clone());
            }
        }
        self.thoughts.extend(order.into_iter().flatten());
    }
}

/// Returns thinking and calls in order.
fn order(blocks: &[Value]) -> Vec<Option<Value>> {
    let order = blocks.iter().filter(|block| is_thinking(block) || kind(block) == "tool_use");
    order.map(|block| is_thinking(block).then(|| block.clone())).collect()
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

/// Returns the first rule that a request breaks, in the server's words; `issued` is what the server said before, if known.
pub(super) fn check(body: &Value, issued: Option<&Issued>) -> Result<(), String> {
    members(
        body,
        "",
        &["model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream", "thinking"],
    )?;
    if text(body, "model").is_empty() {
        return Err("model: Field required".to_owned());
    }
    let limit = body.get("max_tokens").and_then(Value::as_u64).filter(|limit| *limit > 0);
    let limit = limit.ok_or("max_tokens: Field required")?;
    if body.get("stream").is_some_and(|stream| !stream.is_boolean()) {
        return Err("stream: Input should be a valid boolean".to_owned());
    }
    thinking(body, limit)?;
    let tools = list(body, "tools")?;
    check_tools(tools)?;
    check_choice(body, tools)?;
    let system = list(body, "system")?;
    for (at, block) in system.iter().enumerate() {
        check_system(block, at)?;
    }
    let messages = list(body, "messages")?;
    if messages.is_empty() {
        return Err("messages: at least one message is required".to_owned());
    }
    let blocks = messages.iter().filter_map(|message| message.get("content")?.as_array()).flatten();
    if tools.is_empty() && blocks.clone().any(|block| matches!(kind(block), "tool_use" | "tool_result")) {
        return Err("Requests which have `tool_use` or `tool_result` blocks in messages must define tools."
            .to_owned());
    }
    marks(tools.iter().chain(system).chain(blocks))?;
    conversation(messages, issued)?;
    is_led_by_thinking(body, messages)
}

fn list<'v>(body: &'v Value, name: &str) -> Result<&'v [Value], String> {
    match body.get(name) {
        None => Ok(&[]),
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(format!("{name}: Input should be a valid list")),
    }
}

fn check_system(block: &Value, at: usize) -> Result<(), String> {
    members(block, &format!("system.{at}."), &["type", "text", "cache_control"])?;
    match (kind(block), text(block, "text").trim().is_empty()) {
        ("text", false) => Ok(()),
        ("text", true) => Err("system: text content blocks must be non-empty".to_owned()),
        (kind, _) => Err(format!("system.{at}: Input tag '{kind}' does not match 'text'")),
    }
}

fn marks<'v>(blocks: impl Iterator<Item = &'v Value>) -> Result<(), String> {
    let marks: Vec<_> = blocks.filter_map(|block| block.get("cache_control")).collect();
    if marks.iter().any(|mark| text(mark, "type") != "ephemeral") {
        return Err("cache_control: Input tag does not match 'ephemeral'".to_owned());
    }
    match marks.len() {
        0..=4 => Ok(()),
        marked => Err(format!("A maximum of 4 blocks with cache_control may be provided. Found {marked}.")),
    }
}

fn check_choice(body: &Value, tools: &[Value]) -> Result<(), String> {
    let Some(choice) = body.get("tool_choice") else { return Ok(()) };
    let is_forced = matches!(kind(choice), "any" | "tool");
    let thinks = body.get("thinking").is_some_and(|thinking| kind(thinking) == "enabled");
    match (kind(choice), tools.is_empty()) {
        (_, true) => Err("tool_choice: may only be specified while providing tools".to_owned()),
        _ if is_forced && thinks => {
            Err("Thinking may not be enabled when tool_choice forces tool use.".to_owned())
        }
        ("tool", _) if !tools.iter().any(|tool| text(tool, "name") == text(choice, "name")) => {
            Err(format!("Tool '{}' not found in provided tools", text(choice, "name")))
        }
        ("auto" | "any" | "tool" | "none", _) => Ok(()),
        (other, _) => Err(format!("tool_choice: Input tag '{other}' found is unknown")),
    }
}

fn thinking(body: &Value, limit: u64) -> Result<(), String> {
    let Some(thinking) = body.get("thinking") else { return Ok(()) };
    match kind(thinking) {
        "enabled" => {}
        "disabled" | "adaptive" => return Ok(()),
        other => return Err(format!("thinking: Input tag '{other}' found is unknown")),
    }
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

fn conversation(messages: &[Value], issued: Option<&Issued>) -> Result<(), String> {
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
        if let Some(issued) = issued {
            kept_thinking(at, content, issued)?;
        }
    }
    match messages.len() % 2 {
        1 => Ok(()),
        _ => Err("This model does not support assistant message prefill.".to_owned()),
    }
}

fn check_block(block: &Value, place: &str, role: &str, issued: Option<&Issued>) -> Result<(), String> {
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
        ("thinking" | "redacted_thinking", "assistant") => {
            let wanted =
                if kind(block) == "thinking" { ["thinking", "signature"].as_slice() } else { &["data"] };
            for name in wanted {
                if !block.get(name).is_some_and(Value::is_string) {
                    return Err(format!("{place}.{}.{name}: Field required", kind(block)));
                }
            }
            members(block, &dot, &[wanted, &["type"]].concat())?;
            match issued.is_none_or(|issued| issued.thoughts.contains(block)) {
                true => Ok(()),
                false => Err(format!("{place}: Invalid `signature` in `thinking` block")),
            }
        }
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

/// Checks that a reply with calls comes back with all of its thinking, complete and in place.
fn kept_thinking(at: usize, content: &[Value], issued: &Issued) -> Result<(), String> {
    let call = content.iter().find(|block| kind(block) == "tool_use");
    let Some(replies) = call.and_then(|call| issued.of_call.get(text(call, "id"))) else { return Ok(()) };
    match replies.contains(&order(content)) {
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
