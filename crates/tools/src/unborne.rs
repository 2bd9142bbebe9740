//! Refuses empty answers about a channel, provider or hive that no record has: they would say nothing about the evidence.
//! The refusal names the ones that exist.

use crate::arguments::Arguments;
use crate::catalogue::{Call, Run};
use crate::error::CallError;
use crate::returned::Return;
use crate::sink::{self, Condition, Test};
use crate::{list_event_channels, list_hives};
use ledger::pattern::fold;
use ledger::{Completeness, FieldValue, Outcome, ToolSpec};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The fields that say where records come from, not what they show.
const PLACES: [&str; 3] = [CHANNEL, "provider", HIVE];

/// The arguments that choose what is read; all others narrow what is returned.
const CHOOSE: [&str; 7] = ["source", "under", "evidence", "hive", "path", "stream", "logs"];

const CHANNEL: &str = "channel";
const HIVE: &str = "hive";

/// The most values that a refusal names.
const NAMED: usize = 8;

/// Refuses an empty answer if a condition of the call names a channel, provider or hive that no record read comes from.
pub(crate) fn check(spec: &ToolSpec, run: Run, call: &Call<'_>, returned: &Return) -> Result<(), CallError> {
    if !found_nothing(returned) {
        return Ok(());
    }
    let conditions = sink::conditions(call.arguments, &spec.records)?;
    for condition in conditions.all().iter().filter(|condition| PLACES.contains(&condition.field.as_str())) {
        let Some((sql, wanted)) = written(condition) else { continue };
        let field = condition.field.as_str();
        if field == HIVE {
            let hives = hives(call)?;
            let is_there = |path: &String| condition.holds(Some(&FieldValue::Path(path.clone())));
            if hives.iter().any(is_there) {
                continue;
            }
            return Err(refused(field, wanted, hives));
        }
        if !found_nothing(&ask(spec, run, call, &[("where", json!(sql)), ("limit", json!(1))])?) {
            continue;
        }
        let mut known = known(&ask(spec, run, call, &[("count_by", json!(field)), ("limit", json!(5000))])?);
        if known.is_empty() && field == CHANNEL {
            known = channels(call)?;
        }
        if !known.is_empty() {
            return Err(refused(field, wanted, known));
        }
    }
    Ok(())
}

/// Returns the refusal of a place that does not exist, with the most similar ones.
pub(crate) fn refused(field: &str, wanted: String, known: BTreeSet<String>) -> CallError {
    let (number, nearest) = (known.len(), nearest(&wanted, known));
    CallError::Unborne { field: field.to_owned(), found: wanted, number, nearest }
}

/// Returns the existing hives where the call searches: a hive without records of the kind counts as a place anyway.
fn hives(call: &Call<'_>) -> Result<BTreeSet<String>, CallError> {
    let scope = call.arguments.optional_text("evidence").map(|label| ("evidence".to_owned(), json!(label)));
    let arguments = Arguments::check(&list_hives::spec(), &Value::Object(scope.into_iter().collect()))?;
    let listed = list_hives::run(&Call { arguments: &arguments, ..*call })?;
    let path = |record: &ledger::Record| Some(record.fields.get("path")?.value.to_text().into_owned());
    Ok(listed.records.iter().filter_map(path).collect())
}

/// Returns the channels of the logs that are read, for the case that no record of the asked kind has a channel.
fn channels(call: &Call<'_>) -> Result<BTreeSet<String>, CallError> {
    let given = call.arguments.values();
    let places = ["under", "evidence"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), given.get(name)?.clone())));
    let mut arguments: Map<String, Value> = places.collect();
    arguments.insert("count_by".to_owned(), json!(CHANNEL));
    let arguments = Arguments::check(&list_event_channels::spec(), &Value::Object(arguments))?;
    Ok(known(&list_event_channels::run(&Call { arguments: &arguments, ..*call })?))
}

/// Returns the values of counts, each once: several files may give counts of one value.
fn known(counted: &Return) -> BTreeSet<String> {
    counted.records.iter().filter_map(value).collect()
}

fn found_nothing(returned: &Return) -> bool {
    (returned.outcome, returned.completeness) == (Outcome::Empty, Completeness::Complete)
}

/// The source of all events: a channel without events of the asked kind counts as a place anyway.
const EVENTS: &str = "event_log";

/// Repeats the call with all arguments that choose what it reads, and `more` instead of those that narrow it.
fn ask(spec: &ToolSpec, run: Run, call: &Call<'_>, more: &[(&str, Value)]) -> Result<Return, CallError> {
    let given = call.arguments.values();
    let chosen = CHOOSE.iter().filter_map(|name| Some(((*name).to_owned(), given.get(*name)?.clone())));
    let mut arguments: Map<String, Value> = chosen.collect();
    // A source with records of this type also has others from the same places.
    let of_type = given.get("record").and_then(Value::as_str).and_then(|record| widest(spec, record));
    if let (None, Some(source)) = (arguments.get("source"), of_type) {
        arguments.insert("source".to_owned(), json!(source));
    }
    // A log without records of the asked kind counts as a place anyway.
    let gives_events =
        |types: &BTreeSet<String>| spec.sources.get(EVENTS).is_some_and(|all| !types.is_disjoint(all));
    let chosen = arguments.get("source").and_then(Value::as_str).and_then(|source| spec.sources.get(source));
    if chosen.is_some_and(gives_events) {
        arguments.insert("source".to_owned(), json!(EVENTS));
    }
    arguments.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    run(&Call { arguments: &Arguments::check(spec, &Value::Object(arguments))?, ..*call })
}

/// Returns the source that gives records of a type and the most other types.
fn widest<'s>(spec: &'s ToolSpec, record: &str) -> Option<&'s str> {
    let giving = spec.sources.iter().filter(|(_, types)| types.contains(record));
    giving.max_by_key(|(_, types)| types.len()).map(|(source, _)| source.as_str())
}

/// Writes a condition in the syntax of `where`, with the wanted value; `None` for one that names no place.
fn written(condition: &Condition) -> Option<(String, String)> {
    let quoted = |text: &String| format!("'{}'", text.replace('\'', "''"));
    let field = &condition.field;
    match &condition.test {
        _ if condition.is_not => None,
        Test::Like(pattern) => Some((format!("{field} LIKE {}", quoted(pattern)), pattern.clone())),
        Test::OneOf(values) => {
            let texts: Vec<&String> = values.iter().filter_map(|value| value.text.as_ref()).collect();
            let list = texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ");
            let wanted = texts.iter().map(|text| text.as_str()).collect::<Vec<_>>().join(", ");
            (!texts.is_empty()).then(|| (format!("{field} IN ({list})"), wanted))
        }
        Test::There | Test::Compared(..) => None,
    }
}

fn value(count: &ledger::Record) -> Option<String> {
    let field = count.fields.get("value")?;
    match &field.value {
        FieldValue::List(_) => None,
        value => Some(value.to_text().into_owned()).filter(|text| !text.is_empty()),
    }
}

/// Returns the known names that are most similar to `wanted`.
fn nearest(wanted: &str, known: BTreeSet<String>) -> Vec<String> {
    let mut known: Vec<String> = known.into_iter().collect();
    let wanted = fold(wanted.trim_matches('%'));
    let likeness = |name: &String| {
        let name = fold(name);
        let contains = name.contains(&wanted) || wanted.contains(&name);
        strsim::jaro_winkler(&wanted, &name) + if contains { 1.0 } else { 0.0 }
    };
    known.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)).then_with(|| a.cmp(b)));
    known.truncate(NAMED);
    known
}
