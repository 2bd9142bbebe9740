//! What a server does with a request that breaks no rule.

use serde_json::Value;

/// What a script answers with.
#[derive(Debug, Clone)]
pub enum Play {
    /// A reply, streamed when it was asked for so.
    Say(Says),
    /// A reply at once, whatever was asked for.
    SayWhole(Says),
    /// Something goes wrong; `Says` is what would have been said.
    Fail(Fault, Says),
}

/// A reply.
#[derive(Debug, Clone, Default)]
pub struct Says {
    /// Its parts.
    pub parts: Vec<Said>,
    /// Why it stopped, in the API's own word; told from the parts where it is `None`.
    pub stop: Option<String>,
}

impl Says {
    /// A reply of these parts.
    pub fn new(parts: impl Into<Vec<Said>>) -> Says {
        Says { parts: parts.into(), stop: None }
    }

    /// The same, stopped for another reason.
    #[must_use]
    pub fn stopped(self, stop: &str) -> Says {
        Says { stop: Some(stop.to_owned()), ..self }
    }

    pub(super) fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Said::Call { .. }))
    }
}

/// A part of a reply.
#[derive(Debug, Clone)]
pub enum Said {
    /// Words.
    Text(String),
    /// Thinking: of Anthropic with its signature, of others without.
    Thinking(String, String),
    /// Thinking that nobody can read (Anthropic only).
    Redacted(String),
    /// A call.
    Call {
        /// Its id.
        id: String,
        /// The tool.
        tool: String,
        /// The arguments as the model wrote them: JSON or not.
        arguments: String,
    },
}

impl Said {
    /// A call with good arguments.
    pub fn call(id: &str, tool: &str, arguments: &Value) -> Said {
        Said::Call { id: id.into(), tool: tool.into(), arguments: arguments.to_string() }
    }
}

/// What goes wrong.
#[derive(Debug, Clone)]
pub enum Fault {
    /// Another status, with further headers and an error of this kind (`None`: a page of HTML).
    Status(u16, Vec<(&'static str, &'static str)>, Option<&'static str>),
    /// Another status with this body of JSON.
    Body(u16, Value),
    /// The request is too long, in the words of the API's own provider.
    TooLong,
    /// The connection is closed before a byte of an answer.
    DropBefore,
    /// The connection is closed after half of the stream.
    DropMidStream,
    /// The stream ends in order after half of it.
    EndEarly,
    /// Nothing comes.
    Stall,
    /// Nothing more comes after half of the stream.
    StallMidStream,
    /// The stream holds no JSON.
    Garbage,
    /// An event's JSON is cut.
    HalfJson,
    /// A whole reply's JSON is cut.
    HalfBody,
    /// A page of HTML with status 200.
    WrongContentType,
    /// JSON of something else.
    OtherJson,
    /// An error of this kind in the stream, after half of it.
    ErrorEvent(&'static str),
}
