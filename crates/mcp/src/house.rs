//! What the server holds: the case, who may work on it, the runs and tasks that are open.

use crate::handle::Handle;
use app::{Agent, AgentError, Case, Interrupt, Workplace};
use ledger::event::TaskEnded;
use ledger::vocabulary::VocabularyError;
use ledger::{Fence, Rules, ToolSpec};
use llm::Desk;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use thiserror::Error;
use tokio::sync::{Semaphore, watch};

/// Runs that may be open at once: each has workers of its own.
pub(crate) const MOST_RUNS: usize = 8;
/// Runs that have ended and that are still told of, the latest; their folders stay.
const MOST_ENDED: usize = 64;
/// Calls that may be under way at once, of all clients together.
pub(crate) const MOST_CALLS: usize = 64;

/// What to serve, and how.
#[derive(Clone)]
pub struct Settings {
    /// The case.
    pub case: Case,
    /// Where run folders are made.
    pub runs: PathBuf,
    /// The rules of runs; [`app::outside_rules`] are sized for a call a turn.
    pub rules: Rules,
    /// How long a task waits for the next call before it ends as cancelled.
    pub idle: Duration,
    /// Where and how runs do their work; each has an interruption of its own.
    pub work: Workplace,
}

/// Why there is nothing to serve: a defect of ours.
#[derive(Debug, Error)]
pub enum SetupError {
    /// An agent file does not read.
    #[error(transparent)]
    Agents(#[from] AgentError),
    /// The vocabulary does not read.
    #[error("read the vocabulary")]
    Vocabulary(#[source] VocabularyError),
}

/// Everything that requests have in common.
pub struct House {
    pub(crate) settings: Settings,
    /// Who a client can be, the examiner first.
    pub(crate) agents: Vec<Agent>,
    pub(crate) lead: Agent,
    /// Every tool that a task can be offered, by name.
    pub(crate) tools: BTreeMap<String, ToolSpec>,
    /// Calls that may still begin.
    pub(crate) calls: Arc<Semaphore>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Runs that are being opened: they have no handle yet.
    opening: usize,
    /// In the order of their opening.
    runs: Vec<Arc<OpenRun>>,
    tasks: BTreeMap<String, Arc<OpenTask>>,
}

/// A run that a client opened.
pub(crate) struct OpenRun {
    pub(crate) handle: Handle,
    pub(crate) folder: PathBuf,
    pub(crate) tasks: Vec<Arc<OpenTask>>,
    pub(crate) came: watch::Receiver<Option<Arc<Came>>>,
    pub(crate) interrupt: Interrupt,
}

/// What came of a run.
#[derive(Debug)]
pub(crate) enum Came {
    /// It is sealed; how its tasks ended, by agent.
    Sealed(Vec<(String, TaskEnded)>),
    /// It broke off; why.
    BrokenOff(String),
}

/// A task whose steps a client decides.
pub(crate) struct OpenTask {
    pub(crate) handle: Handle,
    pub(crate) agent: String,
    pub(crate) fence: Fence,
    /// `None` once the server ends.
    desk: Mutex<Option<Desk>>,
}

/// What the end of a server leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// Runs that were sealed at the end.
    pub sealed: usize,
    /// Runs that broke off: what they recorded stays, and they can be resumed.
    pub unsealed: usize,
}

impl House {
    /// Gets ready to serve.
    pub fn new(settings: Settings) -> Result<Arc<House>, SetupError> {
        let mut agents = vec![app::shipped_examiner()?];
        agents.extend(app::shipped_agents()?);
        let lead = app::shipped_lead()?;
        let roster: Vec<_> = agents.iter().skip(1).map(|agent| agent.spec.clone()).collect();
        let tools = app::outside_tools(&roster).map_err(SetupError::Vocabulary)?;
        let tools = tools.into_iter().map(|tool| (tool.name.clone(), tool)).collect();
        let calls = Arc::new(Semaphore::new(MOST_CALLS));
        Ok(Arc::new(House { settings, agents, lead, tools, calls, state: Mutex::default() }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more open run; `None` where there are as many as there may be.
    pub(crate) fn place(self: &Arc<House>) -> Option<Place> {
        let mut state = self.state();
        let open = state.runs.iter().filter(|run| run.came.borrow().is_none()).count();
        if open + state.opening >= MOST_RUNS {
            return None;
        }
        state.opening += 1;
        Some(Place { house: Arc::clone(self) })
    }

    pub(crate) fn add(&self, run: OpenRun) -> Arc<OpenRun> {
        let run = Arc::new(run);
        let mut state = self.state();
        for task in &run.tasks {
            state.tasks.insert(task.handle.as_str().to_owned(), Arc::clone(task));
        }
        state.runs.push(Arc::clone(&run));
        let ended = state.runs.iter().filter(|run| run.came.borrow().is_some()).count();
        if ended > MOST_ENDED
            && let Some(oldest) = state.runs.iter().position(|run| run.came.borrow().is_some())
        {
            let oldest = state.runs.remove(oldest);
            for task in &oldest.tasks {
                state.tasks.remove(task.handle.as_str());
            }
        }
        run
    }

    /// The runs that are open, by the names of their folders: whoever reads them from their files may stand in the way of their seals.
    pub(crate) fn open_runs(&self) -> Vec<Arc<OpenRun>> {
        self.state().runs.iter().filter(|run| run.came.borrow().is_none()).cloned().collect()
    }

    pub(crate) fn task(&self, handle: &str) -> Option<Arc<OpenTask>> {
        self.state().tasks.get(handle).cloned()
    }

    pub(crate) fn run(&self, handle: &str) -> Option<Arc<OpenRun>> {
        self.state().runs.iter().find(|run| run.handle.as_str() == handle).cloned()
    }

    /// Ends every open run: its tasks are cancelled and it is sealed, where that can be done within `grace`; otherwise it is interrupted.
    pub async fn end(&self, grace: Duration) -> Left {
        let runs: Vec<_> = self.state().runs.clone();
        let open: Vec<_> = runs.into_iter().filter(|run| run.came.borrow().is_none()).collect();
        open.iter().flat_map(|run| &run.tasks).for_each(|task| task.leave());
        let deadline = tokio::time::Instant::now() + grace;
        let mut left = Left { sealed: 0, unsealed: 0 };
        for run in open {
            let came = match tokio::time::timeout_at(deadline, run.came()).await {
                Ok(came) => came,
                Err(_) => {
                    run.interrupt.interrupt();
                    run.came().await
                }
            };
            match *came {
                Came::Sealed(_) => left.sealed += 1,
                Came::BrokenOff(_) => left.unsealed += 1,
            }
        }
        left
    }
}

/// The place of a run that is being opened.
pub(crate) struct Place {
    house: Arc<House>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.house.state().opening -= 1;
    }
}

impl OpenRun {
    /// What comes of it, once that is known.
    pub(crate) async fn came(&self) -> Arc<Came> {
        let mut came = self.came.clone();
        let told = came.wait_for(Option::is_some).await;
        let known = told.ok().and_then(|came| came.clone());
        known.unwrap_or_else(|| Arc::new(Came::BrokenOff("a thread of the program panicked".to_owned())))
    }

    /// The name of its folder.
    pub(crate) fn name(&self) -> String {
        self.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

impl OpenTask {
    pub(crate) fn new(handle: Handle, agent: String, fence: Fence, desk: Desk) -> OpenTask {
        OpenTask { handle, agent, fence, desk: Mutex::new(Some(desk)) }
    }

    pub(crate) fn desk(&self) -> Option<Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Nobody decides for it any longer.
    pub(crate) fn leave(&self) {
        drop(self.desk.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
