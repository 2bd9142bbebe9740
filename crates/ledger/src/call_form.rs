//! The form of a call: its tool, the names of its arguments, and the kinds of their values.

use crate::canonical;
use crate::digest::Digest;
use crate::tool::ToolSpec;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A call without its values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallForm {
    /// The tool.
    pub tool: String,
    /// Its arguments: name and kind of value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, ValueKind>,
}

/// The kind of an argument's value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueKind {
    /// This choice, one of those that the tool offers.
    Choice(String),
    /// True or false.
    Flag,
    /// A number.
    Number,
    /// A text with `*` or `?`.
    Pattern,
    /// A text with `/` or `\`.
    Path,
    /// Any other text.
    Text,
    /// Several values.
    List,
    /// Named values.
    Object,
}

impl ValueKind {
    fn of(value: &Value) -> Option<ValueKind> {
        Some(match value {
            Value::Null => return None,
            Value::Bool(_) => ValueKind::Flag,
            Value::Number(_) => ValueKind::Number,
            Value::String(text) if text.is_empty() => return None,
            Value::String(text) if text.contains(['*', '?']) => ValueKind::Pattern,
            Value::String(text) if text.contains(['/', '\\']) => ValueKind::Path,
            Value::String(_) => ValueKind::Text,
            Value::Array(_) => ValueKind::List,
            Value::Object(_) => ValueKind::Object,
        })
    }

    /// Returns the choice, or the word for the kind.
    pub fn told(&self) -> &str {
        match self {
            ValueKind::Choice(choice) => choice,
            ValueKind::Flag => "flag",
            ValueKind::Number => "number",
            ValueKind::Pattern => "pattern",
            ValueKind::Path => "path",
            ValueKind::Text => "text",
            ValueKind::List => "list",
            ValueKind::Object => "object",
        }
    }
}

/// Arguments that page through an answer or limit its length: they do not make a different call.
const FREE: [&str; 2] = ["limit", "offset"];
/// Tools whose `offset` is a position in a file.
const OF_BYTES: [&str; 3] = ["carve_strings", "read_file", "read_stream"];

/// A tool's arguments, and the choices of each argument that has some.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownTool {
    arguments: BTreeMap<String, BTreeSet<String>>,
}

impl KnownTool {
    /// Reads them from a tool specification.
    pub fn of(spec: &ToolSpec) -> KnownTool {
        let properties = spec.arguments.get("properties").and_then(Value::as_object);
        let arguments = properties.into_iter().flatten().map(|(name, property)| {
            let offered = property.get("enum").and_then(Value::as_array).into_iter().flatten();
            let mut choices: BTreeSet<String> =
                offered.filter_map(Value::as_str).map(str::to_owned).collect();
            match name.as_str() {
                "source" => choices.extend(spec.sources.keys().cloned()),
                "record" => choices.extend(spec.records.iter().map(|record| record.name.clone())),
                _ => {}
            }
            (name.clone(), choices)
        });
        KnownTool { arguments: arguments.collect() }
    }

    /// Returns the choices of an argument; `None` if the tool has no such argument.
    pub fn choices(&self, argument: &str) -> Option<&BTreeSet<String>> {
        self.arguments.get(argument)
    }

    /// Returns the argument names and all choices.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().flat_map(|(name, choices)| choices.iter().chain([name])).map(String::as_str)
    }

    /// Returns the form of a call of the tool; unknown arguments are left out.
    pub fn form(&self, tool: &str, arguments: &Map<String, Value>) -> CallForm {
        let kinds = arguments.iter().filter_map(|(name, value)| {
            let choices = self.choices(name).filter(|_| !FREE.contains(&name.as_str()))?;
            let chosen = value.as_str().filter(|text| choices.contains(*text));
            let kind =
                chosen.map_or_else(|| ValueKind::of(value), |it| Some(ValueKind::Choice(it.to_owned())));
            Some((name.clone(), kind?))
        });
        CallForm { tool: tool.to_owned(), arguments: kinds.collect() }
    }
}

/// Returns a digest that is equal for two calls of a tool that mean the same.
/// Slashes, letter case, numbers written as texts, and paging arguments make no difference.
pub fn same_call(tool: &str, arguments: &Map<String, Value>) -> Digest {
    let is_free = |name: &str| FREE.contains(&name) && !(name == "offset" && OF_BYTES.contains(&tool));
    let plain = arguments.iter().filter(|(name, _)| !is_free(name));
    let plain = plain.filter_map(|(name, value)| Some((name, plain_value(value)?)));
    let plain: BTreeMap<&String, Value> = plain.collect();
    // Plain data: a value without a canonical form is not from a recorded call.
    let arguments = canonical::to_vec(&plain).unwrap_or_default();
    Digest::of_parts(&[b"locard call", tool.as_bytes(), &arguments])
}

/// Normalises a value; `None` for a value that says nothing.
fn plain_value(value: &Value) -> Option<Value> {
    Some(match value {
        Value::Null => return None,
        Value::String(text) if text.trim().is_empty() => return None,
        Value::String(text) => Value::String(text.trim().replace('\\', "/").to_lowercase()),
        Value::Bool(flag) => Value::String(flag.to_string()),
        Value::Number(number) => Value::String(number.to_string()),
        Value::Array(_) | Value::Object(_) => value.clone(),
    })
}

impl CallForm {
    /// Checks whether an argument pages through an answer or limits its length.
    pub fn is_paging(name: &str) -> bool {
        FREE.contains(&name)
    }

    /// Returns its arguments as lessons name them: the choice, or the word for the kind of value.
    pub fn told(&self) -> BTreeMap<String, String> {
        self.arguments.iter().map(|(name, kind)| (name.clone(), kind.told().to_owned())).collect()
    }

    /// Returns the tool and the choices, as search words for lessons.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let choices = self.arguments.values().filter_map(|kind| match kind {
            ValueKind::Choice(choice) => Some(choice.as_str()),
            _ => None,
        });
        std::iter::once(self.tool.as_str()).chain(choices)
    }

    /// Returns the same form with only the choices: what the call reads, without what narrows it.
    pub fn choices_only(mut self) -> CallForm {
        self.arguments.retain(|_, kind| matches!(kind, ValueKind::Choice(_)));
        self
    }

    /// Returns the source that it reads, if it names one.
    pub fn source(&self) -> Option<&str> {
        match self.arguments.get("source") {
            Some(ValueKind::Choice(source)) => Some(source),
            _ => None,
        }
    }
}
