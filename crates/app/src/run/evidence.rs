//! The evidence of a run: it is opened before the run, hashed in parallel with it, and compared before and after.

use super::{RunError, Site};
use crate::unchanged::Snapshot;
use crate::waiting::{Panicked, wait_for};
use crate::worker::Worker;
use ledger::IntegrityLevel;
use ledger::event::EvidenceHashed;
use std::path::PathBuf;
use std::sync::Arc;

/// Takes a snapshot of the evidence.
pub(super) async fn look(site: &Site) -> Result<Arc<Snapshot>, RunError> {
    let case = site.case.clone();
    let looking = tokio::task::spawn_blocking(move || Snapshot::take(&case));
    Ok(Arc::new(looking.await.map_err(|_| RunError::ThreadPanicked)?))
}

/// Opens the evidence once before the run begins, because without it there is nothing to investigate.
///
/// An interruption ends this without an error; the run that is opened next will notice it.
pub(super) async fn open(site: &Site, worker: &Worker) -> Result<(), RunError> {
    let opener = worker.clone();
    let opened =
        wait_for(&site.work.interrupt, vec![worker.canceller()], move || opener.open_evidence()).await;
    match opened.map_err(|Panicked| RunError::ThreadPanicked)? {
        Err((label, source)) if !site.work.interrupt.is_interrupted() => {
            Err(RunError::Evidence { label, source })
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

pub(super) type Hashing = tokio::task::JoinHandle<Result<Vec<EvidenceHashed>, RunError>>;

/// Hashes the evidence in its own worker, in parallel with the investigation.
pub(super) fn hash(site: &Site, folder: PathBuf, worker: Worker) -> Hashing {
    let level = site.work.integrity;
    let evidence = site.case.entry.evidence.clone();
    tokio::task::spawn_blocking(move || {
        let mut hashed = Vec::new();
        for entry in evidence {
            let (integrity, gaps) = worker.hash(&entry.label, level).map_err(|source| {
                let (folder, label) = (folder.clone(), entry.label.clone());
                RunError::Hash { folder, label, source }
            })?;
            // A hash over every byte cannot be compared with one over samples.
            let full = level == IntegrityLevel::Full;
            let expected = entry.expected_sha256.filter(|_| full);
            let as_expected = expected.map(|expected| expected == integrity.sha256);
            hashed.push(EvidenceHashed { evidence: entry.label, integrity, as_expected, gaps });
        }
        Ok(hashed)
    })
}
