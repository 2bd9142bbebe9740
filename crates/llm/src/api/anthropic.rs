//! The wire format of Anthropic Messages.
//!
//! Source: the API reference (version header 2023-06-01), with the pages on streaming, extended thinking and prompt caching.

use super::error::StreamError;
use super::received::{Asked, Lost, Received, Stop, arguments, count, told};
use super::settings::Settings;
use super::transcript::{Part, Role, Transcript, Turn, tool_name};
use ledger::{ToolSpec, Usage};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The value of the header `anthropic-version`.
pub(crate) const VERSION: &str = "2023-06-01";
/// A cache breakpoint looks back over 20 blocks; with another breakpoint this many blocks earlier, a turn of 16 calls is covered.
const BLOCKS_BETWEEN_BREAKPOINTS: usize = 15;
/// The member of deltas that contains pieces of a call's arguments.
const INPUT: &str = "partial_json";

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<&'a Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Value>,
    messages: Vec<Message<'a>>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Content<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Kept(&'a RawValue),
    Built(Vec<Value>),
}

/// The parts of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) model: &'a str,
    pub(crate) settings: &'a Settings,
    pub(crate) limit: u32,
    pub(crate) system: &'a str,
    pub(crate) tools: &'a [ToolSpec],
    pub(crate) transcript: &'a Transcript,
    /// For each turn its message as received, if known.
    pub(crate) kept: &'a [Option<Box<RawValue>>],
}

/// Writes the body of a request.
pub(crate) fn body(parts: Parts<'_>) -> Result<Vec<u8>, serde_json::Error> {
    let tool = |tool: &ToolSpec| json!({"name": tool.name, "description": tool.description, "input_schema": tool.arguments});
    let mut tools: Vec<_> = parts.tools.iter().map(tool).collect();
    if let Some(last) = tools.last_mut() {
        breakpoint(last);
    }
    let mut system = Vec::new();
    if !parts.system.trim().is_empty() {
        let mut text = json!({"type": "text", "text": parts.system});
        breakpoint(&mut text);
        system.push(text);
    }
    let mut messages: Vec<_> = parts
        .transcript
        .turns
        .iter()
        .enumerate()
        .map(|(index, turn)| message(turn, parts.kept.get(index).and_then(Option::as_deref)))
        .collect();
    breakpoints(&mut messages);
    serde_json::to_vec(&Request {
        model: parts.model,
        max_tokens: parts.limit,
        stream: true,
        thinking: parts.settings.thinking.as_ref(),
        tools,
        system,
        messages,
    })
}

fn message<'a>(turn: &Turn, kept: Option<&'a RawValue>) -> Message<'a> {
    let built = || Content::Built(turn.parts.iter().map(block).collect());
    match turn.role {
        Role::User => Message { role: "user", content: built() },
        Role::Assistant => Message { role: "assistant", content: kept.map_or_else(built, Content::Kept) },
    }
}

fn block(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Call { call, tool, arguments } => {
            let input = if arguments.is_object() { arguments.clone() } else { json!({}) };
            json!({"type": "tool_use", "id": call, "name": tool, "input": input})
        }
        Part::Result { call, text, failed } => {
            let mut result = json!({"type": "tool_result", "tool_use_id": call, "content": text});
            if let (true, Some(members)) = (*failed, result.as_object_mut()) {
                members.insert("is_error".to_owned(), json!(true));
            }
            result
        }
    }
}

fn breakpoint(block: &mut Value) {
    if let Some(members) = block.as_object_mut() {
        members.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
    }
}

/// Puts a cache breakpoint on the last block, and one far enough before it that the next request still finds it.
///
/// Only the user's blocks are marked: what the model said goes back unchanged.
fn breakpoints(messages: &mut [Message<'_>]) {
    let mut behind = 0;
    let mut wanted = 0;
    for message in messages.iter_mut().rev() {
        match &mut message.content {
            // Its number of blocks is not examined: as many as calls, and a few more.
            Content::Kept(_) => behind += 1,
            Content::Built(blocks) => {
                for block in blocks.iter_mut().rev() {
                    if message.role == "user" && behind >= wanted && wanted <= BLOCKS_BETWEEN_BREAKPOINTS {
                        breakpoint(block);
                        wanted += BLOCKS_BETWEEN_BREAKPOINTS;
                    }
                    behind += 1;
                }
            }
        }
    }
}

#[derive(Deserialize)]
struct Event {
    r#type: String,
    index: Option<usize>,
    content_block: Option<Box<RawValue>>,
    #[serde(default)]
    delta: Value,
    #[serde(default)]
    message: Value,
    #[serde(default)]
    usage: Value,
    #[serde(default)]
    error: Value,
}

#[derive(Deserialize)]
struct Whole {
    content: Vec<Box<RawValue>>,
    stop_reason: Option<String>,
    #[serde(default)]
    stop_details: Value,
    #[serde(default)]
    usage: Value,
}

/// A message being received.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    blocks: Vec<Block>,
    stop: Option<String>,
    details: Value,
    usage: Usage,
    done: bool,
}

type Members = BTreeMap<String, Box<RawValue>>;

/// A block as it began, and what was added to its members.
#[derive(Debug)]
struct Block {
    raw: Box<RawValue>,
    added: BTreeMap<&'static str, String>,
}

impl Reader {
    pub(crate) fn event(&mut self, data: &str) -> Result<(), Lost> {
        let event: Event = serde_json::from_str(data).map_err(StreamError::Json)?;
        match event.r#type.as_str() {
            "message_start" => self.count(event.message.get("usage").unwrap_or(&Value::Null)),
            "content_block_start" => {
                let raw = event.content_block.filter(|_| event.index == Some(self.blocks.len()));
                let raw = raw.ok_or(StreamError::Shape { expected: "the next content block" })?;
                self.blocks.push(Block { raw, added: BTreeMap::new() });
            }
            "content_block_delta" => self.delta(event.index, &event.delta)?,
            "message_delta" => {
                let stop = event.delta.get("stop_reason").and_then(Value::as_str);
                self.stop = stop.map(str::to_owned).or(self.stop.take());
                self.details = event.delta.get("stop_details").cloned().unwrap_or_default();
                self.count(&event.usage);
            }
            "message_stop" => self.done = true,
            "error" => {
                let kind = event.error.get("type").and_then(Value::as_str).unwrap_or_default();
                return Err(Lost::Told { status: status_of(kind), told: told(&event.error) });
            }
            // `ping`, `content_block_stop`, and types that may be added later.
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn whole(&mut self, body: &str) -> Result<(), Lost> {
        let whole: Whole = serde_json::from_str(body).map_err(StreamError::Json)?;
        let block = |raw| Block { raw, added: BTreeMap::new() };
        self.blocks = whole.content.into_iter().map(block).collect();
        self.count(&whole.usage);
        (self.stop, self.details, self.done) = (whole.stop_reason, whole.stop_details, true);
        Ok(())
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    fn delta(&mut self, index: Option<usize>, delta: &Value) -> Result<(), StreamError> {
        let block = index.and_then(|index| self.blocks.get_mut(index));
        let block = block.ok_or(StreamError::Shape { expected: "a content block that has begun" })?;
        let member = match delta.get("type").and_then(Value::as_str) {
            Some("text_delta") => "text",
            Some("thinking_delta") => "thinking",
            Some("signature_delta") => "signature",
            Some("input_json_delta") => INPUT,
            Some(_) | None => return Ok(()),
        };
        let piece = delta.get(member).and_then(Value::as_str);
        let piece = piece.ok_or(StreamError::Shape { expected: "a text in a delta" })?;
        block.added.entry(member).or_default().push_str(piece);
        Ok(())
    }

    /// Takes over token counts. Later figures replace earlier ones: they are running totals.
    fn count(&mut self, usage: &Value) {
        let cached = count(usage, "/cache_read_input_tokens");
        let cache_written = count(usage, "/cache_creation_input_tokens");
        let input = count(usage, "/input_tokens").saturating_add(cached).saturating_add(cache_written);
        let output = count(usage, "/output_tokens");
        self.usage = Usage {
            input: input.max(self.usage.input),
            cached: cached.max(self.usage.cached),
            cache_written: cache_written.max(self.usage.cache_written),
            output: output.max(self.usage.output),
        };
    }

    pub(crate) fn finish(self, asked: &mut Asked<'_>) -> Result<Received, StreamError> {
        let (true, Some(stop)) = (self.done, self.stop.as_deref()) else {
            return Err(StreamError::Truncated);
        };
        let stop = match stop {
            "max_tokens" => Stop::Cut,
            "model_context_window_exceeded" => Stop::ContextFull,
            "refusal" => Stop::Declined(told(&self.details)),
            // `end_turn`, `tool_use`, `stop_sequence`; `pause_turn` belongs to the provider's own tools, which are not offered.
            _ => Stop::Done,
        };
        let (mut parts, mut wire) = (Vec::new(), Vec::new());
        for block in self.blocks {
            let (part, raw) = block.finish(asked)?;
            parts.extend(part);
            wire.extend(raw);
        }
        let verbatim = match parts.is_empty() {
            true => None,
            false => Some(to_raw_value(&wire).map_err(StreamError::Json)?),
        };
        Ok(Received { parts, verbatim, stop, usage: self.usage })
    }
}

impl Block {
    /// Returns the block as a part, and the form in which it goes back; blank texts do not go back.
    fn finish(self, asked: &mut Asked<'_>) -> Result<(Option<Part>, Option<Box<RawValue>>), StreamError> {
        let mut members: Members = serde_json::from_str(self.raw.get()).map_err(StreamError::Json)?;
        let mut changed = false;
        for (name, added) in &self.added {
            if *name != INPUT {
                let whole = text(&members, name).unwrap_or_default() + added;
                changed |= set(&mut members, name, raw(&whole)?);
            }
        }
        let part = match text(&members, "type").as_deref() {
            Some("text") => match text(&members, "text") {
                Some(text) if !text.trim().is_empty() => Some(Part::Text(text)),
                Some(_) | None => return Ok((None, None)),
            },
            Some("tool_use") => {
                let (part, is_other) = call(&mut members, self.added.get(INPUT), asked)?;
                changed |= is_other;
                Some(part)
            }
            // Thinking, and blocks that only the provider uses.
            Some(_) => None,
            None => return Err(StreamError::Shape { expected: "the type of a content block" }),
        };
        let wire = if changed { raw(&members)? } else { self.raw };
        Ok((part, Some(wire)))
    }
}

/// Returns the call that a block makes, and whether its members had to be changed so that it can go back.
fn call(
    members: &mut Members,
    added: Option<&String>,
    asked: &mut Asked<'_>,
) -> Result<(Part, bool), StreamError> {
    let tool = text(members, "name").ok_or(StreamError::Shape { expected: "a tool's name" })?;
    let call = asked.own_id(&text(members, "id").unwrap_or_default());
    let came = added.map(String::as_str).or(members.get("input").map(|input| input.get()));
    let came = came.unwrap_or_default().to_owned();
    let arguments = arguments(&came);
    let input = match serde_json::from_str::<Members>(&came) {
        // The bytes stay as they came, with the form of numbers and the order of members.
        Ok(_) => RawValue::from_string(came.trim().to_owned()).map_err(StreamError::Json)?,
        Err(_) if arguments.is_object() => raw(&arguments)?,
        Err(_) => raw(&json!({}))?,
    };
    let changed = [
        set(members, "id", raw(&call)?),
        set(members, "name", raw(&tool_name(&tool))?),
        set(members, "input", input),
    ];
    Ok((Part::Call { call, tool, arguments }, changed.contains(&true)))
}

fn text(members: &Members, name: &str) -> Option<String> {
    members.get(name).and_then(|raw| serde_json::from_str(raw.get()).ok())
}

/// Sets a member; returns whether that changed it.
fn set(members: &mut Members, name: &str, value: Box<RawValue>) -> bool {
    let new = value.get().to_owned();
    members.insert(name.to_owned(), value).is_none_or(|old| old.get() != new)
}

fn raw<T: Serialize>(value: &T) -> Result<Box<RawValue>, StreamError> {
    to_raw_value(value).map_err(StreamError::Json)
}

/// Returns the status that an error of this kind has when it comes before the stream.
fn status_of(kind: &str) -> u16 {
    match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => 500,
    }
}
