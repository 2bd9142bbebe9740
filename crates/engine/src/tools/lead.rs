//! The descriptions of the ARTIFACT and DISPATCH tools for models.

use super::{About, ArtifactTool, about, text};
use crate::dispatch::tool_name;
use ledger::{AgentSpec, ToolClass, ToolSpec};
use serde_json::{Value, json};

pub(super) fn artifact(tool: ArtifactTool) -> About {
    match tool {
        ArtifactTool::Store => about(
            "Store a result for others: they can be shown it, or read it by its id. Name facts by their ids.",
            &[("summary", text("one line on it")), ("content", text("the text, at most 50,000 characters"))],
            2,
        ),
        ArtifactTool::Checkpoint => about(
            "Save a section of your work as you go. It outlives the end of your budget, and reaches whoever gave you the task.",
            &[("label", text("one line on it")), ("content", text("the text, at most 50,000 characters"))],
            2,
        ),
        ArtifactTool::Retrieve => about(
            "Read a stored artifact: one of yours, or one that was handed over to you.",
            &[("artifact", text("its id: art- and what follows"))],
            1,
        ),
    }
}

pub(super) fn decline() -> About {
    about(
        "Leave open questions of the case that you will not hand out, and say why. \
         They stay open: your reason is shown beside them as yours, and code asks them before the run is sealed.",
        &[
            ("agent", text("the agent whose questions they are, such as eventlog")),
            (
                "questions",
                json!({"type": "array", "minItems": 1, "items": {"type": "string"}, "description": "their names, as the agent's tool lists them"}),
            ),
            ("reason", text("why you leave them open; at most 1,000 characters")),
        ],
        3,
    )
}

/// Returns the tools that assign tasks to these agents, sorted by name.
pub fn dispatch_tools(roster: &[AgentSpec]) -> Vec<ToolSpec> {
    let mut tools: Vec<ToolSpec> = roster.iter().map(agent).collect();
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    tools
}

fn agent(agent: &AgentSpec) -> ToolSpec {
    let role = agent.prompt.lines().map(str::trim).filter(|line| !line.is_empty()).nth(1).unwrap_or_default();
    let objectives: Vec<String> = agent
        .objectives
        .iter()
        .map(|objective| format!("{}: {}", objective.id, objective.question))
        .collect();
    let description = format!(
        "Hand a task to the {} agent and wait for what it comes to. {role} Its objectives, decided by code: {}",
        agent.name,
        objectives.join(" ")
    );
    let criterion = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["id", "question", "predicate", "record", "field"],
        "properties": {
            "id": text("a name for it"),
            "question": text("the question"),
            "predicate": text("what a fact must say, a predicate of the vocabulary"),
            "record": text("the type of the record that it rests on"),
            "subject": text("a pattern that its subject fits; * for any"),
            "field": text("the field that must be among its values"),
            "value": text("a pattern that this value fits"),
        }
    });
    let ids: Vec<&String> = agent.objectives.iter().map(|objective| &objective.id).collect();
    let members: [(&str, Value); 5] = [
        ("instruction", text("what it shall do, where its objectives do not say it")),
        (
            "criteria",
            json!({
                "type": "array",
                "items": {"anyOf": [{"type": "string", "enum": ids}, criterion]},
                "description": "which of its objectives the task has, and others that code can check; all of its own where it is left out"
            }),
        ),
        (
            "sequence",
            json!({"type": "integer", "minimum": 0, "description": "tasks of one number run side by side, those of a higher one after them, and are shown what they found; 1 where it is left out"}),
        ),
        (
            "referenced_artifacts",
            json!({"type": "array", "items": {"type": "string"}, "description": "ids of artifacts that its first message shows"}),
        ),
        ("artifact_id", text("id of an artifact that it may read; only pointed to")),
    ];
    let About { description: _, arguments } = about("", &members, 0);
    ToolSpec {
        name: tool_name(&agent.name),
        class: ToolClass::Dispatch,
        description,
        arguments,
        records: Vec::new(),
        sources: Default::default(),
        counts: None,
        covers: Vec::new(),
    }
}
