//! Builds tool specifications: argument schemas and record types.

use crate::sink;
use ledger::tool::FieldMeaning;
use ledger::{AbsenceForm, Coverage, FieldType, RecordType, ToolClass, ToolSpec};
use serde_json::{Map, Value, json};

/// The largest number of an argument: 2^53 - 1, the largest that every JSON reader represents exactly (RFC 8259, section 6).
pub(crate) const MAX_EXACT: u64 = (1 << 53) - 1;

/// Makes the specification of an INVESTIGATE tool; `properties` are the schemas of its arguments by name.
pub(crate) fn tool(
    name: &str,
    description: &str,
    properties: Vec<(&str, Value)>,
    required: &[&str],
    records: Vec<RecordType>,
) -> ToolSpec {
    let properties: Map<String, Value> =
        properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let counts = properties.contains_key("count_by").then(|| sink::COUNT_KIND.to_owned());
    ToolSpec {
        name: name.to_owned(),
        class: ToolClass::Investigate,
        description: description.to_owned(),
        arguments: json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
        records,
        sources: Default::default(),
        counts,
        covers: Vec::new(),
    }
}

/// Makes a record type; `fields` are name, types and meaning. Every fact carries the fields that bound what it shows.
pub(crate) fn record(
    name: &str,
    meaning: &str,
    subject: &str,
    fields: &[(&str, &[FieldType], &str)],
) -> RecordType {
    let meanings = fields.iter().map(|(name, types, meaning)| {
        ((*name).to_owned(), FieldMeaning { types: types.to_vec(), meaning: (*meaning).to_owned() })
    });
    RecordType {
        name: name.to_owned(),
        meaning: meaning.to_owned(),
        subject: subject.to_owned(),
        fields: meanings.collect(),
        qualifiers: Vec::new(),
        scope: bounds_of(name, fields),
    }
}

/// Returns the fields that every fact about such a record carries: whether the thing is in force, and fields that the data mark as bounds.
///
/// A text may have any length, so whoever makes the claim decides about it.
fn bounds_of(record: &str, fields: &[(&str, &[FieldType], &str)]) -> Vec<String> {
    let state = ledger::state_field(record).map(|state| state.field.as_str());
    let is_bound = |name: &str, types: &[FieldType]| {
        state == Some(name)
            || ledger::bounds::bound(record, name).is_some() && !types.contains(&FieldType::Text)
    };
    fields
        .iter()
        .filter(|(name, types, _)| is_bound(name, types))
        .map(|(name, ..)| (*name).to_owned())
        .collect()
}

/// Sets the fields that a reading must state if its record has them.
pub(crate) fn qualified(by: &[&str], record: RecordType) -> RecordType {
    RecordType { qualifiers: by.iter().map(|name| (*name).to_owned()).collect(), ..record }
}

/// Sets the fields that every fact carries if its record has them.
pub(crate) fn scoped(by: &[&str], record: RecordType) -> RecordType {
    RecordType { scope: by.iter().map(|name| (*name).to_owned()).collect(), ..record }
}

/// Makes the schema of a text.
pub(crate) fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

/// Makes the schema of a text with a default.
pub(crate) fn text_or(description: &str, default: &str) -> Value {
    json!({ "type": "string", "description": description, "default": default })
}

/// Makes the schema of a choice of names.
pub(crate) fn choice(description: &str, names: &[&str]) -> Value {
    json!({ "type": "string", "description": description, "enum": names })
}

/// Makes the schema of a whole number with a default.
pub(crate) fn number(description: &str, default: u64, minimum: u64, maximum: u64) -> Value {
    json!({
        "type": "integer",
        "description": description,
        "default": default,
        "minimum": minimum,
        "maximum": maximum,
    })
}

/// Makes the schema of a whole number that may be left out.
pub(crate) fn optional_number(description: &str, minimum: u64, maximum: u64) -> Value {
    json!({ "type": "integer", "description": description, "minimum": minimum, "maximum": maximum })
}

/// Makes the schema of a flag that may be left out; then it is not among the call's arguments.
pub(crate) fn flag(description: &str) -> Value {
    json!({ "type": "boolean", "description": description })
}

/// Makes the schema for how many records to skip.
pub(crate) fn offset() -> Value {
    number("entries to skip, to go on where an earlier call stopped", 0, 0, u64::from(u32::MAX))
}

/// Makes the schema for the label of a piece of evidence.
pub(crate) fn evidence() -> Value {
    text("label of the evidence; may be left out when only one piece holds the path")
}

/// Declares the absences of one form that an empty call shows.
/// It names the `members` of the form with the arguments that stand for them,
/// the arguments that must have had a value, and the arguments that do not narrow the search.
pub(crate) fn covers(
    form: AbsenceForm,
    members: &[(&str, &str)],
    required: &[(&str, Value)],
    free: &[&str],
) -> Coverage {
    let owned = |name: &str| name.to_owned();
    Coverage {
        form,
        members: members.iter().map(|(member, argument)| (owned(member), owned(argument))).collect(),
        required: required.iter().map(|(argument, value)| (owned(argument), value.clone())).collect(),
        free: free.iter().map(|argument| owned(argument)).collect(),
        reach: None,
    }
}

/// Makes the schema for a hive; if it is left out, [`crate::normalise`] finds the hive by the key.
pub(crate) fn hive() -> Value {
    text(
        "path of the hive in the evidence, as list_hives gives it, or SYSTEM, SOFTWARE, NTUSER and the like where there is one hive of the type; \
         may be left out where the key begins with HKLM\\SYSTEM, HKU and a SID, or the like",
    )
}

/// Makes the schema of an instant that may be left out.
pub(crate) fn instant(meaning: &str) -> Value {
    text(&format!("{meaning}; with its zone, such as 2025-03-01T00:00:00Z"))
}
