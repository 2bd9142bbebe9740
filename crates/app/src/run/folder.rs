//! Where a run's folder may be, and how it is made.

use super::RunError;
use crate::clock::Clock;
use crate::outside_evidence::evidence_around;
use ledger::RunId;
use std::path::{Path, PathBuf};
use store::{CreateError, Options, Writer};

/// Refuses run folders in `runs` if that is inside the evidence: evidence is never written, not even next to its files.
///
/// # Errors
///
/// Returns [`RunError::InsideEvidence`] if `runs` is inside the evidence.
pub fn refuse_runs_inside(runs: &Path, evidence: &[PathBuf]) -> Result<(), RunError> {
    match evidence_around(runs, evidence.iter().map(PathBuf::as_path)) {
        Some(evidence) => {
            Err(RunError::InsideEvidence { runs: runs.to_owned(), evidence: evidence.to_owned() })
        }
        None => Ok(()),
    }
}

/// Makes `runs/<UTC time>-<case>`; a second run within the same second gets a number.
pub(super) fn create_folder(
    runs: &Path,
    case: &str,
    clock: &dyn Clock,
    recording: Options,
) -> Result<(PathBuf, RunId, Writer), RunError> {
    let base = format!("{}-{case}", clock.now().to_compact_text());
    for number in 1u32.. {
        let name = if number == 1 { base.clone() } else { format!("{base}-{number}") };
        let Ok(id) = RunId::new(&name) else { break };
        let folder = runs.join(&name);
        match Writer::create_with(&folder, recording) {
            Ok(writer) => return Ok((folder, id, writer)),
            Err(CreateError::NotEmpty { .. }) if number < 1000 => {}
            Err(error) => return Err(RunError::Create(error)),
        }
    }
    Err(RunError::Panicked { folder: runs.join(base) })
}
