//! Loads the ATT&CK techniques for reports.

use detect::{Attack, AttackError};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why the techniques cannot be loaded.
#[derive(Debug, Error)]
pub enum TechniquesError {
    /// The bundle cannot be read.
    #[error("read the ATT&CK bundle {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The bundle is not in the form that MITRE publishes.
    #[error("read the ATT&CK bundle {}", path.display())]
    Bundle {
        /// The file.
        path: PathBuf,
        /// The problem.
        #[source]
        source: AttackError,
    },
    /// The shipped techniques cannot be read, which is a bug in this program.
    #[error("read the shipped techniques of ATT&CK")]
    Shipped(#[source] AttackError),
}

/// Returns the shipped techniques; with a `bundle` (`enterprise-attack.json`), names and tactics come from it.
pub(crate) fn techniques(bundle: Option<&Path>) -> Result<Attack, TechniquesError> {
    let Some(path) = bundle else { return Attack::shipped().map_err(TechniquesError::Shipped) };
    let text = std::fs::read_to_string(path)
        .map_err(|source| TechniquesError::Read { path: path.to_owned(), source })?;
    Attack::shipped_with(&text).map_err(|source| TechniquesError::Bundle { path: path.to_owned(), source })
}
