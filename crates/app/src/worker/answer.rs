//! Reads a worker's answer, which comes from a process that has read hostile bytes.
//!
//! Even if that process was taken over, an answer must not name evidence that the case does not have, return record types that the tool
//! does not declare, or contain anything that the log cannot store.

use ledger::{Output, ToolSpec, canonical};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use thiserror::Error;
use tools::{LONGEST_REMARK, Summary, WireError};

/// The deepest nesting of the arguments that a tool says it used.
const DEEPEST: usize = 32;
/// The most remarks about a call: notes, defects and gaps together.
const MOST_REMARKS: usize = 10_000;

/// Why an answer cannot be used.
#[derive(Debug, Error)]
pub(super) enum AnswerError {
    #[error("{0}")]
    Wire(WireError),
    #[error("record r{record}: the case has no evidence of that label")]
    Evidence { record: usize },
    #[error("record r{record}: {tool} returns no records of that type")]
    Kind { record: usize, tool: String },
    #[error("the arguments as used cannot be recorded")]
    Normalised,
    #[error(
        "{found} notes, defects and gaps, or one of over {LONGEST_REMARK} bytes; {MOST_REMARKS} are allowed"
    )]
    Remarks { found: usize },
}

/// The evidence that answers may name.
#[derive(Debug)]
pub(super) struct Expected {
    labels: BTreeSet<String>,
}

impl Expected {
    /// Makes the expectations for evidence with these labels.
    pub(super) fn of(labels: impl IntoIterator<Item = String>) -> Expected {
        Expected { labels: labels.into_iter().collect() }
    }
}

/// Returns the record types that this tool declares.
fn declared(tool: &str) -> Option<&'static BTreeSet<String>> {
    static DECLARED: OnceLock<BTreeMap<String, BTreeSet<String>>> = OnceLock::new();
    let kinds = |tool: ToolSpec| {
        let mut kinds: BTreeSet<_> = tool.records.into_iter().map(|kind| kind.name).collect();
        if tools::gives_any_record(&tool.name) {
            kinds.extend(tools::tables().iter().map(|table| table.name.clone()));
        }
        (tool.name, kinds)
    };
    DECLARED.get_or_init(|| tools::catalogue().into_iter().map(kinds).collect()).get(tool)
}

/// Reads the answer to a call of `tool`.
pub(super) fn read(bytes: &[u8], tool: &str, expected: &Expected) -> Result<(Summary, Output), AnswerError> {
    let (summary, output) = tools::decode_return_parts(bytes).map_err(AnswerError::Wire)?;
    let declared = declared(tools::successor(tool).unwrap_or(tool));
    for (record, held) in output.records().iter().enumerate() {
        if !expected.labels.contains(&held.locator.evidence) {
            return Err(AnswerError::Evidence { record });
        }
        if !declared.is_some_and(|kinds| kinds.contains(&held.kind)) {
            return Err(AnswerError::Kind { record, tool: tool.to_owned() });
        }
    }
    if let Some(normalised) = &summary.normalised
        && (depth(normalised) > DEEPEST || canonical::to_vec(normalised).is_err())
    {
        return Err(AnswerError::Normalised);
    }
    check_remarks(&summary)?;
    Ok((summary, output))
}

fn check_remarks(summary: &Summary) -> Result<(), AnswerError> {
    let Summary { notes, defects, gaps, .. } = summary;
    let found = notes.len() + defects.len() + gaps.len();
    let short = |text: &String| text.len() <= LONGEST_REMARK;
    let all_short = notes.iter().all(short)
        && defects.iter().all(|defect| short(&defect.path) && short(&defect.what))
        && gaps.iter().all(|gap| short(&gap.path) && short(&gap.reason));
    match found <= MOST_REMARKS && all_short {
        true => Ok(()),
        false => Err(AnswerError::Remarks { found }),
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use ledger::{Completeness, Field, FieldValue, Locator, Outcome, Record, RecordId};
    use serde_json::json;
    use tools::Return;

    fn answer(kind: &str, evidence: &str, normalised: Value) -> Vec<u8> {
        let field = Field { at: None, value: FieldValue::Path("a".into()) };
        let record = Record {
            placement: None,
            defects: vec![],
            fields: [("path".to_owned(), field)].into(),
            id: RecordId(0),
            kind: kind.into(),
            locator: Locator { evidence: evidence.into(), path: "a".into(), stream: None, span: None },
        };
        tools::encode_return(&Return {
            outcome: Outcome::Ok,
            completeness: Completeness::Complete,
            normalised: Some(normalised),
            records: vec![record],
            defects: vec![],
            gaps: vec![],
            notes: vec![],
        })
    }

    #[test]
    fn an_answer_that_fits_is_taken() {
        let bytes = answer("dir_entry", "host", json!({"path": "/"}));
        assert!(read(&bytes, "list_directory", &Expected::of(["host".to_owned()])).is_ok());
    }

    #[test]
    fn an_answer_of_a_worker_that_is_no_longer_ours_is_refused() {
        let expected = Expected::of(["host".to_owned()]);
        let refused = |bytes: &[u8]| read(bytes, "list_directory", &expected).unwrap_err();
        let elsewhere = answer("dir_entry", "other", json!({}));
        assert!(matches!(refused(&elsewhere), AnswerError::Evidence { record: 0 }));
        let undeclared = answer("registry_value", "host", json!({}));
        assert!(matches!(refused(&undeclared), AnswerError::Kind { record: 0, .. }));
        let fraction = answer("dir_entry", "host", json!({"limit": 1.5}));
        assert!(matches!(refused(&fraction), AnswerError::Normalised));
        let deep = (0..40).fold(json!(1), |inner, _| json!([inner]));
        assert!(matches!(refused(&answer("dir_entry", "host", deep)), AnswerError::Normalised));
        assert!(matches!(refused(b"garbage"), AnswerError::Wire(_)));
    }
}
