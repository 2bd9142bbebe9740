//! Building specifications: schemas of arguments and types of records.

use crate::sink;
use ledger::tool::FieldMeaning;
use ledger::{AbsenceForm, Coverage, FieldType, RecordType, ToolClass, ToolSpec};
use serde_json::{Map, Value, json};

/// The largest number of an argument: 2^53 - 1, the last one that every reader of JSON takes exactly (RFC 8259, section 6).
pub(crate) const MAX_EXACT: u64 = (1 << 53) - 1;

/// The specification of an INVESTIGATE tool; `properties` are the schemas of its arguments by name.
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

/// A record type; `fields` are name, types and meaning. Every fact carries the fields that bound what it tells.
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

/// The fields that every fact of such a record carries: whether its thing is in force, and what the data say bounds it.
///
/// A text may be of any length, and is left to who claims it.
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

/// The record type, of which a reading must state these fields where a record has them.
pub(crate) fn qualified(by: &[&str], record: RecordType) -> RecordType {
    RecordType { qualifiers: by.iter().map(|name| (*name).to_owned()).collect(), ..record }
}

/// The record type, of which every fact carries these fields where a record has them.
pub(crate) fn scoped(by: &[&str], record: RecordType) -> RecordType {
    RecordType { scope: by.iter().map(|name| (*name).to_owned()).collect(), ..record }
}

/// A text.
pub(crate) fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

/// A text with a default.
pub(crate) fn text_or(description: &str, default: &str) -> Value {
    json!({ "type": "string", "description": description, "default": default })
}

/// One of several names.
pub(crate) fn choice(description: &str, names: &[&str]) -> Value {
    json!({ "type": "string", "description": description, "enum": names })
}

/// A whole number with a default.
pub(crate) fn number(description: &str, default: u64, minimum: u64, maximum: u64) -> Value {
    json!({
        "type": "integer",
        "description": description,
        "default": default,
        "minimum": minimum,
        "maximum": maximum,
    })
}

/// A whole number that may be left out.
pub(crate) fn optional_number(description: &str, minimum: u64, maximum: u64) -> Value {
    json!({ "type": "integer", "description": description, "minimum": minimum, "maximum": maximum })
}

/// A flag that may be left out, and then is no argument of the call.
pub(crate) fn flag(description: &str) -> Value {
    json!({ "type": "boolean", "description": description })
}

/// How many records to skip.
pub(crate) fn offset() -> Value {
    number("entries to skip, to go on where an earlier call stopped", 0, 0, u64::from(u32::MAX))
}

/// The label of a piece of evidence.
pub(crate) fn evidence() -> Value {
    text("label of the evidence; may be left out when only one piece holds the path")
}

/// The absences of one form that an empty call shows: `members` of the form and the arguments that stand for them, arguments that must have had a value, and arguments that do not narrow the search.
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

/// A hive; where it is left out, [`crate::normalise`] finds it by the key.
pub(crate) fn hive() -> Value {
    text(
        "path of the hive in the evidence, as list_hives gives it, or SYSTEM, SOFTWARE, NTUSER and the like where there is one hive of the type; \
         may be left out where the key begins with HKLM\\SYSTEM, HKU and a SID, or the like",
    )
}

/// An instant that may be left out.
pub(crate) fn instant(meaning: &str) -> Value {
    text(&format!("{meaning}; with its zone, such as 2025-03-01T00:00:00Z"))
}
