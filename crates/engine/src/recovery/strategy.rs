//! The strategies as they stand in their file (`data/recovery.toml`).

use ledger::event::RecoveryTrigger;
use ledger::pattern::Patterns;
use ledger::{Cause, Outcome};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// A way to go on where an objective is unmet, or met by too little.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strategy {
    /// Its name.
    pub id: String,
    /// What the agent is told to do.
    pub told: String,
    /// What sets it off.
    #[serde(default = "where_unmet")]
    pub at: Vec<RecoveryTrigger>,
    /// Calls of which the task must have made one; none: it answers no call.
    #[serde(default)]
    pub after: Vec<After>,
    /// The record type that the objective asks for; none: any.
    #[serde(default)]
    pub record: Option<Patterns>,
    /// Whether the objective's own searches, as far as they were not made, are suggested too.
    #[serde(default)]
    pub searches: bool,
    /// The calls that it suggests.
    #[serde(default, rename = "call")]
    pub calls: Vec<Template>,
}

/// Calls that a strategy answers: all members given must hold.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct After {
    /// How they ended.
    pub outcome: Vec<Outcome>,
    /// Their tool; none: any.
    #[serde(default)]
    pub tool: Option<Patterns>,
    /// Why they came back without records; none: whatever the reason.
    #[serde(default)]
    pub cause: Option<Vec<Cause>>,
    /// Arguments of which they were given one; none: whatever they were given.
    #[serde(default)]
    pub given: Vec<String>,
}

/// A call to suggest; texts of its arguments may hold variables of the call that is answered: `{name}`, or `{name?}` for a member that is left out where the variable is missing.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Template {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    strategy: Vec<Strategy>,
}

fn where_unmet() -> Vec<RecoveryTrigger> {
    vec![RecoveryTrigger::StepsExhausted, RecoveryTrigger::ApparentCompletion]
}

/// The strategies of this version, in the order in which they are tried.
pub fn strategies() -> &'static [Strategy] {
    /// Embedded, and read by a test: it is never empty.
    static TABLE: LazyLock<Table> =
        LazyLock::new(|| toml::from_str(include_str!("../../data/recovery.toml")).unwrap_or_default());
    &TABLE.strategy
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_strategies_can_be_read_and_each_has_a_name_of_its_own_and_something_to_suggest() {
        let table: Result<Table, _> = toml::from_str(include_str!("../../data/recovery.toml"));
        assert_eq!(table.unwrap().strategy.len(), strategies().len());
        let names: BTreeSet<_> = strategies().iter().map(|strategy| &strategy.id).collect();
        assert!(names.len() == strategies().len() && names.len() > 10);
        for strategy in strategies() {
            assert!(strategy.searches || !strategy.calls.is_empty(), "{}", strategy.id);
            assert!(!strategy.told.is_empty() && !strategy.at.is_empty(), "{}", strategy.id);
        }
    }
}
