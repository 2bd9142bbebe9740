//! The result of a request: a reply being received, over either API.

use super::address::Dialect;
use super::error::StreamError;
use super::key::ApiKey;
use super::lenient::read_object;
use super::transcript::{Part, is_name};
use super::{anthropic, openai};
use ledger::{ToolSpec, Usage};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeSet;

/// A complete reply.
#[derive(Debug)]
pub(crate) struct Received {
    /// Texts and calls.
    pub(crate) parts: Vec<Part>,
    /// The message as it goes back; `None` if it must be built from the parts.
    pub(crate) verbatim: Option<Box<RawValue>>,
    pub(crate) stop: Stop,
    pub(crate) usage: Usage,
}

impl Received {
    /// Removes the key from the reply: it may have come in pieces, none of which shows it.
    pub(crate) fn without(mut self, key: &ApiKey) -> Received {
        for part in &mut self.parts {
            match part {
                Part::Text(text) => *text = key.hide(text),
                Part::Call { call, tool, arguments } => {
                    (*call, *tool) = (key.hide(call), key.hide(tool));
                    key.hide_in(arguments);
                }
                Part::Result { .. } => {}
            }
        }
        // If it is no longer JSON, it must be built from the parts.
        self.verbatim = self.verbatim.and_then(|raw| RawValue::from_string(key.hide_in_json(raw.get())).ok());
        if let Stop::Declined(told) = &mut self.stop {
            *told = key.hide(told);
        }
        self
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It had said everything, or made its calls.
    Done,
    /// At the token limit: the last part may be incomplete.
    Cut,
    /// The context is full.
    ContextFull,
    /// It declined; the reason that was given.
    Declined(String),
}

/// Why a reply being received will not be completed.
#[derive(Debug)]
pub(crate) enum Lost {
    /// It cannot be read.
    Damaged(StreamError),
    /// The server reports an error, with the status that it would have used before the stream began.
    Told { status: u16, told: String },
}

impl From<StreamError> for Lost {
    fn from(error: StreamError) -> Lost {
        Lost::Damaged(error)
    }
}

/// A reply being received.
#[derive(Debug)]
pub(crate) enum Reader {
    Anthropic(Box<anthropic::Reader>),
    OpenAi(Box<openai::Reader>),
}

impl Reader {
    pub(crate) fn new(dialect: Dialect) -> Reader {
        match dialect {
            Dialect::Anthropic => Reader::Anthropic(Box::default()),
            Dialect::OpenAi => Reader::OpenAi(Box::default()),
        }
    }

    /// Processes the data of one event.
    pub(crate) fn event(&mut self, data: &str) -> Result<(), Lost> {
        match self {
            Reader::Anthropic(reader) => reader.event(data),
            Reader::OpenAi(reader) => reader.event(data),
        }
    }

    /// Processes a reply that came all at once.
    pub(crate) fn whole(&mut self, body: &str) -> Result<(), Lost> {
        match self {
            Reader::Anthropic(reader) => reader.whole(body),
            Reader::OpenAi(reader) => reader.whole(body),
        }
    }

    /// Checks whether the reply is complete.
    pub(crate) fn is_done(&self) -> bool {
        match self {
            Reader::Anthropic(reader) => reader.is_done(),
            Reader::OpenAi(reader) => reader.is_done(),
        }
    }

    /// Returns the reply.
    pub(crate) fn finish(self, asked: &mut Asked<'_>) -> Result<Received, StreamError> {
        match self {
            Reader::Anthropic(reader) => reader.finish(asked),
            Reader::OpenAi(reader) => reader.finish(asked),
        }
    }
}

/// What is needed to read a reply.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) turn: u32,
    pub(crate) tools: &'a [ToolSpec],
    /// The ids of the task's calls so far.
    pub(crate) taken: BTreeSet<String>,
}

impl Asked<'_> {
    /// Returns an id that no other call of the task has; the provider's own if possible.
    pub(crate) fn own_id(&mut self, id: &str) -> String {
        let good = is_name(id) && !self.taken.contains(id);
        let ours = || {
            let mut ids = (0u32..).map(|number| format!("call-{}-{number}", self.turn));
            ids.find(|id| !self.taken.contains(id))
        };
        let own = if good { id.to_owned() } else { ours().unwrap_or_default() };
        self.taken.insert(own.clone());
        own
    }
}

/// Parses arguments that came as text: returns the object, or a text that says what is wrong with them.
pub(crate) fn arguments(text: &str) -> Value {
    match read_object(text) {
        Ok(members) => Value::Object(members),
        Err(unreadable) => Value::String(unreadable.to_string()),
    }
}

/// Returns a token count; 0 if there is none.
pub(crate) fn count(usage: &Value, pointer: &str) -> u64 {
    usage.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// Returns what a server's error says, shortened.
pub(crate) fn told(error: &Value) -> String {
    let message = error.get("message").or(Some(error)).and_then(Value::as_str);
    let said = message.map_or_else(|| error.to_string(), str::to_owned);
    bounded(&said)
}

/// Shortens a server's text to one line.
pub(crate) fn bounded(text: &str) -> String {
    const LONGEST: usize = 400;
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = plain.take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('\u{2026}');
    }
    short
}
