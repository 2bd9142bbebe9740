//! How much a trace stands out.

use serde::{Deserialize, Serialize};

/// How much a trace stands out from what any computer has, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// What any Windows has, or nothing that a rule knows.
    Ordinary,
    /// Seen on many computers, and in many intrusions.
    Low,
    /// Unusual; administrators and some software do so, too.
    Medium,
    /// Rarely anything but an intrusion or a test of one.
    High,
    /// Next to nothing but an attack leaves it.
    Critical,
}

impl Level {
    /// All, the highest first.
    pub const ALL: [Level; 5] = [Level::Critical, Level::High, Level::Medium, Level::Low, Level::Ordinary];

    /// Its name, as people and formats have it.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Ordinary => "ordinary",
            Level::Low => "low",
            Level::Medium => "medium",
            Level::High => "high",
            Level::Critical => "critical",
        }
    }

    /// The level of this name.
    pub fn of_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }
}
