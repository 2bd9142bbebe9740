//! Where results may be written: never inside the evidence.

use crate::open::OpenRunError;
use crate::outputs::open;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file about a run may not be written.
#[derive(Debug, Error)]
pub enum OutsideError {
    /// Where the run's evidence lies cannot be read.
    #[error(transparent)]
    Open(Box<OpenRunError>),
    /// The file would lie inside the evidence.
    #[error("write {}: it would lie inside the evidence {}, which is never written", file.display(), evidence.display())]
    Inside {
        /// The file.
        file: PathBuf,
        /// The folder of the evidence.
        evidence: PathBuf,
    },
}

/// Refuses a file about the run in `folder` that would lie inside its evidence, wherever that was found when the run was opened or went on.
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

/// The piece of evidence inside which `path` lies, or will lie once it is made.
pub(crate) fn evidence_around<'e>(
    path: &Path,
    mut evidence: impl Iterator<Item = &'e Path>,
) -> Option<&'e Path> {
    let resolved = existing_ancestor(path);
    evidence.find(|place| resolved.starts_with(place))
}

/// Where `path` will lie once it is made: its nearest folder that exists, without links and `..`, and the rest.
fn existing_ancestor(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).components() {
        match component {
            std::path::Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
        // Links are resolved where they stand, so that `..` behind one leaves its target.
        plain = plain.canonicalize().unwrap_or(plain);
    }
    plain
}
