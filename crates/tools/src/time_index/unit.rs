//! One unit of an index, and what was met in it.

use crate::units::Origin;
use ledger::{Defect, Digest, Gap};
use serde::{Deserialize, Serialize};

/// One unit, and what was met in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unit {
    /// How it is decoded.
    pub(super) origin: String,
    /// The file; of entries, and of what a search met, the folder where these begin.
    pub(crate) path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stream: Option<String>,
    /// What its rows follow from; `None` where they are made anew for each index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Digest>,
    /// Records whose times name no instant.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) timeless: u64,
    /// Whether records were left out that have only the times of a copy.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) copied: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) defects: Vec<Defect>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) gaps: Vec<Gap>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Unit {
    pub(super) fn new(origin: Origin, path: &str, stream: Option<&str>) -> Unit {
        Unit {
            origin: origin.stored(),
            path: path.to_owned(),
            stream: stream.map(str::to_owned),
            content: None,
            timeless: 0,
            copied: false,
            defects: Vec::new(),
            gaps: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// How it is decoded; `None` where an index names what this program does not have.
    pub(crate) fn origin(&self) -> Option<Origin> {
        Origin::named(&self.origin)
    }
}
