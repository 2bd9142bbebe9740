//! The interface between a task and the model that decides its steps.

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
/// One model serves one task: it may remember earlier requests.
pub trait Model: Send {
    /// Returns its name in the log, such as `playbook`.
    fn name(&self) -> &str;

    /// Returns the digest of the data that decides, if that data is ours.
    fn digest(&self) -> Option<Digest>;

    /// Returns whether a turn costs money.
    fn is_paid(&self) -> bool {
        false
    }

    /// Returns whether a request is made durable before it is sent: if it were lost, it could not be obtained again, or not for free.
    fn needs_durable_requests(&self) -> bool {
        self.is_paid()
    }

    /// Returns its context window; `None` if its conversation is never cut.
    fn window(&self) -> Option<Window> {
        None
    }

    /// Returns what its tokens cost, if known.
    fn prices(&self) -> Option<Prices> {
        None
    }

    /// Returns what the last turn cost, if it went over a network; also for a turn that failed, as far as known.
    fn last_exchange(&self) -> Option<&Exchange> {
        None
    }

    /// Returns whether it has a memory besides the conversation, so that a resumed task must ask it again everything that it was asked before.
    /// A paid model is not asked twice.
    fn remembers(&self) -> bool {
        !self.is_paid()
    }

    /// Answers one turn.
    fn turn<'a>(&'a mut self, request: &'a TurnRequest) -> Turning<'a>;

    /// Returns once whoever decided the current call no longer wants it: its tool is then stopped, and the task continues.
    fn withdrawn(&mut self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::pending())
    }

    /// Is told that the task has ended, and that the end is recorded; `said` is what the next turn would have said.
    fn ended(&mut self, said: &[UserBlock], ended: &TaskEnded) {
        let _ = (said, ended);
    }
}

/// A turn in progress.
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
    /// Somebody must change something first: the key, the model's name, the address. Then the same turn may be asked again.
    #[error("ask the model: {model} cannot be used as it is set up: {why}")]
    Unusable {
        /// The model.
        model: String,
        /// Why; it is part of the message, because a log keeps only the message.
        why: Box<ApiError>,
    },
    /// The request is longer than the model accepts: a shorter one may be answered.
    #[error("ask the model: {model} takes less than it was sent: {why}")]
    TooLong {
        /// The model.
        model: String,
        /// Why.
        why: Box<ApiError>,
    },
    /// A recording was asked something that it does not have. The same turn may be asked again once the cause is found.
    #[error("ask the model: {model} was asked something else: {differs}")]
    Differs {
        /// The recording.
        model: String,
        /// Where they differ, and both sides.
        differs: Box<Differs>,
    },
    /// Nobody decides for it any longer.
    #[error("ask the model: nobody decides for {model} any longer")]
    Gone {
        /// The model.
        model: String,
    },
    /// A recorded turn had no reply; in its recorded words, the only thing that a log keeps.
    #[error("{told}")]
    AsRecorded {
        /// The words.
        told: String,
        /// Whether the request was too long.
        too_long: bool,
    },
    /// It was reached but gave nothing usable; asking the same again would give the same.
    #[error("ask the model: {model} gave no usable reply: {why}")]
    NoReply {
        /// The model.
        model: String,
        /// Why; it is part of the message, because a log keeps only the message.
        why: Box<ApiError>,
    },
}
