//! The program's own log entries about requests: model, tokens, status and time; never a key or a word that was sent.

use super::error::ApiError;
use ledger::Usage;
use std::time::Duration;
use tracing::{debug, info, warn};

/// A request that was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent<'a> {
    pub(super) model: &'a str,
    pub(super) turn: u32,
    pub(super) attempt: u32,
    /// The bytes of its body.
    pub(super) bytes: usize,
}

pub(super) fn sent(it: Sent<'_>) {
    let Sent { model, turn, attempt, bytes } = it;
    debug!(target: "llm", model, turn, attempt, bytes, "request sent");
}

pub(super) fn answered(it: Sent<'_>, usage: Usage, took: Duration) {
    let Sent { model, turn, attempt, bytes } = it;
    let (input, output, took) = (usage.input, usage.output, milliseconds(took));
    info!(target: "llm", model, turn, attempt, bytes, status = 200, input, output, milliseconds = took, "request answered");
}

pub(super) fn failed(it: Sent<'_>, error: &ApiError, took: Duration, again: Option<Duration>) {
    let Sent { model, turn, attempt, bytes } = it;
    let (error, status) = error.kind();
    let (took, again) = (milliseconds(took), again.map(milliseconds));
    warn!(target: "llm", model, turn, attempt, bytes, error, status, milliseconds = took, again, "request failed");
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
