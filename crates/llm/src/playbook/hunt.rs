//! The steps that record what team-supplied rules found: they ask for the matching rows by number, and record what each row proves.
//!
//! They depend only on the matches and the tools, so that a resumed run has the same steps.

use super::plan::{RecordRule, Step};
use super::recovery::proving;
use ledger::pattern::Patterns;
use ledger::vocabulary::Meaning;
use ledger::{FieldType, Predicate, RecordType, ToolSpec, Vocabulary};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The tool that returns table rows as records.
pub(super) const QUERY: &str = "query";

/// What any record proves: that it says so.
const RECORDED: &str = "recorded";

/// Rows of one table that match a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HuntedRows {
    /// The interpretation that is recorded with them.
    pub note: String,
    /// The type of the records, and the name of their table.
    pub record: String,
    /// The label of the evidence.
    pub evidence: String,
    /// The row numbers.
    pub rows: Vec<i64>,
}

/// Makes a step for each group of rows in `all`; it records every row with the predicate that its type proves.
pub fn hunted(all: &[HuntedRows], vocabulary: &Vocabulary, tools: &[ToolSpec]) -> Vec<Step> {
    let step = |(number, rows): (usize, &HuntedRows)| {
        let known = tools.iter().flat_map(|spec| &spec.records).find(|known| known.name == rows.record)?;
        let numbers: Vec<String> = rows.rows.iter().map(i64::to_string).collect();
        let sql = format!(
            "SELECT * FROM \"{}\" WHERE _row IN ({})",
            rows.record.replace('"', "\"\""),
            numbers.join(", ")
        );
        let arguments = Map::from_iter([
            ("sql".to_owned(), Value::String(sql)),
            ("evidence".to_owned(), Value::String(rows.evidence.clone())),
            ("limit".to_owned(), Value::from(rows.rows.len().max(1))),
        ]);
        Some(Step {
            id: format!("hunt{}", number + 1),
            for_each: None,
            when: BTreeMap::new(),
            unless: BTreeMap::new(),
            tool: QUERY.to_owned(),
            arguments,
            record: recorded(known, &rows.note, vocabulary),
            absence: None,
        })
    };
    all.iter().enumerate().filter_map(step).collect()
}

/// Returns the rules for recording records of a type: with the first predicate that one proves, or as merely recorded.
pub(super) fn recorded(known: &RecordType, note: &str, vocabulary: &Vocabulary) -> Vec<RecordRule> {
    let more = vocabulary.entries().filter(|(predicate, meaning)| {
        predicate.0 != RECORDED
            && !predicate.is_quoted()
            && meaning.proved_by.contains(&known.name)
            // Patterns cannot express what a record must be unlike.
            && !meaning.unlike.contains_key(&known.name)
    });
    let least = Predicate(RECORDED.to_owned());
    let least = vocabulary.meaning(&least).filter(|it| it.proved_by.contains(&known.name));
    let least = least.map(|meaning| rule(RECORDED, meaning, known, note));
    more.map(|(predicate, meaning)| rule(&predicate.0, meaning, known, note)).chain(least).collect()
}

fn rule(predicate: &str, meaning: &Meaning, known: &RecordType, note: &str) -> RecordRule {
    // A list would make one record into many facts.
    let is_one = |types: &[FieldType]| !types.contains(&FieldType::List);
    let fields = known.fields.iter().filter(|(_, meaning)| is_one(&meaning.types));
    let others = fields.map(|(name, _)| name).filter(|name| **name != known.subject);
    let denied = meaning.denied_by.get(&known.name).into_iter().flatten();
    let denied =
        denied.map(|(field, values)| (field.clone(), Patterns::Any(values.iter().cloned().collect())));
    let rule = RecordRule {
        when: BTreeMap::from([("record".to_owned(), known.name.as_str().into())]),
        unless: denied.collect(),
        earlier: None,
        otherwise: true,
        most: None,
        predicate: predicate.to_owned(),
        values: std::iter::once(&known.subject).chain(others).cloned().collect(),
        note: note.to_owned(),
        entity: None,
    };
    proving(rule, meaning, known)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::playbook::check;
    use serde_json::json;

    #[test]
    fn rows_are_asked_for_by_number_and_recorded_as_what_their_type_proves() {
        let field = |types: &[&str]| json!({"meaning": "", "types": types});
        let spec = json!({
            "name": "records", "class": "INVESTIGATE", "description": "", "covers": [], "sources": {}, "arguments": {},
            "records": [{"name": "process_created", "meaning": "", "subject": "image", "fields": {
                "image": field(&["path"]), "command_line": field(&["text"]), "groups": field(&["list"]),
            }}],
        });
        let tools: Vec<ToolSpec> = vec![serde_json::from_value(spec).unwrap()];
        let of = |record: &str| HuntedRows {
            note: "fits".into(),
            record: record.into(),
            evidence: "host".into(),
            rows: vec![3, 14],
        };
        let steps =
            hunted(&[of("unheard_of"), of("process_created")], &Vocabulary::shipped().unwrap(), &tools);
        assert_eq!((steps.len(), check(&steps)), (1, Ok(())));
        let wanted = json!({"sql": "SELECT * FROM \"process_created\" WHERE _row IN (3, 14)", "evidence": "host", "limit": 2});
        assert_eq!(Value::Object(steps[0].arguments.clone()), wanted);
        let recorded: Vec<&str> = steps[0].record.iter().map(|rule| rule.predicate.as_str()).collect();
        assert_eq!(recorded, ["executed", "recorded"]);
        assert_eq!(steps[0].record[0].values, ["image", "command_line"]);
    }
}
