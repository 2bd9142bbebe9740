//! The placement of a file, and whether a file so placed says something about the host.

use serde::{Deserialize, Serialize};

/// The placement of a record's file, if it is not a place in which Windows keeps such files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// The case file says that the file is the host's own.
    Stated,
    /// The evidence has no Windows folder, and the path does not show a place: the file was handed in alone and counts as one of the host.
    Assumed,
    /// Another place: a copy, or a file that somebody made. Its content is recorded, but nothing follows about the host.
    Elsewhere,
    /// The place is right, but the record names another computer as its writer: a copied or forwarded log. Since format 2.18.
    Foreign,
}

impl Placement {
    /// Returns the words for people.
    pub const fn name(self) -> &'static str {
        match self {
            Placement::Stated => "place stated by the case file",
            Placement::Assumed => "place assumed: handed in alone",
            Placement::Elsewhere => "not where Windows keeps such files",
            Placement::Foreign => "names another computer",
        }
    }
}

/// Checks whether a file at this place says something about the host; `None` is the place of the host's own files.
pub const fn tells_of_host(placement: Option<Placement>) -> bool {
    match placement {
        None | Some(Placement::Stated | Placement::Assumed) => true,
        Some(Placement::Elsewhere | Placement::Foreign) => false,
    }
}
