//! The steps of a sweep: the searches that objectives themselves name. Everything in their results that meets an objective is recorded.
//!
//! They depend only on the objectives and the tools, so that a resumed run has the same steps.

use super::plan::{RecordRule, Step};
use super::recovery::meeting;
use ledger::pattern::Patterns;
use ledger::{Condition, Objective, SearchedBy, Sources, ToolClass, ToolSpec};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The interpretation recorded with what a sweep finds.
const NOTE: &str = "found by the sweep: code asked what the agents left open";
/// The argument that says how many records a call returns at most.
const LIMIT: &str = "limit";
/// The tool that returns records by their type, whatever their source.
const BY_TYPE: &str = "records";

/// Makes the steps that search for these objectives completely, as far as the offered tools can.
pub fn sweep(objectives: &[Objective], tools: &[ToolSpec]) -> Vec<Step> {
    let mut sweep = Sweep { tools, steps: Vec::new() };
    objectives.iter().for_each(|objective| sweep.ask(objective));
    sweep.steps
}

struct Sweep<'t> {
    tools: &'t [ToolSpec],
    steps: Vec<Step>,
}

/// A call of a step, before it is known whether another objective makes it, too.
struct Asked {
    for_each: Option<String>,
    when: BTreeMap<String, Patterns>,
    unless: BTreeMap<String, Patterns>,
    tool: String,
    arguments: Map<String, Value>,
}

impl Sweep<'_> {
    /// Adds every call that can answer an objective, for each way in which it can be met.
    fn ask(&mut self, objective: &Objective) {
        let mut is_any = false;
        for way in objective.ways() {
            let mut is_searched = false;
            for by in way.searched {
                match &by.sources {
                    None => is_searched |= self.search(by, objective).is_some(),
                    Some(sources) => is_searched |= self.sources(by, sources, objective).is_some(),
                }
            }
            is_any |= is_searched;
            if !is_searched && (!is_any || !way.searched.is_empty()) {
                self.by_type(way.condition, objective);
            }
        }
    }

    /// Adds a call that searches everything at once; returns the name of its step, if its tool is offered.
    fn search(&mut self, by: &SearchedBy, objective: &Objective) -> Option<String> {
        let spec = self.spec(&by.tool)?;
        let arguments = widest(by.arguments.clone(), &by.free, spec);
        let record = found(objective, spec);
        let asked = Asked {
            for_each: None,
            when: BTreeMap::new(),
            unless: BTreeMap::new(),
            tool: by.tool.clone(),
            arguments,
        };
        Some(self.add(asked, record))
    }

    /// Adds a listing of sources, and a search of each; returns the name of the search step, if there is one and its tool is offered.
    fn sources(&mut self, by: &SearchedBy, sources: &Sources, objective: &Objective) -> Option<String> {
        let listing = self.search(by, objective)?;
        let each = sources.each.as_ref()?;
        let spec = self.spec(&each.tool)?;
        let named =
            each.by.iter().map(|(argument, field)| (argument.clone(), format!("{{{listing}.{field}}}")));
        let named = named.map(|(argument, text)| (argument, Value::String(text)));
        let arguments = widest(each.arguments.clone().into_iter().chain(named).collect(), &each.free, spec);
        let record = found(objective, spec);
        let (for_each, tool) = (Some(listing), each.tool.clone());
        let (when, unless) = (sources.when.clone(), sources.unless.clone());
        Some(self.add(Asked { for_each, when, unless, tool, arguments }, record))
    }

    /// Adds a call that returns records of the type without further arguments: it may find what no named search covers.
    fn by_type(&mut self, condition: &Condition, objective: &Objective) {
        let kind = &condition.record;
        let returns = |spec: &&ToolSpec| {
            spec.class == ToolClass::Investigate && spec.records.iter().any(|known| known.name == *kind)
        };
        // Counts have no source.
        let is_of_source = |spec: &&ToolSpec| spec.sources.values().any(|types| types.contains(kind));
        let by_type = self.spec(BY_TYPE).filter(is_of_source);
        let needs_nothing = |spec: &&ToolSpec| {
            spec.arguments.get("required").and_then(Value::as_array).is_none_or(Vec::is_empty)
        };
        let other =
            || self.tools.iter().filter(|spec| spec.name != BY_TYPE && returns(spec)).find(needs_nothing);
        let Some(spec) = by_type.or_else(other) else { return };
        // A call that lists the sources of other questions is not made twice.
        let is_listed = |step: &Step| step.tool == spec.name && step.arguments.is_empty();
        let mut arguments = if self.steps.iter().any(is_listed) { Map::new() } else { most(spec) };
        if spec.name == BY_TYPE {
            arguments.insert("record".to_owned(), Value::String(kind.clone()));
        }
        let record = found(objective, spec);
        let asked = Asked {
            for_each: None,
            when: BTreeMap::new(),
            unless: BTreeMap::new(),
            tool: spec.name.clone(),
            arguments,
        };
        self.add(asked, record);
    }

    /// Adds a step; if two objectives ask for the same, it is made once. Returns its name.
    fn add(&mut self, asked: Asked, record: Vec<RecordRule>) -> String {
        let Asked { for_each, when, unless, tool, arguments } = asked;
        let is_it = |step: &&mut Step| {
            (&step.for_each, &step.when, &step.unless) == (&for_each, &when, &unless)
                && (&step.tool, &step.arguments) == (&tool, &arguments)
        };
        if let Some(step) = self.steps.iter_mut().find(is_it) {
            let new: Vec<RecordRule> =
                record.into_iter().filter(|rule| !step.record.contains(rule)).collect();
            step.record.extend(new);
            return step.id.clone();
        }
        let id = format!("sweep{}", self.steps.len() + 1);
        let step = Step { id: id.clone(), for_each, when, unless, tool, arguments, record, absence: None };
        self.steps.push(step);
        id
    }

    fn spec(&self, tool: &str) -> Option<&'_ ToolSpec> {
        self.tools.iter().find(|spec| spec.name == tool)
    }
}

/// Returns these arguments with the highest limit that a call may have, if that does not change the search.
fn widest(
    arguments: BTreeMap<String, Value>,
    free: &BTreeSet<String>,
    spec: &ToolSpec,
) -> Map<String, Value> {
    let limit = if free.contains(LIMIT) { most(spec) } else { Map::new() };
    arguments.into_iter().chain(limit).collect()
}

/// Makes rules for the records of a tool that meet an objective, whatever else they meet.
fn found(objective: &Objective, spec: &ToolSpec) -> Vec<RecordRule> {
    let rules = objective.ways().flat_map(|way| {
        let mut rules = meeting(way.condition, NOTE, spec);
        if let Some(first) = rules.first_mut() {
            first.otherwise = false;
        }
        rules
    });
    rules.collect()
}

/// Returns the highest limit that a call may have.
fn most(spec: &ToolSpec) -> Map<String, Value> {
    let most = spec.arguments.pointer("/properties/limit/maximum").cloned();
    most.map(|most| (LIMIT.to_owned(), most)).into_iter().collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::playbook::check;
    use serde_json::json;

    fn tools() -> Vec<ToolSpec> {
        let tool = |name: &str, kinds: &[&str], required: &[&str]| -> ToolSpec {
            let fields = json!({"name": {"meaning": "", "types": ["name"]}, "path": {"meaning": "", "types": ["path"]}});
            let records: Vec<_> = kinds
                .iter()
                .map(|kind| json!({"name": kind, "meaning": "", "subject": "name", "fields": fields}))
                .collect();
            serde_json::from_value(json!({
                "name": name, "class": "INVESTIGATE", "description": "", "covers": [], "records": records,
                "sources": if name == "records" { json!({"all": kinds}) } else { json!({}) },
                "arguments": {"properties": {"limit": {"maximum": 5000}}, "required": required},
            }))
            .unwrap()
        };
        vec![
            tool("list_hives", &["hive"], &[]),
            tool("parse_file", &["note"], &["path"]),
            tool("list_partitions", &["partition"], &[]),
            tool("records", &["computer_name", "service"], &[]),
            // A count comes from tools that read nothing unless told what to count.
            tool("zebra", &["record_count"], &["count_by"]),
        ]
    }

    fn objective(id: &str, kind: &str, searched: Value) -> Objective {
        serde_json::from_value(json!({
            "id": id, "question": "?", "searched": searched,
            "condition": {"predicate": "configured", "record": kind, "subject": "*", "field": "name"},
        }))
        .unwrap()
    }

    fn of_hives(source: &str) -> Value {
        json!([{"tool": "list_hives", "sources": {"when": {"hive_type": "SYSTEM"}, "needed": "a SYSTEM hive", "each": {
            "tool": "records", "arguments": {"source": source}, "by": {"hive": "path", "evidence": "evidence"}, "free": ["limit"],
        }}}])
    }

    #[test]
    fn the_searches_that_objectives_name_are_made_once_and_source_by_source() {
        let objectives = [
            objective("name", "computer_name", of_hives("computer_name")),
            objective("services", "service", of_hives("services")),
        ];
        let steps = sweep(&objectives, &tools());
        assert_eq!(check(&steps), Ok(()));
        let made: Vec<_> = steps.iter().map(|step| (step.for_each.as_deref(), step.tool.as_str())).collect();
        let expected = [(None, "list_hives"), (Some("sweep1"), "records"), (Some("sweep1"), "records")];
        assert_eq!(made, expected);
        let wanted = json!({
            "source": "computer_name", "hive": "{sweep1.path}", "evidence": "{sweep1.evidence}", "limit": 5000,
        });
        assert_eq!(Value::Object(steps[1].arguments.clone()), wanted);
        assert_eq!(steps[1].record[0].values, ["name"]);
    }

    #[test]
    fn what_no_search_covers_is_asked_by_its_type_or_of_a_tool_that_needs_nothing() {
        let listed = json!([{"tool": "list_hives", "sources": {"needed": "a hive"}}]);
        for (kind, listing, expected) in [
            ("service", json!([]), json!([{"record": "service", "limit": 5000}])),
            ("partition", json!([]), json!([{"limit": 5000}])),
            ("service", listed, json!([{}, {"record": "service", "limit": 5000}])),
            // The only tool with notes must be told a file, so no call is made.
            ("note", json!([]), json!([])),
            ("record_count", json!([]), json!([])),
        ] {
            let steps = sweep(&[objective("a", kind, listing)], &tools());
            let asked: Vec<_> = steps.iter().map(|step| Value::Object(step.arguments.clone())).collect();
            assert_eq!(Value::Array(asked), expected, "{kind}");
        }
    }
}
