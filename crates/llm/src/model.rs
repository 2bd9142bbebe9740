//! The model port.

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

    /// Answers one turn.
    fn turn<'a>(&'a mut self, request: &'a TurnRequest) -> Turning<'a>;
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
}
