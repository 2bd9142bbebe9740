//! The steps that record the answer to a question in words: they ask for the rows by number, and record the answering fields of each.
//!
//! They depend only on the rows and the tools, so that a resumed run has the same steps.

use super::hunt::{QUERY, recorded};
use super::plan::{RecordRule, Step};
use ledger::{RecordType, ToolSpec, Vocabulary};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Rows of one table that answer a question.
#[derive(Debug, Clone, Copy)]
pub struct AnsweringRows<'r> {
    /// The type of the records, and the name of their table.
    pub record: &'r str,
    /// The label of the evidence.
    pub evidence: &'r str,
    /// The row numbers.
    pub rows: &'r [i64],
    /// The names of the fields that answer.
    pub fields: &'r [String],
}

/// Makes a step for each of these; it records every row with the predicate that its type proves.
pub fn answering<'r>(
    all: impl Iterator<Item = AnsweringRows<'r>>,
    vocabulary: &Vocabulary,
    tools: &[ToolSpec],
) -> Vec<Step> {
    let step = |(number, rows): (usize, AnsweringRows<'_>)| {
        let known = tools.iter().flat_map(|spec| &spec.records).find(|known| known.name == rows.record)?;
        let numbers: Vec<String> = rows.rows.iter().map(i64::to_string).collect();
        let table = rows.record.replace('"', "\"\"");
        let sql = format!("SELECT * FROM \"{table}\" WHERE _row IN ({})", numbers.join(", "));
        let arguments = Map::from_iter([
            ("sql".to_owned(), Value::String(sql)),
            ("evidence".to_owned(), Value::String(rows.evidence.to_owned())),
            ("limit".to_owned(), Value::from(rows.rows.len().max(1))),
        ]);
        let narrowed =
            recorded(known, "", vocabulary).into_iter().map(|rule| narrowed(rule, known, rows.fields));
        Some(Step {
            id: format!("answer{}", number + 1),
            for_each: None,
            when: BTreeMap::new(),
            unless: BTreeMap::new(),
            tool: QUERY.to_owned(),
            arguments,
            record: narrowed.collect(),
            absence: None,
        })
    };
    all.enumerate().filter_map(step).collect()
}

/// Narrows a rule to the subject, the fields that the predicate needs, and the fields that answer.
fn narrowed(rule: RecordRule, known: &RecordType, fields: &[String]) -> RecordRule {
    let needed = rule.when.keys().filter(|field| *field != "record").cloned();
    let answering = fields.iter().filter(|field| known.fields.contains_key(*field)).cloned();
    let mut seen = BTreeSet::new();
    let mut values: Vec<String> =
        std::iter::once(known.subject.clone()).chain(needed).chain(answering).collect();
    values.retain(|field| seen.insert(field.clone()));
    RecordRule { values, ..rule }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::playbook::check;
    use serde_json::json;

    #[test]
    fn rows_are_recorded_with_the_fields_that_answer_and_no_others() {
        let field = |types: &[&str]| json!({"meaning": "", "types": types});
        let spec = json!({
            "name": "records", "class": "INVESTIGATE", "description": "", "covers": [], "sources": {}, "arguments": {},
            "records": [{"name": "process_created", "meaning": "", "subject": "image", "fields": {
                "image": field(&["path"]), "command_line": field(&["text"]), "time": field(&["time"]),
            }}],
        });
        let tools: Vec<ToolSpec> = vec![serde_json::from_value(spec).unwrap()];
        let fields = ["time".to_owned(), "unheard_of".to_owned()];
        let rows =
            AnsweringRows { record: "process_created", evidence: "host", rows: &[3, 14], fields: &fields };
        let steps = answering([rows].into_iter(), &Vocabulary::shipped().unwrap(), &tools);
        assert_eq!((steps.len(), check(&steps)), (1, Ok(())));
        let wanted = json!({"sql": "SELECT * FROM \"process_created\" WHERE _row IN (3, 14)", "evidence": "host", "limit": 2});
        assert_eq!(Value::Object(steps[0].arguments.clone()), wanted);
        assert_eq!(steps[0].record[0].values, ["image", "time"]);
    }
}
