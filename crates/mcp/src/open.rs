//! `open_run`: a run of the case whose tasks a client decides.

use crate::answer::{own, refused, surface};
use crate::call::waited;
use crate::client::model_name;
use crate::handle::Handle;
use crate::house::{Came, House, MOST_RUNS, OpenRun, OpenTask, UnderWay};
use crate::instructions;
use app::{Agent, Case, Interrupt, Models, Progress, RunRequest};
use ledger::TaskId;
use llm::{Begun, Desk, Model, Outside};
use rmcp::RoleServer;
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot, watch};

/// Why no run was opened.
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

/// A task that waits for a client, and what it begins with: known at once, or later.
struct Seat<B> {
    agent: String,
    desk: Desk,
    begun: B,
}

type Waiting = Seat<oneshot::Receiver<Begun>>;

/// Opens a run; `agents` are those that its tasks are given to, the examiner where there is none.
pub(crate) async fn open(
    house: &Arc<House>,
    agents: &[String],
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let model = model_name(context.client_info().as_ref());
    match try_to_open(house, agents, model, context).await {
        Ok((run, tasks)) => opened(&run, &tasks),
        Err(error) => refused(error.word(), &error.to_string()),
    }
}

async fn try_to_open(
    house: &Arc<House>,
    agents: &[String],
    model: String,
    context: &RequestContext<RoleServer>,
) -> Result<(Arc<OpenRun>, Vec<Begun>), OpenError> {
    let chosen = Chosen::of(house, if agents.is_empty() { &house.settings.agents } else { agents })?;
    let number = if chosen.lead.is_some() { 1 } else { chosen.agents.len() };
    let (seats, taken) = mpsc::unbounded_channel();
    let begun = Beginning::of(house, chosen, model, seats).ok_or(OpenError::Full)?;
    let under_way = begun.under_way.clone();
    // Where nobody waits any longer the seats are dropped, by which the tasks end, and with them the run.
    let seated = waited(begun.seated(taken, number), "open_run", context).await;
    let (folder, seated) = seated.ok_or(OpenError::Withdrawn)??;
    let (mut tasks, mut begins) = (Vec::new(), Vec::new());
    for Seat { agent, desk, begun } in seated {
        let handle = Handle::new("task").map_err(OpenError::Random)?;
        tasks.push(Arc::new(OpenTask::new(handle, agent, begun.fence.clone(), desk)));
        begins.push(begun);
    }
    let handle = Handle::new("run").map_err(OpenError::Random)?;
    Ok((house.add(OpenRun { handle, folder, tasks, under_way }), begins))
}

/// Who works in a run.
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

    /// The case with the objectives that somebody in the run can be given: those of an agent that is not there fall to the examiner.
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

/// A run that begins.
struct Beginning {
    folder: watch::Receiver<Option<PathBuf>>,
    under_way: UnderWay,
}

impl Beginning {
    /// Begins a run; `None` where none may be begun.
    fn of(
        house: &House,
        chosen: Chosen,
        model: String,
        seats: mpsc::UnboundedSender<Waiting>,
    ) -> Option<Beginning> {
        let settings = &house.settings;
        let (folder_is, folder) = watch::channel(None);
        let (came_is, came) = watch::channel(None);
        let under_way = UnderWay { came, interrupt: Interrupt::new() };
        if !house.begin(&under_way) {
            return None;
        }
        let mut work = settings.work.clone();
        work.interrupt = under_way.interrupt.clone();
        let observe = Arc::clone(&work.observe);
        work.observe = Arc::new(move |progress| {
            if let Progress::Opened { folder } = &progress {
                folder_is.send_replace(Some(folder.clone()));
            }
            observe(progress);
        });
        let request = RunRequest {
            case: chosen.case(&settings.case),
            models: models(&chosen, model, settings.idle, seats),
            lead: chosen.lead,
            agents: chosen.agents,
            rules: settings.rules.clone(),
            runs: settings.runs.clone(),
            seed: None,
            work,
        };
        tokio::spawn(async move {
            let came = match app::run(request).await {
                Ok(finished) => Came::Sealed(finished.tasks),
                Err(error) => Came::BrokenOff(causes(&error)),
            };
            came_is.send_replace(Some(Arc::new(came)));
        });
        Some(Beginning { folder, under_way })
    }

    /// Waits until each task has been told what it begins with.
    async fn seated(
        mut self,
        mut taken: mpsc::UnboundedReceiver<Waiting>,
        number: usize,
    ) -> Result<(PathBuf, Vec<Seat<Begun>>), OpenError> {
        let mut seated = Vec::new();
        for _ in 0..number {
            let Some(Seat { agent, desk, begun }) = taken.recv().await else { return Err(self.why().await) };
            let Ok(begun) = begun.await else { return Err(self.why().await) };
            seated.push(Seat { agent, desk, begun });
        }
        let folder = self.folder.wait_for(Option::is_some).await.ok().and_then(|folder| folder.clone());
        match folder {
            Some(folder) => Ok((folder, seated)),
            None => Err(self.why().await),
        }
    }

    /// Why the run did not come so far.
    async fn why(&self) -> OpenError {
        let because = match &*self.under_way.came().await {
            Came::BrokenOff(because) => because.clone(),
            Came::Sealed(_) => "it ended before its first turn".to_owned(),
        };
        OpenError::BrokenOff { because }
    }
}

/// The models of a run: the client decides for the tasks that it begins with; what a lead hands out is done by playbooks.
fn models(
    chosen: &Chosen,
    model: String,
    idle: std::time::Duration,
    seats: mpsc::UnboundedSender<Waiting>,
) -> Box<Models> {
    let lead = chosen.lead.as_ref().map(|lead| lead.spec.name.clone());
    Box::new(move |agent: &Agent, _: TaskId, _| -> Box<dyn Model> {
        let name = &agent.spec.name;
        if lead.as_ref().is_some_and(|lead| lead != name) {
            return Box::new(agent.playbook());
        }
        let (outside, desk, begun) = Outside::new(model.clone(), idle);
        // Where nobody waits for the run any longer, the task ends at once.
        let _ = seats.send(Seat { agent: name.clone(), desk, begun });
        Box::new(outside)
    })
}

fn opened(run: &OpenRun, begun: &[Begun]) -> CallToolResult {
    let tasks: Vec<Value> = run
        .tasks
        .iter()
        .zip(begun)
        .map(|(task, begun)| {
            json!({
                "task": task.handle.as_str(),
                "agent": task.agent,
                "instructions": instructions::of_task(begun),
                "surface": surface(&begun.offered),
                "tools": begun.offered.iter().map(|tool| &tool.name).collect::<Vec<_>>(),
            })
        })
        .collect();
    let mut text = format!("Opened the run {}; its handle: {}", run.name(), run.handle);
    for (task, begun) in run.tasks.iter().zip(begun) {
        text.push_str(&format!(
            "\n\nThe task of {}; give its handle as `task` with every call: {}\n\n{}",
            task.agent,
            task.handle,
            instructions::of_task(begun)
        ));
    }
    own(text, json!({"run": run.handle.as_str(), "name": run.name(), "tasks": tasks}))
}

/// An error with its causes, in one line.
pub(crate) fn causes(error: &dyn Error) -> String {
    app::with_causes(error, "; because: ")
}
