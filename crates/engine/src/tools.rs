//! The engine's own tools: they read and write the record of the run, never the evidence.

use crate::claims::MOST_READINGS;
use ledger::{ToolClass, ToolSpec, Vocabulary};
use serde_json::json;

/// Asks for readings to be recorded as one phenomenon.
pub(crate) const RECORD_PHENOMENON: &str = "record_phenomenon";
/// Says that there is nothing to record.
pub(crate) const NOTHING_TO_RECORD: &str = "nothing_to_record";
/// Shows a page of one of the caller's own outputs.
pub(crate) const READ_OUTPUT: &str = "read_output";

/// The specifications of the engine's tools, sorted by name.
pub fn catalogue(vocabulary: &Vocabulary) -> Vec<ToolSpec> {
    vec![nothing_to_record(), read_output(), record_phenomenon(vocabulary)]
}

fn spec(name: &str, class: ToolClass, description: &str, arguments: serde_json::Value) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        class,
        description: description.to_owned(),
        arguments,
        records: Vec::new(),
    }
}

fn record_phenomenon(vocabulary: &Vocabulary) -> ToolSpec {
    let predicates: Vec<_> = vocabulary.entries().map(|(name, _)| name.0.clone()).collect();
    let meanings: Vec<_> =
        vocabulary.entries().map(|(name, entry)| format!("{name}: {}", entry.meaning)).collect();
    spec(
        RECORD_PHENOMENON,
        ToolClass::Record,
        "Record one observation as readings of records you have seen. \
         Each reading is checked against the cited output: grounded ones are recorded, the others come back with the reason.",
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["readings"],
            "properties": {
                "readings": {
                    "type": "array", "minItems": 1, "maxItems": MOST_READINGS,
                    "items": {
                        "type": "object",
                        "additionalProperties": false,
                        "required": ["predicate", "values", "invocation"],
                        "properties": {
                            "predicate": {"type": "string", "enum": predicates, "description": meanings.join("; ")},
                            "subject": {"type": "string", "description": "what the reading is about, as the record has it; may be left out"},
                            "values": {
                                "type": "object",
                                "additionalProperties": {"type": ["string", "integer", "boolean"]},
                                "description": "field of the record -> value, copied exactly"
                            },
                            "invocation": {"type": "string", "description": "the invocation id, such as inv-0a1b2c3d"},
                            "record": {"type": "string", "description": "the record id in that output, such as r0"}
                        }
                    }
                },
                "interpretation": {"type": "string", "description": "your own words; kept beside the facts, marked as interpretation"}
            }
        }),
    )
}

fn nothing_to_record() -> ToolSpec {
    spec(
        NOTHING_TO_RECORD,
        ToolClass::Record,
        "Say that you found nothing to record, or nothing more, and why. The honest way out.",
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["reason"],
            "properties": {"reason": {"type": "string", "minLength": 1}}
        }),
    )
}

fn read_output() -> ToolSpec {
    spec(
        READ_OUTPUT,
        ToolClass::GraphRead,
        "Show a page of one of your own outputs, from a record on: for outputs that were shown in part.",
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["invocation", "first"],
            "properties": {
                "invocation": {"type": "string"},
                "first": {"type": "string", "description": "the first record to show, such as r40"}
            }
        }),
    )
}
