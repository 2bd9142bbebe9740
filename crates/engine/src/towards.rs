//! What a task is working on now, for progress display: derived from its objectives and facts, never from its agent's words.

use crate::task::Task;
use ledger::event::{ObjectiveResult, TaskAssigned};
use ledger::{AgentSpec, FactEntry, FactId, Objective, Reading, RecordType};

/// Returns the first objective without a fact that a record of one of these types could answer.
fn towards<'a>(agent: &'a AgentSpec, facts: &[FactEntry], records: &[RecordType]) -> Option<&'a Objective> {
    let returned = |it: &&Objective| {
        it.ways().any(|way| records.iter().any(|record| record.name == way.condition.record))
    };
    unanswered(agent, facts).find(returned)
}

/// Returns the first objective without a fact that such a reading was for: matched by predicate and subject, else by predicate alone.
fn missed<'a>(agent: &'a AgentSpec, facts: &[FactEntry], reading: &Reading) -> Option<&'a Objective> {
    let says = |it: &&Objective| it.ways().any(|way| way.condition.predicate.0 == reading.predicate);
    let of = |it: &&Objective| {
        reading.subject.is_empty() || it.ways().any(|way| way.condition.subject.fit(&reading.subject))
    };
    let said = || unanswered(agent, facts).filter(says);
    said().find(of).or_else(|| said().next())
}

fn unanswered<'a>(agent: &'a AgentSpec, facts: &[FactEntry]) -> impl Iterator<Item = &'a Objective> {
    agent.objectives.iter().filter(|it| !facts.iter().any(|fact| it.is_answered_by(fact)))
}

/// What a task has done so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoFar {
    /// The number of turns so far.
    pub turns: u32,
    /// The number of facts recorded.
    pub facts: u32,
    /// The number of claims refused.
    pub rejections: u32,
    /// The names of the open objectives, in the agent's order.
    pub open: Vec<String>,
}

impl Task {
    /// Returns its assignment: agent and objectives.
    pub fn assigned(&self) -> &TaskAssigned {
        &self.assigned
    }

    /// Returns what it has done so far, for code that continues it at the end of its log.
    pub fn so_far(&self) -> SoFar {
        let open = self.standing().results().into_iter().filter(ObjectiveResult::is_unmet);
        SoFar {
            turns: self.turn,
            facts: u32::try_from(self.facts.len()).unwrap_or(u32::MAX),
            rejections: self.rejections,
            open: open.map(|result| result.id).collect(),
        }
    }

    /// Returns the number of wanted objectives that a fact answers, and the number of all wanted objectives.
    pub fn met(&self) -> (u32, u32) {
        let agent = &self.assigned.agent;
        let count = |of: &mut dyn Iterator<Item = &Objective>| {
            u32::try_from(of.filter(|it| self.setting.is_wanted(it)).count()).unwrap_or(u32::MAX)
        };
        let wanted = count(&mut agent.objectives.iter());
        (wanted - count(&mut unanswered(agent, &self.facts)), wanted)
    }

    /// Returns the objective that a call of this tool works towards: the first without a fact that the tool's records could answer.
    pub fn towards(&self, tool: &str) -> Option<&str> {
        let records = &self.setting.tool(tool)?.records;
        towards(&self.assigned.agent, &self.facts, records).map(|it| it.id.as_str())
    }

    /// Returns the objective that the last refused reading was for.
    pub fn missed(&self) -> Option<&str> {
        self.missed.as_deref()
    }

    /// Notes which objective a refused reading was for.
    pub(crate) fn miss(&mut self, reading: &Reading) {
        self.missed = missed(&self.assigned.agent, &self.facts, reading).map(|it| it.id.clone());
    }

    /// Returns the objectives that this fact of the task is the first to answer.
    pub fn answered_first_by(&self, fact: FactId) -> Vec<&str> {
        let Some(place) = self.facts.iter().position(|known| known.id == fact) else { return Vec::new() };
        let (before, rest) = self.facts.split_at(place);
        let answers = |it: &&Objective| rest.first().is_some_and(|fact| it.is_answered_by(fact));
        unanswered(&self.assigned.agent, before).filter(answers).map(|it| it.id.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{
        BoundValue, ByteSpan, Condition, Digest, FieldValue, IdSpace, InvocationId, Locator, Predicate,
        RecordId, Seed, TaskId, Tier, Weight,
    };
    use std::collections::BTreeMap;

    fn objective(id: &str, predicate: &str, record: &str, subject: &str) -> Objective {
        Objective {
            id: id.into(),
            question: String::new(),
            applies: None,
            weight: Weight::Activity,
            condition: Condition {
                predicate: Predicate(predicate.into()),
                record: record.into(),
                subject: subject.into(),
                field: "data".into(),
                value: None,
                unless: None,
                earlier: None,
            },
            searched: Vec::new(),
            or: Vec::new(),
        }
    }

    fn agent() -> AgentSpec {
        AgentSpec {
            name: "registry".into(),
            prompt: String::new(),
            surface: Default::default(),
            tools: None,
            objectives: vec![
                objective("name", "configured", "registry_value", "*ComputerName*"),
                objective("zone", "configured", "registry_value", "*TimeZone*"),
                objective("programs", "executed", "user_assist", "*"),
            ],
        }
    }

    fn fact(subject: &str) -> FactEntry {
        let bound = |field: &str, text: &str| BoundValue {
            field: field.into(),
            value: FieldValue::Text(text.into()),
            quotation: None,
            tier: Tier::Exact,
            span: ByteSpan::new(0, 1),
            at: None,
            writer: None,
        };
        let ids = IdSpace::new(Seed(Digest::of(b"towards")));
        FactEntry {
            placement: None,
            id: FactId::assign(&ids, TaskId(1), 0).unwrap(),
            predicate: Predicate("configured".into()),
            subject: bound("value_path", subject),
            values: vec![bound("data", "x")],
            invocation: InvocationId::assign(&ids, TaskId(1), 0).unwrap(),
            output: Digest::of(b"output"),
            record: RecordId(0),
            kind: "registry_value".into(),
            locator: Locator { evidence: "e".into(), path: "SYSTEM".into(), stream: None, span: None },
            shown: true,
        }
    }

    fn returned(names: &[&str]) -> Vec<RecordType> {
        let record = |name: &&str| RecordType {
            name: (*name).to_owned(),
            meaning: String::new(),
            subject: "subject".into(),
            fields: BTreeMap::new(),
            qualifiers: Vec::new(),
            scope: Vec::new(),
        };
        names.iter().map(record).collect()
    }

    #[test]
    fn a_call_works_towards_the_first_open_objective_that_its_records_could_answer() {
        let agent = agent();
        let towards = |facts: &[FactEntry], records: &[&str]| {
            towards(&agent, facts, &returned(records)).map(|it| it.id.clone())
        };
        assert_eq!(towards(&[], &["registry_value"]).as_deref(), Some("name"));
        assert_eq!(towards(&[fact("ComputerName")], &["registry_value"]).as_deref(), Some("zone"));
        assert_eq!(towards(&[], &["user_assist", "service"]).as_deref(), Some("programs"));
        assert_eq!(towards(&[fact("ComputerName"), fact("TimeZone")], &["registry_value"]), None);
        assert_eq!(towards(&[], &["event"]), None);
        assert_eq!(towards(&[], &[]), None);
    }

    #[test]
    fn a_refused_reading_missed_the_open_objective_that_it_was_for() {
        let agent = agent();
        let missed = |facts: &[FactEntry], predicate: &str, subject: &str| {
            let reading = Reading {
                fields: Vec::new(),
                predicate: predicate.into(),
                subject: subject.into(),
                values: Vec::new(),
                invocation: "inv-00000000".into(),
                record: None,
            };
            missed(&agent, facts, &reading).map(|it| it.id.clone())
        };
        assert_eq!(missed(&[], "configured", r"Control\TimeZoneInformation").as_deref(), Some("zone"));
        assert_eq!(missed(&[], "configured", "").as_deref(), Some("name"));
        assert_eq!(missed(&[], "configured", "elsewhere").as_deref(), Some("name"));
        assert_eq!(missed(&[fact("TimeZone")], "configured", "TimeZone").as_deref(), Some("name"));
        assert_eq!(missed(&[], "visited", ""), None);
    }
}
