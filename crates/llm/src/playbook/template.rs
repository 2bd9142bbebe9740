//! Placeholders in a step's texts, filled from the records that the step is made for.

use ledger::Record;
use serde_json::Value;
use std::collections::BTreeMap;

/// The records that a call is made for, by the step that returned them.
pub(crate) type Context = BTreeMap<String, Record>;

/// Fills the placeholders of a text argument; other arguments have none.
pub(crate) fn fill_value(value: &Value, context: &Context) -> Value {
    match value {
        Value::String(text) => Value::String(fill(text, context)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.clone(),
    }
}

/// Fills `{step.field}`, `{step.field:0N}`, and `{step.evidence}` with the label of the evidence that the record comes from.
/// An unknown placeholder stays as it is, so that the tool's error shows it.
pub(crate) fn fill(text: &str, context: &Context) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            filled.push('{');
            rest = after;
            continue;
        };
        match placeholder(name, context) {
            Some(value) => filled.push_str(&value),
            None => filled.push_str(&format!("{{{name}}}")),
        }
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

fn placeholder(name: &str, context: &Context) -> Option<String> {
    let (place, width) = name.split_once(':').unwrap_or((name, "0"));
    let (step, field) = place.split_once('.')?;
    let record = context.get(step)?;
    let value = match (record.fields.get(field), field) {
        (Some(field), _) => field.value.to_text().into_owned(),
        (None, "evidence") => record.locator.evidence.clone(),
        (None, _) => return None,
    };
    let width: usize = width.parse().ok()?;
    Some(format!("{value:0>width$}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{Field, FieldValue, Locator, RecordId};

    fn context() -> Context {
        let field = Field { at: None, value: FieldValue::Integer(1) };
        let record = Record {
            placement: None,
            defects: vec![],
            fields: [("data".to_owned(), field)].into(),
            id: RecordId(0),
            kind: "registry_value".into(),
            locator: Locator { evidence: "e".into(), path: "p".into(), stream: None, span: None },
        };
        [("select".to_owned(), record)].into()
    }

    #[test]
    fn placeholders_are_filled_and_padded() {
        assert_eq!(fill("ControlSet{select.data:03}\\Control", &context()), "ControlSet001\\Control");
        assert_eq!(fill("{select.evidence}", &context()), "e");
        assert_eq!(fill("{select.data}/{select.other}/{", &context()), "1/{select.other}/{");
    }
}
