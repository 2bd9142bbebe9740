//! The techniques of ATT&CK that a run is told with.

use detect::{Attack, AttackError};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why there are none.
#[derive(Debug, Error)]
pub enum TechniquesError {
    /// The bundle cannot be read.
    #[error("read the ATT&CK bundle {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The bundle is not what MITRE publishes.
    #[error("read the ATT&CK bundle {}", path.display())]
    Bundle {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: AttackError,
    },
    /// What is shipped does not read: a defect of ours.
    #[error("read the shipped techniques of ATT&CK")]
    Shipped(#[source] AttackError),
}

/// The shipped techniques, with names and tactics of the bundle, where one is given (`enterprise-attack.json`).
pub(crate) fn techniques(bundle: Option<&Path>) -> Result<Attack, TechniquesError> {
    let Some(path) = bundle else { return Attack::shipped().map_err(TechniquesError::Shipped) };
    let text = std::fs::read_to_string(path)
        .map_err(|source| TechniquesError::Read { path: path.to_owned(), source })?;
    Attack::shipped_with(&text).map_err(|source| TechniquesError::Bundle { path: path.to_owned(), source })
}
