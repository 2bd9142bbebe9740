//! Why a provider gave no reply, each reason in one sentence.

use super::transcript::TranscriptError;
use std::error::Error;
use std::time::Duration;
use thiserror::Error;

/// Why a request got no reply.
#[derive(Debug, Error)]
pub enum ApiError {
    /// The conversation breaks a rule of the APIs; nothing was sent.
    #[error("the conversation cannot be sent ({0})")]
    Transcript(#[source] TranscriptError),
    /// The request cannot be written as JSON; nothing was sent.
    #[error("the request cannot be written")]
    Encode(#[source] serde_json::Error),
    /// There is no connection, or it broke.
    #[error("no connection to {host}")]
    Connection {
        /// The server.
        host: String,
        /// Why, without the address.
        #[source]
        source: reqwest::Error,
    },
    /// The server could not prove its identity.
    #[error("no secure connection to {host}: {source}")]
    Tls {
        /// The server.
        host: String,
        /// Why.
        #[source]
        source: rustls::Error,
    },
    /// The time for an answer is over.
    #[error("{host} did not answer in time")]
    Silent {
        /// The server.
        host: String,
    },
    /// It wants a key, or a different one.
    #[error("{host} refuses the key (status {status}): {}", key(*.given, .variable))]
    Key {
        /// The server.
        host: String,
        /// 401 or 403.
        status: u16,
        /// Whether a key was sent.
        given: bool,
        /// Where the key is looked for.
        variable: &'static str,
    },
    /// It does not have the model.
    #[error("{host} has no model {model:?}: {told}")]
    NoModel {
        /// The server.
        host: String,
        /// The model.
        model: String,
        /// What it said.
        told: String,
    },
    /// The account has no money left, or has reached its spending limit.
    #[error("{host} asks for money (status {status}): {told}")]
    Spent {
        /// The server.
        host: String,
        /// The status.
        status: u16,
        /// What it said.
        told: String,
    },
    /// It answered with another error status.
    #[error("{host} answered with status {status}: {told}")]
    Status {
        /// The server.
        host: String,
        /// The status; for an error in the stream, the number that belongs to its kind.
        status: u16,
        /// What it said.
        told: String,
        /// How long it asks to wait before the next request.
        after: Option<Duration>,
    },
    /// The request is longer than it accepts.
    #[error("{host} answered with status {status}: {told}")]
    TooLong {
        /// The server.
        host: String,
        /// The status.
        status: u16,
        /// What it said.
        told: String,
    },
    /// It does not answer like a server of this API.
    #[error("{host} is not a server of this API: {found}")]
    NotAnApi {
        /// The server.
        host: String,
        /// What it did.
        found: Foreign,
    },
    /// The answer broke off or cannot be read.
    #[error("the answer of {host} is damaged ({source})")]
    Damaged {
        /// The server.
        host: String,
        /// What is wrong with it.
        #[source]
        source: StreamError,
    },
    /// The reply was cut at its limit, and again at a larger one.
    #[error("the reply was cut at {limit} tokens")]
    Cut {
        /// The larger limit.
        limit: u32,
    },
    /// The conversation and the reply do not fit the model's context window.
    #[error("the model's context is full")]
    ContextFull,
    /// The model or its provider declined.
    #[error("the model declined to answer: {told}")]
    Declined {
        /// Why, as far as it said.
        told: String,
    },
}

fn key(given: bool, variable: &str) -> String {
    match given {
        true => format!("look at the one in {variable}"),
        false => format!("none was given, set {variable}"),
    }
}

/// What a server did that does not belong to this API.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum Foreign {
    /// It answered with another kind of content.
    #[error("it sent {found:?} with status {status}")]
    Content {
        /// The status.
        status: u16,
        /// The content type.
        found: String,
    },
    /// It redirects the request elsewhere, where the key would go, too.
    #[error("it redirects (status {status})")]
    Redirect {
        /// The status.
        status: u16,
    },
    /// It has nothing at this path.
    #[error("it has nothing at this path (status {status})")]
    Path {
        /// The status.
        status: u16,
    },
}

/// What is wrong with an answer being received.
#[derive(Debug, Error)]
pub enum StreamError {
    /// It stopped before its end.
    #[error("it ended too early")]
    Truncated,
    /// It is not UTF-8.
    #[error("it is not UTF-8")]
    NotUtf8,
    /// It is too large.
    #[error("it is larger than {most} bytes")]
    TooLarge {
        /// The limit.
        most: usize,
    },
    /// It is not JSON.
    #[error("it is not JSON of this API")]
    Json(#[source] serde_json::Error),
    /// A required member is missing or is something else.
    #[error("expected {expected}")]
    Shape {
        /// What was expected.
        expected: &'static str,
    },
}

/// Whether to send a request again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// It would get the same answer.
    Never,
    /// After a while.
    Later,
    /// After this time.
    After(Duration),
}

impl ApiError {
    /// Returns the kind as one of our own words, and the status.
    /// A log may contain these; a server's own words may repeat what it was sent.
    pub(crate) fn kind(&self) -> (&'static str, Option<u16>) {
        match self {
            ApiError::Transcript(_) => ("transcript", None),
            ApiError::Encode(_) => ("encode", None),
            ApiError::Connection { .. } => ("connection", None),
            ApiError::Tls { .. } => ("tls", None),
            ApiError::Silent { .. } => ("silent", None),
            ApiError::Key { status, .. } => ("key", Some(*status)),
            ApiError::NoModel { .. } => ("no_model", None),
            ApiError::Spent { status, .. } => ("spent", Some(*status)),
            ApiError::Status { status, .. } => ("status", Some(*status)),
            ApiError::TooLong { status, .. } => ("too_long", Some(*status)),
            ApiError::NotAnApi { .. } => ("not_an_api", None),
            ApiError::Damaged { .. } => ("damaged", None),
            ApiError::Cut { .. } => ("cut", None),
            ApiError::ContextFull => ("context_full", None),
            ApiError::Declined { .. } => ("declined", None),
        }
    }

    pub(crate) fn again(&self) -> Again {
        match self {
            ApiError::Status { status: 408 | 409 | 429 | 500.., after, .. } => {
                after.map_or(Again::Later, Again::After)
            }
            ApiError::Connection { .. } | ApiError::Silent { .. } | ApiError::Damaged { .. } => Again::Later,
            ApiError::Status { .. }
            | ApiError::Transcript(_)
            | ApiError::Encode(_)
            | ApiError::Tls { .. }
            | ApiError::Key { .. }
            | ApiError::NoModel { .. }
            | ApiError::Spent { .. }
            | ApiError::TooLong { .. }
            | ApiError::NotAnApi { .. }
            | ApiError::Cut { .. }
            | ApiError::ContextFull
            | ApiError::Declined { .. } => Again::Never,
        }
    }

    /// Checks whether somebody must change something outside first; then the same turn may be asked again.
    pub(crate) fn is_of_setup(&self) -> bool {
        match self {
            ApiError::Tls { .. }
            | ApiError::Key { .. }
            | ApiError::NoModel { .. }
            | ApiError::Spent { .. }
            | ApiError::NotAnApi { .. } => true,
            ApiError::Transcript(_)
            | ApiError::Encode(_)
            | ApiError::Connection { .. }
            | ApiError::Silent { .. }
            | ApiError::Status { .. }
            | ApiError::TooLong { .. }
            | ApiError::Damaged { .. }
            | ApiError::Cut { .. }
            | ApiError::ContextFull
            | ApiError::Declined { .. } => false,
        }
    }

    /// Checks whether a shorter request may be answered.
    pub(crate) fn is_of_length(&self) -> bool {
        matches!(self, ApiError::TooLong { .. } | ApiError::ContextFull)
    }

    /// Converts an error of the HTTP client.
    pub(crate) fn of_client(host: &str, error: reqwest::Error) -> ApiError {
        let host = host.to_owned();
        if let Some(source) = tls(&error) {
            return ApiError::Tls { host, source };
        }
        match error.is_timeout() && !error.is_connect() {
            true => ApiError::Silent { host },
            // A URL may contain secrets.
            false => ApiError::Connection { host, source: error.without_url() },
        }
    }
}

/// Returns what TLS found wrong with the server, however deeply the error is wrapped.
fn tls(error: &reqwest::Error) -> Option<rustls::Error> {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<rustls::Error>() {
            return Some(found.clone());
        }
        // An IO error exposes what it wraps only like this, not as its source.
        let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        next = match wrapped {
            Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
            None => error.source(),
        };
    }
    None
}
