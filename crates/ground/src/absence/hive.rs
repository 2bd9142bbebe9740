//! Hives that are not clean: what a search shows if it read a hive without its transaction logs.
//!
//! Such a search shows only what the hive file lacks as it stands: a key that is only in a transaction log does exist on the host.
//! So the claim must say this; a claim that does not is refused with a hint on how to say it.

use super::missing;
use crate::refusal::with_calls;
use crate::shelf::Held;
use ledger::absence::UnreadLogs;
use ledger::{Absence, AbsenceClaim, Rejection};
use serde_json::{Map, Value, json};

/// Refuses a claim if its mark does not match the logs that the search left unread: it lacks the mark, or has it without need.
pub(super) fn check(claim: &AbsenceClaim, held: &Held, unread: Option<UnreadLogs>) -> Result<(), Rejection> {
    let (id, stands) = (held.invocation, claim.absence.is_as_it_stands());
    let marked = || format!("Say it of the hive as it stands: {}", recorded(claim, true));
    let (why, hint) = match unread {
        None if !stands => return Ok(()),
        Some(unread) if stands && unread.is_as_it_stands() => return Ok(()),
        None => (
            "searched what Windows would read: the hive is clean, or its transaction logs were applied",
            format!("Say it without \"as_it_stands\": {}", recorded(claim, false)),
        ),
        Some(UnreadLogs::Missing) => (
            "read the hive as it stands: it is not clean and no transaction logs are there, so that a key which stood in them alone was not found",
            marked(),
        ),
        Some(UnreadLogs::NotApplied) => (
            "read the hive as it stands, without its transaction logs, so that a key which stands in them alone was not found",
            format!("{}{}", marked(), or_with_logs(claim, held)),
        ),
        Some(UnreadLogs::InPart) => (
            "could read the transaction logs of the hive in part only, so that it searched neither the hive as it stands nor what Windows would read",
            format!(
                "Search it as it stands: {}; and cite that in record_absence with \"as_it_stands\": true",
                searched(claim, held, Some("ignored"))
            ),
        ),
    };
    Err(with_calls(missing(format!("{id} {why}"), String::new()), &hint))
}

/// Writes the claim as a call, with or without the mark.
fn recorded(claim: &AbsenceClaim, marked: bool) -> String {
    let mut call = place(claim);
    call.insert("form".to_owned(), json!(claim.absence.form().name()));
    call.insert("searches".to_owned(), json!(claim.searches));
    if marked {
        call.insert("as_it_stands".to_owned(), json!(true));
    }
    format!("record_absence {}", Value::Object(call))
}

/// Adds the same search with logs as an alternative, if the search was told to ignore them.
fn or_with_logs(claim: &AbsenceClaim, held: &Held) -> String {
    let used = held.search.arguments.as_ref();
    match used.is_some_and(|used| used.get("logs") == Some(&json!("ignored"))) {
        true => format!(". Or search it with its logs: {}", searched(claim, held, None)),
        false => String::new(),
    }
}

/// Writes the search of the hive for the key of the claim.
fn searched(claim: &AbsenceClaim, held: &Held, logs: Option<&str>) -> String {
    let mut call = place(claim);
    call.extend(logs.map(|logs| ("logs".to_owned(), json!(logs))));
    format!("{} {}", held.search.tool, Value::Object(call))
}

/// Returns the hive, key and evidence as they were claimed.
fn place(claim: &AbsenceClaim) -> Map<String, Value> {
    let mut members = Map::new();
    if let Absence::RegistryKey { hive, key, evidence, .. } = &claim.absence {
        members.insert("hive".to_owned(), json!(hive));
        members.insert("key".to_owned(), json!(key));
        members.extend(evidence.as_ref().map(|label| ("evidence".to_owned(), json!(label))));
    }
    members
}
