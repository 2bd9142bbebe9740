//! The tools of a small model: few of them, with the arguments that it uses correctly.

use ledger::ToolSpec;
use serde_json::{Map, Value, json};

/// The tools, each with its remaining arguments: a small model fills in every argument that it is offered.
const TOOLS: [(&str, &[&str]); 6] = [
    ("find_files", &["name"]),
    ("list_deleted", &[]),
    ("nothing_to_record", &["reason"]),
    ("record_phenomenon", &["record", "predicate"]),
    ("records", &["source"]),
    ("search_registry", &["text"]),
];

/// Returns a tool in the form for a small model; `None` if it is not offered.
pub(crate) fn tool(spec: &ToolSpec) -> Option<ToolSpec> {
    let (name, arguments) = TOOLS.iter().find(|(name, _)| *name == spec.name)?;
    let brief = spec.in_brief();
    Some(match *name {
        "record_phenomenon" => ToolSpec {
            description: "Record records that you have seen as facts.".to_owned(),
            arguments: record(),
            ..brief
        },
        _ => ToolSpec { arguments: left(&brief.arguments, arguments), ..brief },
    })
}

/// Checks whether a small model can make such a call.
pub(crate) fn takes<'a>(tool: &str, mut arguments: impl Iterator<Item = &'a String>) -> bool {
    let known = TOOLS.iter().find(|(name, _)| *name == tool);
    known.is_some_and(|(_, takes)| arguments.all(|name| takes.contains(&name.as_str())))
}

/// Returns the schema of one reading without values, about one or several records.
fn record() -> Value {
    json!({
        "type": "object",
        "required": ["record", "predicate"],
        "properties": {
            "record": {"type": "string", "description": "invocation and record: inv-0a1b2c3d r3; several: r0,r2 or r0-r5"},
            "predicate": {"type": "string", "description": "one of what the record `proves`"},
        },
    })
}

/// Returns a schema with only these members, and without lists of values.
fn left(schema: &Value, names: &[&str]) -> Value {
    let empty = Map::new();
    let all = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let properties: Map<String, Value> = all
        .iter()
        .filter(|(name, _)| names.contains(&name.as_str()))
        .map(|(name, of)| {
            let mut of = of.clone();
            if let Some(members) = of.as_object_mut() {
                members.remove("enum");
            }
            (name.clone(), of)
        })
        .collect();
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let required: Vec<Value> =
        required.into_iter().filter(|name| name.as_str().is_some_and(|name| names.contains(&name))).collect();
    json!({"type": "object", "required": required, "properties": properties})
}
