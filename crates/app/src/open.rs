//! Opening recorded runs.

use graph::{FoldError, Run};
use ledger::{Circumstance, Event, Stream};
use std::path::{Path, PathBuf};
use store::{OpenError, ReadError, Reader};
use thiserror::Error;

/// Why a run cannot be shown.
#[derive(Debug, Error)]
pub enum OpenRunError {
    /// No run folder is meant.
    #[error("find the run {name:?} under {}: {found} run folders fit", runs.display())]
    NotFound {
        /// What was asked for.
        name: String,
        /// Where it was looked for.
        runs: PathBuf,
        /// Folders that fit; more than one is no answer either.
        found: usize,
    },
    /// `run.db` cannot be opened.
    #[error("open the run {}", folder.display())]
    Open {
        /// The run folder.
        folder: PathBuf,
        /// Why.
        #[source]
        source: Box<OpenError>,
    },
    /// Its log does not hold.
    #[error("read the run {}", folder.display())]
    Read {
        /// The run folder.
        folder: PathBuf,
        /// Where, and why.
        #[source]
        source: Box<ReadError>,
    },
    /// Its events are not those of a run.
    #[error("read the run {}", folder.display())]
    Fold {
        /// The run folder.
        folder: PathBuf,
        /// Where, and why.
        #[source]
        source: FoldError,
    },
}

/// The folder that `name` means: a path, or a unique prefix of a run's name under `runs`.
pub fn find_run(name: &str, runs: &Path) -> Result<PathBuf, OpenRunError> {
    let path = Path::new(name);
    if path.is_dir() {
        return Ok(path.to_owned());
    }
    let mut fitting: Vec<PathBuf> = std::fs::read_dir(runs)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    fitting.retain(|path| {
        let file_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        path.is_dir() && !name.is_empty() && file_name.starts_with(name)
    });
    match <[PathBuf; 1]>::try_from(fitting) {
        Ok([folder]) => Ok(folder),
        Err(fitting) => {
            Err(OpenRunError::NotFound { name: name.to_owned(), runs: runs.to_owned(), found: fitting.len() })
        }
    }
}

/// Reads a run, checking its chain, and folds it.
pub fn load_run(folder: &Path) -> Result<Run, OpenRunError> {
    let open = |source| OpenRunError::Open { folder: folder.to_owned(), source: Box::new(source) };
    let reader = Reader::open(folder).map_err(open)?;
    let events: Result<Vec<(Stream, Event, Circumstance)>, ReadError> = reader
        .events()
        .map(|event| event.map(|(link, event, circumstance)| (link.stream, event, circumstance)))
        .collect();
    let events = events
        .map_err(|source| OpenRunError::Read { folder: folder.to_owned(), source: Box::new(source) })?;
    graph::fold(events).map_err(|source| OpenRunError::Fold { folder: folder.to_owned(), source })
}
