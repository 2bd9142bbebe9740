//! The objectives of a run's agents.

use super::{RunError, RunRequest};
use crate::agents::{Agent, AgentError, shipped_agents};
use crate::case_file::Case;
use ledger::Vocabulary;
use ledger::event::{AskedBy, CaseQuestion};

/// Returns the questions of a case: those of the shipped agents that apply to its
/// evidence, then those of its owner, whichever agents the run has.
pub(super) fn of_case(case: &Case) -> Result<Vec<CaseQuestion>, AgentError> {
    let kinds = || case.entry.evidence.iter().map(|entry| entry.kind);
    let mut questions = Vec::new();
    for agent in shipped_agents()? {
        let applying = agent.spec.objectives.into_iter().filter(|objective| objective.applies_to(kinds()));
        questions.extend(applying.map(|objective| CaseQuestion {
            agent: agent.spec.name.clone(),
            by: AskedBy::Standard,
            objective,
        }));
    }
    questions.extend(case.objectives.iter().map(|(agent, objective)| CaseQuestion {
        agent: agent.clone(),
        by: AskedBy::Owner,
        objective: objective.clone(),
    }));
    Ok(questions)
}

/// Adds the objectives of the case to the agents that they are for.
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

/// Removes objectives that do not apply to the kind of evidence: a folder has no partition table.
pub(super) fn leave_out_foreign(request: &mut RunRequest) {
    let evidence = &request.case.entry.evidence;
    for agent in &mut request.agents {
        let kinds = || evidence.iter().map(|entry| entry.kind);
        agent.spec.objectives.retain(|objective| objective.applies_to(kinds()));
    }
}

/// Refuses objectives that no fact could meet: a misspelt one would look like a question without an answer.
pub(super) fn check(agents: &[Agent], vocabulary: &Vocabulary) -> Result<(), RunError> {
    let catalogue = tools::catalogue();
    for agent in agents {
        let objectives = &agent.spec.objectives;
        for (index, objective) in objectives.iter().enumerate() {
            let (name, id) = (agent.spec.name.clone(), objective.id.clone());
            if let Some(fault) = engine::fault(objective, catalogue.iter(), vocabulary) {
                let fault = Box::new(fault);
                return Err(RunError::Objective { agent: name, objective: id, fault });
            }
            if objectives.iter().skip(index + 1).any(|other| other.id == objective.id) {
                return Err(RunError::SameObjective { agent: name, objective: id });
            }
        }
    }
    Ok(())
}
