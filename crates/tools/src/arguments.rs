//! Arguments, checked against the tool's own schema.
//!
//! The schemas use a small part of JSON Schema: `type` (string, integer, boolean), `enum`, `minimum`, `maximum`, `default`, `required`.
//! Because they are read here, the check and the published schema cannot differ.

use crate::argument_names;
use crate::error::CallError;
use ledger::ToolSpec;
use serde_json::{Map, Value};

/// Checked arguments with their defaults filled in.
pub(crate) struct Arguments {
    tool: String,
    values: Map<String, Value>,
}

impl Arguments {
    /// Checks `given` against the schema of `spec`.
    pub(crate) fn check(spec: &ToolSpec, given: &Value) -> Result<Arguments, CallError> {
        let given = given.as_object().ok_or(CallError::NotAnObject { found: kind(given) })?;
        let schema = || CallError::Schema { tool: spec.name.clone() };
        let properties = spec.arguments.get("properties").and_then(Value::as_object).ok_or_else(schema)?;
        if let Some(argument) = given.keys().find(|name| !properties.contains_key(*name)) {
            return Err(argument_names::unknown(argument, properties));
        }
        let required = spec.arguments.get("required").and_then(Value::as_array).into_iter().flatten();
        for argument in required.filter_map(Value::as_str) {
            if !given.contains_key(argument) {
                return Err(CallError::MissingArgument { argument: argument.to_owned() });
            }
        }
        let mut values = Map::new();
        for (argument, property) in properties {
            match given.get(argument) {
                Some(value) => {
                    check_one(argument, property, value)?;
                    values.insert(argument.clone(), value.clone());
                }
                None => {
                    if let Some(default) = property.get("default") {
                        values.insert(argument.clone(), default.clone());
                    }
                }
            }
        }
        Ok(Arguments { tool: spec.name.clone(), values })
    }

    /// Returns all arguments.
    pub(crate) fn values(&self) -> &Map<String, Value> {
        &self.values
    }

    /// Returns a text that the schema requires or gives a default.
    pub(crate) fn text(&self, name: &str) -> Result<&str, CallError> {
        self.optional_text(name).ok_or_else(|| self.schema())
    }

    /// Returns a text that may be left out.
    pub(crate) fn optional_text(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.as_str()
    }

    /// Returns a number that the schema requires or gives a default.
    pub(crate) fn number(&self, name: &str) -> Result<u64, CallError> {
        self.values.get(name).and_then(Value::as_u64).ok_or_else(|| self.schema())
    }

    /// Returns a number that may be left out.
    pub(crate) fn optional_number(&self, name: &str) -> Option<u64> {
        self.values.get(name)?.as_u64()
    }

    /// Returns a number that the schema requires or gives a default, as a count of things in memory.
    pub(crate) fn count(&self, name: &str) -> Result<usize, CallError> {
        self.number(name).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// Returns a flag that the schema requires or gives a default.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, CallError> {
        self.values.get(name).and_then(Value::as_bool).ok_or_else(|| self.schema())
    }

    /// Checks whether a flag that may be left out was given as true.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.values.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Returns the arguments as they were used: as given, except for `changes`.
    pub(crate) fn normalised(&self, changes: &[(&str, Value)]) -> Value {
        let mut values = self.values.clone();
        for (name, value) in changes {
            values.insert((*name).to_owned(), value.clone());
        }
        Value::Object(values)
    }

    fn schema(&self) -> CallError {
        CallError::Schema { tool: self.tool.clone() }
    }
}

fn check_one(argument: &str, property: &Value, value: &Value) -> Result<(), CallError> {
    let expected = property.get("type").and_then(Value::as_str).unwrap_or_default();
    let fits = match expected {
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        _ => false,
    };
    let argument = argument.to_owned();
    if !fits {
        return Err(CallError::ArgumentType { argument, expected: expected.to_owned(), found: kind(value) });
    }
    if let Some(allowed) = property.get("enum").and_then(Value::as_array).filter(|all| !all.contains(value)) {
        let allowed = allowed.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let found = value.as_str().unwrap_or_default().to_owned();
        return Err(CallError::ArgumentChoice { argument, allowed, found });
    }
    if expected == "integer" {
        let bound = |name| property.get(name).and_then(Value::as_u64);
        let (minimum, maximum) = (bound("minimum").unwrap_or(0), bound("maximum").unwrap_or(u64::MAX));
        if !value.as_u64().is_some_and(|number| (minimum..=maximum).contains(&number)) {
            return Err(CallError::ArgumentRange { argument, minimum, maximum, found: value.to_string() });
        }
    }
    Ok(())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a fraction",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
