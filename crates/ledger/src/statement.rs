//! Statements of a run's story: each names a node and which of its fields to say; code writes the words.
//!
//! The only prose in a statement is its comment, which is an agent's and is shown separately.

use crate::fact::FactEntry;
use crate::id::StatementId;
use crate::node::NodeId;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The most characters of a comment; a longer one is not kept at all.
pub const MOST_COMMENT: usize = 1000;

/// A statement that an agent asks to add to the story.
///
/// Everything is kept as the agent wrote it: ids may be invented, fields misnamed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatementClaim {
    /// The id of the fact, derivation or absence.
    pub node: String,
    /// The fields of the fact to say; if empty, those that the phrase book says by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The chapter for the statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chapter: Option<String>,
    /// The agent's interpretation, in any language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// Writes one line without the comment: the node and the fields.
impl fmt::Display for StatementClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.node)?;
        match self.fields.is_empty() {
            true => Ok(()),
            false => write!(f, ": {}", self.fields.join(", ")),
        }
    }
}

/// A statement that is part of the story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatementEntry {
    /// Its id.
    pub id: StatementId,
    /// The fact, derivation or absence.
    pub node: NodeId,
    /// The fields of the fact to say, each once and in the fact's order; if empty, those that the phrase book says by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The chapter of the statement; `None` for the chapter of its predicate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chapter: Option<Chapter>,
    /// The agent's interpretation, which nobody checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The earliest instant at which its fact, or a fact of its derivation, dates what it says; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
    /// The field that states this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dated_by: Option<String>,
}

/// A chapter of the story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Chapter {
    /// What came here.
    Entry,
    /// What ran.
    Ran,
    /// What starts by itself.
    Stayed,
    /// Accounts and logons.
    Accounts,
    /// What was opened or carried.
    Taken,
    /// What was removed.
    Removed,
    /// The machine itself.
    Machine,
}

impl Chapter {
    /// Every chapter, in the order of the story.
    pub const ALL: [Chapter; 7] = [
        Chapter::Entry,
        Chapter::Ran,
        Chapter::Stayed,
        Chapter::Accounts,
        Chapter::Taken,
        Chapter::Removed,
        Chapter::Machine,
    ];

    /// Returns the name used in claims and in the log.
    pub const fn name(self) -> &'static str {
        match self {
            Chapter::Entry => "entry",
            Chapter::Ran => "ran",
            Chapter::Stayed => "stayed",
            Chapter::Accounts => "accounts",
            Chapter::Taken => "taken",
            Chapter::Removed => "removed",
            Chapter::Machine => "machine",
        }
    }

    /// Returns its heading, in English.
    pub const fn title(self) -> &'static str {
        match self {
            Chapter::Entry => "What came here",
            Chapter::Ran => "What ran",
            Chapter::Stayed => "What starts by itself",
            Chapter::Accounts => "Accounts and logons",
            Chapter::Taken => "What was opened or carried",
            Chapter::Removed => "What was removed",
            Chapter::Machine => "The machine itself",
        }
    }

    /// Returns the chapter with this name, ignoring letter case.
    pub fn of_name(name: &str) -> Option<Chapter> {
        let name = name.trim().to_lowercase();
        Chapter::ALL.into_iter().find(|chapter| chapter.name() == name)
    }
}

impl fmt::Display for Chapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the names of the fields that a fact states, the subject's first, each once.
pub fn fields_of(fact: &FactEntry) -> Vec<&str> {
    let mut fields: Vec<&str> = Vec::new();
    for bound in std::iter::once(&fact.subject).chain(&fact.values) {
        if !fields.contains(&bound.field.as_str()) {
            fields.push(&bound.field);
        }
    }
    fields
}
