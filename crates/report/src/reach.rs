//! How far back the event logs go that were searched without result: they say nothing about earlier times.

use graph::Run;
use ledger::placement::tells_of_host;
use ledger::{BoundValue, FactEntry, FieldValue, Objective};

/// Returns the facts about the event logs that could have answered an objective, each with the time range that its log covers.
///
/// These are the logs that the objective's listing of sources names, as far as there are facts about them.
pub(crate) fn logs<'r>(run: &'r Run, objective: &Objective) -> Vec<(&'r FactEntry, String)> {
    let named = |fact: &FactEntry| {
        objective.all_searched().filter_map(|by| by.sources.as_ref()).any(|sources| {
            sources.when.contains_key("channel")
                && sources.when.iter().all(|(field, patterns)| {
                    value(fact, field).is_some_and(|bound| patterns.fit(&bound.value.to_text()))
                })
        })
    };
    let facts = run.facts().map(|(_, accepted)| &accepted.fact);
    let logs = facts.filter(|fact| fact.kind == "event_log" && tells_of_host(fact.placement) && named(fact));
    let mut logs: Vec<_> = logs.filter_map(|fact| Some((fact, line(fact)?))).collect();
    logs.sort_by_key(|(fact, _)| (&fact.locator.evidence, &fact.locator.path));
    // Several calls may have listed the same log.
    logs.dedup_by_key(|(fact, _)| (&fact.locator.evidence, &fact.locator.path));
    logs
}

/// Describes the time range of the log that a fact is about, and whether it was cleared.
fn line(fact: &FactEntry) -> Option<String> {
    let time = |field: &str| value(fact, field).map(|bound| bound.value.to_text());
    let (first, last) = (time("first")?, time("last")?);
    let name = fact.locator.path.rsplit('/').next().unwrap_or(&fact.locator.path);
    let cleared = match value(fact, "cleared").map(|bound| &bound.value) {
        Some(FieldValue::Integer(times)) if *times > 0 => ", and records that it was cleared",
        _ => "",
    };
    Some(format!("{}:{name} covers {first} to {last}{cleared}", fact.locator.evidence))
}

fn value<'f>(fact: &'f FactEntry, field: &str) -> Option<&'f BoundValue> {
    std::iter::once(&fact.subject).chain(&fact.values).find(|bound| bound.field == field)
}
