//! The model port.

use crate::api::ApiError;
use crate::recorded::Differs;
use ledger::event::TaskEnded;
use ledger::turn::{Reply, TurnRequest, UserBlock};
use ledger::{Digest, Exchange, Prices, Window};
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

    /// Whether a turn costs money.
    fn is_paid(&self) -> bool {
        false
    }

    /// Whether a request is made durable before it is sent: what is lost otherwise could not be had again, or not for nothing.
    fn needs_durable_requests(&self) -> bool {
        self.is_paid()
    }

    /// How much it takes at once; `None` where its conversation is never cut.
    fn window(&self) -> Option<Window> {
        None
    }

    /// What its tokens cost, where that is known.
    fn prices(&self) -> Option<Prices> {
        None
    }

    /// What the last turn cost, where it went over a network; also that of a turn that failed, as far as it is known.
    fn last_exchange(&self) -> Option<&Exchange> {
        None
    }

    /// Whether it has a memory besides the conversation, so that a task that goes on has to ask it again what it was asked before; one that must be paid is not asked twice.
    fn remembers(&self) -> bool {
        !self.is_paid()
    }

    /// Answers one turn.
    fn turn<'a>(&'a mut self, request: &'a TurnRequest) -> Turning<'a>;

    /// Returns once whoever decided the call under way no longer wants it: its tool is then stopped, and the task goes on.
    fn withdrawn(&mut self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::pending())
    }

    /// The task has ended, and that is recorded; `said` is what the next turn would have said.
    fn ended(&mut self, said: &[UserBlock], ended: &TaskEnded) {
        let _ = (said, ended);
    }
}

/// A turn under way.
pub type Turning<'a> = Pin<Box<dyn Future<Output = Result<Reply, ModelError>> + Send + 'a>>;

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
    /// The request is longer than the model takes: a shorter one may be answered.
    #[error("ask the model: {model} takes less than it was sent: {why}")]
    TooLong {
        /// The model.
        model: String,
        /// Why.
        why: Box<ApiError>,
    },
    /// A recording was asked something that it does not hold. The same turn may be asked again once the cause is found.
    #[error("ask the model: {model} was asked something else: {differs}")]
    Differs {
        /// The recording.
        model: String,
        /// Where, and both sides.
        differs: Box<Differs>,
    },
    /// Nobody decides for it any longer.
    #[error("ask the model: nobody decides for {model} any longer")]
    Gone {
        /// The model.
        model: String,
    },
    /// A recorded turn had no reply then; in the words of then, which a log keeps alone.
    #[error("{told}")]
    AsRecorded {
        /// The words.
        told: String,
        /// Whether the request was too long.
        too_long: bool,
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
