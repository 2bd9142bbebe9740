//! Additional guidance for a small model: the next call, ready to be made.
//!
//! It is derived from the objectives and from what the task has seen.
//! The model decides whether to make the call, and the gateway judges the resulting claims like any others.

use crate::objectives::Standing;
use crate::small;
use ledger::event::SeenRecord;
use ledger::{Objective, Record, Way};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How often a call is suggested: if a model does something else, it gets other calls,
/// and this one again when all others were suggested as often.
const MOST_NAMED: u32 = 3;

/// The suggested calls, with how often each was suggested.
pub(crate) type Named = BTreeMap<String, u32>;

/// Returns the next call with its question, or a final message if everything was searched.
pub(crate) fn next(standing: Standing<'_>, named: &mut Named) -> String {
    let open =
        standing.agent.objectives.iter().filter(|objective| standing.meeting(objective).next().is_none());
    let calls = open.filter_map(|objective| {
        let (tool, arguments) = call(standing, objective)?;
        Some((objective, json!({"name": tool, "arguments": arguments}).to_string()))
    });
    let times = |call: &String| named.get(call).copied().unwrap_or_default();
    match calls.filter(|(_, call)| times(call) < MOST_NAMED).min_by_key(|(_, call)| times(call)) {
        None => DONE.to_owned(),
        Some((objective, call)) => {
            let told = format!("For the question \"{}\" the next call is {call}", objective.question);
            *named.entry(call).or_default() += 1;
            told
        }
    }
}

/// The message if there is no next call.
const DONE: &str = r#"Every question was looked for. The next call is {"name": "nothing_to_record", "arguments": {"reason": "done"}}"#;

/// Returns a call that records what the task has seen for the objective, or a search for it that was not made.
fn call(standing: Standing<'_>, objective: &Objective) -> Option<(String, Value)> {
    let (seen, _) = standing.seen(objective);
    if let Some(recorded) = recording(standing, objective, &seen) {
        return Some(("record_phenomenon".to_owned(), recorded));
    }
    objective.ways().find_map(|way| looking(standing, way))
}

/// Returns the claim for the records that were seen in one invocation.
fn recording(standing: Standing<'_>, objective: &Objective, seen: &[SeenRecord]) -> Option<Value> {
    let first = seen.first()?;
    let made = standing.made.iter().find(|made| made.invocation == first.invocation)?;
    let record = |at: &SeenRecord| -> Option<&Record> { made.output.as_deref()?.record(at.record) };
    let kind = &record(first)?.kind;
    let way = objective.ways().find(|way| way.condition.record == *kind)?;
    let of_kind = |at: &&SeenRecord| {
        at.invocation == first.invocation && record(at).is_some_and(|record| record.kind == *kind)
    };
    let ids: Vec<String> = seen.iter().filter(of_kind).map(|at| at.record.to_string()).collect();
    let cites = format!("{} {}", first.invocation, ids.join(","));
    Some(json!({"record": cites, "predicate": way.condition.predicate}))
}

/// Returns a search that was not made: of everything at once, or of each source.
fn looking(standing: Standing<'_>, way: Way<'_>) -> Option<(String, Value)> {
    let at_once = way.plain().map(|by| (&by.tool, &by.arguments));
    let each = way.kinds().filter_map(|(_, sources)| sources.each.as_ref());
    let calls = at_once.chain(each.map(|each| (&each.tool, &each.arguments)));
    let mut offered = calls.filter(|(tool, arguments)| small::takes(tool, arguments.keys()));
    let (tool, arguments) = offered.next()?;
    let arguments = json!(arguments);
    let is_made = standing.made.iter().any(|made| made.tool == *tool && made.arguments == arguments);
    (!is_made).then(|| (tool.clone(), arguments))
}
