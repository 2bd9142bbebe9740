//! The objectives of a run's agents.

use super::{RunError, RunRequest};
use crate::agents::Agent;
use ledger::{RecordType, Vocabulary, pattern};

/// Gives each agent the objectives that the case adds for it.
pub(super) fn hand_out(request: &mut RunRequest) -> Result<(), RunError> {
    for (name, objective) in std::mem::take(&mut request.case.objectives) {
        match request.agents.iter_mut().find(|agent| agent.spec.name == name) {
            Some(agent) => agent.spec.objectives.push(objective),
            None => {
                let known = request.agents.iter().map(|agent| agent.spec.name.clone()).collect();
                return Err(RunError::UnknownAgent { agent: name, known });
            }
        }
    }
    Ok(())
}

/// Takes out what the evidence of the case cannot answer, whatever it holds: a folder has no partition table.
pub(super) fn leave_out_foreign(request: &mut RunRequest) {
    let evidence = &request.case.entry.evidence;
    for agent in &mut request.agents {
        let kinds = || evidence.iter().map(|entry| entry.kind);
        agent.spec.objectives.retain(|objective| objective.applies_to(kinds()));
    }
}

/// Stands in a record type whose fields the evidence names, such as the columns of a table.
const ANY_FIELD: &str = "*";

/// Refuses objectives that no fact could meet: a misspelt one would look like a question without an answer.
pub(super) fn check(agents: &[Agent], vocabulary: &Vocabulary) -> Result<(), RunError> {
    let catalogue = tools::catalogue();
    let has_field = |record: &str, field: &str| {
        let mut types = catalogue.iter().flat_map(|tool| &tool.records);
        let has = |kind: &RecordType| {
            kind.fields.contains_key(ANY_FIELD) || kind.fields.keys().any(|known| pattern::fits(field, known))
        };
        types.any(|kind| kind.name == record && has(kind))
    };
    for agent in agents {
        let objectives = &agent.spec.objectives;
        for (index, objective) in objectives.iter().enumerate() {
            let condition = &objective.condition;
            let because = match vocabulary.meaning(&condition.predicate) {
                None => "its predicate is not in the vocabulary",
                Some(meaning) if !meaning.proved_by.contains(&condition.record) => {
                    "records of its type do not prove its predicate"
                }
                Some(_) if !has_field(&condition.record, &condition.field) => {
                    "records of its type have no such field"
                }
                Some(_) if objectives.iter().skip(index + 1).any(|other| other.id == objective.id) => {
                    "another one has the same name"
                }
                Some(_) => continue,
            };
            let (agent, objective) = (agent.spec.name.clone(), objective.id.clone());
            return Err(RunError::Objective { agent, objective, because });
        }
    }
    Ok(())
}
