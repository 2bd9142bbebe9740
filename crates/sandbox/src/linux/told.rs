//! The program's own log entries about workers: when they start and end, what calls used, and which limit stopped one.
//! They contain no request, no reply and no path.

use crate::confinement::Confinement;
use crate::ending::{Ending, Report, ZygoteExit};
use std::time::Duration;
use tracing::{debug, info, warn};

pub(crate) fn started(process: u32, confinement: &Confinement) {
    let confined = confinement.missing().is_empty();
    info!(target: "sandbox", process, confined, "worker started");
}

pub(crate) fn lost(exit: ZygoteExit, deaths: u32) {
    warn!(target: "sandbox", ?exit, deaths, "worker lost");
}

/// Logs how a call ended: at `debug` if it replied, as nearly all do.
pub(crate) fn ended(report: &Report) {
    let usage = &report.usage;
    let (wall, user, system) =
        (milliseconds(usage.wall), milliseconds(usage.user), milliseconds(usage.system));
    let peak_rss_kib = usage.peak_rss_kib;
    let (signal, limit) = match &report.ending {
        Ending::Signalled { signal } => (Some(*signal), None),
        Ending::TimedOut { limit } => (None, Some(milliseconds(*limit))),
        Ending::ReplyTooLarge { limit } => (None, Some(*limit)),
        Ending::Replied(_)
        | Ending::Panicked { .. }
        | Ending::Exited { .. }
        | Ending::Cancelled
        | Ending::DiskFull
        | Ending::BadReply { .. }
        | Ending::SetupFailed { .. }
        | Ending::ZygoteDied { .. } => (None, None),
    };
    match &report.ending {
        Ending::Replied(_) => debug!(target: "sandbox", wall, user, system, peak_rss_kib, "call ended"),
        ending => {
            let ending = name(ending);
            warn!(target: "sandbox", ending, signal, limit, wall, user, system, peak_rss_kib, "call stopped");
        }
    }
}

/// Returns the word for an ending.
const fn name(ending: &Ending) -> &'static str {
    match ending {
        Ending::Replied(_) => "replied",
        Ending::Panicked { .. } => "panicked",
        Ending::Signalled { .. } => "signalled",
        Ending::Exited { .. } => "exited",
        Ending::TimedOut { .. } => "timed_out",
        Ending::Cancelled => "cancelled",
        Ending::ReplyTooLarge { .. } => "reply_too_large",
        Ending::DiskFull => "disk_full",
        Ending::BadReply { .. } => "bad_reply",
        Ending::SetupFailed { .. } => "setup_failed",
        Ending::ZygoteDied { .. } => "worker_died",
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
