//! The model port.

use crate::api::ApiError;
use ledger::Digest;
use ledger::turn::{Reply, TurnRequest};
use std::future::Future;
use std::pin::Pin;
use thiserror::Error;

/// What decides an agent's next step.
///
/// One model serves one task: it may remember what it was asked.
pub trait Model: Send {
    /// How the log names it, such as `playbook`.
    fn name(&self) -> &str;

    /// The digest of the data that decides, where that data is ours.
    fn digest(&self) -> Option<Digest>;

    /// Whether a turn costs money: then its request is made durable before it is sent.
    fn is_paid(&self) -> bool {
        false
    }

    /// What the last turn cost, where it went over a network; also that of a turn that failed, as far as it is known.
    fn last_exchange(&self) -> Option<&Exchange> {
        None
    }

    /// Answers one turn.
    fn turn<'a>(&'a mut self, request: &'a TurnRequest) -> Turning<'a>;
}

/// A turn under way.
pub type Turning<'a> = Pin<Box<dyn Future<Output = Result<Reply, ModelError>> + Send + 'a>>;

/// What a turn was over the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The digest of the request's body as it was last sent: model, parameters, system, tools, messages.
    pub request: Digest,
    /// How often the request was sent.
    pub attempts: u32,
    /// The tokens of all attempts that were answered.
    pub usage: Usage,
    /// The provider's name for the last exchange, for questions to its support.
    pub request_id: Option<String>,
}

/// Tokens, as the provider counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Of the request, those in a cache included.
    pub input: u64,
    /// Of `input`, those read from a cache.
    pub cached: u64,
    /// Of `input`, those written into a cache.
    pub cache_written: u64,
    /// Of the reply, thinking included.
    pub output: u64,
}

impl Usage {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Usage) -> Usage {
        Usage {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            cache_written: self.cache_written.saturating_add(other.cache_written),
            output: self.output.saturating_add(other.output),
        }
    }
}

/// Why a model gave no reply.
#[derive(Debug, Error)]
pub enum ModelError {
    /// A scripted or recorded model has no reply for this turn.
    #[error("ask the model: {model} has no reply for turn {turn}")]
    Exhausted {
        /// The model.
        model: String,
        /// The turn.
        turn: u32,
    },
    /// It cannot be reached now; the same turn may be asked again later.
    #[error("ask the model: {model} cannot be reached")]
    Unreachable {
        /// The model.
        model: String,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Somebody has to change something first: the key, the model's name, the address. The same turn may be asked again then.
    #[error("ask the model: {model} cannot be used as it is set up: {why}")]
    Unusable {
        /// The model.
        model: String,
        /// Why; part of the message, because a log keeps that alone.
        why: Box<ApiError>,
    },
    /// It was reached and gave nothing that can be used; asking the same again would give the same.
    #[error("ask the model: {model} gave no usable reply: {why}")]
    NoReply {
        /// The model.
        model: String,
        /// Why; part of the message, because a log keeps that alone.
        why: Box<ApiError>,
    },
}
