//! Why data of ATT&CK cannot be used.

use crate::baseline::BaselineError;
use crate::{TacticId, TechniqueId};
use thiserror::Error;

/// Why a text is no data of ATT&CK, or a bundle none that can take its names' place.
#[derive(Debug, Error)]
pub enum AttackError {
    /// The baseline of Windows cannot be used.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    /// The text is no TOML of this form.
    #[error("read the data of ATT&CK")]
    Read(#[source] toml::de::Error),
    /// The bundle is no JSON of this form.
    #[error("read a bundle of ATT&CK")]
    ReadBundle(#[source] serde_json::Error),
    /// The bundle has no object that a bundle of the enterprise matrix has.
    #[error("read a bundle of ATT&CK: it has no {lacks}")]
    BundleLacks {
        /// What it has not.
        lacks: &'static str,
    },
    /// A technique is in a tactic that is not there.
    #[error("read the data of ATT&CK: technique {technique}: no tactic {tactic:?}")]
    UnknownTactic {
        /// The technique.
        technique: TechniqueId,
        /// The tactic's id, or its short name in a bundle.
        tactic: String,
    },
    /// The matrix and the tactics do not name the same ones.
    #[error(
        "read the data of ATT&CK: tactic {tactic} does not stand once in the matrix and once among the tactics"
    )]
    Matrix {
        /// The tactic.
        tactic: TacticId,
    },
    /// A rule is for a technique that is not there.
    #[error("read the data of ATT&CK: rule {rule:?}: no technique {technique}")]
    UnknownTechnique {
        /// What the rule says of itself.
        rule: String,
        /// The technique.
        technique: TechniqueId,
    },
    /// A pattern is a list that is not there.
    #[error("read the data of ATT&CK: rule {rule:?}: no list {list:?}")]
    UnknownList {
        /// What the rule says of itself.
        rule: String,
        /// The list.
        list: String,
    },
    /// A rule without a technique, a record type or anything that it says of itself.
    #[error("read the data of ATT&CK: rule {rule:?} has no {lacks}")]
    EmptyRule {
        /// What the rule says of itself.
        rule: String,
        /// What it has not.
        lacks: &'static str,
    },
    /// Something stands twice where it may stand once.
    #[error("read the data of ATT&CK: {of}: {twice:?} stands there twice")]
    Twice {
        /// Where.
        of: String,
        /// What.
        twice: String,
    },
}
