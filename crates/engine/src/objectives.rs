//! Objectives: met or unmet by code, over grounded facts.

use ledger::event::ObjectiveResult;
use ledger::{AgentSpec, FactEntry};

/// Each objective of the agent with the facts that meet it.
pub(crate) fn results(agent: &AgentSpec, facts: &[FactEntry]) -> Vec<ObjectiveResult> {
    let result = |objective: &ledger::Objective| ObjectiveResult {
        id: objective.id.clone(),
        facts: facts.iter().filter(|fact| objective.condition.holds(fact)).map(|fact| fact.id).collect(),
        watched: !objective.is_required(),
    };
    agent.objectives.iter().map(result).collect()
}

/// The questions of the unmet ones; what may well have no answer is none of them.
pub(crate) fn unmet(agent: &AgentSpec, facts: &[FactEntry]) -> Vec<String> {
    results(agent, facts)
        .iter()
        .zip(&agent.objectives)
        .filter(|(result, _)| result.is_unmet())
        .map(|(_, objective)| objective.question.clone())
        .collect()
}
