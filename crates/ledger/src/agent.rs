//! Agents as data: who investigates, towards what.

use crate::case::EvidenceKind;
use crate::fact::{BoundValue, FactEntry};
use crate::pattern::{self, Patterns};
use crate::tool::Surface;
use crate::vocabulary::Predicate;
use serde::{Deserialize, Serialize};

/// A named investigator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSpec {
    /// Its name, such as `registry`.
    pub name: String,
    /// What it is told of its role.
    pub prompt: String,
    /// What it may use while it investigates.
    pub surface: Surface,
    /// What it shall find out, in order.
    pub objectives: Vec<Objective>,
}

/// Something to find out; met or unmet by a condition that code checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Objective {
    /// Its name, unique in the agent.
    pub id: String,
    /// The question, for people and models.
    pub question: String,
    /// The kind of evidence that can answer it; a run gives it only where the case has some. `None`: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applies: Option<EvidenceKind>,
    /// What a fact must say to answer it.
    pub condition: Condition,
}

impl Objective {
    /// Whether evidence of these kinds can answer it.
    pub fn applies_to(&self, kinds: impl IntoIterator<Item = EvidenceKind>) -> bool {
        self.applies.is_none_or(|wanted| kinds.into_iter().any(|kind| kind == wanted))
    }
}

/// A condition over one fact; all members given must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The fact's predicate.
    pub predicate: Predicate,
    /// The type of its record.
    pub record: String,
    /// The pattern that its subject fits, or several of which it fits one ([`crate::pattern`]).
    pub subject: Patterns,
    /// The pattern of a field that must be among the values, and not empty: a name, or `*address*` for any that says so.
    pub field: String,
}

impl Condition {
    /// The values of `fact` in the fields that the condition asks for.
    pub fn answers<'f>(&self, fact: &'f FactEntry) -> impl Iterator<Item = &'f BoundValue> {
        fact.values.iter().filter(|bound| pattern::fits(&self.field, &bound.field))
    }

    /// Whether `fact` satisfies the condition.
    pub fn holds(&self, fact: &FactEntry) -> bool {
        fact.predicate == self.predicate
            && fact.kind == self.record
            && self.subject.fit(&fact.subject.value.to_text())
            && self.answers(fact).any(|bound| !bound.value.to_text().is_empty())
    }
}
