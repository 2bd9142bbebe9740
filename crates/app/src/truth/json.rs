//! Ground truth in JSON: the form in which answers are published with evidence.
//!
//! Unknown members are ignored, because others make such files.

use super::{Placed, Raw, RawFact};
use report::score::{Forbidden, TruthFinding, TruthValue};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    case: String,
    #[serde(default)]
    scenario: String,
    time_tolerance: Option<String>,
    #[serde(default)]
    facts: Vec<Fact>,
    #[serde(default)]
    findings: Findings,
    #[serde(default)]
    not_present: Vec<String>,
    #[serde(default)]
    benign: bool,
}

#[derive(Deserialize)]
struct Fact {
    id: String,
    agent: String,
    question: String,
    values: Value,
    #[serde(default)]
    artifact: String,
    r#match: Option<String>,
}

#[derive(Deserialize, Default)]
struct Findings {
    #[serde(default)]
    must_find: Vec<Finding>,
    #[serde(default)]
    must_not_claim: Vec<String>,
}

#[derive(Deserialize)]
struct Finding {
    finding: String,
    facts: Vec<String>,
}

pub(super) fn read(text: &str) -> Result<Raw, serde_json::Error> {
    let file: File = serde_json::from_str(text)?;
    let must_find = (0..).zip(file.findings.must_find);
    let must_not_claim = (0..).zip(file.findings.must_not_claim);
    Ok(Raw {
        case: file.case,
        scenario: file.scenario,
        tolerance: file.time_tolerance.map(|it| Placed { place: "time_tolerance".to_owned(), it }),
        facts: (0..).zip(file.facts).map(fact).collect(),
        findings: must_find
            .map(|(index, it): (usize, Finding)| Placed {
                place: format!("findings.must_find[{index}]"),
                it: TruthFinding { finding: it.finding, facts: it.facts },
            })
            .collect(),
        must_not_claim: must_not_claim
            .map(|(index, claim): (usize, String)| Placed {
                place: format!("findings.must_not_claim[{index}]"),
                it: Forbidden { claim, condition: None },
            })
            .collect(),
        not_present: file.not_present,
        benign: file.benign,
    })
}

fn fact((index, it): (usize, Fact)) -> Placed<RawFact> {
    let mut values = Vec::new();
    let values = flatten(&it.values, &mut values).map(|()| values);
    Placed {
        place: format!("facts[{index}] ({})", it.id),
        it: RawFact {
            id: it.id,
            agent: it.agent,
            question: it.question,
            values,
            artifact: it.artifact,
            manner: it.r#match,
        },
    }
}

/// Flattens lists and objects into their values.
fn flatten(value: &Value, values: &mut Vec<TruthValue>) -> Result<(), String> {
    match value {
        Value::Null => return Err("null".to_owned()),
        Value::Bool(flag) => values.push(TruthValue::Flag(*flag)),
        Value::Number(number) => {
            let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
            values.push(whole.map_or_else(|| TruthValue::Text(number.to_string()), TruthValue::Number));
        }
        Value::String(text) => values.push(TruthValue::Text(text.clone())),
        Value::Array(items) => items.iter().try_for_each(|item| flatten(item, values))?,
        Value::Object(members) => members.values().try_for_each(|item| flatten(item, values))?,
    }
    Ok(())
}
