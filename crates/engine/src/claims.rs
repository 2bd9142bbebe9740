//! Reading a record call's arguments: strict about what is missing, lenient about its shape.

use crate::shelf::bounded;
use ledger::{ClaimedValue, Reading};
use serde_json::{Map, Value};
use thiserror::Error;

/// The most readings of one call.
pub(crate) const MOST_READINGS: usize = 64;

/// Why a record call cannot be read.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("read {place}: expected {expected}")]
pub(crate) struct MalformedCall {
    /// Where in the arguments, such as `readings[0].values`.
    pub(crate) place: String,
    /// What should stand there.
    pub(crate) expected: &'static str,
}

/// The readings and the interpretation of a `record_phenomenon` call.
///
/// `values` may be an object (field → value) or an array of values and of objects with `field` and `value`.
/// Whether a reading is true, or its predicate known, is the gateway's question.
pub(crate) fn readings(arguments: &Value) -> Result<(Vec<Reading>, String), MalformedCall> {
    let object = members(arguments, "arguments", &["readings", "interpretation"])?;
    let list = object.get("readings").and_then(Value::as_array);
    let list = list
        .filter(|list| (1..=MOST_READINGS).contains(&list.len()))
        .ok_or_else(|| malformed("readings", "an array of 1 to 64 readings"))?;
    let readings: Result<Vec<_>, _> =
        list.iter().enumerate().map(|(index, value)| reading(value, &format!("readings[{index}]"))).collect();
    let interpretation = optional_text(object, "interpretation", "")?.unwrap_or_default();
    Ok((readings?, interpretation))
}

fn reading(value: &Value, place: &str) -> Result<Reading, MalformedCall> {
    let allowed = ["predicate", "subject", "values", "invocation", "record"];
    let object = members(value, place, &allowed)?;
    let required = |name: &str, expected| {
        optional_text(object, name, place)?.ok_or_else(|| malformed(&format!("{place}.{name}"), expected))
    };
    Ok(Reading {
        predicate: required("predicate", "the name of a predicate")?,
        subject: optional_text(object, "subject", place)?.unwrap_or_default(),
        values: values(object.get("values"), &format!("{place}.values"))?,
        invocation: required("invocation", "an invocation id")?,
        record: optional_text(object, "record", place)?,
    })
}

fn values(value: Option<&Value>, place: &str) -> Result<Vec<ClaimedValue>, MalformedCall> {
    match value {
        Some(Value::Object(fields)) => fields
            .iter()
            .map(|(field, value)| claimed(Some(field.clone()), value, &format!("{place}.{field}")))
            .collect(),
        Some(Value::Array(items)) => items
            .iter()
            .enumerate()
            .map(|(index, item)| {
                let place = format!("{place}[{index}]");
                match item {
                    Value::Object(_) => {
                        let object = members(item, &place, &["field", "value"])?;
                        let field = optional_text(object, "field", &place)?;
                        claimed(field, object.get("value").unwrap_or(&Value::Null), &place)
                    }
                    value => claimed(None, value, &place),
                }
            })
            .collect(),
        _ => Err(malformed(place, "an object of field and value, or an array of values")),
    }
}

fn claimed(field: Option<String>, value: &Value, place: &str) -> Result<ClaimedValue, MalformedCall> {
    let value = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            return Err(malformed(place, "a text, a number, true or false"));
        }
    };
    Ok(ClaimedValue { field, value })
}

fn members<'a>(
    value: &'a Value,
    place: &str,
    allowed: &[&str],
) -> Result<&'a Map<String, Value>, MalformedCall> {
    let object = value.as_object().ok_or_else(|| malformed(place, "an object"))?;
    match object.keys().find(|name| !allowed.contains(&name.as_str())) {
        Some(unknown) => Err(malformed(&format!("{place}.{unknown}"), "no member of this name")),
        None => Ok(object),
    }
}

fn optional_text(
    object: &Map<String, Value>,
    name: &str,
    place: &str,
) -> Result<Option<String>, MalformedCall> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(malformed(format!("{place}.{name}").trim_start_matches('.'), "a text")),
    }
}

fn malformed(place: &str, expected: &'static str) -> MalformedCall {
    MalformedCall { place: bounded(place), expected }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_read_from_an_object_and_from_an_array() {
        let object =
            json!({"readings": [{"predicate": "p", "invocation": "i", "values": {"a": "x", "b": 7}}]});
        let array = json!({"readings": [{"predicate": "p", "invocation": "i",
            "values": [{"field": "a", "value": "x"}, 7]}]});
        let (object, _) = readings(&object).unwrap();
        let (array, _) = readings(&array).unwrap();
        assert_eq!(object[0].values[0], array[0].values[0]);
        assert_eq!(object[0].values[1].field.as_deref(), Some("b"));
        assert_eq!(array[0].values[1], ClaimedValue { field: None, value: "7".into() });
    }

    #[test]
    fn what_cannot_be_read_is_named_by_its_place() {
        let place = |arguments: Value| readings(&arguments).unwrap_err().place;
        assert_eq!(place(json!([])), "arguments");
        assert_eq!(place(json!({"readings": []})), "readings");
        assert_eq!(place(json!({"reading": []})), "arguments.reading");
        let reading = |reading: Value| place(json!({"readings": [reading]}));
        assert_eq!(reading(json!({"values": {}, "invocation": "i"})), "readings[0].predicate");
        assert_eq!(reading(json!({"predicate": "p", "invocation": "i"})), "readings[0].values");
        assert_eq!(
            reading(json!({"predicate": "p", "invocation": "i", "values": {"a": null}})),
            "readings[0].values.a"
        );
        assert_eq!(
            reading(json!({"predicate": "p", "invocation": 3, "values": {"a": 1}})),
            "readings[0].invocation"
        );
    }
}
