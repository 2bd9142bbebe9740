//! Refuses to write results inside the evidence.

use crate::open::OpenRunError;
use crate::outputs::open;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file about a run may not be written.
#[derive(Debug, Error)]
pub enum OutsideError {
    /// The run's record of where its evidence lies cannot be read.
    #[error(transparent)]
    Open(Box<OpenRunError>),
    /// The file would be inside the evidence.
    #[error("write {}: it would lie inside the evidence {}, which is never written", file.display(), evidence.display())]
    Inside {
        /// The file.
        file: PathBuf,
        /// The path of the evidence.
        evidence: PathBuf,
    },
}

/// Refuses a file about the run in `folder` that would be inside its evidence, at
/// any location where the run found it when it was opened or resumed.
///
/// # Errors
///
/// Fails if the file would be inside the evidence, or the run cannot be read.
pub fn refuse_file_inside(folder: &Path, file: &Path) -> Result<(), OutsideError> {
    let failed = |error| OutsideError::Open(Box::new(error));
    let read = |source| OpenRunError::Read { folder: folder.to_owned(), source: Box::new(source) };
    let events = open(folder).map_err(failed)?.glance().map_err(|source| failed(read(source)))?;
    let places = events.iter().flat_map(|(_, _, circumstance)| circumstance.evidence.values());
    match evidence_around(file, places.map(Path::new)) {
        Some(evidence) => Err(OutsideError::Inside { file: file.to_owned(), evidence: evidence.to_owned() }),
        None => Ok(()),
    }
}

/// Returns the piece of evidence that contains `path`, or would contain it once it is made.
pub(crate) fn evidence_around<'e>(
    path: &Path,
    mut evidence: impl Iterator<Item = &'e Path>,
) -> Option<&'e Path> {
    let resolved = existing_ancestor(path);
    evidence.find(|place| resolved.starts_with(place))
}

/// Returns where `path` will be once it is made, without `..` and with all links resolved in the part that exists.
fn existing_ancestor(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).components() {
        match component {
            std::path::Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
        // Links are resolved one by one, so that `..` after a link leaves its target.
        plain = plain.canonicalize().unwrap_or(plain);
    }
    plain
}
