//! A call on its way through the engine: waiting, progress, cancellation.

use crate::house::OpenTask;
use llm::{Told, Unheard, Wish};
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use std::time::Duration;

/// How often a client that wants progress is told that a call is still running.
const TICK: Duration = Duration::from_secs(2);

/// The reason why the engine gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// The task has ended, or its run broke off.
    Gone,
    /// Too many calls of the task are already waiting.
    Full,
    /// The client cancelled it.
    Withdrawn,
}

/// Passes the wish to the engine in its turn; if the client cancels, whatever runs for it is stopped.
pub(crate) async fn fulfil(
    task: &OpenTask,
    wish: Wish,
    context: &RequestContext<RoleServer>,
) -> Result<Told, NoAnswer> {
    let what = match &wish {
        Wish::Call { tool, .. } => tool.clone(),
        Wish::Stop { .. } => "the end of the task".to_owned(),
    };
    let desk = task.desk().ok_or(NoAnswer::Gone)?;
    let told = desk.hand_in(wish).map_err(|unheard| match unheard {
        Unheard::Gone => NoAnswer::Gone,
        Unheard::Full => NoAnswer::Full,
    })?;
    drop(desk);
    match waited(told, &what, context).await {
        Some(told) => told.map_err(|_| NoAnswer::Gone),
        None => Err(NoAnswer::Withdrawn),
    }
}

/// Waits for a future and reports progress meanwhile; `None` if the client cancelled.
pub(crate) async fn waited<T>(
    comes: impl Future<Output = T>,
    what: &str,
    context: &RequestContext<RoleServer>,
) -> Option<T> {
    let mut comes = std::pin::pin!(comes);
    let begun = tokio::time::Instant::now();
    let mut tick = tokio::time::interval_at(begun + TICK, TICK);
    loop {
        tokio::select! {
            biased;
            came = &mut comes => return Some(came),
            () = context.ct.cancelled() => return None,
            _ = tick.tick() => progress(begun.elapsed(), what, context).await,
        }
    }
}

async fn progress(elapsed: Duration, what: &str, context: &RequestContext<RoleServer>) {
    let Some(token) = context.meta.get_progress_token() else { return };
    let seconds = elapsed.as_secs();
    let mut told = ProgressNotificationParam::new(token, elapsed.as_secs_f64());
    told.message = Some(format!("{what}: under way for {seconds} s"));
    // A client that cannot be told has gone, which is noticed elsewhere.
    let _ = context.peer.notify_progress(told).await;
}
