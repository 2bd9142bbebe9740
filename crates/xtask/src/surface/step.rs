//! The requests of a client: tool calls and claims, with citations by the number of the cited step.

use ledger::digest::Digest;
use ledger::turn::Reply;
use ledger::{Event, Stream};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The tools that make claims.
const CLAIMS: [&str; 2] = ["record_phenomenon", "record_absence"];

/// The arguments that cite invocations: a reading cites one, an absence several.
const CITATIONS: [&str; 2] = ["invocation", "searches"];

/// One call of a client.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// The agent whose task it belongs to.
    pub(crate) agent: String,
    /// The tool.
    pub(crate) tool: String,
    /// Its arguments; the id of an invocation is replaced by `#` and the number of its step.
    arguments: Value,
}

impl Step {
    /// Checks whether it is a claim.
    pub(crate) fn is_claim(&self) -> bool {
        CLAIMS.contains(&self.tool.as_str())
    }

    /// Returns it as JSON; without `claims`, the content of a claim is left out.
    pub(crate) fn to_json(&self, claims: bool) -> Value {
        match self.is_claim() && !claims {
            true => json!({"agent": self.agent, "tool": self.tool}),
            false => json!({"agent": self.agent, "tool": self.tool, "arguments": self.arguments}),
        }
    }

    /// Returns the arguments for a task on a server; `invocations` are those of the earlier steps.
    pub(super) fn arguments_for(&self, task: &str, invocations: &[String]) -> Value {
        let mut arguments = replaced(&self.arguments, &|text| {
            let number: usize = text.strip_prefix('#')?.parse().ok()?;
            invocations.get(number).cloned()
        });
        arguments["task"] = json!(task);
        arguments
    }
}

/// Returns the tool calls and the true claims of a run, task by task.
///
/// It leaves out what graph, narrative and lead need, because that cites ids that differ in another run.
/// It also leaves out the tasks of the sweep, which is code and not an agent that a client could be.
pub(super) fn steps(events: &[(Stream, Event)], replies: &BTreeMap<Digest, Reply>) -> Vec<Step> {
    let mut agents = BTreeMap::new();
    let mut invocations = BTreeMap::new();
    let mut paged = BTreeSet::new();
    let mut stated = BTreeMap::new();
    let mut refused = BTreeSet::new();
    for (stream, event) in events {
        let stream = stream.number();
        match event {
            Event::TaskAssigned(assigned) if assigned.agent.name != ledger::SWEEP => {
                agents.insert(assigned.task.0, assigned.agent.name.clone());
            }
            Event::InvocationStarted(started) => {
                invocations.insert((stream, started.call.clone()), started.invocation.to_string());
            }
            Event::OutputPaged(page) => {
                paged.insert((stream, page.call.clone()));
            }
            Event::ClaimSubmitted(claim) => {
                stated.insert((stream, claim.claim), claim.call.clone());
            }
            Event::ClaimRejected(rejected) => {
                refused.extend(stated.get(&(stream, rejected.claim)).map(|call| (stream, call.clone())));
            }
            _ => {}
        }
    }
    let mut steps = Vec::new();
    let mut numbers = BTreeMap::new();
    for (stream, event) in events {
        let stream = stream.number();
        let Event::TurnReplied(replied) = event else { continue };
        let (Some(agent), Some(reply)) = (agents.get(&stream), replies.get(&replied.reply)) else { continue };
        for call in reply.calls() {
            let key = (stream, call.call.clone());
            let is_claim = CLAIMS.contains(&call.tool.as_str()) && !refused.contains(&key);
            if !is_claim && !invocations.contains_key(&key) && !paged.contains(&key) {
                continue;
            }
            if let Some(invocation) = invocations.get(&key) {
                numbers.insert((stream, invocation.clone()), steps.len());
            }
            let arguments = replaced(&call.arguments, &|text| {
                numbers.get(&(stream, text.to_owned())).map(|number| format!("#{number}"))
            });
            steps.push(Step { agent: agent.clone(), tool: call.tool.clone(), arguments });
        }
    }
    steps
}

/// Returns the arguments with the cited invocations replaced; other texts are unchanged, because a claimed value may look like a citation.
fn replaced(value: &Value, by: &dyn Fn(&str) -> Option<String>) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| replaced(item, by)).collect(),
        Value::Object(members) => {
            let member = |(name, member): (&String, &Value)| {
                let member =
                    if CITATIONS.contains(&name.as_str()) { cited(member, by) } else { replaced(member, by) };
                (name.clone(), member)
            };
            members.iter().map(member).collect()
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Replaces an invocation, or several.
fn cited(value: &Value, by: &dyn Fn(&str) -> Option<String>) -> Value {
    match value {
        Value::String(text) => by(text).map_or_else(|| value.clone(), Value::String),
        Value::Array(items) => items.iter().map(|item| cited(item, by)).collect(),
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_become_the_invocations_of_the_steps_they_number() {
        let readings = json!([{"invocation": "#1", "values": {"name": "#0", "text": "# 1"}}]);
        let arguments = json!({"readings": readings});
        let step = Step { agent: "registry".to_owned(), tool: "record_phenomenon".to_owned(), arguments };
        let carried = step.arguments_for("task-1", &["inv-a".to_owned(), "inv-b".to_owned()]);
        let readings = json!([{"invocation": "inv-b", "values": {"name": "#0", "text": "# 1"}}]);
        assert_eq!(carried, json!({"readings": readings, "task": "task-1"}));
    }

    #[test]
    fn the_searches_of_an_absence_are_citations() {
        let arguments = json!({"searches": ["#0", "#1"], "absence": {"form": "file", "name": "#0"}});
        let step = Step { agent: "filesystem".to_owned(), tool: "record_absence".to_owned(), arguments };
        let carried = step.arguments_for("task-1", &["inv-a".to_owned(), "inv-b".to_owned()]);
        let absence = json!({"form": "file", "name": "#0"});
        assert_eq!(carried, json!({"searches": ["inv-a", "inv-b"], "absence": absence, "task": "task-1"}));
    }

    #[test]
    fn a_claim_tells_nothing_where_its_values_are_withheld() {
        let arguments = json!({"readings": [{"values": {"name": "ALDER-07"}}]});
        let claim = Step {
            agent: "registry".to_owned(),
            tool: "record_phenomenon".to_owned(),
            arguments: arguments.clone(),
        };
        assert!(!claim.to_json(false).to_string().contains("ALDER"));
        assert!(claim.to_json(true).to_string().contains("ALDER"));
        let call = Step { tool: "find_files".to_owned(), ..claim };
        assert_eq!(call.to_json(false)["arguments"], arguments);
    }
}
