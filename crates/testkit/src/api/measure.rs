//! How much of a model's context a request takes, and how much of it is cached.

use super::server::Speaks;
use super::tokens::{block_tokens, message_tokens, text_tokens, tokens, tool_tokens};
use super::{Said, Says};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Fewer tokens are not cached, without any notice.
const LEAST_CACHED: u64 = 1024;
/// How many blocks before a breakpoint are checked.
const LOOK_BACK: usize = 20;
/// The granularity in which chat completions count cached tokens.
const STEP: u64 = 128;

/// The tokens of a request and of its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Measured {
    /// Tokens of the request, including cached ones.
    pub input: u64,
    /// The part of `input` that was read from the cache.
    pub cached: u64,
    /// The part of `input` that was written to the cache.
    pub cache_written: u64,
    /// Tokens of the reply.
    pub output: u64,
}

/// A prompt cache: what was sent before.
#[derive(Debug, Default)]
pub(super) struct Cache {
    /// Anthropic: hashes of the prefixes that ended at a breakpoint.
    written: BTreeSet<u64>,
    /// Chat completions: the previous request.
    last: Vec<String>,
}

/// A part of a request that is cached as a whole or not at all.
struct Block {
    /// Its bytes, without the cache mark.
    text: String,
    tokens: u64,
    marked: bool,
}

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(default, borrow)]
    tools: Vec<&'a RawValue>,
    #[serde(borrow)]
    system: Option<&'a RawValue>,
    #[serde(default, borrow)]
    messages: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message<'a> {
    role: &'a str,
    #[serde(borrow)]
    content: &'a RawValue,
}

impl Cache {
    /// Measures a request and remembers it for the cache.
    pub(super) fn measure(&mut self, speaks: Speaks, text: &str, body: &Value) -> Measured {
        let blocks = blocks(speaks, text);
        let input = tokens(speaks, body);
        match speaks {
            Speaks::Anthropic => self.at_breakpoints(&blocks, input),
            Speaks::OpenAi => {
                let alike = blocks.iter().zip(&self.last).take_while(|(block, last)| block.text == **last);
                let alike: u64 = alike.map(|(block, _)| block.tokens).sum();
                self.last = blocks.into_iter().map(|block| block.text).collect();
                let cached = if alike >= LEAST_CACHED { alike.min(input) / STEP * STEP } else { 0 };
                Measured { input, cached, ..Measured::default() }
            }
        }
    }

    fn at_breakpoints(&mut self, blocks: &[Block], input: u64) -> Measured {
        let (mut hasher, mut sum) = (DefaultHasher::new(), 0);
        let beginning = |block: &Block| {
            block.text.hash(&mut hasher);
            sum += block.tokens;
            (hasher.finish(), sum)
        };
        let beginnings: Vec<(u64, u64)> = blocks.iter().map(beginning).collect();
        let marked: Vec<usize> =
            (0..blocks.len()).filter(|at| blocks.get(*at).is_some_and(|b| b.marked)).collect();
        let known = marked.iter().flat_map(|at| at.saturating_sub(LOOK_BACK)..=*at);
        let known = known.filter_map(|at| beginnings.get(at)).filter(|(hash, _)| self.written.contains(hash));
        let cached = known.map(|(_, tokens)| *tokens).max().unwrap_or(0);
        let long = marked.iter().filter_map(|at| beginnings.get(*at)).filter(|(_, sum)| *sum >= LEAST_CACHED);
        let long: Vec<_> = long.copied().collect();
        let last = long.last().map_or(0, |(_, tokens)| *tokens);
        self.written.extend(long.into_iter().map(|(hash, _)| hash));
        Measured { input, cached, cache_written: last.saturating_sub(cached), output: 0 }
    }
}

fn blocks(speaks: Speaks, text: &str) -> Vec<Block> {
    let Ok(Body { tools, system, messages }) = serde_json::from_str(text) else { return Vec::new() };
    let mut blocks: Vec<_> = tools.into_iter().map(|raw| block("", raw.get(), tool_tokens)).collect();
    if let Some(system) = system {
        let parts: Vec<&RawValue> = serde_json::from_str(system.get()).unwrap_or_else(|_| vec![system]);
        blocks.extend(parts.into_iter().map(|raw| block("system", raw.get(), block_tokens)));
    }
    for raw in messages {
        match (speaks, serde_json::from_str::<Message<'_>>(raw.get())) {
            (Speaks::Anthropic, Ok(Message { role, content })) => {
                let parts: Vec<&RawValue> =
                    serde_json::from_str(content.get()).unwrap_or_else(|_| vec![content]);
                blocks.extend(parts.into_iter().map(|raw| block(role, raw.get(), block_tokens)));
            }
            (Speaks::Anthropic, Err(_)) | (Speaks::OpenAi, _) => {
                blocks.push(block("", raw.get(), message_tokens));
            }
        }
    }
    blocks
}

fn block(role: &str, raw: &str, count: fn(&Value) -> u64) -> Block {
    const MARK: &str = r#""cache_control":{"type":"ephemeral"}"#;
    // Inside a text, the quotation marks would be escaped, so this cannot match there.
    let bare = raw.replace(&format!("{MARK},"), "").replace(&format!(",{MARK}"), "");
    let value: Value = serde_json::from_str(&bare).unwrap_or_default();
    Block { tokens: count(&value), marked: bare.len() < raw.len(), text: format!("{role} {bare}") }
}

/// Counts the tokens of a reply.
pub(super) fn reply_tokens(says: &Says) -> u64 {
    let part = |part: &Said| match part {
        Said::Text(text) | Said::Thinking(text, _) | Said::Redacted(text) => text_tokens(text),
        Said::Call { id, tool, arguments } => text_tokens(id) + text_tokens(tool) + text_tokens(arguments),
    };
    says.parts.iter().map(part).sum::<u64>().max(1)
}

/// Returns why a request does not fit the context, in the server's words.
pub(super) fn too_long(speaks: Speaks, body: &Value, input: u64, context: u64) -> Option<String> {
    let limit = |name| body.get(name).and_then(Value::as_u64);
    let reply = limit("max_tokens").or(limit("max_completion_tokens")).unwrap_or(0);
    let asked = input.saturating_add(reply);
    match speaks {
        _ if asked <= context => None,
        Speaks::Anthropic if input > context => {
            Some(format!("prompt is too long: {input} tokens > {context} maximum"))
        }
        Speaks::Anthropic => Some(format!(
            "input length and `max_tokens` exceed context limit: {input} + {reply} > {context}, decrease input length or `max_tokens` and try again"
        )),
        Speaks::OpenAi => Some(format!(
            "This model's maximum context length is {context} tokens. However, you requested {asked} tokens ({input} in the messages, {reply} in the completion). Please reduce the length of the messages or completion."
        )),
    }
}
