//! MISP events in JSON (its core format, `misp-core-format`).

use crate::kind::Kind;
use crate::read::{Lines, Taken};
use serde_json::Value;

/// How deep events may be nested in lists and answers.
const DEEPEST: usize = 4;

/// Reads the attributes of all events; returns whether there is an event.
pub(crate) fn read(value: &Value, lines: &Lines<'_>, taken: &mut Taken<'_>) -> bool {
    of(value, lines, taken, 0)
}

fn of(value: &Value, lines: &Lines<'_>, taken: &mut Taken<'_>, depth: usize) -> bool {
    if depth > DEEPEST {
        return false;
    }
    match value {
        Value::Array(items) => {
            let mut any = false;
            for item in items {
                any |= of(item, lines, taken, depth + 1);
            }
            any
        }
        Value::Object(members) => match (members.get("Event"), members.get("response")) {
            (Some(event), _) => {
                one(event, lines, taken);
                true
            }
            (None, Some(response)) => of(response, lines, taken, depth + 1),
            (None, None) => false,
        },
        _ => false,
    }
}

fn one(event: &Value, lines: &Lines<'_>, taken: &mut Taken<'_>) {
    let info = text(event, "info");
    let items =
        |value: &'_ Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    for attribute in items(event, "Attribute") {
        take(&attribute, info, lines, taken);
    }
    for object in items(event, "Object") {
        for attribute in items(&object, "Attribute") {
            take(&attribute, info, lines, taken);
        }
    }
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}

fn take(attribute: &Value, info: Option<&str>, lines: &Lines<'_>, taken: &mut Taken<'_>) {
    let (Some(kind), Some(value)) = (text(attribute, "type"), text(attribute, "value")) else {
        return taken.skip("an attribute without type or value".to_owned(), None);
    };
    let line = lines.of_id(text(attribute, "uuid"));
    if attribute.get("to_ids") == Some(&Value::Bool(false)) {
        return taken.skip("an attribute that MISP does not look for (to_ids is false)".to_owned(), line);
    }
    let label = text(attribute, "comment").filter(|comment| !comment.is_empty()).or(info);
    if kind == "regkey|value" {
        let key = value.split('|').next().unwrap_or_default();
        return taken.take(Some(Kind::RegistryKey), key, line, label);
    }
    // A file name with a hash, a domain with an address, an address with a port.
    let kinds: Vec<&str> = kind.split('|').collect();
    let values: Vec<&str> = value.splitn(kinds.len().max(1), '|').collect();
    for (kind, value) in kinds.iter().zip(values) {
        match Kind::of_word(kind) {
            Some(kind) => taken.take(Some(kind), value, line, label),
            None if *kind == "port" => {}
            None => taken.skip(format!("an attribute of type {kind}"), line),
        }
    }
}
