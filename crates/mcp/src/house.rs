//! The state of the server: the case, the agents, and the open runs and tasks.

use crate::handle::Handle;
use app::{Agent, AgentError, Case, Interrupt, Workplace};
use ledger::event::TaskEnded;
use ledger::vocabulary::VocabularyError;
use ledger::{Fence, Rules, TaskId, ToolSpec};
use llm::Desk;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use thiserror::Error;
use tokio::sync::{Semaphore, watch};

/// The maximum number of open runs: each has its own workers.
pub(crate) const MOST_RUNS: usize = 8;
/// The number of ended runs that the server remembers, latest first; their folders remain.
const MOST_ENDED: usize = 64;
/// The maximum number of calls in progress, over all clients.
pub(crate) const MOST_CALLS: usize = 64;

/// The maximum number of concurrent reads of runs; others wait.
const MOST_READS: usize = 4;

/// The settings of a server.
#[derive(Clone)]
pub struct Settings {
    /// The case.
    pub case: Case,
    /// The folder in which run folders are created.
    pub runs: PathBuf,
    /// The rules of runs; [`app::outside_rules`] are sized for one call per turn.
    pub rules: Rules,
    /// The agents whose tasks a client gets if it names none, and whose tools are listed.
    pub agents: Vec<String>,
    /// The form of answers to clients.
    pub answers: Answers,
    /// How long a task waits for the next call before it ends as cancelled.
    pub idle: Duration,
    /// Whether open runs stay open when the server ends, for another server.
    pub keep_open: bool,
    /// Where and how runs do their work; each run has its own interruption.
    pub work: Workplace,
}

/// The form of answers to clients: only one is sent, because each is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// As text, for clients that pass it to a language model.
    Text,
    /// As structured content, for programs.
    Structured,
}

/// The reason why there is nothing to serve: a bug in this program, or an unknown agent.
#[derive(Debug, Error)]
pub enum SetupError {
    /// There is no such agent, or the lead was named together with others.
    #[error("agents: expected lead alone, or some of {}; found {found:?}", known.join(", "))]
    Agent {
        /// The name that was given.
        found: String,
        /// The agents other than the lead.
        known: Vec<String>,
    },
    /// An agent file cannot be read.
    #[error(transparent)]
    Agents(#[from] AgentError),
    /// The vocabulary cannot be read.
    #[error("read the vocabulary")]
    Vocabulary(#[source] VocabularyError),
}

/// The state that all requests share.
pub struct House {
    pub(crate) settings: Settings,
    /// The agents that a client can be, the examiner first.
    pub(crate) agents: Vec<Agent>,
    pub(crate) lead: Agent,
    /// The tools that are listed, by name: those of the agents in the settings.
    pub(crate) listed: BTreeMap<String, ToolSpec>,
    /// Every tool that a task can be offered, by name.
    pub(crate) tools: BTreeMap<String, ToolSpec>,
    /// The number of calls that may still begin.
    pub(crate) calls: Arc<Semaphore>,
    /// The number of reads of runs that may still begin.
    pub(crate) reads: Semaphore,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Whether the server is ending: then nothing new is begun.
    ends: bool,
    /// Runs that have not ended, including those that are being opened.
    under_way: Vec<UnderWay>,
    /// Runs that were opened, in order of opening.
    runs: Vec<Arc<OpenRun>>,
    tasks: BTreeMap<String, Arc<OpenTask>>,
}

/// A run that has begun: its folder, its result, and the means to interrupt it.
#[derive(Clone)]
pub(crate) struct UnderWay {
    /// Its folder, once it exists.
    pub(crate) folder: watch::Receiver<Option<PathBuf>>,
    pub(crate) came: watch::Receiver<Option<Arc<Came>>>,
    pub(crate) interrupt: Interrupt,
}

/// A run that a client opened.
pub(crate) struct OpenRun {
    pub(crate) handle: Handle,
    pub(crate) folder: PathBuf,
    pub(crate) tasks: Vec<Arc<OpenTask>>,
    pub(crate) under_way: UnderWay,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) enum Came {
    /// It is sealed; contains how its tasks ended, by agent.
    Sealed(Vec<(String, TaskEnded)>),
    /// It broke off, for this reason.
    BrokenOff(String),
}

/// A task for which a client decides.
pub(crate) struct OpenTask {
    pub(crate) handle: Handle,
    pub(crate) id: TaskId,
    pub(crate) agent: String,
    pub(crate) fence: Fence,
    /// `None` once the server ends.
    desk: Mutex<Option<Desk>>,
}

/// The runs that a server leaves behind when it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The number of runs that were sealed at the end.
    pub sealed: usize,
    /// The folders of runs that were kept open, with their keys.
    pub kept: Vec<PathBuf>,
    /// The number of runs that broke off: their records remain, and they can be resumed.
    pub unsealed: usize,
}

/// Returns the tools of the named agents, described briefly.
fn listed(
    named: &[String],
    agents: &[Agent],
    lead: &Agent,
    tools: &BTreeMap<String, ToolSpec>,
) -> Result<BTreeMap<String, ToolSpec>, SetupError> {
    let mut of: Vec<&Agent> = Vec::new();
    for name in named {
        let known = agents.iter().find(|agent| agent.spec.name == *name);
        let leads = *name == lead.spec.name && named.len() == 1;
        of.push(known.or_else(|| leads.then_some(lead)).ok_or_else(|| SetupError::Agent {
            found: name.chars().take(100).collect(),
            known: agents.iter().map(|agent| agent.spec.name.clone()).collect(),
        })?);
    }
    let is_listed = |tool: &&ToolSpec| {
        of.iter().any(|agent| agent.spec.surface.contains(&tool.class) && agent.spec.has(tool))
    };
    Ok(tools.values().filter(is_listed).map(|tool| (tool.name.clone(), tool.in_brief())).collect())
}

impl House {
    /// Prepares to serve.
    pub fn new(settings: Settings) -> Result<Arc<House>, SetupError> {
        let mut agents = vec![app::shipped_examiner()?];
        agents.extend(app::shipped_agents()?);
        let lead = app::shipped_lead()?;
        let roster: Vec<_> = agents.iter().skip(1).map(|agent| agent.spec.clone()).collect();
        let tools = app::outside_tools(&roster).map_err(SetupError::Vocabulary)?;
        let tools: BTreeMap<String, ToolSpec> =
            tools.into_iter().map(|tool| (tool.name.clone(), tool)).collect();
        let listed = listed(&settings.agents, &agents, &lead, &tools)?;
        let calls = Arc::new(Semaphore::new(MOST_CALLS));
        let reads = Semaphore::new(MOST_READS);
        Ok(Arc::new(House { settings, agents, lead, listed, tools, calls, reads, state: Mutex::default() }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a run that begins; returns false if too many are open or the server is ending.
    pub(crate) fn begin(&self, run: &UnderWay) -> bool {
        let mut state = self.state();
        state.under_way.retain(UnderWay::is_open);
        let begins = !state.ends && state.under_way.len() < MOST_RUNS;
        if begins {
            state.under_way.push(run.clone());
        }
        begins
    }

    pub(crate) fn add(&self, run: OpenRun) -> Arc<OpenRun> {
        let run = Arc::new(run);
        let mut state = self.state();
        for task in &run.tasks {
            state.tasks.insert(task.handle.as_str().to_owned(), Arc::clone(task));
        }
        state.runs.push(Arc::clone(&run));
        if state.ends && !self.settings.keep_open {
            run.tasks.iter().for_each(|task| task.leave());
        }
        let ended = state.runs.iter().filter(|run| !run.under_way.is_open()).count();
        if ended > MOST_ENDED
            && let Some(oldest) = state.runs.iter().position(|run| !run.under_way.is_open())
        {
            let oldest = state.runs.remove(oldest);
            for task in &oldest.tasks {
                state.tasks.remove(task.handle.as_str());
            }
        }
        run
    }

    /// Returns the open runs, in order of opening. Reading them from their files could get in the way of their seals.
    pub(crate) fn open_runs(&self) -> Vec<Arc<OpenRun>> {
        self.state().runs.iter().filter(|run| run.under_way.is_open()).cloned().collect()
    }

    /// Checks whether the run in this folder is open or being opened here.
    pub(crate) fn is_under_way(&self, folder: &Path) -> bool {
        let state = self.state();
        let mut under_way = state.under_way.iter().filter(|run| run.is_open());
        under_way.any(|run| run.folder.borrow().as_deref() == Some(folder))
    }

    pub(crate) fn task(&self, handle: &str) -> Option<Arc<OpenTask>> {
        self.state().tasks.get(handle).cloned()
    }

    pub(crate) fn run(&self, handle: &str) -> Option<Arc<OpenRun>> {
        self.state().runs.iter().find(|run| run.handle.as_str() == handle).cloned()
    }

    /// Ends every open run.
    ///
    /// If possible within `grace`, the tasks of a run are cancelled and the run is sealed; otherwise it is interrupted.
    /// A server that keeps runs open interrupts them at once, except those whose tasks have all ended: these are sealed.
    pub async fn end(&self, grace: Duration) -> Left {
        let under_way = self.leave();
        let deadline = tokio::time::Instant::now() + grace;
        let mut left = Left { sealed: 0, kept: Vec::new(), unsealed: 0 };
        for run in under_way {
            let came = match tokio::time::timeout_at(deadline, run.came()).await {
                Ok(came) => came,
                Err(_) => {
                    run.interrupt.interrupt();
                    run.came().await
                }
            };
            match (&*came, self.kept(&run)) {
                (Came::Sealed(_), _) => left.sealed += 1,
                (Came::BrokenOff(_), Some(folder)) => left.kept.push(folder),
                (Came::BrokenOff(_), None) => left.unsealed += 1,
            }
        }
        left
    }

    /// Leaves the tasks of every open run, or interrupts the runs that are kept open; returns all open runs.
    fn leave(&self) -> Vec<UnderWay> {
        let mut state = self.state();
        state.ends = true;
        state.under_way.retain(UnderWay::is_open);
        let under_way = state.under_way.clone();
        if !self.settings.keep_open {
            state.tasks.values().for_each(|task| task.leave());
            return under_way;
        }
        let is_done = |run: &&UnderWay| {
            let mut runs = state.runs.iter().filter(|open| open.under_way.is_same(run));
            runs.any(|open| open.tasks.iter().all(|task| task.is_over()))
        };
        under_way.iter().filter(|run| !is_done(run)).for_each(|run| run.interrupt.interrupt());
        under_way
    }

    /// Returns the folder of a run that was kept open: its key file exists.
    fn kept(&self, run: &UnderWay) -> Option<PathBuf> {
        let folder = run.folder.borrow().clone().filter(|_| self.settings.keep_open)?;
        app::key_file(&folder).exists().then_some(folder)
    }
}

impl UnderWay {
    fn is_open(&self) -> bool {
        self.came.borrow().is_none()
    }

    fn is_same(&self, other: &UnderWay) -> bool {
        self.came.same_channel(&other.came)
    }

    /// Waits for its result.
    pub(crate) async fn came(&self) -> Arc<Came> {
        let mut came = self.came.clone();
        let told = came.wait_for(Option::is_some).await;
        let known = told.ok().and_then(|came| came.clone());
        known.unwrap_or_else(|| Arc::new(Came::BrokenOff("a thread of the program panicked".to_owned())))
    }
}

impl OpenRun {
    /// Returns the name of its folder.
    pub(crate) fn name(&self) -> String {
        self.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

impl OpenTask {
    pub(crate) fn new(handle: Handle, id: TaskId, agent: String, fence: Fence, desk: Desk) -> OpenTask {
        OpenTask { handle, id, agent, fence, desk: Mutex::new(Some(desk)) }
    }

    pub(crate) fn desk(&self) -> Option<Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Checks whether it has ended, or its run broke off.
    fn is_over(&self) -> bool {
        self.desk().is_none_or(|desk| desk.is_gone())
    }

    /// Leaves the task: no client decides for it any more.
    pub(crate) fn leave(&self) {
        drop(self.desk.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
