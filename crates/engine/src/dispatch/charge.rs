//! Reads what a call wants a task to do.

use crate::arguments::{Arguments, Malformed};
use crate::criteria;
use crate::setting::Setting;
use crate::shelf::bounded;
use ledger::turn::ToolCall;
use ledger::{AgentSpec, Objective, Weight};
use serde_json::Value;

/// The most objectives that a call may define itself.
const MOST_CRITERIA: usize = 32;
/// The largest sequence number.
const LAST_SEQUENCE: u32 = 1_000;

/// A task that a call asks for.
#[derive(Debug)]
pub(crate) struct Charge {
    pub(crate) call: ToolCall,
    /// Its agent, with the objectives of this task.
    pub(crate) agent: AgentSpec,
    pub(crate) instruction: String,
    pub(crate) sequence: u32,
    pub(crate) referenced: Vec<String>,
    pub(crate) hint: Option<String>,
}

/// Reads what a call of an agent's tool asks for.
pub(crate) fn charge(call: &ToolCall, agent: &AgentSpec, setting: &Setting) -> Result<Charge, Malformed> {
    let known = ["instruction", "criteria", "sequence", "referenced_artifacts", "artifact_id"];
    let arguments = Arguments::of(&call.arguments, &known)?;
    let sequence = arguments.number("sequence", 1)?;
    if sequence > LAST_SEQUENCE {
        return Err(arguments.malformed("sequence", "a number up to 1000"));
    }
    let instruction = match arguments.optional_text("instruction")?.map(str::trim) {
        None | Some("") => String::new(),
        Some(_) => arguments.text("instruction")?.trim().to_owned(),
    };
    let hint = arguments.optional_text("artifact_id")?.map(str::trim).filter(|id| !id.is_empty());
    let objectives = objectives(&arguments, agent, setting)?;
    Ok(Charge {
        call: call.clone(),
        agent: AgentSpec { objectives, ..agent.clone() },
        instruction,
        sequence,
        referenced: arguments
            .texts("referenced_artifacts")?
            .into_iter()
            .filter(|id| !id.is_empty())
            .map(bounded)
            .collect(),
        hint: hint.map(bounded),
    })
}

/// Returns the objectives of the task: the agent's objectives that the call names, and those that it defines itself.
/// If the call says nothing, the task has all of the agent's objectives.
fn objectives(
    arguments: &Arguments<'_>,
    agent: &AgentSpec,
    setting: &Setting,
) -> Result<Vec<Objective>, Malformed> {
    let own = |name: &str| {
        let found = agent.objectives.iter().find(|objective| objective.id == name.trim());
        found.cloned().ok_or_else(|| {
            let known: Vec<_> = agent.objectives.iter().map(|objective| objective.id.as_str()).collect();
            arguments.malformed(
                "criteria",
                format!(
                    "an objective of the agent ({}), or an object that states one; found {:?}",
                    known.join(", "),
                    bounded(name)
                ),
            )
        })
    };
    let mut objectives: Vec<Objective> = Vec::new();
    let given: Vec<Objective> = match arguments.get("criteria") {
        None => return Ok(agent.objectives.clone()),
        Some(Value::String(names)) => {
            names.split(',').filter(|name| !name.trim().is_empty()).map(own).collect::<Result<_, _>>()?
        }
        Some(Value::Array(items)) if items.len() <= MOST_CRITERIA => {
            let one = |(index, item): (usize, &Value)| match item {
                Value::String(name) => own(name),
                item => stated(item, &format!("criteria[{index}]"), setting),
            };
            items.iter().enumerate().map(one).collect::<Result<_, _>>()?
        }
        Some(_) => return Err(arguments.malformed("criteria", "an array of up to 32 names and objects")),
    };
    for objective in given {
        match objectives.iter().find(|known| known.id == objective.id) {
            Some(known) if *known == objective => {}
            Some(_) => return Err(arguments.malformed("criteria", "each name once")),
            None => objectives.push(objective),
        }
    }
    match objectives.is_empty() {
        true => Ok(agent.objectives.clone()),
        false => Ok(objectives),
    }
}

/// Reads an objective that the call defines: a question, and what a fact must say to answer it.
fn stated(item: &Value, place: &str, setting: &Setting) -> Result<Objective, Malformed> {
    let known = ["id", "question", "predicate", "record", "subject", "field", "value"];
    let arguments = Arguments::at(item, place, &known)?;
    let text = |name: &str| arguments.text(name).map(|text| text.trim().to_owned());
    let objective = Objective {
        id: bounded(&text("id")?),
        question: text("question")?,
        applies: None,
        weight: Weight::Activity,
        condition: criteria::condition(&arguments)?,
        searched: Vec::new(),
        or: Vec::new(),
    };
    // A question that an agent defines must not pass for one that every case is asked.
    let is_shipped = |agent: &AgentSpec| agent.objectives.iter().any(|known| known.id == objective.id);
    if setting.questions && setting.roster.iter().any(is_shipped) {
        let expected = format!("a name of its own: {:?} is a question of the case", objective.id);
        return Err(arguments.malformed("id", expected));
    }
    match criteria::fault(&objective, setting.specs(), &setting.vocabulary) {
        None => Ok(objective),
        Some(fault) => Err(Malformed::new(place, fault.to_string())),
    }
}
