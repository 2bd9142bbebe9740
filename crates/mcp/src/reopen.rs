//! `open_run` for a run whose server has ended: its tasks are resumed where its log ends.
//!
//! Nobody can prove to be the same client; whoever can read the key file next to the run may resume it.

use crate::answer::{self, own, refused, some_of};
use crate::beginning::{Beginning, Handles, Waiting, seated};
use crate::call::waited;
use crate::client::MODEL_PREFIX;
use crate::house::{Came, House, MOST_RUNS, OpenRun, OpenTask};
use crate::instructions;
use crate::open::{causes, to_go_on, told_of};
use app::{Agent, Models, ModelsByName, ResumeRequest, SoFar, State};
use ledger::event::{TaskAssigned, TaskEnded};
use ledger::{EvidenceEntry, TaskId};
use llm::{Begun, Model, Outside};
use rmcp::RoleServer;
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use thiserror::Error;
use tokio::sync::mpsc;

/// The maximum number of open objectives named for a task.
const MOST_OPEN: usize = 20;

/// The reason why a run was not reopened.
#[derive(Debug, Error)]
pub(crate) enum ReopenError {
    #[error("run: there is no run {0:?} in this server's folder of runs; list_runs names those of the case")]
    NoRun(String),
    #[error("the run {run} is of another case, {found:?}; this server has {ours:?}")]
    OtherCase { run: String, found: String, ours: String },
    #[error(
        "the run {run} is of other evidence than this server's: {}; this server has {}",
        found.join(", "), ours.join(", ")
    )]
    OtherEvidence { run: String, found: Vec<String>, ours: Vec<String> },
    #[error("the run {0} is open in this server; whoever opened it has its handles, and can close it")]
    Here(String),
    #[error(
        "the run {0} is sealed, and nothing is added to it; locard://run/{0}/report.md has what it found, and open_run without `run` opens another"
    )]
    Sealed(String),
    #[error("the run {run} cannot be read: {because}")]
    Unreadable { run: String, because: String },
    #[error("the run {0} was begun by no client of MCP; `locard resume {0}` resumes it")]
    NoClients(String),
    #[error(
        "the run {run} has no key any more ({}), so that nobody can show that it is theirs; `locard resume {run}` ends its tasks as cancelled and seals it",
        path.display()
    )]
    NoKey { run: String, path: PathBuf },
    #[error(
        "key: expected the content of the file {}: read it and pass what it holds as `key`, for who can read it may go on with the run",
        path.display()
    )]
    KeyMissing { path: PathBuf },
    #[error("key: this is not the key of the run {run}, which stands in the file {}", path.display())]
    WrongKey { run: String, path: PathBuf },
    #[error(
        "the run {0} was begun without confinement of its tools; a server with --unconfined can resume it"
    )]
    Unconfined(String),
    #[error("{MOST_RUNS} runs are open; close one first")]
    Full,
    #[error("the run {run} could not be opened again: {because}")]
    BrokenOff { run: String, because: String },
    #[error("the system has no randomness for a handle")]
    Random(#[source] getrandom::Error),
    #[error("a thread of the program panicked")]
    Panicked,
    #[error("nobody waited for the run {0}; it stays as it was")]
    Withdrawn(String),
}

impl ReopenError {
    const fn word(&self) -> &'static str {
        match self {
            ReopenError::NoRun(_) | ReopenError::OtherCase { .. } | ReopenError::OtherEvidence { .. } => {
                "unknown_run"
            }
            ReopenError::Sealed(_) => "sealed",
            ReopenError::Here(_) => "open_here",
            ReopenError::NoKey { .. } => "no_key",
            ReopenError::KeyMissing { .. } => "key_needed",
            ReopenError::WrongKey { .. } => "wrong_key",
            ReopenError::Full => "too_many_runs",
            ReopenError::Unreadable { .. }
            | ReopenError::NoClients(_)
            | ReopenError::Unconfined(_)
            | ReopenError::BrokenOff { .. }
            | ReopenError::Random(_) => "no_run",
            ReopenError::Panicked => "defect",
            ReopenError::Withdrawn(_) => "withdrawn",
        }
    }
}

/// A run that may be resumed.
struct Found {
    folder: PathBuf,
    /// Its unfinished tasks for which a client decides.
    unended: BTreeSet<TaskId>,
    /// How its finished tasks ended, by agent.
    ended: Vec<(String, TaskEnded)>,
}

/// A run that is open again.
struct Reopened {
    run: Arc<OpenRun>,
    begun: Vec<Begun>,
    so_far: Vec<Option<SoFar>>,
    ended: Vec<(String, TaskEnded)>,
}

/// Reopens the run with this name, for a client that has its key.
pub(crate) async fn reopen(
    house: &Arc<House>,
    name: &str,
    key: Option<&str>,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    match try_to_reopen(house, name, key, context).await {
        Ok(reopened) => told(&reopened),
        Err(error) => refused(error.word(), &error.to_string()),
    }
}

async fn try_to_reopen(
    house: &Arc<House>,
    name: &str,
    key: Option<&str>,
    context: &RequestContext<RoleServer>,
) -> Result<Reopened, ReopenError> {
    let withdrawn = || ReopenError::Withdrawn(name.to_owned());
    // Reading a log takes memory, so it counts against the limit on reads.
    let reading = house.reads.acquire().await.map_err(|_| ReopenError::Panicked)?;
    let finding = {
        let (house, name, key) = (Arc::clone(house), name.to_owned(), key.map(str::to_owned));
        tokio::task::spawn_blocking(move || find(&house, &name, key.as_deref()))
    };
    let found = waited(finding, "open_run: reading the run", context).await.ok_or_else(withdrawn)?;
    let Found { folder, unended, ended } = found.map_err(|_| ReopenError::Panicked)??;
    drop(reading);
    let handles = Handles::new(unended.len()).map_err(ReopenError::Random)?;
    let number = unended.len();
    let (seats, taken) = mpsc::unbounded_channel();
    let request = request(house, &folder, unended, seats);
    let start = |work| app::resume(ResumeRequest { work, ..request });
    let begun = Beginning::of(house, Some(folder), start).ok_or(ReopenError::Full)?;
    let (under_way, so_far) = (begun.under_way.clone(), Arc::clone(&begun.so_far));
    let broken_off = |because| ReopenError::BrokenOff { run: name.to_owned(), because };
    let seated = begun.seated(taken, number, Some(under_way.interrupt.clone()));
    let seated = waited(seated, "open_run", context).await.ok_or_else(withdrawn)?;
    let (folder, seated) = seated.map_err(broken_off)?;
    if number == 0 {
        let came = waited(under_way.came(), "open_run: sealing", context).await.ok_or_else(withdrawn)?;
        if let Came::BrokenOff(because) = &*came {
            return Err(broken_off(because.clone()));
        }
    }
    let (tasks, begun) = handles.given(seated);
    let so_far = so_far.lock().unwrap_or_else(PoisonError::into_inner);
    let so_far = tasks.iter().map(|task| so_far.get(&task.id).cloned()).collect();
    let run = house.add(OpenRun { handle: handles.run, folder, tasks, under_way });
    Ok(Reopened { run, begun, so_far, ended })
}

/// Finds the run with this name, if the key is right and a client can resume it.
fn find(house: &House, name: &str, key: Option<&str>) -> Result<Found, ReopenError> {
    let settings = &house.settings;
    let named = name.chars().take(100).collect::<String>();
    // A name is looked up among the existing runs, and never used as a path.
    let mut folders = app::run_folders(&settings.runs).unwrap_or_default().into_iter();
    let folder = folders.find(|folder| folder.file_name().is_some_and(|it| it == name));
    let folder = folder.ok_or_else(|| ReopenError::NoRun(named.clone()))?;
    if house.is_under_way(&folder) {
        return Err(ReopenError::Here(named));
    }
    let listed = app::list_run(&folder);
    let ours = &settings.case.entry;
    if let Some(found) = listed.case.filter(|found| *found != ours.name) {
        return Err(ReopenError::OtherCase { run: named, found, ours: ours.name.clone() });
    }
    match listed.state {
        State::Unsealed => {}
        State::Sealed => return Err(ReopenError::Sealed(named)),
        State::Unreadable => {
            return Err(ReopenError::Unreadable { run: named, because: listed.because.unwrap_or_default() });
        }
    }
    let unreadable = |because| ReopenError::Unreadable { run: named.clone(), because };
    let run = app::load_run(&folder).map_err(|error| unreadable(causes(&error)))?;
    let (found, ours) = (labels(&run.opened.case.evidence), labels(&ours.evidence));
    if found != ours {
        return Err(ReopenError::OtherEvidence { run: named, found, ours });
    }
    let begun = || run.tasks.values().filter(|task| is_a_clients(&task.assigned));
    if begun().next().is_none() {
        return Err(ReopenError::NoClients(named));
    }
    is_key(&folder, &named, key)?;
    if !run.opened.confined && !settings.work.worker.unconfined {
        return Err(ReopenError::Unconfined(named));
    }
    let unended = begun().filter(|task| task.ended.is_none()).map(|task| task.assigned.task).collect();
    let agent = |assigned: &TaskAssigned| assigned.agent.name.clone();
    let ended = begun().filter_map(|task| Some((agent(&task.assigned), task.ended.clone()?))).collect();
    Ok(Found { folder, unended, ended })
}

fn is_key(folder: &Path, run: &str, key: Option<&str>) -> Result<(), ReopenError> {
    let (run, path) = (run.to_owned(), app::key_file(folder));
    let kept = match app::kept_key(folder) {
        Ok(kept) => kept,
        Err(error) => return Err(ReopenError::Unreadable { run, because: causes(&error) }),
    };
    match (kept, key) {
        (None, _) => Err(ReopenError::NoKey { run, path }),
        (Some(_), None) => Err(ReopenError::KeyMissing { path }),
        (Some(kept), Some(key)) if kept.is(key.trim()) => Ok(()),
        (Some(_), Some(_)) => Err(ReopenError::WrongKey { run, path }),
    }
}

/// Returns the labels of the evidence, as its records name it.
fn labels(evidence: &[EvidenceEntry]) -> Vec<String> {
    evidence.iter().map(|entry| entry.label.clone()).collect()
}

/// Checks whether a client decides for the task. Playbooks run the tasks that it assigns, and code asks what it leaves open.
fn is_a_clients(assigned: &TaskAssigned) -> bool {
    assigned.is_of_the_beginning() && !assigned.sweep && assigned.model.starts_with(MODEL_PREFIX)
}

fn request(
    house: &House,
    folder: &Path,
    unended: BTreeSet<TaskId>,
    seats: mpsc::UnboundedSender<Waiting>,
) -> ResumeRequest {
    let settings = &house.settings;
    let placed = settings.case.entry.evidence.iter().zip(&settings.case.paths);
    // Evidence whose path is not valid text is searched for in its old place.
    let placed = placed.filter_map(|(entry, path)| Some(format!("{}={}", entry.label, path.to_str()?)));
    ResumeRequest {
        folder: folder.to_owned(),
        evidence: placed.map(PathBuf::from).collect(),
        agents: house.agents.iter().chain([&house.lead]).cloned().collect(),
        models: models(settings.idle, unended, seats),
        work: settings.work.clone(),
    }
}

fn models(
    idle: std::time::Duration,
    unended: BTreeSet<TaskId>,
    seats: mpsc::UnboundedSender<Waiting>,
) -> Box<ModelsByName> {
    Box::new(move |assigned: &TaskAssigned| {
        let (is_clients, waits) = (is_a_clients(assigned), unended.contains(&assigned.task));
        let (model, seats) = (assigned.model.clone(), seats.clone());
        let models: Box<Models> = Box::new(move |agent: &Agent, task, _| -> Box<dyn Model> {
            match (is_clients, waits) {
                (true, true) => Box::new(seated(task, &agent.spec.name, model.clone(), idle, &seats)),
                (true, false) => Box::new(Outside::nobody(model.clone())),
                (false, _) => Box::new(agent.playbook()),
            }
        });
        Ok(models)
    })
}

fn told(reopened: &Reopened) -> CallToolResult {
    let Reopened { run, begun, so_far, ended } = reopened;
    let mut text = format!("Opened the run {} again; its handle: {}", run.name(), run.handle);
    let mut tasks = Vec::new();
    for ((task, begun), so_far) in run.tasks.iter().zip(begun).zip(so_far) {
        let (said, told) = goes_on(task, begun, so_far.as_ref());
        text.push_str(&format!("\n\n{said}"));
        tasks.push(told);
    }
    for (agent, ended) in ended {
        text.push_str(&format!("\n\nThe task of {agent} has ended: {}.", answer::word(&ended.status)));
    }
    if run.tasks.is_empty() {
        text.push_str("\n\nNothing of it was left to do: it is sealed now, and close_run verifies it.");
    } else {
        text.push_str(&format!("\n\n{}", to_go_on(run)));
    }
    let ended: Vec<Value> =
        ended.iter().map(|(agent, ended)| json!({"agent": agent, "ended": ended})).collect();
    let key_file = app::key_file(&run.folder).display().to_string();
    let handle = run.handle.as_str();
    own(
        text,
        json!({"run": handle, "name": run.name(), "key_file": key_file, "tasks": tasks, "ended": ended}),
    )
}

/// Returns what a client is told about a resumed task: its handle, its objectives, its progress, and the last message.
fn goes_on(task: &OpenTask, begun: &Begun, so_far: Option<&SoFar>) -> (String, Value) {
    let mut parts = vec![
        format!(
            "The task of {} goes on; give its handle as `task` with every call: {}",
            task.agent, task.handle
        ),
        instructions::of_task(begun),
    ];
    let mut told = told_of(task, begun);
    if let Some(SoFar { turns, facts, rejections, open }) = so_far {
        parts.push(format!(
            "So far: {turns} turns, {facts} facts, {rejections} refused claims; {} objectives are open{}{}",
            open.len(),
            if open.is_empty() { "." } else { ": " },
            some_of(open, MOST_OPEN)
        ));
        told["so_far"] = json!({"turns": turns, "facts": facts, "refused": rejections, "open": open});
    }
    if let Some(last) = &begun.last {
        let (said, last) = answer::of_last(last, &begun.fence);
        parts.push(said);
        told["last"] = last;
    }
    (parts.join("\n\n"), told)
}
