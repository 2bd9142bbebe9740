//! Sentences of a narrative: an agent's words, each citing nodes of the evidence graph.

use crate::id::SentenceId;
use crate::node::NodeId;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// A sentence that an agent asks to have in the narrative.
///
/// Everything is kept as the agent wrote it: ids may be invented.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SentenceClaim {
    /// The sentence.
    pub text: String,
    /// The facts, derivations and absences that it cites.
    pub cites: Vec<String>,
}

/// A sentence whose citations support it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SentenceEntry {
    /// Its id.
    pub id: SentenceId,
    /// The sentence.
    pub text: String,
    /// The facts, derivations and absences that it cites, at least one.
    pub cites: Vec<NodeId>,
    /// The earliest instant at which a cited fact dates what it says, which places the sentence in the narrative; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
    /// The field that states this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dated_by: Option<String>,
}
