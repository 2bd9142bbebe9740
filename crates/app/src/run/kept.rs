//! Keeps the head of a sealed run: as a line in the log of heads, and in a signature next to the manifest.

use super::{Finished, Workplace};
use crate::causes::with_causes;
use crate::head_log::{HeadLog, NotedHead};
use crate::progress::Progress;
use crate::seal::MANIFEST;
use crate::verify::{Signer, sign_beside};
use std::error::Error;
use std::sync::Arc;

/// How to keep heads.
#[derive(Debug, Clone, Default)]
pub struct KeepHead {
    /// The log to note them in; `None` notes nothing.
    pub log: Option<HeadLog>,
    /// The key that signs the manifest; `None` signs nothing.
    pub signer: Option<Arc<Signer>>,
}

/// Notes and signs the head of a run that was just sealed; a failure is only reported, because the run is sealed anyway.
pub(super) fn keep(work: &Workplace, finished: &Finished) {
    let tell = |error: &dyn Error| {
        let told = with_causes(error, "; because: ");
        (work.observe)(Progress::Note(format!("the run is sealed, but this failed: {told}")));
    };
    let folder = finished.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (run, head, at) =
        (finished.manifest.run.clone(), finished.manifest.head, work.clock.now().to_string());
    if let Some(Err(error)) = work.keep.log.as_ref().map(|log| log.note(&NotedHead { run, head, at, folder }))
    {
        tell(&error);
    }
    if let Some(Err(error)) =
        work.keep.signer.as_ref().map(|signer| sign_beside(signer, &finished.folder, MANIFEST))
    {
        tell(&error);
    }
}
