//! What a server does with a valid request.

use serde_json::Value;

/// A scripted response.
#[derive(Debug, Clone)]
pub enum Play {
    /// A reply, streamed if requested.
    Say(Says),
    /// A complete reply, even if a stream was requested.
    SayWhole(Says),
    /// A fault; `Says` is the reply that would have been sent.
    Fail(Fault, Says),
}

/// A reply.
#[derive(Debug, Clone, Default)]
pub struct Says {
    /// Its parts.
    pub parts: Vec<Said>,
    /// The reason for stopping, in the API's own word; derived from the parts if `None`.
    pub stop: Option<String>,
}

impl Says {
    /// Creates a reply with these parts.
    pub fn new(parts: impl Into<Vec<Said>>) -> Says {
        Says { parts: parts.into(), stop: None }
    }

    /// Sets another reason for stopping.
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
    /// Text.
    Text(String),
    /// Thinking; with its signature for Anthropic, without one for others.
    Thinking(String, String),
    /// Redacted thinking (Anthropic only).
    Redacted(String),
    /// A call.
    Call {
        /// Its id.
        id: String,
        /// The tool.
        tool: String,
        /// The arguments as the model wrote them, which may not be JSON.
        arguments: String,
    },
}

impl Said {
    /// Creates a call with valid arguments.
    pub fn call(id: &str, tool: &str, arguments: &Value) -> Said {
        Said::Call { id: id.into(), tool: tool.into(), arguments: arguments.to_string() }
    }
}

/// A fault.
#[derive(Debug, Clone)]
pub enum Fault {
    /// Another status, with further headers and an error of this kind (`None` for an HTML page).
    Status(u16, Vec<(&'static str, &'static str)>, Option<&'static str>),
    /// Another status with this JSON body.
    Body(u16, Value),
    /// The request is too long, in the words of the API's provider.
    TooLong,
    /// The connection is closed before the first byte of the response.
    DropBefore,
    /// The connection is closed halfway through the stream.
    DropMidStream,
    /// The stream ends properly, but halfway through.
    EndEarly,
    /// No response arrives.
    Stall,
    /// The stream stalls halfway through.
    StallMidStream,
    /// The stream contains something that is not JSON.
    Garbage,
    /// The JSON of an event is truncated.
    HalfJson,
    /// The JSON of a complete reply is truncated.
    HalfBody,
    /// An HTML page with status 200.
    WrongContentType,
    /// JSON of a different kind.
    OtherJson,
    /// An error of this kind halfway through the stream.
    ErrorEvent(&'static str),
}
