//! How the playbook follows a recovery: it makes the suggested calls, and records from their results what meets the objective.

use super::plan::{RecordRule, Step};
use ledger::event::SuggestedCall;
use ledger::pattern::Patterns;
use ledger::turn::Advice;
use ledger::vocabulary::Meaning;
use ledger::{Condition, FieldType, RecordType, ToolSpec, Vocabulary, pattern};
use std::collections::{BTreeMap, BTreeSet};

/// The most records of one result that are stated.
const MOST: usize = 32;

/// Makes a step for each suggested call whose tool is offered.
pub(super) fn steps(advice: &Advice, tools: &[ToolSpec]) -> Vec<Step> {
    let offered = advice.calls.iter().enumerate().filter_map(|(index, call)| {
        let spec = tools.iter().find(|spec| spec.name == call.tool)?;
        Some((index, call, spec))
    });
    let step = |(index, call, spec): (usize, &SuggestedCall, &ToolSpec)| Step {
        // No step of a file has such a name, so none follows it.
        id: format!("recovery {} {index}", advice.attempt),
        for_each: None,
        when: BTreeMap::new(),
        unless: BTreeMap::new(),
        tool: call.tool.clone(),
        arguments: call.arguments.as_object().cloned().unwrap_or_default(),
        record: advice.objective.ways().flat_map(|way| meeting(way.condition, &note(advice), spec)).collect(),
        absence: None,
    };
    offered.map(step).collect()
}

fn note(advice: &Advice) -> String {
    format!("found in another way: {}", advice.strategy)
}

/// Makes rules for the records of a tool that meet a condition: one for each field that the condition may ask for.
/// `note` is recorded with them.
pub(super) fn meeting(condition: &Condition, note: &str, spec: &ToolSpec) -> Vec<RecordRule> {
    let Ok(vocabulary) = Vocabulary::shipped() else { return Vec::new() };
    let Some(meaning) = vocabulary.meaning(&condition.predicate) else { return Vec::new() };
    let types = spec.records.iter().filter(|known| known.name == condition.record);
    let rules = types.flat_map(|known| {
        fields(condition, known).map(|field| proving(rule(condition, note, known, field), meaning, known))
    });
    rules.collect()
}

/// Restricts a rule to records that prove its predicate: they must have a field that it needs, and must not deny it.
pub(super) fn proving(mut rule: RecordRule, meaning: &Meaning, known: &RecordType) -> RecordRule {
    let Some(field) = meaning.states.get(&known.name) else { return rule };
    rule.when.entry(field.clone()).or_insert_with(|| "?*".into());
    if !rule.values.contains(field) {
        rule.values.push(field.clone());
    }
    if let Some(opposite) = meaning.unless.get(&known.name) {
        let opposite = Patterns::Any(opposite.iter().cloned().collect());
        rule.unless.entry(field.clone()).or_insert(opposite);
    }
    rule
}

fn fields<'t>(condition: &'t Condition, known: &'t RecordType) -> impl Iterator<Item = &'t String> {
    known.fields.keys().filter(|field| pattern::fits(&condition.field, field))
}

fn rule(condition: &Condition, note: &str, known: &RecordType, field: &str) -> RecordRule {
    let mut when = BTreeMap::from([
        ("record".to_owned(), condition.record.as_str().into()),
        (known.subject.clone(), condition.subject.clone()),
    ]);
    // If the field is the subject itself, a condition on its value replaces the wider one above.
    if field != known.subject || condition.value.is_some() {
        when.insert(field.to_owned(), condition.value.clone().unwrap_or_else(|| "?*".into()));
    }
    let times = known.fields.iter().filter(|(_, meaning)| meaning.types.contains(&FieldType::Time));
    let mut values = vec![known.subject.clone(), field.to_owned()];
    values.extend(times.map(|(name, _)| name.clone()));
    let mut seen = BTreeSet::new();
    values.retain(|name| seen.insert(name.clone()));
    RecordRule {
        when,
        unless: condition.unless.iter().map(|denied| (field.to_owned(), denied.clone())).collect(),
        earlier: condition.earlier.clone(),
        otherwise: true,
        most: Some(MOST),
        predicate: condition.predicate.0.clone(),
        values,
        note: note.to_owned(),
        entity: None,
    }
}
