//! Chat completions: their rules and the wire format of replies.

use super::anthropic::is_name;
use super::measure::Measured;
use super::play::{Said, Says};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The maximum number of tools in a request.
const MOST_TOOLS: usize = 128;

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the first rule that a request breaks, in the server's words.
pub(super) fn check(body: &Value) -> Result<(), String> {
    const KNOWN: [&str; 8] = [
        "model",
        "messages",
        "tools",
        "tool_choice",
        "stream",
        "stream_options",
        "max_tokens",
        "max_completion_tokens",
    ];
    let named = body.as_object().ok_or("We could not parse the JSON body of your request.")?;
    if let Some(name) = named.keys().find(|name| !KNOWN.contains(&name.as_str())) {
        return Err(format!("Unrecognized request argument supplied: {name}"));
    }
    if body.get("stream_options").is_some() && body.get("stream") != Some(&json!(true)) {
        return Err("The 'stream_options' parameter is only allowed when 'stream' is enabled.".to_owned());
    }
    if body.get("tools").is_some_and(|tools| tools.as_array().is_none_or(Vec::is_empty)) {
        return Err("[] is too short - 'tools'".to_owned());
    }
    if text(body, "model").is_empty() {
        return Err("you must provide a model parameter".to_owned());
    }
    check_limits(body)?;
    let none = Vec::new();
    let tools = body.get("tools").and_then(Value::as_array).unwrap_or(&none);
    check_tools(tools)?;
    if body.get("tool_choice").is_some() && tools.is_empty() {
        return Err("'tool_choice' is only allowed when 'tools' are specified.".to_owned());
    }
    let messages = body.get("messages").and_then(Value::as_array).unwrap_or(&none);
    if messages.is_empty() {
        return Err("[] is too short - 'messages'".to_owned());
    }
    conversation(messages)
}

fn check_limits(body: &Value) -> Result<(), String> {
    let limits = ["max_tokens", "max_completion_tokens"].map(|name| (name, body.get(name)));
    for (name, limit) in limits {
        if limit.is_some_and(|limit| limit.as_u64().is_none_or(|limit| limit == 0)) {
            return Err(format!("Invalid '{name}': integer below minimum value."));
        }
    }
    match limits {
        [(_, Some(_)), (_, Some(_))] => {
            Err("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
                .to_owned())
        }
        _ => Ok(()),
    }
}

fn check_tools(tools: &[Value]) -> Result<(), String> {
    if tools.len() > MOST_TOOLS {
        return Err(format!(
            "Invalid 'tools': array too long. Expected an array with maximum length {MOST_TOOLS}."
        ));
    }
    let mut names = BTreeSet::new();
    for (at, tool) in tools.iter().enumerate() {
        let function = tool.get("function").unwrap_or(&Value::Null);
        let is_good = text(tool, "type") == "function"
            && is_name(text(function, "name"))
            && function.get("description").is_none_or(Value::is_string)
            && function.pointer("/parameters/type") == Some(&json!("object"));
        if !is_good {
            return Err(format!("Invalid 'tools[{at}]'."));
        }
        if !names.insert(text(function, "name")) {
            return Err(format!("Invalid 'tools[{at}]': function names must be unique."));
        }
    }
    Ok(())
}

/// Checks that a message has only members allowed for its role; an assistant message has what its server put there.
fn check_members(at: usize, message: &Value) -> Result<(), String> {
    let known: &[&str] = match text(message, "role") {
        "assistant" => return Ok(()),
        "tool" => &["role", "content", "tool_call_id"],
        _ => &["role", "content", "name"],
    };
    let named = message.as_object().ok_or_else(|| format!("Invalid type for 'messages[{at}]'"))?;
    match named.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(format!("Unknown parameter: 'messages[{at}].{name}'.")),
        None => Ok(()),
    }
}

fn conversation(messages: &[Value]) -> Result<(), String> {
    // Calls waiting for their answers, and whether an answer may be at this position.
    let (mut open, mut called): (BTreeSet<String>, BTreeSet<String>) = Default::default();
    let mut seen = BTreeSet::new();
    let mut last = "";
    for (at, message) in messages.iter().enumerate() {
        let role = text(message, "role");
        check_members(at, message)?;
        if role == "tool" {
            let id = text(message, "tool_call_id");
            if !called.contains(id) {
                return Err(format!(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls' (messages[{at}], {id})."
                ));
            }
            if !open.remove(id) {
                return Err(format!("Duplicate value for 'tool_call_id' of {id} in message[{at}]"));
            }
            if text(message, "content").is_empty() {
                return Err(format!("Invalid value for 'content' of messages[{at}]: expected a string"));
            }
            last = role;
            continue;
        }
        if !open.is_empty() {
            return Err(unanswered(&open));
        }
        called.clear();
        match role {
            "system" if at == 0 => {}
            "user" if last != "user" => {}
            "assistant" if matches!(last, "user" | "tool") => {
                open = calls(at, message, &mut seen)?;
                called.clone_from(&open);
            }
            _ => return Err(format!("Invalid role {role:?} of messages[{at}] after {last:?}")),
        }
        let content = text(message, "content");
        if content.trim().is_empty()
            && !(role == "assistant" && !open.is_empty() && message.get("content") == Some(&Value::Null))
        {
            return Err(format!(
                "Invalid value for 'content' of messages[{at}]: expected a string, got null."
            ));
        }
        last = role;
    }
    match (open.is_empty(), last) {
        (false, _) => Err(unanswered(&open)),
        (true, "user" | "tool") => Ok(()),
        (true, _) => Err("the last message must be the user's or a tool's".to_owned()),
    }
}

fn unanswered(open: &BTreeSet<String>) -> String {
    let ids: Vec<_> = open.iter().map(String::as_str).collect();
    format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {}",
        ids.join(", ")
    )
}

fn calls(at: usize, message: &Value, seen: &mut BTreeSet<String>) -> Result<BTreeSet<String>, String> {
    let mut open = BTreeSet::new();
    let Some(calls) = message.get("tool_calls") else { return Ok(open) };
    let calls = calls.as_array().filter(|calls| !calls.is_empty());
    for call in calls.ok_or_else(|| format!("Invalid 'messages[{at}].tool_calls': empty array."))? {
        let id = text(call, "id").to_owned();
        let function = call.get("function").unwrap_or(&Value::Null);
        // Servers whose templates parse the arguments fail unless they are an object.
        let arguments: Option<Value> = serde_json::from_str(text(function, "arguments")).ok();
        let is_good = text(call, "type") == "function"
            && is_name(&id)
            && is_name(text(function, "name"))
            && arguments.is_some_and(|arguments| arguments.is_object())
            && call.get("index").is_none();
        if !is_good {
            return Err(format!("Invalid 'messages[{at}].tool_calls': {call}"));
        }
        if !seen.insert(id.clone()) {
            return Err(format!("Duplicate tool call id {id} in messages[{at}]"));
        }
        open.insert(id);
    }
    Ok(open)
}

fn stop(says: &Says) -> String {
    let told = if says.has_calls() { "tool_calls" } else { "stop" };
    says.stop.clone().unwrap_or_else(|| told.to_owned())
}

fn usage(measured: Measured) -> Value {
    let Measured { input, cached, output, .. } = measured;
    json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
           "prompt_tokens_details": {"cached_tokens": cached}})
}

/// Splits the parts into the deltas of a stream.
fn deltas(says: &Says) -> Vec<Value> {
    let mut deltas = vec![json!({"role": "assistant", "content": ""})];
    let mut index = 0;
    let pieces = |text: &str| -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        letters.chunks(7).map(|piece| piece.iter().collect()).collect()
    };
    for part in &says.parts {
        match part {
            Said::Text(text) => deltas.extend(pieces(text).iter().map(|piece| json!({"content": piece}))),
            Said::Thinking(text, _) => {
                deltas.extend(pieces(text).iter().map(|piece| json!({"reasoning_content": piece})));
            }
            Said::Redacted(_) => {}
            Said::Call { id, tool, arguments } => {
                let first = json!({"index": index, "id": id, "type": "function", "extra_content": {"of": id},
                                   "function": {"name": tool, "arguments": ""}});
                deltas.push(json!({"tool_calls": [first]}));
                for piece in pieces(arguments) {
                    deltas.push(json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}));
                }
                index += 1;
            }
        }
    }
    deltas
}

/// Returns the reply as the events of a stream.
pub(super) fn events(says: &Says, measured: Measured) -> Vec<String> {
    let event = |choices: Value, usage: Value| {
        let chunk = json!({"id": "chatcmpl-test", "object": "chat.completion.chunk", "choices": choices, "usage": usage});
        format!("data: {chunk}\n\n")
    };
    let choice = |delta: Value, stop: Value| json!([{"index": 0, "delta": delta, "finish_reason": stop}]);
    let mut events: Vec<_> =
        deltas(says).into_iter().map(|delta| event(choice(delta, Value::Null), Value::Null)).collect();
    events.push(event(choice(json!({}), json!(stop(says))), Value::Null));
    events.push(event(json!([]), usage(measured)));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

pub(super) fn whole(says: &Says, measured: Measured) -> Value {
    let mut content = String::new();
    let mut calls = Vec::new();
    for part in &says.parts {
        match part {
            Said::Text(text) => content.push_str(text),
            Said::Thinking(..) | Said::Redacted(_) => {}
            Said::Call { id, tool, arguments } => calls.push(
                json!({"id": id, "type": "function", "function": {"name": tool, "arguments": arguments}}),
            ),
        }
    }
    let mut message = json!({"role": "assistant", "content": content});
    if let (false, Some(members)) = (calls.is_empty(), message.as_object_mut()) {
        members.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    json!({"id": "chatcmpl-test", "object": "chat.completion", "usage": usage(measured),
           "choices": [{"index": 0, "message": message, "finish_reason": stop(says)}]})
}
