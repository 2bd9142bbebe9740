//! The version of everything persisted.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The version of everything persisted.
///
/// The major number changes when an event changes its meaning, the minor one when something is added; a Locard reads what is not newer than itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Format {
    /// Incompatible changes.
    pub major: u16,
    /// Additions.
    pub minor: u16,
}

/// The format that this version writes.
pub const FORMAT: Format = Format { major: 2, minor: 27 };

impl Format {
    /// The first format whose records tell where their files stand ([`crate::Placement`]).
    pub const PLACED_RECORDS: Format = Format { major: 2, minor: 16 };

    /// Whether this version can read a run of format `self`.
    pub fn is_readable(self) -> bool {
        self.major == FORMAT.major && self <= FORMAT
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
