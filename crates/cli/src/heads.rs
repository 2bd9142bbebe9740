//! Where the heads of sealed runs are noted, and who signs them.

use crate::arguments::SealArguments;
use crate::failure::Failure;
use crate::printer::Printer;
use app::{HeadLog, KeepHead, Signer};
use std::path::PathBuf;
use std::sync::Arc;

/// Where to note a run's head, and who signs it. Nothing is noted inside the evidence, which is never written to.
pub(crate) fn keep(
    arguments: &SealArguments,
    evidence: &[PathBuf],
    printer: &Printer,
) -> Result<KeepHead, Failure> {
    let signer = arguments.sign.as_deref().map(Signer::read).transpose().map_err(Failure::Key)?;
    let mut log = log(arguments.no_head_log);
    if log.as_ref().is_some_and(|log| app::refuse_runs_inside(log.file(), evidence).is_err()) {
        printer.complain("note: the head will not be noted: the log of heads lies inside the evidence");
        log = None;
    }
    Ok(KeepHead { log, signer: signer.map(Arc::new) })
}

/// The log of heads: `$XDG_STATE_HOME/locard/heads` or `~/.local/state/locard/heads`.
///
/// A variable whose value is not an absolute path counts as unset (XDG Base Directory Specification).
#[expect(clippy::disallowed_methods, reason = "the user's folders stand in the environment")]
pub(crate) fn log(off: bool) -> Option<HeadLog> {
    let is_off = std::env::var_os("LOCARD_NO_HEAD_LOG").is_some_and(|value| !value.is_empty());
    if off || is_off {
        return None;
    }
    Some(HeadLog::new(user_state()?.join("heads")))
}

/// The folder for what the program remembers about its runs: `$XDG_STATE_HOME/locard` or `~/.local/state/locard`.
#[expect(clippy::disallowed_methods, reason = "the user's folders stand in the environment")]
pub(crate) fn user_state() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?;
    Some(state.join("locard"))
}
