//! Checks what events repeat from their calls: it must be what the model wrote.
//!
//! This is a separate implementation, so that the engine's need not be trusted. It
//! only compares, and accepts everything that the engine may normalise.

use ledger::event::{EntityAdded, HypothesisAssessed, HypothesisProposed, RelationAdded};
use ledger::turn::ToolCall;
use ledger::{
    Absence, AbsenceClaim, Chapter, Claim, ClaimedValue, Derivation, FactId, Reading, StatementClaim,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// Whether a claim matches the arguments of its call; `number` selects one of several readings.
pub(super) fn states(arguments: &Value, claim: &Claim, number: usize) -> bool {
    match claim {
        Claim::Reading(reading) => {
            let readings = arguments.get("readings").and_then(Value::as_array);
            readings.and_then(|all| all.get(number)).is_some_and(|stated| is_reading(stated, reading))
        }
        Claim::Absence(absence) => is_absence(arguments, absence),
        Claim::Derivation(derivation) => is_derivation(arguments, derivation),
        Claim::Statement(statement) => {
            let statements = arguments.get("statements").and_then(Value::as_array);
            statements.and_then(|all| all.get(number)).is_some_and(|stated| is_statement(stated, statement))
        }
        Claim::Sentence(sentence) => {
            let sentences = arguments.get("sentences").and_then(Value::as_array);
            sentences.and_then(|all| all.get(number)).is_some_and(|stated| {
                says(stated, "text", &sentence.text) && texts(stated, "cites") == sentence.cites
            })
        }
    }
}

/// Whether the member is exactly this text; a missing member counts as the empty text.
pub(super) fn says(arguments: &Value, member: &str, text: &str) -> bool {
    self::text(arguments, member).unwrap_or_default() == text
}

/// Whether the member is this text, ignoring white space around it.
pub(super) fn means(arguments: &Value, member: &str, text: &str) -> bool {
    self::text(arguments, member).unwrap_or_default().trim() == text
}

/// Whether the call names this chapter, ignoring case.
pub(super) fn is_chapter(arguments: &Value, chapter: Chapter) -> bool {
    text(arguments, "chapter").is_some_and(|text| text.trim().to_lowercase() == chapter.name())
}

/// Whether an entity is the one that the arguments describe. An entity that
/// was already known keeps its spelling, and only gets new facts.
pub(super) fn is_entity(arguments: &Value, added: &EntityAdded) -> bool {
    let name = text(arguments, "name").unwrap_or_default().trim().to_lowercase();
    let named = ids(arguments, "facts");
    is_word(arguments, "kind", added.kind.name())
        && name == added.name.to_lowercase()
        && added.facts.iter().all(|fact| named.contains(&fact.to_string()))
}

pub(super) fn is_relation(arguments: &Value, added: &RelationAdded) -> bool {
    means(arguments, "from", &added.from.to_string())
        && means(arguments, "to", &added.to.to_string())
        && is_word(arguments, "kind", added.kind.name())
        && are(arguments, "facts", &added.facts)
}

pub(super) fn is_proposal(arguments: &Value, proposed: &HypothesisProposed) -> bool {
    means(arguments, "statement", &proposed.statement)
}

/// What a task has written into the graph so far.
#[derive(Default)]
pub(super) struct Written<'l> {
    pub(super) entities: Vec<&'l EntityAdded>,
    pub(super) relations: Vec<&'l RelationAdded>,
    pub(super) proposals: Vec<&'l HypothesisProposed>,
}

impl Written<'_> {
    /// Whether the graph already contains everything that a call would write; only such a call leaves no event.
    pub(super) fn holds(&self, call: &ToolCall) -> bool {
        let arguments = &call.arguments;
        match call.tool.as_str() {
            "add_entity" => {
                let bare = |known: &EntityAdded| EntityAdded { facts: Vec::new(), ..known.clone() };
                let same = self.entities.iter().filter(|known| is_entity(arguments, &bare(known)));
                let facts: Vec<String> = same.flat_map(|known| &known.facts).map(FactId::to_string).collect();
                let named = ids(arguments, "facts");
                !facts.is_empty() && !named.is_empty() && named.iter().all(|fact| facts.contains(fact))
            }
            "link" => self.relations.iter().any(|known| is_relation(arguments, known)),
            "propose_hypothesis" => self.proposals.iter().any(|known| is_proposal(arguments, known)),
            _ => false,
        }
    }
}

pub(super) fn is_assessment(arguments: &Value, assessed: &HypothesisAssessed) -> bool {
    means(arguments, "hypothesis", &assessed.hypothesis.to_string())
        && is_word(arguments, "assessment", assessed.assessment.name())
        && are(arguments, "supporting", &assessed.supporting)
        && are(arguments, "contradicting", &assessed.contradicting)
        && means(arguments, "reason", &assessed.reason)
}

fn is_reading(stated: &Value, reading: &Reading) -> bool {
    says(stated, "predicate", &reading.predicate)
        && says(stated, "subject", &reading.subject)
        && says(stated, "invocation", &reading.invocation)
        && text(stated, "record") == reading.record.as_deref()
        && values(stated.get("values")).is_some_and(|values| values == reading.values)
}

/// Parses the values of a reading: an object, or an array of values and of objects with `field` and `value`.
pub(super) fn values(stated: Option<&Value>) -> Option<Vec<ClaimedValue>> {
    match stated? {
        Value::Object(members) => members.iter().map(|(field, value)| claimed(Some(field), value)).collect(),
        Value::Array(items) => items
            .iter()
            .map(|item| match item {
                Value::Object(members) => {
                    let field = members.get("field").and_then(Value::as_str);
                    claimed(field, members.get("value").unwrap_or(&Value::Null))
                }
                value => claimed(None::<&str>, value),
            })
            .collect(),
        _ => None,
    }
}

fn claimed(field: Option<impl AsRef<str>>, value: &Value) -> Option<ClaimedValue> {
    let value = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(ClaimedValue { field: field.map(|field| field.as_ref().to_owned()), value })
}

/// Whether the arguments state this claim. They name the node once, under its
/// kind or as `node`; values that are not texts keep their written form.
fn is_statement(stated: &Value, claim: &StatementClaim) -> bool {
    let given = |member: &str| stated.get(member).filter(|value| !value.is_null());
    let nodes = ["node", "fact", "derivation", "absence", "count"];
    let nodes: Vec<&str> = nodes.into_iter().filter(|member| given(member).is_some()).collect();
    let words = |member: &str| {
        given(member).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    matches!(nodes.as_slice(), [named] if means(stated, named, &claim.node))
        && texts(stated, "fields") == claim.fields
        && words("chapter") == claim.chapter
        && words("comment") == claim.comment
}

fn is_absence(arguments: &Value, claim: &AbsenceClaim) -> bool {
    let members = match &claim.absence {
        Absence::File { name, under, .. } => says(arguments, "name", name) && says(arguments, "under", under),
        Absence::RegistryKey { hive, key, as_it_stands, .. } => {
            let marked = match arguments.get("as_it_stands") {
                Some(Value::String(word)) => word.trim().eq_ignore_ascii_case("true"),
                given => given == Some(&Value::Bool(true)),
            };
            says(arguments, "key", key) && says(arguments, "hive", hive) && marked == *as_it_stands
        }
        Absence::Text { text, under, .. } => says(arguments, "text", text) && says(arguments, "under", under),
        Absence::Events { channel, provider, ids, from, to, reach, .. } => {
            says(arguments, "channel", channel)
                && text(arguments, "provider") == provider.as_deref()
                && numbers(arguments, "ids").as_ref() == Some(ids)
                && text(arguments, "from") == from.as_deref()
                && text(arguments, "to") == to.as_deref()
                && reach.is_none()
        }
    };
    is_word(arguments, "form", claim.absence.form().name())
        && members
        && text(arguments, "evidence") == claim.absence.evidence()
        && texts(arguments, "searches") == claim.searches
}

fn is_derivation(arguments: &Value, derivation: &Derivation) -> bool {
    let number = |member: &str| match arguments.get(member) {
        Some(Value::Number(number)) => number.to_string().parse::<i128>().ok(),
        Some(Value::String(text)) => text.trim().parse::<i128>().ok(),
        _ => None,
    };
    let with = match derivation {
        Derivation::Same { .. }
        | Derivation::Different { .. }
        | Derivation::Order { .. }
        | Derivation::Below { .. } => true,
        Derivation::Within { seconds, .. } => number("seconds") == Some((*seconds).into()),
        Derivation::Sum { total, .. } => number("total") == Some((*total).into()),
    };
    let terms = arguments.get("terms").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    is_word(arguments, "form", derivation.form().name())
        && with
        && terms.len() == derivation.terms().len()
        && terms.iter().zip(derivation.terms()).all(|(stated, term)| {
            means(stated, "fact", &term.fact.to_string()) && means(stated, "field", &term.field)
        })
}

fn text<'a>(arguments: &'a Value, member: &str) -> Option<&'a str> {
    arguments.get(member).and_then(Value::as_str)
}

fn is_word(arguments: &Value, member: &str, word: &str) -> bool {
    text(arguments, member).unwrap_or_default().trim().to_lowercase() == word
}

/// Returns the texts of a member: an array, or one text with commas.
fn texts<'a>(arguments: &'a Value, member: &str) -> Vec<&'a str> {
    listed(arguments.get(member))
}

/// Returns the texts of an array, or of one text with commas.
pub(super) fn listed(texts: Option<&Value>) -> Vec<&str> {
    let all: Vec<&str> = match texts {
        Some(Value::String(text)) => text.split(',').filter(|text| !text.trim().is_empty()).collect(),
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    all.into_iter().map(str::trim).collect()
}

/// Whether a member names exactly these texts, in order.
pub(super) fn are_texts(arguments: &Value, member: &str, named: &[String]) -> bool {
    texts(arguments, member) == named
}

/// Returns the numbers of a member: one number, an array, or one text with commas.
fn numbers(arguments: &Value, member: &str) -> Option<BTreeSet<u32>> {
    let one = |stated: &Value| match stated {
        Value::String(text) => text.trim().parse().ok(),
        stated => stated.to_string().parse().ok(),
    };
    match arguments.get(member)? {
        Value::Array(items) => items.iter().map(one).collect(),
        Value::String(text) => text.split(',').map(|number| number.trim().parse().ok()).collect(),
        stated => one(stated).map(|number| BTreeSet::from([number])),
    }
}

fn ids(arguments: &Value, member: &str) -> BTreeSet<String> {
    texts(arguments, member).into_iter().map(str::to_owned).collect()
}

/// Whether a member names exactly these items, each once and in any order.
fn are<T: ToString>(arguments: &Value, member: &str, named: &[T]) -> bool {
    let distinct: BTreeSet<String> = named.iter().map(T::to_string).collect();
    distinct.len() == named.len() && distinct == ids(arguments, member)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_read_as_the_engine_reads_them() {
        for (stated, expected) in [
            (json!([1102, "4719"]), Some(vec![1102, 4719])),
            (json!("1102, 4719"), Some(vec![1102, 4719])),
            (json!(1102), Some(vec![1102])),
            (json!([]), Some(vec![])),
            (json!("x"), None),
            (json!([-1]), None),
        ] {
            let read = numbers(&json!({ "ids": stated }), "ids");
            assert_eq!(read, expected.map(|numbers| numbers.into_iter().collect()), "{stated}");
        }
    }
}
