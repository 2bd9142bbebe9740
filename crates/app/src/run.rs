//! Use case: investigate one case, from its evidence to a sealed run.

pub(crate) mod asked;
mod asking;
mod error;
mod evidence;
mod folder;
mod fork;
pub(crate) mod hunt;
mod kept;
mod objectives;
mod recording;
mod resume;
mod session;
pub(crate) mod sweep;

pub use asked::{Answerer, asker_of};
pub use asking::{AskBranch, ToAsk, ask_case, branch_to_ask};
pub use error::{NoModel, RunError};
pub use folder::refuse_runs_inside;
pub use fork::{ForkRequest, fork};
pub use kept::KeepHead;
pub use resume::{ModelsByName, ResumeRequest, conclude, resume};
pub use session::{Recorded, Session, session_again, session_of_case, session_of_run};

use crate::agents::Agent;
use crate::brought::Brought;
use crate::case_file::Case;
use crate::clock::Clock;
use crate::interrupt::Interrupt;
use crate::made_tables::MadeTables;
use crate::memory::{self, MemoryUse};
use crate::names::{Names, OtherEvidence};
use crate::progress::Progress;
use crate::seal::Manifest;
use crate::unchanged::Snapshot;
use crate::worker::{Worker, WorkerRequest};
use ledger::canonical::{self, CanonicalError};
use ledger::event::{CaseQuestion, RunOpened, TaskAssigned, TaskEnded};
use ledger::{
    AgentSpec, Behaviour, Digest, FORMAT, IntegrityLevel, Remembered, Rules, Seed, TaskId, ToolSpec,
    ViewRules, Vocabulary, Writers,
};
use llm::Model;
use recording::{Open, Tasks};
use resume::agent_of;
use sandbox::Canceller;
use std::path::PathBuf;
use std::sync::Arc;
use tools::Indexes;

/// Makes the model of a task.
pub type Models = dyn Fn(&Agent, TaskId, Seed) -> Box<dyn Model> + Send + Sync;

/// What to investigate, and how.
pub struct RunRequest {
    /// The case.
    pub case: Case,
    /// Who hands out the tasks; `None`: each agent gets one task, and they work side by side.
    pub lead: Option<Agent>,
    /// The agents.
    pub agents: Vec<Agent>,
    /// What decides their steps.
    pub models: Box<Models>,
    /// The rules.
    pub rules: Rules,
    /// Where run folders are made.
    pub runs: PathBuf,
    /// Rules, indicators and known files that were brought along.
    pub brought: Arc<Brought>,
    /// What the run's ids are derived from; `None`: the case and the rules, so that equal runs are equal.
    pub seed: Option<Seed>,
    /// Where and how the work is done.
    pub work: Workplace,
}

/// Where and how a run's work is done: nothing of it shows in what the tasks record.
#[derive(Clone)]
pub struct Workplace {
    /// How closely the evidence's bytes are checked.
    pub integrity: IntegrityLevel,
    /// Where tools run.
    pub worker: WorkerRequest,
    /// A folder of ours for the name indexes of runs, outside the evidence and the workers' scratch folder.
    pub indexes: PathBuf,
    /// A folder for name indexes that later runs can use; `None`: none is kept.
    pub cache: Option<PathBuf>,
    /// How the run's file is written.
    pub recording: store::Options,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Who is told what happens.
    pub observe: Arc<dyn Fn(Progress) + Send + Sync>,
    /// What stops the run before its end.
    pub interrupt: Interrupt,
    /// What is kept of its head, once it is sealed.
    pub keep: KeepHead,
    /// What is recalled of earlier runs, and where lessons of this one are written.
    pub memory: MemoryUse,
}

/// A sealed run.
#[derive(Debug)]
pub struct Finished {
    /// Its folder.
    pub folder: PathBuf,
    /// Its manifest.
    pub manifest: Manifest,
    /// How each task ended, by agent.
    pub tasks: Vec<(String, TaskEnded)>,
    /// Evidence that does not have the hash that the case promises.
    pub mismatches: Vec<String>,
}

/// Investigates the case: opens a run, lets each agent do its task, hashes the evidence beside them, and seals.
///
/// Once this returns, the run folder holds a sealed run.
/// Whatever else it returns, nothing of it goes on: no tool runs and nothing is recorded any more; [`resume`] goes on where the log ends.
/// An interruption that comes when everything is recorded but the seal is too late; the run is then sealed.
pub async fn run(mut request: RunRequest) -> Result<Finished, RunError> {
    let vocabulary = Vocabulary::shipped().map_err(RunError::Vocabulary)?;
    let RunRequest { runs, work, .. } = &request;
    for folder in [Some(runs), Some(&work.indexes), work.cache.as_ref()].into_iter().flatten() {
        refuse_runs_inside(folder, &request.case.paths)?;
    }
    let questions = objectives::of_case(&request.case).map_err(RunError::Agents)?;
    objectives::hand_out(&mut request)?;
    objectives::check(&request.agents, &vocabulary)?;
    objectives::leave_out_foreign(&mut request);
    let RunRequest { case, lead, agents, models, mut rules, runs, brought, seed, work } = request;
    let seed = seed_of(seed, &case, &rules, lead.iter().chain(&agents)).map_err(RunError::Canonical)?;
    let begun = lead.as_ref().map_or(agents.as_slice(), std::slice::from_ref);
    let tasks = (1..).map(TaskId).zip(begun).map(|(id, agent)| {
        let charge = Charge::new(&*models, agent, id, seed);
        let assigned = charge.assigned(TaskAssigned::new(id, agent.spec.clone(), ""));
        (charge, assigned)
    });
    let (tasks, assigned): (Vec<Charge>, Vec<TaskAssigned>) = tasks.unzip();
    // An output of which nothing but a note is ever shown can be read by nobody.
    let windows = assigned.iter().filter_map(|assigned| assigned.window);
    rules.view = windows.fold(rules.view, ViewRules::within);
    let roster = lead.iter().flat_map(|_| agents.iter().map(|agent| agent.spec.clone())).collect();
    let opened = opened(&case, rules, seed, vocabulary, roster, questions, !work.worker.unconfined)?;
    let opened = RunOpened { brought: brought.files.clone(), ..opened };
    tasks.iter().try_for_each(|charge| priced(&opened, &*charge.model))?;
    let site = Site { case, work, brought, before: None };
    let (site, hasher) = site.enter().await?;
    let remembered = site.recall(&opened, &assigned).await?;
    let opened = RunOpened { remembered, ..opened };
    let open = Open::create(&runs, &site, opened, assigned, hasher.confinement())?;
    (site.work.observe)(Progress::Opened { folder: open.folder.clone() });
    let begun = tasks.into_iter().zip(open.unbegun()).collect();
    let hire = Box::new(move |assigned: &TaskAssigned| {
        let agent = agent_of(&agents, assigned);
        Ok(Charge::new(&*models, &agent, assigned.task, seed))
    });
    let tasks = Tasks {
        begun,
        dispatched: Vec::new(),
        hunted: Vec::new(),
        swept: Vec::new(),
        asked: Vec::new(),
        hire,
    };
    carry_on(open, site, hasher, tasks).await
}

/// Refuses a bound of money on what nobody knows the price of.
pub(crate) fn priced(opened: &RunOpened, model: &dyn Model) -> Result<(), RunError> {
    let is_bound = opened.rules.budgets.run_cost.is_some() && model.is_paid();
    match is_bound && model.prices().is_none() {
        true => Err(RunError::NoPrice { model: model.name().to_owned() }),
        false => Ok(()),
    }
}

/// Whom a task is given to, and what decides the steps.
pub(crate) struct Charge {
    pub(crate) agent: String,
    pub(crate) model: Box<dyn Model>,
}

impl Charge {
    fn new(models: &Models, agent: &Agent, task: TaskId, seed: Seed) -> Charge {
        Charge { agent: agent.spec.name.clone(), model: models(agent, task, seed) }
    }

    /// The assignment with what the model says of itself.
    pub(crate) fn assigned(&self, assigned: TaskAssigned) -> TaskAssigned {
        let model = &self.model;
        TaskAssigned {
            model: model.name().to_owned(),
            model_digest: model.digest(),
            window: model.window(),
            prices: model.prices(),
            ..assigned
        }
    }
}

/// The evidence of a run where it lies, and the workplace.
pub(crate) struct Site {
    pub(crate) case: Case,
    pub(crate) work: Workplace,
    /// Rules that were brought along; of a run that has compared them already none.
    pub(crate) brought: Arc<Brought>,
    /// What the evidence was before the first look in this process.
    pub(crate) before: Option<Arc<Snapshot>>,
}

impl Site {
    /// Looks at the evidence, starts the first worker and opens the evidence in it: where one of these cannot be had there is nothing to investigate.
    async fn enter(mut self) -> Result<(Site, Worker), RunError> {
        self.before = Some(evidence::look(&self).await?);
        let hasher =
            Worker::start(&self.work.worker, &self.case, &Indexes::new()).map_err(RunError::Tools)?;
        evidence::open(&self, &hasher).await?;
        Ok((self, hasher))
    }

    /// The digest by which a memory knows this evidence.
    fn key(&self) -> Option<Digest> {
        memory::key_of(self.before.as_deref(), &self.case)
    }

    /// What the agents are told of earlier runs.
    async fn recall(&self, opened: &RunOpened, begun: &[TaskAssigned]) -> Result<Vec<Remembered>, RunError> {
        let (work, key, opened, begun) = (self.work.clone(), self.key(), opened.clone(), begun.to_vec());
        let recall = move || memory::recall(&work, key.as_ref(), &opened, &begun);
        tokio::task::spawn_blocking(recall).await.map_err(|_| RunError::ThreadPanicked)
    }
}

/// Brings the tasks of an open run to their ends, from wherever their logs leave them, and seals.
async fn carry_on(mut open: Open, site: Site, hasher: Worker, tasks: Tasks) -> Result<Finished, RunError> {
    let cancel_hashing = hasher.canceller();
    let names = open.index_names(&site, &hasher).await?;
    let hashing = evidence::hash(&site, open.folder.clone(), hasher);
    let tables = Arc::new(open.tables(&site));
    let tasks = match open.investigate(&site, &names.files, &tables, tasks).await {
        Ok(tasks) => tasks,
        Err(error) => {
            cancel_hashing.cancel();
            open.leave_unfinished(&site).await;
            // Whatever comes of it, the first error is the one to be told.
            let _ = hashing.await;
            return Err(open.because_of_change(&site, error).await);
        }
    };
    seal_when_hashed(Unsealed { open, site, names, tables, hashing, stop_hashing: cancel_hashing }, tasks)
        .await
}

/// A run of which only the hashes of its evidence and the seal are missing.
struct Unsealed {
    open: Open,
    site: Site,
    names: Names,
    tables: Arc<MadeTables>,
    /// The evidence is hashed beside the tasks.
    hashing: evidence::Hashing,
    stop_hashing: Canceller,
}

/// Waits for the hashes, and seals.
async fn seal_when_hashed(unsealed: Unsealed, tasks: Vec<(String, TaskEnded)>) -> Result<Finished, RunError> {
    let Unsealed { open, site, mut names, tables, mut hashing, stop_hashing } = unsealed;
    let hashed = tokio::select! {
        hashed = &mut hashing => hashed,
        () = site.work.interrupt.interrupted() => {
            stop_hashing.cancel();
            hashing.await
        }
    };
    let hashed = match hashed.map_err(|_| RunError::Panicked { folder: open.folder.clone() })? {
        Err(_) if site.work.interrupt.is_interrupted() => {
            return Err(RunError::Interrupted { folder: open.folder });
        }
        Ok(hashed) => hashed,
        Err(error) => return Err(open.because_of_change(&site, error).await),
    };
    if let Some(changed) = open.change(&site).await? {
        names.forget();
        return Err(changed);
    }
    let settled = names.settle(&hashed);
    tell(&site.work, &mut names);
    settled.map_err(|OtherEvidence { label, expected, found }| RunError::IndexOfOther {
        folder: open.folder.clone(),
        label,
        expected,
        found,
    })?;
    let tables = open.tables_read(&site, &names.files, tables).await?;
    let finished = open.seal(tasks, tables, hashed).await?;
    kept::keep(&site.work, &finished);
    Ok(finished)
}

/// Tells the observer what a person should know of the indexes.
fn tell(work: &Workplace, names: &mut Names) {
    for note in names.notes.drain(..) {
        (work.observe)(Progress::Note(note));
    }
}

fn seed_of<'a>(
    seed: Option<Seed>,
    case: &Case,
    rules: &Rules,
    agents: impl Iterator<Item = &'a Agent>,
) -> Result<Seed, CanonicalError> {
    if let Some(seed) = seed {
        return Ok(seed);
    }
    let specs: Vec<_> = agents.map(|agent| &agent.spec).collect();
    let of = canonical::to_vec(&(&case.entry, rules, specs))?;
    Ok(Seed(Digest::of_parts(&[b"locard seed", &of])))
}

/// Every tool of a run whose lead can hand tasks to these agents, sorted by name.
pub(crate) fn offered(vocabulary: &Vocabulary, roster: &[AgentSpec]) -> Vec<ToolSpec> {
    let mut offered: Vec<ToolSpec> = tools::catalogue();
    offered.extend(engine::catalogue(vocabulary));
    offered.extend(engine::dispatch_tools(roster));
    offered.sort_by(|a, b| a.name.cmp(&b.name));
    offered
}

/// The first event of a run by this version.
fn opened(
    case: &Case,
    rules: Rules,
    seed: Seed,
    vocabulary: Vocabulary,
    roster: Vec<AgentSpec>,
    questions: Vec<CaseQuestion>,
    confined: bool,
) -> Result<RunOpened, RunError> {
    let writers = Writers::shipped().map_err(RunError::Writers)?;
    let offered = offered(&vocabulary, &roster);
    let named = rules.surfaces.tools.iter().flatten();
    if let Some(unknown) = named.into_iter().find(|name| offered.iter().all(|tool| tool.name != **name)) {
        return Err(RunError::UnknownTool { tool: unknown.clone() });
    }
    Ok(RunOpened {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        seed,
        case: case.entry.clone(),
        rules,
        vocabulary,
        writers,
        tools: offered,
        roster,
        questions,
        brought: Vec::new(),
        remembered: Vec::new(),
        asked: Vec::new(),
        behaviour: Behaviour::ALL.into_iter().map(u16::from).collect(),
        confined,
        parent: None,
    })
}
