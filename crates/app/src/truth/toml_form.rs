//! Ground truth in TOML: our own form, in which a forbidden claim can have a condition.

use super::{Placed, Raw, RawFact};
use crate::place::line;
use ledger::Predicate;
use report::score::{Forbidden, ForbiddenCondition, TruthFinding, TruthValue};
use serde::Deserialize;
use serde::de::Error as _;
use toml::de::Error;
use toml::{Spanned, Value};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    case: String,
    #[serde(default)]
    scenario: String,
    time_tolerance: Option<Spanned<String>>,
    #[serde(default)]
    fact: Vec<Fact>,
    #[serde(default)]
    finding: Vec<Finding>,
    #[serde(default)]
    must_not_claim: Vec<MustNotClaim>,
    #[serde(default)]
    not_present: Vec<String>,
    #[serde(default)]
    benign: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fact {
    id: Spanned<String>,
    agent: String,
    question: String,
    values: Vec<Value>,
    #[serde(default)]
    artifact: String,
    r#match: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Finding {
    finding: Spanned<String>,
    facts: Vec<String>,
}

/// The members of the condition may be next to the sentence or in a table of their own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MustNotClaim {
    claim: Spanned<String>,
    condition: Option<Condition>,
    predicate: Option<String>,
    record: Option<String>,
    subject: Option<String>,
    value: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Condition {
    predicate: String,
    record: Option<String>,
    subject: Option<String>,
    value: Option<String>,
}

pub(super) fn read(text: &str) -> Result<Raw, Error> {
    let file: File = toml::from_str(text)?;
    let place = |start: usize| format!("line {}", line(text, start));
    let mut must_not_claim = Vec::new();
    for it in file.must_not_claim {
        let place = place(it.claim.span().start);
        let it = forbidden(it).map_err(|because| Error::custom(format!("{place}: {because}")))?;
        must_not_claim.push(Placed { place, it });
    }
    Ok(Raw {
        case: file.case,
        scenario: file.scenario,
        tolerance: file
            .time_tolerance
            .map(|it| Placed { place: place(it.span().start), it: it.into_inner() }),
        facts: file
            .fact
            .into_iter()
            .map(|it| Placed { place: place(it.id.span().start), it: fact(it) })
            .collect(),
        findings: file
            .finding
            .into_iter()
            .map(|it| Placed {
                place: place(it.finding.span().start),
                it: TruthFinding { finding: it.finding.into_inner(), facts: it.facts },
            })
            .collect(),
        must_not_claim,
        not_present: file.not_present,
        benign: file.benign,
    })
}

fn forbidden(it: MustNotClaim) -> Result<Forbidden, &'static str> {
    let beside = it.record.is_some() || it.subject.is_some() || it.value.is_some();
    let condition = match (it.condition, it.predicate) {
        (Some(_), Some(_)) => return Err("expected one condition, found two"),
        (Some(_), None) | (None, None) if beside => {
            return Err("expected `predicate` beside `record`, `subject` and `value`");
        }
        (Some(condition), None) => Some(condition),
        (None, Some(predicate)) => {
            Some(Condition { predicate, record: it.record, subject: it.subject, value: it.value })
        }
        (None, None) => None,
    };
    let condition = condition.map(|it| ForbiddenCondition {
        predicate: Predicate(it.predicate),
        record: it.record,
        subject: it.subject,
        value: it.value,
    });
    Ok(Forbidden { claim: it.claim.into_inner(), condition })
}

fn fact(it: Fact) -> RawFact {
    let mut values = Vec::new();
    it.values.iter().for_each(|value| flatten(value, &mut values));
    RawFact {
        id: it.id.into_inner(),
        agent: it.agent,
        question: it.question,
        values: Ok(values),
        artifact: it.artifact,
        manner: it.r#match,
    }
}

/// Flattens lists and tables into their values.
fn flatten(value: &Value, values: &mut Vec<TruthValue>) {
    match value {
        Value::String(text) => values.push(TruthValue::Text(text.clone())),
        Value::Integer(number) => values.push(TruthValue::Number(i128::from(*number))),
        Value::Float(number) => values.push(TruthValue::Text(number.to_string())),
        Value::Boolean(flag) => values.push(TruthValue::Flag(*flag)),
        Value::Datetime(time) => values.push(TruthValue::Text(time.to_string())),
        Value::Array(items) => items.iter().for_each(|item| flatten(item, values)),
        Value::Table(members) => members.values().for_each(|item| flatten(item, values)),
    }
}
