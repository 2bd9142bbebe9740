//! Why ATT&CK data cannot be used.

use crate::baseline::BaselineError;
use crate::{TacticId, TechniqueId};
use thiserror::Error;

/// Why a text is not ATT&CK data, or a bundle cannot replace its names.
#[derive(Debug, Error)]
pub enum AttackError {
    /// The baseline of Windows cannot be used.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    /// The text is not TOML of this form.
    #[error("read the data of ATT&CK")]
    Read(#[source] toml::de::Error),
    /// The bundle is not JSON of this form.
    #[error("read a bundle of ATT&CK")]
    ReadBundle(#[source] serde_json::Error),
    /// The bundle lacks an object that a bundle of the enterprise matrix has.
    #[error("read a bundle of ATT&CK: it has no {lacks}")]
    BundleLacks {
        /// What is missing.
        lacks: &'static str,
    },
    /// A technique is in a tactic that does not exist.
    #[error("read the data of ATT&CK: technique {technique}: no tactic {tactic:?}")]
    UnknownTactic {
        /// The technique.
        technique: TechniqueId,
        /// The tactic's id, or its short name in a bundle.
        tactic: String,
    },
    /// The matrix and the list of tactics differ.
    #[error(
        "read the data of ATT&CK: tactic {tactic} does not stand once in the matrix and once among the tactics"
    )]
    Matrix {
        /// The tactic.
        tactic: TacticId,
    },
    /// A rule is for a technique that does not exist.
    #[error("read the data of ATT&CK: rule {rule:?}: no technique {technique}")]
    UnknownTechnique {
        /// The rule's own description.
        rule: String,
        /// The technique.
        technique: TechniqueId,
    },
    /// A pattern refers to a list that does not exist.
    #[error("read the data of ATT&CK: rule {rule:?}: no list {list:?}")]
    UnknownList {
        /// The rule's own description.
        rule: String,
        /// The list.
        list: String,
    },
    /// A rule lacks a technique, a record type or a description.
    #[error("read the data of ATT&CK: rule {rule:?} has no {lacks}")]
    EmptyRule {
        /// The rule's own description.
        rule: String,
        /// What is missing.
        lacks: &'static str,
    },
    /// Something occurs twice that may occur only once.
    #[error("read the data of ATT&CK: {of}: {twice:?} stands there twice")]
    Twice {
        /// The place.
        of: String,
        /// The duplicate.
        twice: String,
    },
}
