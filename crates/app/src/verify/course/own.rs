//! Checks the questions that a task adds itself: each must match its call, and its state must match the task's calls and facts.

use super::{Course, Wrong};
use crate::verify::words;
use ledger::event::{ObjectiveAdded, ObjectiveResult};
use ledger::pattern::Patterns;
use ledger::{Behaviour, Objective, SearchedBy, Weight};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The most questions that a task may add itself.
const MOST: usize = 16;

impl<'l> Course<'l> {
    pub(super) fn ask_itself(&mut self, added: &'l ObjectiveAdded) -> Result<(), Wrong> {
        self.of_turn(added.turn)?;
        let call = self.named(&added.call, "propose_hypothesis")?;
        let objective = &added.objective;
        let mut known = self.assigned.agent.objectives.iter().chain(self.own.iter().copied());
        let is_free = objective.id.starts_with("own-") && !known.any(|known| known.id == objective.id);
        self.own.push(objective);
        match () {
            () if !self.has(Behaviour::SaidApart) => Err("its run knows no questions of an agent's own"),
            () if !is_free || self.own.len() > MOST => {
                Err("its name is not a new one, or it is one more than a task may ask itself")
            }
            () if !self.is_as_asked(&call.arguments, objective) => Err("it is not what its call asks"),
            () => Ok(()),
        }
    }

    /// Whether a question is the one of the call, and its search is the one that code determines.
    fn is_as_asked(&self, arguments: &Value, objective: &Objective) -> bool {
        let by = arguments.get("answered_by").unwrap_or(&Value::Null);
        let condition = &objective.condition;
        let of_type = |tool: &&ledger::ToolSpec| {
            tool.name == "records" && tool.records.iter().any(|kind| kind.name == condition.record)
        };
        let search = self.log.opened.tools.iter().find(of_type).map(|_| SearchedBy {
            tool: "records".to_owned(),
            arguments: BTreeMap::from([("record".to_owned(), json!(condition.record))]),
            free: BTreeSet::from(["limit".to_owned()]),
            sources: None,
        });
        words::means(arguments, "question", &objective.question)
            && words::means(by, "predicate", &condition.predicate.0)
            && words::means(by, "record", &condition.record)
            && words::means(by, "field", &condition.field)
            && patterns(by, "subject").unwrap_or_else(|| Patterns::from("*")) == condition.subject
            && patterns(by, "value") == condition.value
            && condition.unless.is_none()
            && condition.earlier.is_none()
            && objective.applies.is_none()
            && objective.weight == Weight::Activity
            && objective.or.is_empty()
            && objective.searched == search.into_iter().collect::<Vec<_>>()
    }

    /// Checks that the end of the task states the right state of each of its own questions.
    pub(super) fn own_stand(&self, results: &[ObjectiveResult]) -> Result<(), Wrong> {
        let is_told = |(objective, result): (&&Objective, &ObjectiveResult)| {
            let facts = self.meeting(objective).map(|fact| fact.id);
            objective.id == result.id
                && facts.eq(result.facts.iter().copied())
                && result.without == self.without(objective)
        };
        match results.len() == self.own.len() && self.own.iter().zip(results).all(is_told) {
            true => Ok(()),
            false => Err("how a question of its own stands is not what its task's calls and facts say"),
        }
    }
}

/// Returns a pattern, or an array of patterns.
fn patterns(stated: &Value, member: &str) -> Option<Patterns> {
    match stated.get(member)? {
        Value::String(one) => Some(Patterns::One(one.clone())),
        list @ Value::Array(_) => {
            Some(Patterns::Any(words::listed(Some(list)).into_iter().map(str::to_owned).collect()))
        }
        _ => None,
    }
}
