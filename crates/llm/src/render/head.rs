//! The result of a call, in as few words as possible.

use super::told;
use ledger::event::RecordRange;
use ledger::turn::{Answer, Page, ReadingResult, Recorded, Returned};
use ledger::{Completeness, Gap, Outcome, RejectionCode};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// How many readings are listed one by one, at most, if several are refused for the same reason.
const MOST_ALIKE: usize = 5;

/// How many paths are named, at most, of those left out for the same reason.
const MOST_PATHS: usize = 3;

/// Returns the lines before the records.
pub(super) fn lines(answer: &Answer) -> Result<Vec<Value>, serde_json::Error> {
    match answer {
        Answer::Returned(returned) => self::returned(returned).map(|line| vec![line]),
        Answer::Page(page) => Ok(vec![Value::Object(paged(page))]),
        Answer::Recorded(recorded) => self::recorded(recorded),
        Answer::Absence(_)
        | Answer::Derivation(_)
        | Answer::Node { .. }
        | Answer::Nodes { .. }
        | Answer::Recalled(_)
        | Answer::Cut(_)
        | Answer::Reported(_)
        | Answer::Stored { .. }
        | Answer::Artifact { .. }
        | Answer::Sentences { .. }
        | Answer::Statements { .. }
        | Answer::Noted { .. }
        | Answer::Refused { .. } => Ok(vec![told(answer)?]),
    }
}

/// Leaves out whatever is normal: returns only an outcome other than success, what is missing, and notes.
fn returned(returned: &Returned) -> Result<Value, serde_json::Error> {
    let mut line = returned.page.as_ref().map(paged).unwrap_or_default();
    line.insert("invocation".into(), json!(returned.invocation));
    if returned.outcome != Outcome::Ok {
        line.insert("outcome".into(), serde_json::to_value(returned.outcome)?);
    }
    if returned.completeness != Completeness::Complete {
        line.insert("completeness".into(), serde_json::to_value(returned.completeness)?);
    }
    if returned.from_log {
        line.insert("again".into(), json!(true));
    }
    if !returned.defects.is_empty() {
        line.insert("defects".into(), json!(returned.defects));
    }
    if !returned.gaps.is_empty() {
        line.insert("not_examined".into(), left_out(&returned.gaps));
    }
    if !returned.notes.is_empty() {
        line.insert("notes".into(), json!(returned.notes));
    }
    Ok(Value::Object(line))
}

/// Groups gaps by their reasons: how many, and the first paths.
fn left_out(gaps: &[Gap]) -> Value {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for gap in gaps {
        match reasons.iter_mut().find(|(reason, _)| *reason == gap.reason) {
            Some((_, paths)) => paths.push(&gap.path),
            None => reasons.push((&gap.reason, vec![&gap.path])),
        }
    }
    let reasons = reasons.into_iter().map(|(reason, paths)| {
        let first: Vec<_> = paths.iter().take(MOST_PATHS).collect();
        let mut line = json!({"reason": reason, "paths": first});
        if paths.len() > MOST_PATHS {
            line["of"] = json!(paths.len());
        }
        line
    });
    reasons.collect()
}

/// Returns the invocation, and which of its records are shown if not all are.
fn paged(page: &Page) -> Map<String, Value> {
    let mut line = Map::new();
    line.insert("invocation".into(), json!(page.invocation));
    if page.first_hidden().is_some() {
        let shown: Vec<String> = page.shown.iter().filter_map(span).collect();
        line.insert("shown".into(), json!(shown.join(", ")));
        line.insert("records".into(), json!(page.output.count()));
    }
    line
}

/// Writes a range of records: `r0-r24`.
fn span(range: &RecordRange) -> Option<String> {
    let last = range.end.0.checked_sub(1).filter(|last| *last >= range.first.0)?;
    Some(match last == range.first.0 {
        true => range.first.to_string(),
        false => format!("{}-r{last}", range.first),
    })
}

/// Returns one line for what was recorded, and one line each for what was not.
fn recorded(recorded: &Recorded) -> Result<Vec<Value>, serde_json::Error> {
    let mut facts = Vec::new();
    let mut others = Vec::new();
    let mut alike: BTreeMap<RejectionCode, Vec<usize>> = BTreeMap::new();
    for (number, reading) in recorded.readings.iter().enumerate() {
        match reading {
            ReadingResult::Accepted { fact, invocation, record, healed, .. } => facts.push(match healed {
                true => format!("{fact} {record} of {invocation}: this is where it stands"),
                false => format!("{fact} {record}"),
            }),
            ReadingResult::NotJudged => {
                others.push(json!({"reading": number, "not_judged": "the budget is spent"}))
            }
            ReadingResult::Rejected { rejection } => {
                let so_far = alike.entry(rejection.code).or_default();
                so_far.push(number);
                if so_far.len() > MOST_ALIKE {
                    continue;
                }
                let mut refused = serde_json::to_value(rejection)?;
                refused["reading"] = json!(number);
                super::name_records(&mut refused);
                others.push(json!({ "refused": refused }));
            }
        }
    }
    let mut lines = Vec::new();
    if let Some(phenomenon) = recorded.phenomenon {
        lines.push(json!({"recorded": phenomenon, "facts": facts}));
    }
    lines.extend(others);
    for (code, numbers) in alike.iter().filter(|(_, numbers)| numbers.len() > MOST_ALIKE) {
        let left = numbers.get(MOST_ALIKE..).unwrap_or_default();
        lines.push(json!({"refused_alike": code, "readings": left}));
    }
    Ok(lines)
}
