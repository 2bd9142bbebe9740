//! Agents as data: who investigates, towards what.

use crate::fact::FactEntry;
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
    /// What a fact must say to answer it.
    pub condition: Condition,
}

/// A condition over one fact; all members given must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The fact's predicate.
    pub predicate: Predicate,
    /// The type of its record.
    pub record: String,
    /// How the subject ends, letter case aside; a path is compared by whole components.
    pub subject_ends_with: String,
    /// A field that must be among the values.
    pub field: String,
    /// The text of another field of the values, letter case aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<FieldText>,
}

/// A field and its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldText {
    /// The field.
    pub field: String,
    /// Its text, letter case aside.
    pub text: String,
}

impl Condition {
    /// Whether `fact` satisfies the condition.
    pub fn holds(&self, fact: &FactEntry) -> bool {
        let value = |field: &str| fact.values.iter().find(|bound| bound.field == field);
        let named = |wanted: &FieldText| {
            value(&wanted.field).is_some_and(|b| same_text(&b.value.to_text(), &wanted.text))
        };
        fact.predicate == self.predicate
            && fact.kind == self.record
            && ends_with_components(&fact.subject.value.to_text(), &self.subject_ends_with)
            && value(&self.field).is_some_and(|bound| !bound.value.to_text().is_empty())
            && self.with.as_ref().is_none_or(named)
    }
}

fn same_text(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

fn ends_with_components(path: &str, end: &str) -> bool {
    let (path, end) = (path.to_lowercase(), end.to_lowercase());
    let end = end.trim_start_matches(['\\', '/']);
    match path.strip_suffix(end) {
        Some(rest) => end.is_empty() || rest.is_empty() || rest.ends_with(['\\', '/']),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::ends_with_components;

    #[test]
    fn a_path_ends_with_whole_components_only() {
        assert!(ends_with_components(r"ControlSet001\Control\ComputerName", r"control\computername"));
        assert!(ends_with_components("Select", "Select"));
        assert!(!ends_with_components(r"ControlSet001\MyControl", "Control"));
    }
}
