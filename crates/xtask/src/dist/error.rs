//! Errors of building a release.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use thiserror::Error;

/// The reason why no release was built.
#[derive(Debug, Error)]
pub(crate) enum DistError {
    #[error("{argument} is no option of `cargo xtask dist`, or lacks its value\n{}", super::USAGE)]
    Option { argument: String },
    #[error("{name} is no target that a release is made for\n{}", super::USAGE)]
    Target { name: String },
    #[error("{program} is needed and not there: {install}")]
    Missing { program: &'static str, install: &'static str },
    #[error("start {program}")]
    Start {
        program: String,
        #[source]
        source: io::Error,
    },
    #[error("{command} ended with {status}")]
    Failed { command: String, status: ExitStatus },
    #[error("read {}", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("write {}", path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("read what cargo says of the packages: {what} is not there")]
    Metadata { what: String },
    #[error("read {what} as JSON")]
    Json {
        what: &'static str,
        #[source]
        source: serde_json::Error,
    },
    #[error("read {} as TOML", path.display())]
    Toml {
        path: PathBuf,
        #[source]
        source: toml::de::Error,
    },
    #[error("pack {path}: {what}")]
    Pack { path: String, what: &'static str },
    #[error("compress a file")]
    Compress(#[source] io::Error),
    #[error("no time is known for the release: set SOURCE_DATE_EPOCH, or build in a clone with git")]
    Time,
    #[error("read the key")]
    Key(#[source] app::SignatureError),
}

impl DistError {
    /// Returns the error with its causes, in one line.
    pub(crate) fn told(&self) -> String {
        let causes = std::iter::successors(std::error::Error::source(self), |cause| cause.source());
        std::iter::once(self.to_string())
            .chain(causes.map(ToString::to_string))
            .collect::<Vec<_>>()
            .join(": ")
    }
}

/// Wraps the error of a file that cannot be read.
pub(super) fn reading(path: &Path) -> impl FnOnce(io::Error) -> DistError {
    let path = path.to_owned();
    |source| DistError::Read { path, source }
}

/// Wraps the error of a file that cannot be written.
pub(super) fn writing(path: &Path) -> impl FnOnce(io::Error) -> DistError {
    let path = path.to_owned();
    |source| DistError::Write { path, source }
}
