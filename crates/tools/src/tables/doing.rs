//! Records which file the pass is reading, so that a file that crashes the process can be left out of the next try.

use super::error::TableError;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;

/// The file in a call's scratch folder that says what is being read; the sandbox hands it over if the process crashes.
pub const DOING: &str = "doing";

/// A file that the pass leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// Its path in the evidence.
    pub path: String,
    /// The stream of it, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<String>,
    /// Why it is left out: the reason of its gap.
    pub reason: String,
}

impl LeftOut {
    /// Reads what a pass was doing; `None` if it did not say, or the note is incomplete.
    pub fn of_doing(doing: &[u8], reason: &str) -> Option<LeftOut> {
        let (path, stream) = serde_json::from_slice(doing).ok()?;
        Some(LeftOut { path, stream, reason: reason.to_owned() })
    }

    /// Checks whether it is this file.
    pub fn is(&self, path: &str, stream: Option<&str>) -> bool {
        self.path == path && self.stream.as_deref() == stream
    }
}

/// The note of what is being read.
pub(super) struct Doing {
    file: File,
}

impl Doing {
    pub(super) fn new(path: &Path) -> Result<Doing, TableError> {
        File::create_new(path).map(|file| Doing { file }).map_err(TableError::Finished)
    }

    /// Notes which file is read next.
    pub(super) fn note(&mut self, path: &str, stream: Option<&str>) {
        let note = serde_json::to_vec(&(path, stream)).unwrap_or_default();
        // If the note cannot be written, only the name of a file that crashes the process is lost.
        let _ =
            self.file.set_len(0).and_then(|()| self.file.rewind()).and_then(|()| self.file.write_all(&note));
    }
}
