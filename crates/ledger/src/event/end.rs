//! How a task ends, and what it answered.

use crate::id::{FactId, InvocationId, RecordId};
use serde::{Deserialize, Serialize};

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Every objective is met.
    Completed,
    /// An objective is unmet.
    Incomplete,
    /// A budget ran out before anything was recorded.
    BudgetSpent,
    /// The model was not available.
    ModelFailed,
    /// The task that assigned it no longer waited for it, or nothing decided its steps any more.
    Cancelled,
}

/// A budget that ended a phase or a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spent {
    /// The turns of a phase.
    Turns,
    /// The refused readings.
    RejectedClaims,
    /// The wall time.
    WallTime,
    /// The tokens of all tasks together.
    Tokens,
    /// The money of all tasks together.
    Cost,
}

/// A task ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskEnded {
    /// How.
    pub status: TaskStatus,
    /// The budget that cut it short; what it would still have examined was not examined.
    pub spent: Option<Spent>,
    /// Each objective with its result, in the agent's order.
    pub objectives: Vec<ObjectiveResult>,
    /// The results of questions that the agent added: they affect neither the task's status nor anything else.
    /// Empty before format 2.22.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<ObjectiveResult>,
    /// The number of turns used.
    pub turns: u32,
    /// The number of facts recorded.
    pub facts: u32,
    /// The number of claims refused.
    pub rejections: u32,
}

/// The result of an objective.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectiveResult {
    /// The objective's name.
    pub id: String,
    /// The facts that meet it.
    pub facts: Vec<FactId>,
    /// Whether it is only watched for: without a fact, nothing was found, and nothing is unmet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub watched: bool,
    /// The result without a fact; `None` before format 2.6, when no fact meant no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<WithoutFact>,
}

/// The status of an objective that no fact meets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case", deny_unknown_fields)]
pub enum WithoutFact {
    /// It is answered: complete searches found nothing that answers it.
    Empty {
        /// The searches.
        searches: Vec<InvocationId>,
        /// The labels of evidence without a source for it: the answer does not cover these. Empty before [`crate::Behaviour::HostsApart`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lacking: Vec<String>,
    },
    /// It is not answered: no call searched, or not everywhere. Only in runs before [`crate::Behaviour::Questions`].
    Unmet,
    /// This evidence cannot answer it: no source that could answer it exists.
    NotDeterminable {
        /// What would be needed.
        needed: Vec<String>,
    },
    /// It is not answered: tools returned records that would answer it, but no agent recorded them.
    Seen {
        /// The first of these records.
        records: Vec<SeenRecord>,
        /// How many there are, including these.
        number: u64,
    },
    /// It is not answered: calls searched, but not everywhere.
    Partly {
        /// The calls that could have answered it.
        calls: Vec<InvocationId>,
        /// Searches that did not finish, and what could not be read.
        missing: Vec<String>,
    },
    /// It is not answered: no call examined what could answer it.
    NotAsked,
}

/// A record of a stored output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenRecord {
    /// The invocation that returned it.
    pub invocation: InvocationId,
    /// Its number in the output.
    pub record: RecordId,
}

impl WithoutFact {
    /// Checks whether an answer could still be found: not everything was searched, and the evidence has a source that could answer.
    pub const fn is_open(&self) -> bool {
        match self {
            WithoutFact::Unmet
            | WithoutFact::Seen { .. }
            | WithoutFact::Partly { .. }
            | WithoutFact::NotAsked => true,
            WithoutFact::Empty { .. } | WithoutFact::NotDeterminable { .. } => false,
        }
    }
}

impl ObjectiveResult {
    /// Checks whether an answer was wanted and there is none.
    pub fn is_unmet(&self) -> bool {
        self.facts.is_empty() && !self.watched && self.without.as_ref().is_none_or(WithoutFact::is_open)
    }

    /// Checks whether an answer was wanted and the objective is neither met nor empty: it is unmet or not determinable.
    pub fn is_unanswered(&self) -> bool {
        let is_empty = matches!(self.without, Some(WithoutFact::Empty { .. }));
        self.facts.is_empty() && !self.watched && !is_empty
    }

    /// Returns its status in one word.
    pub fn answer(&self) -> &'static str {
        match &self.without {
            _ if !self.facts.is_empty() => "met",
            Some(WithoutFact::Empty { .. }) => "empty",
            Some(WithoutFact::NotDeterminable { .. }) => "not_determinable",
            Some(WithoutFact::Seen { .. }) => "seen",
            Some(WithoutFact::Partly { .. }) => "partly",
            Some(WithoutFact::NotAsked) => "not_asked",
            Some(WithoutFact::Unmet) | None if self.watched => "nothing_found",
            Some(WithoutFact::Unmet) | None => "unmet",
        }
    }
}
