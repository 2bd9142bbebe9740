//! False expectations: each is an expectation of a scenario with one thing changed.

use serde_json::{Value, json};

/// The changed expectations, each with a description of the change.
pub(super) fn of(expected: &Value) -> Vec<(String, Value)> {
    let mut places = Vec::new();
    leaves("", expected, &mut places);
    let mut all: Vec<(String, Value)> = places
        .into_iter()
        .map(|place| {
            let mut changed = expected.clone();
            let leaf = changed.pointer_mut(&place).unwrap();
            let (was, is) = (leaf.clone(), otherwise(&place, leaf));
            *leaf = is.clone();
            // A forbidden event becomes an event that every task has, without conditions on its fields.
            if let Some(denied) = place.strip_suffix("/event").filter(|place| place.starts_with("/never")) {
                changed.pointer_mut(denied).unwrap().as_object_mut().unwrap().remove("fields");
            }
            (format!("{place}: {was} as {is}"), changed)
        })
        .collect();
    for task in expected["tasks"].as_object().into_iter().flatten().map(|(task, _)| task) {
        let mut changed = expected.clone();
        changed["tasks"].as_object_mut().unwrap().remove(task);
        all.push((format!("without task {task}"), changed));
    }
    let mut changed = expected.clone();
    changed["recovering"].as_array_mut().unwrap().push(json!(99));
    all.push(("another way in one more task".to_owned(), changed));
    all.extend(orders(expected));
    all
}

/// The paths of everything except nonempty lists and objects.
fn leaves(place: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, value) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                leaves(&format!("{place}/{name}"), value, found);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (at, value) in items.iter().enumerate() {
                leaves(&format!("{place}/{at}"), value, found);
            }
        }
        // A forbidden event is changed to one that does occur: see `otherwise`.
        _ if place.starts_with("/never") && !place.ends_with("/event") => {}
        Value::Object(_) | Value::Array(_) if place.matches('/').count() < 4 => {}
        _ => found.push(place.to_owned()),
    }
}

fn otherwise(place: &str, leaf: &Value) -> Value {
    if place.starts_with("/never") {
        return json!("task_ended");
    }
    if place.contains("/lacks/") {
        // Every text contains the empty one.
        return json!("");
    }
    match leaf {
        Value::Null => json!(1),
        Value::Bool(is) => json!(!is),
        Value::Number(number) => json!(number.as_u64().unwrap() + 17),
        Value::String(text) => json!(format!("{text} nobody says this")),
        Value::Array(_) | Value::Object(_) => json!(["nobody says this"]),
    }
}

/// The sequences with their first event moved to the end.
fn orders(expected: &Value) -> Vec<(String, Value)> {
    let sequences = expected["sequences"].as_array().into_iter().flatten().enumerate();
    let several = sequences.filter(|(_, events)| events.as_array().is_some_and(|events| events.len() > 1));
    several
        .map(|(at, _)| {
            let mut changed = expected.clone();
            changed["sequences"][at].as_array_mut().unwrap().rotate_left(1);
            (format!("/sequences/{at} in another order"), changed)
        })
        .collect()
}
