//! The steps of a playbook as they stand in its file.

use ledger::pattern::Patterns;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// One step: a tool call, once or for each fitting record of an earlier step.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Its name, by which later steps and placeholders know it.
    pub id: String,
    /// The step whose records it is made for; none: it is made once.
    #[serde(default)]
    pub for_each: Option<String>,
    /// Field → patterns of which a record of `for_each` must fit one; `record` stands for its record type.
    #[serde(default)]
    pub when: BTreeMap<String, Patterns>,
    /// Field → patterns of which such a record must fit none, where it has the field.
    #[serde(default)]
    pub unless: BTreeMap<String, Patterns>,
    /// The tool.
    pub tool: String,
    /// Its arguments; texts may hold placeholders: `{step.field}`, or `{step.field:03}` for a number of at least three digits.
    #[serde(default)]
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// What to record of the result.
    #[serde(default)]
    pub record: Vec<RecordRule>,
    /// What to record where nothing was found.
    #[serde(default)]
    pub absence: Option<AbsenceRule>,
}

/// Which records of a result to record, and as what.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordRule {
    /// Field → patterns of which the record must fit one; `record` stands for its record type.
    #[serde(default)]
    pub when: BTreeMap<String, Patterns>,
    /// Field → patterns of which the record must fit none, where it has the field.
    #[serde(default)]
    pub unless: BTreeMap<String, Patterns>,
    /// Two fields with instants, of which the first must be the earlier one; a record without either does not fit.
    #[serde(default)]
    pub earlier: Option<[String; 2]>,
    /// Only records that no earlier rule of the step has taken.
    #[serde(default)]
    pub otherwise: bool,
    /// The most records that are taken of one result, in its order; none: all.
    #[serde(default)]
    pub most: Option<usize>,
    /// The predicate.
    pub predicate: String,
    /// The fields whose values are stated.
    pub values: Vec<String>,
    /// The interpretation that stands beside the facts; may hold placeholders.
    #[serde(default)]
    pub note: String,
    /// The thing that each fact names, for the graph.
    #[serde(default)]
    pub entity: Option<EntityRule>,
}

/// What is absent where a complete search came back empty.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AbsenceRule {
    /// The members of the absence, such as `form` and `name`; texts may hold placeholders.
    pub of: serde_json::Map<String, serde_json::Value>,
    /// The interpretation that stands beside it; may hold placeholders.
    #[serde(default)]
    pub note: String,
}

/// A thing that facts name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntityRule {
    /// What it is, such as `account`.
    pub kind: String,
    /// The field that holds its name.
    pub field: String,
}

/// Why steps are not a playbook.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PlanError {
    /// Two steps have one name.
    #[error("read a playbook: step {id:?} stands there twice")]
    Twice {
        /// The name.
        id: String,
    },
    /// A step is made for the records of a step that does not stand before it.
    #[error("read a playbook: step {id:?} is made for each record of {for_each:?}, which is no earlier step")]
    NoEarlierStep {
        /// The step.
        id: String,
        /// What it names.
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
