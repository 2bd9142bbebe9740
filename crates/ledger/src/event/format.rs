//! The version of all persisted data.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The version of all persisted data.
///
/// The major number changes if an event changes its meaning, the minor number if something is added.
/// A version of Locard reads formats that are not newer than its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Format {
    /// Counts incompatible changes.
    pub major: u16,
    /// Counts additions.
    pub minor: u16,
}

/// The format that this version writes.
pub const FORMAT: Format = Format { major: 2, minor: 29 };

impl Format {
    /// The first format whose records say where their files are ([`crate::Placement`]).
    pub const PLACED_RECORDS: Format = Format { major: 2, minor: 16 };

    /// Checks whether this version can read a run of format `self`.
    pub fn is_readable(self) -> bool {
        self.major == FORMAT.major && self <= FORMAT
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
