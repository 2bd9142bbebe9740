//! Files of rules, as arguments name them.

use crate::failure::Failure;
use std::path::Path;

/// The text of a rules file.
pub(super) fn text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|source| Failure::RulesFile { path: path.to_owned(), source })
}

/// A rules file that cannot be read as one.
pub(super) fn wrong(path: &Path, source: toml::de::Error) -> Failure {
    Failure::Rules { path: path.to_owned(), source: Box::new(source) }
}
