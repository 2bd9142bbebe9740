//! Checks whether code can decide an objective at all: an objective that no fact could meet would look like a question without an answer.

use crate::arguments::{Arguments, Malformed};
use ledger::pattern::Patterns;
use ledger::{Condition, Objective, Predicate, RecordType, ToolSpec, Vocabulary, pattern};
use std::collections::BTreeSet;
use thiserror::Error;

/// The field name in a record type whose fields the evidence names, such as the columns of a table.
const ANY_FIELD: &str = "*";
/// The most names listed in a fault.
const SOME: usize = 12;

/// Why no fact can meet an objective.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum CriterionFault {
    /// Its predicate is not in the vocabulary.
    #[error("a predicate of the vocabulary, found {found:?}")]
    Predicate {
        /// The predicate.
        found: String,
    },
    /// Records of its type do not prove its predicate.
    #[error("a type of record that proves {predicate:?} ({}), found {found:?}", known.join(", "))]
    Proof {
        /// The predicate.
        predicate: String,
        /// The type of record.
        found: String,
        /// Types that prove it, the first few.
        known: Vec<String>,
    },
    /// Records of its type have no such field.
    #[error("a field of {record:?} ({}), found {found:?}", known.join(", "))]
    Field {
        /// The type of record.
        record: String,
        /// The field.
        found: String,
        /// Its fields, the first few.
        known: Vec<String>,
    },
}

/// Reads what a fact must say, as an agent states it.
pub(crate) fn condition(arguments: &Arguments<'_>) -> Result<Condition, Malformed> {
    let text = |name: &str| arguments.text(name).map(|text| text.trim().to_owned());
    let patterns = |name: &str| arguments.texts_of_patterns(name);
    Ok(Condition {
        predicate: Predicate(text("predicate")?),
        record: text("record")?,
        subject: patterns("subject")?.unwrap_or_else(|| Patterns::from("*")),
        field: text("field")?,
        value: patterns("value")?,
        unless: None,
        earlier: None,
    })
}

/// Returns what is wrong with an objective; `None` if a record that a tool returns could answer it.
pub fn fault<'t>(
    objective: &Objective,
    tools: impl Iterator<Item = &'t ToolSpec> + Clone,
    vocabulary: &Vocabulary,
) -> Option<CriterionFault> {
    objective.ways().find_map(|way| fault_of(way.condition, tools.clone(), vocabulary))
}

fn fault_of<'t>(
    condition: &Condition,
    tools: impl Iterator<Item = &'t ToolSpec>,
    vocabulary: &Vocabulary,
) -> Option<CriterionFault> {
    let Some(meaning) = vocabulary.meaning(&condition.predicate) else {
        return Some(CriterionFault::Predicate { found: condition.predicate.0.clone() });
    };
    if !meaning.proved_by.contains(&condition.record) {
        return Some(CriterionFault::Proof {
            predicate: condition.predicate.0.clone(),
            found: condition.record.clone(),
            known: meaning.proved_by.iter().take(SOME).cloned().collect(),
        });
    }
    let types: Vec<&RecordType> =
        tools.flat_map(|tool| &tool.records).filter(|kind| kind.name == condition.record).collect();
    let has = |kind: &&RecordType| {
        kind.fields.contains_key(ANY_FIELD)
            || kind.fields.keys().any(|known| pattern::fits(&condition.field, known))
    };
    let known: BTreeSet<&String> = types.iter().flat_map(|kind| kind.fields.keys()).collect();
    (!types.iter().any(has)).then(|| CriterionFault::Field {
        record: condition.record.clone(),
        found: condition.field.clone(),
        known: known.into_iter().take(SOME).cloned().collect(),
    })
}
