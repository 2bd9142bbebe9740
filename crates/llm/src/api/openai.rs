//! The wire format of chat completions with tools, as OpenAI defines them and other servers serve them.
//!
//! Source: OpenAI's API reference; deviations of other servers are noted where they matter.

use super::anthropic::Parts;
use super::error::StreamError;
use super::lenient::encoded_calls;
use super::received::{Asked, Lost, Received, Stop, arguments, count, told};
use super::transcript::{Part, Role, Turn, tool_name};
use ledger::{ToolSpec, Usage};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The most calls of one reply that are kept separate.
const MOST_CALLS: u64 = 256;

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    /// The name that OpenAI's own servers now use for `max_tokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    stream: bool,
    stream_options: Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    messages: Vec<Message<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Message<'a> {
    Kept(&'a RawValue),
    Built(Value),
}

/// Writes the body of a request; `is_home` says that the server is the provider's own.
pub(crate) fn body(parts: Parts<'_>, is_home: bool) -> Result<Vec<u8>, serde_json::Error> {
    let tool = |tool: &ToolSpec| {
        let function =
            json!({"name": tool.name, "description": tool.description, "parameters": tool.arguments});
        json!({"type": "function", "function": function})
    };
    let mut messages = Vec::new();
    if !parts.system.trim().is_empty() {
        messages.push(Message::Built(json!({"role": "system", "content": parts.system})));
    }
    for (index, turn) in parts.transcript.turns.iter().enumerate() {
        match (turn.role, parts.kept.get(index).and_then(Option::as_deref)) {
            (Role::Assistant, Some(kept)) => messages.push(Message::Kept(kept)),
            (Role::Assistant, None) => messages.push(Message::Built(assistant(turn))),
            (Role::User, _) => messages.extend(user(turn).into_iter().map(Message::Built)),
        }
    }
    serde_json::to_vec(&Request {
        model: parts.model,
        max_completion_tokens: is_home.then_some(parts.limit),
        max_tokens: (!is_home).then_some(parts.limit),
        stream: true,
        stream_options: json!({"include_usage": true}),
        tools: parts.tools.iter().map(tool).collect(),
        messages,
    })
}

/// Writes a user turn. Results are messages of their own, directly after the calls; this API marks failures only in the text.
fn user(turn: &Turn) -> Vec<Value> {
    let (mut messages, mut texts) = (Vec::new(), Vec::new());
    for part in &turn.parts {
        match part {
            Part::Text(text) => texts.push(text.as_str()),
            Part::Result { call, text, .. } => {
                messages.push(json!({"role": "tool", "tool_call_id": call, "content": text}));
            }
            Part::Call { .. } => {}
        }
    }
    if !texts.is_empty() {
        messages.push(json!({"role": "user", "content": texts.join("\n\n")}));
    }
    messages
}

fn assistant(turn: &Turn) -> Value {
    let calls = turn.parts.iter().filter_map(|part| match part {
        Part::Call { call, tool, arguments } => {
            let arguments = if arguments.is_object() { arguments.to_string() } else { "{}".to_owned() };
            Some(called(Map::new(), call, tool, &arguments))
        }
        Part::Text(_) | Part::Result { .. } => None,
    });
    let texts = turn.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        Part::Call { .. } | Part::Result { .. } => None,
    });
    said(Map::new(), &texts.collect::<Vec<_>>().join("\n\n"), calls.collect())
}

fn said(mut message: Map<String, Value>, text: &str, calls: Vec<Value>) -> Value {
    message.insert("role".to_owned(), json!("assistant"));
    let content = if text.trim().is_empty() { Value::Null } else { json!(text) };
    message.insert("content".to_owned(), content);
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    Value::Object(message)
}

fn called(mut members: Map<String, Value>, call: &str, tool: &str, arguments: &str) -> Value {
    members.remove("index");
    members.insert("id".to_owned(), json!(call));
    members.insert("type".to_owned(), json!("function"));
    members.insert("function".to_owned(), json!({"name": tool, "arguments": arguments}));
    Value::Object(members)
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Value,
    #[serde(default)]
    error: Value,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default, alias = "message")]
    delta: Map<String, Value>,
    finish_reason: Option<String>,
}

/// A message being received.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    content: String,
    refusal: String,
    /// Other members, such as the reasoning of some servers.
    others: Map<String, Value>,
    calls: BTreeMap<u64, Call>,
    finish: Option<String>,
    usage: Usage,
    done: bool,
}

#[derive(Debug, Default)]
struct Call {
    members: Map<String, Value>,
    name: String,
    arguments: String,
}

impl Reader {
    pub(crate) fn event(&mut self, data: &str) -> Result<(), Lost> {
        if data.trim() == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        let chunk: Chunk = serde_json::from_str(data).map_err(StreamError::Json)?;
        if !chunk.error.is_null() {
            let status = chunk.error.get("code").and_then(Value::as_u64);
            let status = status.and_then(|code| u16::try_from(code).ok()).unwrap_or(500);
            return Err(Lost::Told { status, told: told(&chunk.error) });
        }
        if chunk.usage.is_object() {
            self.usage = Usage {
                input: count(&chunk.usage, "/prompt_tokens"),
                cached: count(&chunk.usage, "/prompt_tokens_details/cached_tokens"),
                cache_written: 0,
                output: count(&chunk.usage, "/completion_tokens"),
            };
        }
        // Only one choice is asked for.
        if let Some(choice) = chunk.choices.into_iter().next() {
            self.finish = choice.finish_reason.or(self.finish.take());
            choice.delta.into_iter().try_for_each(|(name, value)| self.add(name, value))?;
        }
        Ok(())
    }

    pub(crate) fn whole(&mut self, body: &str) -> Result<(), Lost> {
        self.event(body)?;
        self.done = true;
        Ok(())
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    fn add(&mut self, name: String, value: Value) -> Result<(), StreamError> {
        match (name.as_str(), value) {
            (_, Value::Null) | ("role", _) => {}
            ("content", Value::String(text)) => self.content.push_str(&text),
            ("refusal", Value::String(text)) => self.refusal.push_str(&text),
            ("content" | "refusal", _) => return Err(StreamError::Shape { expected: "text" }),
            ("tool_calls", Value::Array(calls)) => {
                for (place, call) in calls.into_iter().enumerate() {
                    self.add_call(place as u64, call)?;
                }
            }
            ("tool_calls", _) => return Err(StreamError::Shape { expected: "a list of calls" }),
            (_, value) => grow(&mut self.others, name, value),
        }
        Ok(())
    }

    /// Adds a call, or more of one: its id and name come only with its first piece.
    fn add_call(&mut self, place: u64, call: Value) -> Result<(), StreamError> {
        let Value::Object(mut members) = call else {
            return Err(StreamError::Shape { expected: "a call" });
        };
        let index = members.get("index").and_then(Value::as_u64).unwrap_or(place);
        if index >= MOST_CALLS {
            return Err(StreamError::Shape { expected: "fewer calls" });
        }
        let function = members.remove("function").unwrap_or_default();
        let call = self.calls.entry(index).or_default();
        if let (true, Some(name)) = (call.name.is_empty(), function.get("name").and_then(Value::as_str)) {
            name.clone_into(&mut call.name);
        }
        match function.get("arguments") {
            None | Some(Value::Null) => {}
            Some(Value::String(piece)) => call.arguments.push_str(piece),
            // Some servers send the arguments as JSON instead of text.
            Some(value) => call.arguments.push_str(&value.to_string()),
        }
        for (name, value) in members {
            if !value.is_null() && !call.members.contains_key(&name) {
                call.members.insert(name, value);
            }
        }
        Ok(())
    }

    pub(crate) fn finish(self, asked: &mut Asked<'_>) -> Result<Received, StreamError> {
        // Some servers end without `[DONE]`; one that gave a reason is complete.
        let Some(finish) = self.finish else { return Err(StreamError::Truncated) };
        let stop = match finish.as_str() {
            "length" => Stop::Cut,
            "content_filter" => Stop::Declined("its content was filtered".to_owned()),
            _ if !self.refusal.is_empty() => Stop::Declined(told(&Value::String(self.refusal))),
            // Some servers say `stop` even with calls.
            _ => Stop::Done,
        };
        let mut parts = Vec::new();
        if !self.content.trim().is_empty() {
            parts.push(Part::Text(self.content.clone()));
        }
        let made: Vec<_> = self.calls.into_values().map(|call| call.finish(asked)).collect();
        if made.is_empty() && stop == Stop::Done {
            let found = encoded_calls(&self.content, asked.tools);
            if !found.is_empty() {
                let call = |(tool, arguments)| Part::Call { call: asked.own_id(""), tool, arguments };
                parts.extend(found.into_iter().map(call));
                // It goes back as the calls that it was taken for, because their answers refer to them.
                return Ok(Received { parts, verbatim: None, stop, usage: self.usage });
            }
        }
        // Reasoning belongs to the calls that it led to; without them some servers refuse it.
        let others = if made.is_empty() { Map::new() } else { self.others };
        let (calls, wire): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        parts.extend(calls);
        let verbatim = match parts.is_empty() {
            true => None,
            false => Some(to_raw_value(&said(others, &self.content, wire)).map_err(StreamError::Json)?),
        };
        Ok(Received { parts, verbatim, stop, usage: self.usage })
    }
}

impl Call {
    /// Returns the call, and the form in which it goes back.
    fn finish(self, asked: &mut Asked<'_>) -> (Part, Value) {
        let id = self.members.get("id").and_then(Value::as_str).unwrap_or_default();
        let call = asked.own_id(id);
        let arguments = arguments(&self.arguments);
        // Servers whose templates read the arguments fail on a text that is not an object.
        let is_object = serde_json::from_str::<Map<String, Value>>(&self.arguments).is_ok();
        let sent = match (is_object, arguments.is_object()) {
            (true, _) => self.arguments,
            (false, true) => arguments.to_string(),
            (false, false) => "{}".to_owned(),
        };
        let wire = called(self.members, &call, &tool_name(&self.name), &sent);
        (Part::Call { call, tool: self.name, arguments }, wire)
    }
}

/// Merges a piece into a member: texts and lists grow, anything else is replaced.
fn grow(members: &mut Map<String, Value>, name: String, value: Value) {
    match (members.get_mut(&name), value) {
        (Some(Value::String(text)), Value::String(piece)) => text.push_str(&piece),
        (Some(Value::Array(items)), Value::Array(more)) => items.extend(more),
        (_, value) => {
            members.insert(name, value);
        }
    }
}
