//! Hives that are not clean: what a search shows that read one without its transaction logs.
//!
//! Such a search shows what its file does not hold as it stands, and no more: a key that stands in a log alone is on the host. So the claim has to say so, and one that does not is told how.

use super::missing;
use crate::refusal::with_calls;
use crate::shelf::Held;
use ledger::absence::UnreadLogs;
use ledger::{Absence, AbsenceClaim, Rejection};
use serde_json::{Map, Value, json};

/// Refuses what a search of a hive does not show because of the logs that it left unread, or did not leave.
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

/// The claim as a call, with or without the mark.
fn recorded(claim: &AbsenceClaim, marked: bool) -> String {
    let mut call = place(claim);
    call.insert("form".to_owned(), json!(claim.absence.form().name()));
    call.insert("searches".to_owned(), json!(claim.searches));
    if marked {
        call.insert("as_it_stands".to_owned(), json!(true));
    }
    format!("record_absence {}", Value::Object(call))
}

/// Where a search left the logs out because it was told to, the one that does not.
fn or_with_logs(claim: &AbsenceClaim, held: &Held) -> String {
    let used = held.search.arguments.as_ref();
    match used.is_some_and(|used| used.get("logs") == Some(&json!("ignored"))) {
        true => format!(". Or search it with its logs: {}", searched(claim, held, None)),
        false => String::new(),
    }
}

/// The search of the hive for the key of the claim.
fn searched(claim: &AbsenceClaim, held: &Held, logs: Option<&str>) -> String {
    let mut call = place(claim);
    call.extend(logs.map(|logs| ("logs".to_owned(), json!(logs))));
    format!("{} {}", held.search.tool, Value::Object(call))
}

/// The hive, the key and the evidence as they were claimed.
fn place(claim: &AbsenceClaim) -> Map<String, Value> {
    let mut members = Map::new();
    if let Absence::RegistryKey { hive, key, evidence, .. } = &claim.absence {
        members.insert("hive".to_owned(), json!(hive));
        members.insert("key".to_owned(), json!(key));
        members.extend(evidence.as_ref().map(|label| ("evidence".to_owned(), json!(label))));
    }
    members
}
