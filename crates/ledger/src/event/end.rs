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
    /// A budget ended it with nothing recorded.
    BudgetSpent,
    /// The model could not be had.
    ModelFailed,
    /// Whoever handed it out no longer waited for it, or nobody decided for it any longer.
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
    /// The budget that cut it short; what it would still have looked at was not examined.
    pub spent: Option<Spent>,
    /// Each objective and whether a fact meets it, in the agent's order.
    pub objectives: Vec<ObjectiveResult>,
    /// The same of the questions that the agent asked itself: they decide neither how the task ended nor anything else. None before format 2.22.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<ObjectiveResult>,
    /// Turns used.
    pub turns: u32,
    /// Facts recorded.
    pub facts: u32,
    /// Claims refused.
    pub rejections: u32,
}

/// Whether an objective is met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectiveResult {
    /// The objective's name.
    pub id: String,
    /// The facts that meet it.
    pub facts: Vec<FactId>,
    /// Whether it is only watched for: without a fact nothing was found, and nothing is unmet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub watched: bool,
    /// How it was answered without a fact; nothing before format 2.6, where no fact was no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<WithoutFact>,
}

/// How an objective stands that no fact meets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case", deny_unknown_fields)]
pub enum WithoutFact {
    /// It is answered: complete searches found nothing that answers it.
    Empty {
        /// The searches.
        searches: Vec<InvocationId>,
        /// The labels of evidence that holds no source of it, so that nothing is said of these. None before [`crate::Behaviour::HostsApart`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lacking: Vec<String>,
    },
    /// It is not answered: nobody looked, or not everywhere. Only in runs before [`crate::Behaviour::Questions`].
    Unmet,
    /// It cannot be answered from this evidence: no source that could answer it is there.
    NotDeterminable {
        /// What would be needed.
        needed: Vec<String>,
    },
    /// It is not answered, though tools returned records that would answer it: nobody recorded them.
    Seen {
        /// The first of these records.
        records: Vec<SeenRecord>,
        /// How many there are, these included.
        number: u64,
    },
    /// It is not answered: calls looked, and not everywhere.
    Partly {
        /// The calls that could have answered it.
        calls: Vec<InvocationId>,
        /// Searches that were not made to their end, and what could not be read.
        missing: Vec<String>,
    },
    /// It is not answered: no call looked at what could answer it.
    NotAsked,
}

/// A record of a stored output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenRecord {
    /// The invocation that returned it.
    pub invocation: InvocationId,
    /// Its number there.
    pub record: RecordId,
}

impl WithoutFact {
    /// Whether somebody could still find an answer: neither was everything searched, nor does the evidence lack what could answer it.
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
    /// Whether an answer was wanted, and there is none.
    pub fn is_unmet(&self) -> bool {
        self.facts.is_empty() && !self.watched && self.without.as_ref().is_none_or(WithoutFact::is_open)
    }

    /// Whether an answer was wanted, and it is neither met nor searched for in vain: unmet, or not determinable.
    pub fn is_unanswered(&self) -> bool {
        let is_empty = matches!(self.without, Some(WithoutFact::Empty { .. }));
        self.facts.is_empty() && !self.watched && !is_empty
    }

    /// How it stands, in a word.
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
