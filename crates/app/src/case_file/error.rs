//! Errors of cases; each error in a case file names its line.

use super::MAX_CASE_FILE;
use std::path::PathBuf;
use thiserror::Error;

/// Why a case cannot be opened.
#[derive(Debug, Error)]
pub enum CaseError {
    /// The path does not exist.
    #[error("open the case {}", path.display())]
    Missing {
        /// The path that was given.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// `case.toml` cannot be read.
    #[error("read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// `case.toml` is not a valid case file; the source gives the line.
    #[error("read {}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, column and what was expected.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// `case.toml` is too long for a case file.
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
    /// A value in `case.toml` is invalid or cannot be shown.
    #[error("read {}: line {line}: expected {expected}, found {found}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// The time zone is not in the IANA database.
    #[error("read {}: line {line}: expected a time zone such as \"Europe/Berlin\", found {found:?}", path.display())]
    TimeZone {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The time zone that was found.
        found: String,
        /// The zone with the most similar name, if any is similar.
        nearest: Option<String>,
    },
    /// A piece of evidence does not exist.
    #[error("read {}: line {line}: open the evidence {}", path.display(), evidence.display())]
    EvidenceMissing {
        /// The case file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The expected path of the evidence.
        evidence: PathBuf,
        /// The error of the operating system.
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
        /// The evidence around it, or the same path again.
        outer: PathBuf,
    },
    /// A case file that was only found in the folder names something outside that folder.
    ///
    /// A user who names the case file itself allows this.
    #[error("open the case {}: {}its case.toml leads to {}, which lies outside this folder", folder.display(), of_line(*line), outside.display())]
    Outside {
        /// The folder that was given.
        folder: PathBuf,
        /// The line of the path that leads there; `None` if the case file itself does.
        line: Option<usize>,
        /// Where the case file, or a path in it, leads.
        outside: PathBuf,
    },
    /// The given path is a folder of disk images or archives.
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
    /// The given path is not evidence that this version can read.
    #[error("open the evidence {}: {because}", path.display())]
    NoEvidence {
        /// Its path.
        path: PathBuf,
        /// The reason.
        because: NoEvidence,
    },
}

/// Why a file is not evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NoEvidence {
    /// It is empty.
    #[error("it is empty")]
    Empty,
    /// It is a pipe, a socket or a device.
    #[error("it is no regular file")]
    NotRegular,
    /// Its first bytes match no known format.
    #[error("expected a directory, an archive (zip, 7z, tar, tar.gz, tar.zst) or a disk image")]
    Unknown,
}

fn of_line(line: Option<usize>) -> String {
    line.map_or(String::new(), |line| format!("line {line} of "))
}
