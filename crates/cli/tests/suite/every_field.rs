//! Changes each field of each event once, and chains and seals the log again.
//! A change that `verify` does not find is only covered by the head of the chain, and the certificate lists that field.

use crate::forgeries::of_all_kinds;
use crate::support::{Place, rechained};
use ledger::Event;
use ledger::event::Stored;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The paths of all leaves of a value, with list indices left out: `heads[].task`.
fn leaves(value: &Value, path: &str, found: &mut Vec<(String, String)>, pointer: &str) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                leaves(
                    member,
                    &path,
                    found,
                    &format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")),
                );
            }
        }
        Value::Array(items) => {
            found.push((format!("{path}[]"), pointer.to_owned()));
            for (number, item) in items.iter().enumerate() {
                leaves(item, &format!("{path}[]"), found, &format!("{pointer}/{number}"));
            }
        }
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            found.push((path.to_owned(), pointer.to_owned()))
        }
    }
}

/// Values that could replace this one.
fn others(value: &Value, known: &BTreeSet<String>) -> Vec<Value> {
    match value {
        Value::Bool(flag) => vec![(!flag).into()],
        Value::Number(number) => number.as_u64().map(|number| (number + 1).into()).into_iter().collect(),
        Value::String(text) => {
            let digit = if text.ends_with('0') { '1' } else { '0' };
            let changed: String =
                text.chars().take(text.chars().count().saturating_sub(1)).chain([digit]).collect();
            let mut others: Vec<Value> = vec![format!("{text}x").into(), changed.into()];
            others
                .extend(known.iter().filter(|other| *other != text).map(|other| Value::from(other.as_str())));
            others
        }
        Value::Array(items) => {
            items.split_last().map(|(_, rest)| Value::from(rest.to_vec())).into_iter().collect()
        }
        Value::Null | Value::Object(_) => Vec::new(),
    }
}

/// By event and field: whether `verify` found the change.
type Table = BTreeMap<(String, String), bool>;

#[test]
fn what_verify_does_not_find_rests_on_the_head_alone_and_is_listed() {
    let place = Place::new();
    let run = of_all_kinds(&place);
    let reader = store::Reader::open(&run).unwrap();
    let events: Vec<Value> = reader
        .events()
        .map(|event| serde_json::from_slice(&event.unwrap().1.to_stored().unwrap()).unwrap())
        .collect();
    // The texts that occur anywhere in a field with this path.
    let mut known: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    let mut all = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let name = event["event"].as_str().unwrap().to_owned();
        // The log is sealed again after each change, so the seal itself is skipped.
        if name == "run_sealed" {
            continue;
        }
        let mut found = Vec::new();
        leaves(&event["fields"], "", &mut found, "/fields");
        for (path, pointer) in found {
            // The tool catalogue, the rules and the questions are long: each counts as one field.
            let parts = if name == "run_opened" { 2 } else { usize::MAX };
            let path = path.split('.').take(parts).collect::<Vec<_>>().join(".");
            if let Some(text) = event.pointer(&pointer).unwrap().as_str() {
                known.entry((name.clone(), path.clone())).or_default().insert(text.to_owned());
            }
            all.push((at, name.clone(), path, pointer));
        }
    }
    let mut table = Table::new();
    for (number, (at, name, path, pointer)) in all.iter().enumerate() {
        let key = (name.clone(), path.clone());
        if table.contains_key(&key) {
            continue;
        }
        let value = events[*at].pointer(pointer).unwrap();
        let empty = BTreeSet::new();
        let changed = others(value, known.get(&key).unwrap_or(&empty)).into_iter().find_map(|other| {
            let mut event = events[*at].clone();
            *event.pointer_mut(pointer).unwrap() = other;
            let bytes = ledger::canonical::to_vec(&event).unwrap();
            Event::from_stored(&bytes).ok().filter(|event| event.to_stored().unwrap() == bytes)
        });
        let Some(changed) = changed else { continue };
        let original = Event::from_stored(&ledger::canonical::to_vec(&events[*at]).unwrap()).unwrap();
        if changed.payload() != original.payload() {
            // The store accepts no event whose payload is missing, so this change counts as found.
            table.insert(key, true);
            continue;
        }
        let copy = rechained(&place, &run, &format!("changed-{number}"), |log| log[*at].1 = changed.clone());
        let found = !app::verify(&copy).holds();
        table.insert(key, found);
        std::fs::remove_dir_all(copy).unwrap();
    }
    let is_below = |name: &str, listed: &str| {
        let rest = name.strip_prefix(listed);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let missed: BTreeSet<String> = table
        .iter()
        .filter(|(_, found)| !**found)
        .map(|((event, path), _)| format!("{event}.{path}"))
        .collect();
    assert!(table.len() > 190, "{} members of events", table.len());
    let unlisted: Vec<_> =
        missed.iter().filter(|name| !app::HEAD_ALONE.iter().any(|listed| is_below(name, listed))).collect();
    assert!(unlisted.is_empty(), "not found, and not listed: {unlisted:?}");
    // Circumstances are stored beside events and are not among their fields, so they are not tested here.
    let of_events = app::HEAD_ALONE.iter().filter(|listed| !listed.starts_with("circumstance."));
    let needless: Vec<_> =
        of_events.filter(|listed| !missed.iter().any(|name| is_below(name, listed))).collect();
    assert!(needless.is_empty(), "listed, and found: {needless:?}");
}
