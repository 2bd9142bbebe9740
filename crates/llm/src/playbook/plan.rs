//! The steps of a playbook, as its file has them.

use ledger::pattern::Patterns;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// One step: a tool call, made once or for each matching record of an earlier step.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Its name, which later steps and placeholders use.
    pub id: String,
    /// The step for whose records it is made; none: it is made once.
    #[serde(default)]
    pub for_each: Option<String>,
    /// Field → patterns, one of which a record of `for_each` must match; `record` stands for its record type.
    #[serde(default)]
    pub when: BTreeMap<String, Patterns>,
    /// Field → patterns, none of which such a record may match, if it has the field.
    #[serde(default)]
    pub unless: BTreeMap<String, Patterns>,
    /// The tool.
    pub tool: String,
    /// Its arguments; texts may contain placeholders: `{step.field}`, or `{step.field:03}` for a number of at least three digits.
    #[serde(default)]
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// What to record from the result.
    #[serde(default)]
    pub record: Vec<RecordRule>,
    /// What to record if nothing was found.
    #[serde(default)]
    pub absence: Option<AbsenceRule>,
}

/// Which records of a result to record, and with which predicate.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordRule {
    /// Field → patterns, one of which the record must match; `record` stands for its record type.
    #[serde(default)]
    pub when: BTreeMap<String, Patterns>,
    /// Field → patterns, none of which the record may match, if it has the field.
    #[serde(default)]
    pub unless: BTreeMap<String, Patterns>,
    /// Two fields with instants, the first of which must be earlier; a record that lacks one does not match.
    #[serde(default)]
    pub earlier: Option<[String; 2]>,
    /// Only records that no earlier rule of the step has taken.
    #[serde(default)]
    pub otherwise: bool,
    /// The most records taken from one result, in its order; none: all.
    #[serde(default)]
    pub most: Option<usize>,
    /// The predicate.
    pub predicate: String,
    /// The fields whose values are stated.
    pub values: Vec<String>,
    /// The interpretation that is recorded with the facts; may contain placeholders.
    #[serde(default)]
    pub note: String,
    /// The entity that each fact names, for the graph.
    #[serde(default)]
    pub entity: Option<EntityRule>,
}

/// What is absent if a complete search found nothing.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AbsenceRule {
    /// The members of the absence, such as `form` and `name`; texts may contain placeholders.
    pub of: serde_json::Map<String, serde_json::Value>,
    /// The interpretation that is recorded with it; may contain placeholders.
    #[serde(default)]
    pub note: String,
}

/// An entity that facts name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntityRule {
    /// Its kind, such as `account`.
    pub kind: String,
    /// The field with its name.
    pub field: String,
}

/// Why steps are not a valid playbook.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PlanError {
    /// Two steps have the same name.
    #[error("read a playbook: step {id:?} stands there twice")]
    Twice {
        /// The name.
        id: String,
    },
    /// A step is made for the records of a step that does not come before it.
    #[error("read a playbook: step {id:?} is made for each record of {for_each:?}, which is no earlier step")]
    NoEarlierStep {
        /// The step.
        id: String,
        /// The step that it names.
        for_each: String,
    },
}

/// Checks that names are unique and that every step is made for an earlier one.
pub fn check(steps: &[Step]) -> Result<(), PlanError> {
    let mut known = BTreeSet::new();
    for step in steps {
        if let Some(for_each) = step.for_each.as_ref().filter(|earlier| !known.contains(*earlier)) {
            return Err(PlanError::NoEarlierStep { id: step.id.clone(), for_each: for_each.clone() });
        }
        if !known.insert(&step.id) {
            return Err(PlanError::Twice { id: step.id.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_made_for_a_later_one_is_refused() {
        let step = |id: &str, for_each: Option<&str>| Step {
            id: id.into(),
            for_each: for_each.map(str::to_owned),
            when: BTreeMap::new(),
            unless: BTreeMap::new(),
            tool: "list_hives".into(),
            arguments: Default::default(),
            record: Vec::new(),
            absence: None,
        };
        assert_eq!(check(&[step("a", None), step("b", Some("a"))]), Ok(()));
        assert!(matches!(
            check(&[step("b", Some("a")), step("a", None)]),
            Err(PlanError::NoEarlierStep { .. })
        ));
        assert!(matches!(check(&[step("a", None), step("a", None)]), Err(PlanError::Twice { .. })));
    }
}
