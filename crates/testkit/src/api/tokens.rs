//! The token count of these test servers: different from the client's estimate, and as uneven as real ones.
//!
//! It imitates no particular tokenizer, only their common traits. An English word takes one token for about four bytes including its space.
//! Digits and hex take one token for two bytes, punctuation one for one or two marks, and other scripts one for one or two bytes.

use super::server::Speaks;
use serde_json::Value;

/// The overhead of a message, a tool or a block in addition to its texts.
const FRAME: u64 = 4;
/// The overhead of a provider's own instructions for a model with tools.
const TOOLS: u64 = 300;
/// The maximum length of a word that is one token.
const WORD: u64 = 5;

/// Counts the tokens of a text.
pub fn text_tokens(text: &str) -> u64 {
    let (mut tokens, mut rest) = (0, text.as_bytes());
    while let Some(first) = rest.first() {
        let class = Class::of(*first);
        let run = rest.iter().position(|byte| Class::of(*byte) != class).unwrap_or(rest.len());
        let (run, behind) = rest.split_at(run);
        tokens += class.tokens(run);
        rest = behind;
    }
    tokens
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    /// Letters and digits.
    Word,
    Mark,
    /// Backslashes, controls.
    Single,
    /// Bytes of non-ASCII characters.
    Other,
}

impl Class {
    const fn of(byte: u8) -> Class {
        match byte {
            b' ' => Class::Space,
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => Class::Word,
            b'\\' | 0..=0x1f | 0x7f => Class::Single,
            b'!'..=b'~' => Class::Mark,
            0x80.. => Class::Other,
        }
    }

    fn tokens(self, run: &[u8]) -> u64 {
        let length = run.len() as u64;
        match self {
            // The space before a word belongs to the word.
            Class::Space => length / 4,
            Class::Word if run.iter().any(u8::is_ascii_digit) => length.div_ceil(2),
            // Mixed upper and lower case is not a word: it is probably base64.
            Class::Word if turns(run) > 2 => length.div_ceil(2),
            Class::Word => length.div_ceil(WORD),
            Class::Mark => length.div_ceil(2),
            Class::Single => length,
            // A character of two bytes takes one token, one of three bytes two, and one of four bytes three.
            Class::Other => {
                let lead = run.iter().filter(|byte| **byte >= 0xc0).count() as u64;
                length.saturating_sub(lead).max(1)
            }
        }
    }
}

/// Counts how often an upper-case letter follows a lower-case one.
fn turns(run: &[u8]) -> usize {
    let turn = |pair: &&[u8]| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase());
    run.windows(2).filter(turn).count()
}

/// Counts the tokens of a request's body: system prompt, tools and messages.
pub fn tokens(speaks: Speaks, body: &Value) -> u64 {
    let listed = |name: &str| body.get(name).and_then(Value::as_array).into_iter().flatten();
    let tools: u64 = listed("tools").map(tool_tokens).sum();
    let said: u64 = match speaks {
        Speaks::Anthropic => {
            let system: u64 = match body.get("system") {
                Some(Value::String(text)) => text_tokens(text),
                _ => listed("system").map(block_tokens).sum(),
            };
            let content = |message: &Value| match message.get("content") {
                Some(Value::Array(blocks)) => blocks.iter().map(block_tokens).sum(),
                other => other.map_or(0, value_tokens),
            };
            system + listed("messages").map(|message| FRAME + content(message)).sum::<u64>()
        }
        Speaks::OpenAi => listed("messages").map(message_tokens).sum(),
    };
    tools + said + if tools > 0 { TOOLS } else { 0 }
}

/// Counts the tokens of a tool.
pub(super) fn tool_tokens(tool: &Value) -> u64 {
    FRAME + value_tokens(tool)
}

/// Counts the tokens of a chat completions message.
pub(super) fn message_tokens(message: &Value) -> u64 {
    FRAME + value_tokens(message)
}

/// Counts the tokens of a content block.
pub(super) fn block_tokens(block: &Value) -> u64 {
    FRAME + value_tokens(block)
}

/// Counts the tokens of a value: text as it is, anything else as JSON, including member names and punctuation.
fn value_tokens(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(_) => 1,
        Value::Number(number) => text_tokens(&number.to_string()),
        Value::String(text) => text_tokens(text),
        Value::Array(items) => 1 + items.iter().map(value_tokens).sum::<u64>(),
        Value::Object(members) => {
            // Cache marks are for the server, not the model.
            let members = members.iter().filter(|(name, _)| *name != "cache_control");
            1 + members.map(|(name, value)| 1 + text_tokens(name) + value_tokens(value)).sum::<u64>()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_every_kind_takes_the_tokens_that_it_would_take() {
        let density = |text: &str| text.len() as f64 / text_tokens(text) as f64;
        let between = |text: &str, least: f64, most: f64| {
            let density = density(text);
            assert!((least..=most).contains(&density), "{text}: {density}");
        };
        between("The investigator looks at what was found on the disk of this computer", 3.5, 5.5);
        between("d41d8cd98f00b204e9800998ecf8427e", 1.0, 2.0);
        between("2024-11-21T13:04:59.1234567Z", 1.0, 2.0);
        between(r#"{"a":"\\\\server\\share\\x"}"#, 1.0, 3.0);
        between("\u{3042}\u{3044}\u{3046}\u{65e5}\u{672c}", 1.0, 2.0);
        between("\u{444}\u{430}\u{439}\u{43b}", 1.0, 2.0);
        between("\u{1f600}\u{1f601}", 1.0, 2.0);
        assert_eq!(text_tokens(""), 0);
    }
}
