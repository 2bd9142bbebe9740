//! Why there is no case; each error of a case file names its line.

use super::MAX_CASE_FILE;
use std::path::PathBuf;
use thiserror::Error;

/// Why there is no case.
#[derive(Debug, Error)]
pub enum CaseError {
    /// Nothing lies at the path.
    #[error("open the case {}", path.display())]
    Missing {
        /// The path that was given.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// `case.toml` cannot be read.
    #[error("read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// `case.toml` does not say what a case file says; the source points at the line.
    #[error("read {}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, column and what was expected.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// `case.toml` is longer than any case file.
    #[error("read {}: expected at most {MAX_CASE_FILE} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// `case.toml` is a folder, a pipe or a device.
    #[error("read {}: expected a file", path.display())]
    NotAFile {
        /// Its path.
        path: PathBuf,
    },
    /// `case.toml` says something that makes no sense or cannot be shown.
    #[error("read {}: line {line}: expected {expected}, found {found}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The time zone is none of the IANA database.
    #[error("read {}: line {line}: expected a time zone such as \"Europe/Berlin\", found {found:?}", path.display())]
    TimeZone {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// What stands there.
        found: String,
        /// The zone with the most similar name, where one is similar.
        nearest: Option<String>,
    },
    /// A piece of evidence is not there.
    #[error("read {}: line {line}: open the evidence {}", path.display(), evidence.display())]
    EvidenceMissing {
        /// The case file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// Where the evidence should lie.
        evidence: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// One piece of evidence contains another, which would be examined twice under two names.
    #[error("read {}: line {line}: the evidence {} lies inside the evidence {}", path.display(), inner.display(), outer.display())]
    Nested {
        /// The case file.
        path: PathBuf,
        /// The line of the second of the two.
        line: usize,
        /// The evidence inside.
        inner: PathBuf,
        /// The evidence around it, or the same folder again.
        outer: PathBuf,
    },
    /// A case file that was only found in the folder names something outside that folder.
    ///
    /// Whoever names the case file itself allows this.
    #[error("open the case {}: {}its case.toml leads to {}, which lies outside this folder", folder.display(), of_line(*line), outside.display())]
    Outside {
        /// The folder that was given.
        folder: PathBuf,
        /// The line of the path that leads there; `None`: the case file itself does.
        line: Option<usize>,
        /// Where the case file, or a path in it, leads.
        outside: PathBuf,
    },
    /// What was given as a case is a folder of disk images or archives.
    #[error(
        "open the evidence {}: it holds nothing but disk images or archives, which are not opened inside a folder; give them by name, such as {}",
        path.display(), first.display()
    )]
    OnlyContainers {
        /// The folder.
        path: PathBuf,
        /// The first of them.
        first: PathBuf,
    },
    /// What was given as a case is nothing that this version can read as evidence.
    #[error("open the evidence {}: {because}", path.display())]
    NoEvidence {
        /// Its path.
        path: PathBuf,
        /// What keeps it from being evidence.
        because: NoEvidence,
    },
}

/// What keeps something that lies at a path from being evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NoEvidence {
    /// It has no bytes.
    #[error("it is empty")]
    Empty,
    /// It is a pipe, a socket or a device.
    #[error("it is no regular file")]
    NotRegular,
    /// It begins like nothing that is known here.
    #[error("expected a directory, an archive (zip, 7z, tar, tar.gz, tar.zst) or a disk image")]
    Unknown,
}

fn of_line(line: Option<usize>) -> String {
    line.map_or(String::new(), |line| format!("line {line} of "))
}
