//! How the playbook uses lessons of earlier runs: what worked comes first, and a call that could not work is made last, or not at all.
//!
//! A call is only left out if it failed over this very evidence and every question that it could answer is answered.
//! Otherwise the playbook insists on it, because a lesson says how to search, never whether to.

use super::plan::Step;
use ledger::turn::TurnRequest;
use ledger::{Lessons, Objective, Refuses, ToolSpec};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Why the playbook makes a call that a lesson advises against.
pub(super) const REASON: &str = "no other call of the playbook has answered what this one is for";

/// Checks whether an open question could be answered by a step, or by one that is made for its records.
pub(super) fn is_for_open(steps: &[Step], index: usize, request: &TurnRequest) -> bool {
    let questions = request.lessons.questions().iter();
    let open: Vec<&Objective> = questions.filter(|objective| request.open.contains(&objective.id)).collect();
    let made = with_those_for_it(steps, index);
    open.iter().any(|objective| made.iter().any(|step| serves(step, objective, &request.tools)))
}

/// Checks whether a lesson is about this exact call over this evidence, not about all calls of its form.
pub(super) fn is_of_this_call(lessons: &Lessons, tool: &str, arguments: &Map<String, Value>) -> bool {
    let against = lessons.against(tool, arguments);
    against.into_iter().any(|lesson| matches!(lesson.refuses, Some(Refuses::Call(_))))
}

/// Returns a step, and all steps that are made for its records.
fn with_those_for_it(steps: &[Step], index: usize) -> Vec<&Step> {
    let Some(first) = steps.get(index) else { return Vec::new() };
    let mut names = BTreeSet::from([first.id.as_str()]);
    let mut made = vec![first];
    // Steps that are made for a step come after it.
    for step in steps.iter().skip(index.saturating_add(1)) {
        if step.for_each.as_deref().is_some_and(|earlier| names.contains(earlier)) {
            names.insert(&step.id);
            made.push(step);
        }
    }
    made
}

/// Checks whether what a step records, or what its call may return, could answer an objective.
fn serves(step: &Step, objective: &Objective, tools: &[ToolSpec]) -> bool {
    let records = |predicate: &str| step.record.iter().any(|rule| rule.predicate == predicate);
    let spec = tools.iter().find(|spec| spec.name == step.tool);
    let arguments = serde_json::Value::Object(step.arguments.clone());
    objective.ways().any(|way| records(&way.condition.predicate.0))
        || spec.is_none_or(|spec| objective.may_be_answered_by(spec, &arguments))
}
