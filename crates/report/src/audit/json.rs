//! The audit as JSON.

use super::truth::Sure;
use super::{Audit, Named, told, truth};
use crate::score::{Reliability, Spoken};
use graph::audit::{By, Counts, Drift, Group, Kind, Millionths, Trend, Unlike, Version, Versioned, grouped};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Returns everything that is counted, as one object.
pub fn json(audit: &Audit) -> Value {
    let by = |by: By| {
        let groups = grouped(audit.runs(), by).into_iter();
        groups.map(|(name, group)| (name, of_group(&group))).collect::<Map<_, _>>()
    };
    let runs = audit.sealed.iter().map(|named| run(named, "sealed"));
    let unsealed = audit.unsealed.iter().map(|named| run(named, "unsealed"));
    let unread = audit.unread.iter().map(|unread| {
        json!({
            "name": unread.name, "folder": unread.folder.display().to_string(), "state": "unreadable", "because": unread.because,
        })
    });
    json!({
        "locard_audit": 1,
        "runs": runs.chain(unsealed).chain(unread).collect::<Vec<_>>(),
        "copies": audit.twice,
        "all": of_group(&audit.all()),
        "not_sealed": of_group(&audit.apart()),
        "by_agent": by(By::Agent),
        "by_model": by(By::Model),
        "by_tool": by(By::Tool),
        "by_code": by(By::Code),
        "confidence": confidence(&audit.sure),
        "trends": trends(audit),
        "versions": audit.drift().iter().map(drift).collect::<Vec<_>>(),
        "unlike": audit.unlike().iter().map(|it| unlike(audit, it)).collect::<Vec<_>>(),
    })
}

/// Returns confidences next to the ground truth; null if none was given.
fn confidence(sure: &[Sure]) -> Value {
    if sure.is_empty() {
        return Value::Null;
    }
    let one = |of: &Reliability| {
        let count = |truth: Spoken| (truth.name().to_owned(), json!(of.count(truth)));
        let truths = [Spoken::Confirmed, Spoken::Unknown, Spoken::Forbidden, Spoken::OutOfReach];
        let mut members: Map<String, Value> = truths.map(count).into_iter().collect();
        members.insert("mean_thousandths".to_owned(), json!(truth::mean(of)));
        members.insert("brier".to_owned(), json!(of.brier()));
        Value::Object(members)
    };
    let named = |of: BTreeMap<String, Reliability>| {
        of.iter().map(|(name, of)| (name.clone(), one(of))).collect::<Map<_, _>>()
    };
    json!({
        "all": one(&truth::all(sure)),
        "by_agent": named(truth::by(sure, |it| &it.forecast.agent)),
        "by_model": named(truth::by(sure, |it| &it.model)),
    })
}

fn trends(audit: &Audit) -> Vec<Value> {
    let by = [(None, Value::Null), (Some(By::Agent), json!("agent")), (Some(By::Model), json!("model"))];
    let mut all = Vec::new();
    for (by, word) in by {
        all.extend(audit.trends(by).iter().map(|trend| self::trend(trend, &word)));
    }
    all
}

fn trend(trend: &Trend, by: &Value) -> Value {
    json!({
        "by": by,
        "name": trend.of,
        "figure": trend.figure.name(),
        "values": trend.values.iter().copied().map(number).collect::<Vec<_>>(),
        "earlier": trend.halves.map(|(earlier, _)| number(earlier)),
        "later": trend.halves.map(|(_, later)| number(later)),
        "test": "mann_kendall",
        "s": trend.tested.map(|tested| tested.s),
        "p": trend.tested.map(|tested| tested.p),
        "exact": trend.tested.map(|tested| tested.exact),
        "verdict": trend.verdict.name(),
    })
}

#[expect(clippy::cast_precision_loss, reason = "a figure with six digits behind the point")]
fn number(value: Millionths) -> f64 {
    value as f64 / 1e6
}

fn drift(drift: &Drift) -> Value {
    let (agent, model) = match &drift.what {
        Versioned::Prompt { agent } => (Some(agent), None),
        Versioned::ModelData { agent, model } => (Some(agent), Some(model)),
        _ => (None, None),
    };
    let version = |it: &Version| {
        let mut members = of_group(&it.group);
        if let Some(members) = members.as_object_mut() {
            for (name, value) in [("version", &it.version), ("first", &it.first), ("last", &it.last)] {
                members.insert(name.to_owned(), json!(value));
            }
        }
        members
    };
    json!({
        "what": drift.what.name(),
        "agent": agent,
        "model": model,
        "versions": drift.versions.iter().map(version).collect::<Vec<_>>(),
    })
}

fn unlike(audit: &Audit, it: &Unlike) -> Value {
    json!({
        "run": told::named(audit, it).map(|named| &named.name),
        "figure": it.figure.name(),
        "value": number(it.value),
        "median": number(it.median),
        "usual": [number(it.usual.0), number(it.usual.1)],
        "like": it.like,
        "kind": match it.kind { Kind::SameCase => "same_case", Kind::SameCrew => "same_crew" },
    })
}

fn run(named: &Named, state: &str) -> Value {
    let run = &named.audited;
    let agents: Vec<Value> =
        run.tasks.iter().map(|task| json!({"agent": task.agent, "model": task.model})).collect();
    json!({
        "name": named.name,
        "folder": named.folder.display().to_string(),
        "state": state,
        "case": run.case,
        "begun": run.begun,
        "program": run.made.program,
        "behaviour": run.made.behaviour,
        "rules": run.made.rules,
        "agents": agents,
        "counts": counts(&run.counts()),
    })
}

fn of_group(group: &Group) -> Value {
    let mut members = counts(&group.counts);
    if let Some(members) = members.as_object_mut() {
        members.insert("runs".to_owned(), json!(group.runs));
    }
    members
}

/// Returns the counts under their names in the code, and the figures derived from them.
pub(super) fn counts(counts: &Counts) -> Value {
    let mut members = json!(counts);
    if let Some(members) = members.as_object_mut() {
        members.insert("boundary".to_owned(), json!(counts.boundary()));
    }
    members
}
