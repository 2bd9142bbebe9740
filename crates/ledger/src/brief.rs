//! Brief tool descriptions: what a language model reads about each tool before it asks `help` for the rest.
//!
//! A tool's specification is complete; the brief form is derived from it here, so that nothing is written twice.

use crate::tool::ToolSpec;
use serde_json::{Map, Value, json};

/// The most characters of a tool's description.
const LONGEST_DESCRIPTION: usize = 300;
/// The most characters of an argument's description.
const LONGEST_ARGUMENT: usize = 110;
/// The beginning of an example at the end of a description.
const EXAMPLE: &str = " Example: ";
/// The most values that an argument lists.
const MOST_VALUES: usize = 80;

impl ToolSpec {
    /// Returns the same tool with the first sentences of its description and the beginning of each argument's description.
    #[must_use]
    pub fn in_brief(&self) -> ToolSpec {
        ToolSpec {
            description: description(&self.description),
            arguments: brief(&self.arguments),
            ..self.clone()
        }
    }
}

/// Returns the first sentences, and the example if the text ends with one.
fn description(text: &str) -> String {
    match text.split_once(EXAMPLE) {
        Some((before, example)) => {
            format!("{}{EXAMPLE}{example}", within(before, LONGEST_DESCRIPTION, ". "))
        }
        None => within(text, LONGEST_DESCRIPTION, ". "),
    }
}

fn brief(schema: &Value) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let kept = members.iter().filter_map(|(name, member)| match (name.as_str(), member) {
        // Bounds and defaults are left out: a call that exceeds them is answered with what was expected.
        (
            "$schema" | "minimum" | "maximum" | "default" | "minItems" | "maxItems" | "minLength"
            | "maxLength",
            _,
        ) => None,
        ("description", Value::String(text)) => {
            Some((name.clone(), json!(within(text, LONGEST_ARGUMENT, ";"))))
        }
        ("enum", Value::Array(values)) if values.len() > MOST_VALUES => None,
        ("properties", Value::Object(properties)) => {
            let properties: Map<String, Value> =
                properties.iter().map(|(name, of)| (name.clone(), brief(of))).collect();
            Some((name.clone(), Value::Object(properties)))
        }
        ("items" | "additionalProperties", of) => Some((name.clone(), brief(of))),
        _ => Some((name.clone(), member.clone())),
    });
    Value::Object(kept.collect())
}

/// Returns the beginning of a text up to the last `end` that fits, or as much of the first part as fits.
fn within(text: &str, most: usize, end: &str) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most).collect();
    match cut.rfind(end) {
        Some(at) => cut.get(..at).unwrap_or_default().to_owned() + end.trim_end().trim_end_matches(';'),
        None => match cut.rfind(' ') {
            Some(at) => format!("{}…", cut.get(..at).unwrap_or_default()),
            None => cut + "…",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::ToolClass;

    #[test]
    fn a_tool_in_brief_keeps_its_name_its_arguments_and_how_they_begin() {
        let long = format!("Reads a file; {}", "more ".repeat(40));
        let spec = ToolSpec {
            name: "read".into(),
            class: ToolClass::Investigate,
            description: format!("Reads. Tells more. {}Example: {{}}", "word ".repeat(80)),
            arguments: json!({"type": "object", "required": ["path"], "properties": {
                "path": {"type": "string", "description": long, "default": "x"},
                "kind": {"type": "string", "enum": ["a", "b"]},
                "many": {"type": "string", "enum": (0..200).collect::<Vec<_>>()},
            }}),
            records: vec![],
            sources: Default::default(),
            counts: None,
            covers: vec![],
        };
        let brief = spec.in_brief();
        assert_eq!(
            (brief.name.as_str(), brief.description.as_str()),
            ("read", "Reads. Tells more. Example: {}")
        );
        assert_eq!(
            brief.arguments["properties"]["path"],
            json!({"type": "string", "description": "Reads a file"})
        );
        assert_eq!(brief.arguments["properties"]["kind"]["enum"], json!(["a", "b"]));
        assert_eq!(brief.arguments["properties"]["many"], json!({"type": "string"}));
        assert_eq!(brief.arguments["required"], json!(["path"]));
    }

    #[test]
    fn a_text_of_one_long_word_is_cut_where_it_must_be() {
        assert_eq!(within("ééééé", 3, ". "), "ééé…");
        assert_eq!(within("ab cd ef", 6, ". "), "ab cd…");
    }
}
