//! `open_run`: opens a run of the case whose tasks a client decides.

use crate::answer::{own, refused, surface};
use crate::beginning::{Beginning, Handles, Waiting, seated};
use crate::call::waited;
use crate::client::model_name;
use crate::house::{House, MOST_RUNS, OpenRun, OpenTask};
use crate::instructions;
use app::{Agent, Case, Models, RunRequest};
use ledger::TaskId;
use llm::{Begun, Model};
use rmcp::RoleServer;
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use std::error::Error;
use std::sync::Arc;
use thiserror::Error;
use tokio::sync::mpsc;

/// The reason why no run was opened.
#[derive(Debug, Error)]
pub(crate) enum OpenError {
    #[error("agents: there is no agent {found:?}; there are {}", known.join(", "))]
    NoSuchAgent { found: String, known: Vec<String> },
    #[error("agents: {agent:?} is named twice; a run has one task for each agent")]
    Twice { agent: String },
    #[error("agents: the lead hands tasks to all the others, which have playbooks here; name it alone")]
    LeadAndOthers,
    #[error("{MOST_RUNS} runs are open; close one first")]
    Full,
    #[error("the run could not be begun: {because}")]
    BrokenOff { because: String },
    #[error("the system has no randomness for a handle")]
    Random(#[source] getrandom::Error),
    #[error("nobody waited for the run; it is closed again")]
    Withdrawn,
}

impl OpenError {
    const fn word(&self) -> &'static str {
        match self {
            OpenError::NoSuchAgent { .. } | OpenError::Twice { .. } | OpenError::LeadAndOthers => {
                "bad_arguments"
            }
            OpenError::Full => "too_many_runs",
            OpenError::BrokenOff { .. } | OpenError::Random(_) => "no_run",
            OpenError::Withdrawn => "withdrawn",
        }
    }
}

/// Opens a run for these agents, or for the examiner if none are given.
pub(crate) async fn open(
    house: &Arc<House>,
    agents: &[String],
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let model = model_name(context.client_info().as_ref());
    match try_to_open(house, agents, model, context).await {
        Ok((run, begun)) => opened(&run, &begun),
        Err(error) => refused(error.word(), &error.to_string()),
    }
}

async fn try_to_open(
    house: &Arc<House>,
    agents: &[String],
    model: String,
    context: &RequestContext<RoleServer>,
) -> Result<(Arc<OpenRun>, Vec<Begun>), OpenError> {
    let settings = &house.settings;
    let chosen = Chosen::of(house, if agents.is_empty() { &settings.agents } else { agents })?;
    let number = if chosen.lead.is_some() { 1 } else { chosen.agents.len() };
    let handles = Handles::new(number).map_err(OpenError::Random)?;
    let (seats, taken) = mpsc::unbounded_channel();
    let start = |work| {
        app::run(RunRequest {
            case: chosen.case(&settings.case),
            models: models(&chosen, model, settings.idle, seats),
            lead: chosen.lead,
            agents: chosen.agents,
            rules: settings.rules.clone(),
            brought: Default::default(),
            runs: settings.runs.clone(),
            seed: None,
            work,
        })
    };
    let begun = Beginning::of(house, None, start).ok_or(OpenError::Full)?;
    let under_way = begun.under_way.clone();
    // If nobody waits any more, the seats are dropped, which ends the tasks and with them the run.
    let seated = waited(begun.seated(taken, number, None), "open_run", context).await;
    let seated = seated.ok_or(OpenError::Withdrawn)?;
    let (folder, seated) = seated.map_err(|because| OpenError::BrokenOff { because })?;
    let (tasks, begun) = handles.given(seated);
    Ok((house.add(OpenRun { handle: handles.run, folder, tasks, under_way }), begun))
}

/// The agents of a run.
struct Chosen {
    lead: Option<Agent>,
    agents: Vec<Agent>,
}

impl Chosen {
    fn of(house: &House, names: &[String]) -> Result<Chosen, OpenError> {
        let lead = &house.lead.spec.name;
        if names.contains(lead) {
            return match names.len() {
                1 => Ok(Chosen {
                    lead: Some(house.lead.clone()),
                    agents: house.agents.iter().skip(1).cloned().collect(),
                }),
                _ => Err(OpenError::LeadAndOthers),
            };
        }
        let mut agents: Vec<Agent> = Vec::new();
        for name in names {
            let known = house.agents.iter().find(|agent| agent.spec.name == *name);
            let agent = known.ok_or_else(|| OpenError::NoSuchAgent {
                found: name.chars().take(100).collect(),
                known: house.agents.iter().chain([&house.lead]).map(|it| it.spec.name.clone()).collect(),
            })?;
            if agents.iter().any(|other| other.spec.name == *name) {
                return Err(OpenError::Twice { agent: name.clone() });
            }
            agents.push(agent.clone());
        }
        Ok(Chosen { lead: None, agents })
    }

    /// Returns the case with the objectives that agents in the run can be given; those of missing agents fall to the examiner.
    fn case(&self, case: &Case) -> Case {
        let mut case = case.clone();
        let known = |name: &str| self.agents.iter().find(|agent| agent.spec.name == name);
        let examiner = known("examiner").map(|agent| agent.spec.clone());
        let given = case.objectives.drain(..).filter_map(|(agent, mut objective)| {
            if known(&agent).is_some() {
                return Some((agent, objective));
            }
            let examiner = examiner.as_ref()?;
            if examiner.objectives.iter().any(|own| own.id == objective.id) {
                objective.id = format!("{agent}-{}", objective.id);
            }
            Some((examiner.name.clone(), objective))
        });
        let given: Vec<_> = given.collect();
        case.objectives = given;
        case
    }
}

/// Returns the models of a run: the client decides for its initial tasks, and playbooks for the tasks that a lead assigns.
fn models(
    chosen: &Chosen,
    model: String,
    idle: std::time::Duration,
    seats: mpsc::UnboundedSender<Waiting>,
) -> Box<Models> {
    let lead = chosen.lead.as_ref().map(|lead| lead.spec.name.clone());
    Box::new(move |agent: &Agent, task: TaskId, _| -> Box<dyn Model> {
        let name = &agent.spec.name;
        if lead.as_ref().is_some_and(|lead| lead != name) {
            return Box::new(agent.playbook());
        }
        Box::new(seated(task, name, model.clone(), idle, &seats))
    })
}

fn opened(run: &OpenRun, begun: &[Begun]) -> CallToolResult {
    let tasks: Vec<Value> = run.tasks.iter().zip(begun).map(|(task, begun)| told_of(task, begun)).collect();
    let mut text = format!("Opened the run {}; its handle: {}", run.name(), run.handle);
    for (task, begun) in run.tasks.iter().zip(begun) {
        text.push_str(&format!(
            "\n\nThe task of {}; give its handle as `task` with every call: {}\n\n{}",
            task.agent,
            task.handle,
            instructions::of_task(begun)
        ));
    }
    text.push_str(&format!("\n\n{}", to_go_on(run)));
    let told = json!({
        "run": run.handle.as_str(),
        "name": run.name(),
        "key_file": app::key_file(&run.folder).display().to_string(),
        "tasks": tasks,
    });
    own(text, told)
}

/// Explains how to resume if the server ends first.
pub(crate) fn to_go_on(run: &OpenRun) -> String {
    format!(
        "Should the server end before the run is closed: open_run with run = {} and the content of {} as key opens it again.",
        run.name(),
        app::key_file(&run.folder).display()
    )
}

/// Returns what a client is told about a task that it gets.
pub(crate) fn told_of(task: &OpenTask, begun: &Begun) -> Value {
    json!({
        "task": task.handle.as_str(),
        "agent": task.agent,
        "instructions": instructions::of_task(begun),
        "surface": surface(&begun.offered),
        "tools": begun.offered.iter().map(|tool| &tool.name).collect::<Vec<_>>(),
    })
}

/// Formats an error with its causes in one line.
pub(crate) fn causes(error: &dyn Error) -> String {
    app::with_causes(error, "; because: ")
}
