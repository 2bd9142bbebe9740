//! How much a trace stands out.

use serde::{Deserialize, Serialize};

/// How much a trace stands out from what any computer has, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Any Windows has it, or no rule covers it.
    Ordinary,
    /// Seen on many computers, and in many intrusions.
    Low,
    /// Unusual, but administrators and some software do it, too.
    Medium,
    /// Rarely anything but an intrusion or a test of one.
    High,
    /// Almost always an attack.
    Critical,
}

impl Level {
    /// All levels, highest first.
    pub const ALL: [Level; 5] = [Level::Critical, Level::High, Level::Medium, Level::Low, Level::Ordinary];

    /// Returns its name, for people and formats.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Ordinary => "ordinary",
            Level::Low => "low",
            Level::Medium => "medium",
            Level::High => "high",
            Level::Critical => "critical",
        }
    }

    /// Returns the level with this name.
    pub fn of_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }
}
