//! The parties who could have written a value.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The least trusted party who could have put a value in its place at will:
/// by writing it, or through a program that writes what it is told.
///
/// If the system notes something that it saw happen, the value is the system's,
/// though a user may have done it and chosen the words (a program's name): they could only get it there by doing it.
/// If the system copies a value from elsewhere (a workstation's name as the client gives it, a file's own description),
/// the value has the writer of its origin.
///
/// It says what the rights of a default Windows installation allow, not what rights were set on this host, nor who did write it.
/// The order is from the least to the most trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Writer {
    /// Any user of the host without special rights, a program in their name, or an outside party that gives the host data:
    /// a client, a device, the maker of a file.
    ///
    /// It does not say that a user did write it.
    AnyUser,
    /// An administrator, or a program with such rights, in the ordinary way: by a setting, an installation, a file below `Windows`.
    ///
    /// It does not say that an administrator did; Windows sets most of it by itself.
    Administrator,
    /// The person who acquired the evidence, with their tool: nobody on the host.
    ///
    /// It does not say that it is true: anyone who holds the container can alter it.
    Acquisition,
    /// Only the system itself, unless an administrator tampers with what it keeps.
    ///
    /// It does not say that it is true, that the clock was right, or that nothing was removed.
    System,
}

impl Writer {
    /// All writers, from the least to the most trusted.
    pub const ALL: [Writer; 4] =
        [Writer::AnyUser, Writer::Administrator, Writer::Acquisition, Writer::System];

    /// Returns the writer with these words.
    pub fn of_name(words: &str) -> Option<Writer> {
        Writer::ALL.into_iter().find(|writer| writer.name() == words)
    }

    /// Returns the words for people.
    pub const fn name(self) -> &'static str {
        match self {
            Writer::AnyUser => "any user",
            Writer::Administrator => "administrator",
            Writer::Acquisition => "acquisition",
            Writer::System => "system",
        }
    }

    /// Returns what the words mean, for a legend.
    pub const fn meaning(self) -> &'static str {
        match self {
            Writer::AnyUser => {
                "any user of the host, or somebody outside who hands it data, could have put the value there"
            }
            Writer::Administrator => "an administrator could, or a program with such rights",
            Writer::Acquisition => "whoever acquired the evidence could",
            Writer::System => {
                "none but the system itself, short of an administrator who tampers with what it keeps; that does not make it true"
            }
        }
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
