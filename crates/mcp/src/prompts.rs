//! Prompts: one for each agent that a client can be.

use crate::house::House;
use app::Agent;
use ledger::ToolClass;
use rmcp::model::{GetPromptResult, Prompt, PromptMessage, Role};
use std::fmt::Write;

pub(crate) fn list(house: &House) -> Vec<Prompt> {
    let prompt = |agent: &Agent| {
        let about = format!("Investigate the case as the {} agent.", agent.spec.name);
        Prompt::new(agent.spec.name.clone(), Some(about), None)
    };
    house.agents.iter().chain([&house.lead]).map(prompt).collect()
}

/// Returns the prompt with this name.
pub(crate) fn get(house: &House, name: &str) -> Option<GetPromptResult> {
    let agent = house.agents.iter().chain([&house.lead]).find(|agent| agent.spec.name == name)?;
    let message = PromptMessage::new_text(Role::User, text(agent));
    Some(GetPromptResult::new(vec![message]))
}

fn text(agent: &Agent) -> String {
    let spec = &agent.spec;
    let mut text = format!(
        "{}\n\nOpen your task with open_run, agents [\"{}\"], and give the task handle with every other call. \
         Its answer has the rules of evidence and your objectives as they stand for this case.\n",
        spec.prompt.trim(),
        spec.name
    );
    if !spec.objectives.is_empty() {
        text.push_str("\nObjectives, decided by code from what you record:\n");
    }
    for objective in &spec.objectives {
        let _ = writeln!(text, "- {}: {}", objective.id, objective.question);
    }
    if spec.surface.contains(&ToolClass::Dispatch) {
        text.push_str(
            "\nThe agents that you hand tasks to have playbooks here; what they come to is the answer.\n",
        );
    }
    text.push_str(
        "\nCite invocation and record ids of your own calls. A refused claim says what does stand there: correct it or leave it. \
         A complete search that found nothing is recorded with record_absence. Where there is nothing to record, say so with nothing_to_record and its reason; \
         nobody expects a finding. End with close_run.",
    );
    text
}
