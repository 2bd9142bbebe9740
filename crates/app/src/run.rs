//! Use case: investigate one case, from its evidence to a sealed run.

mod error;
mod evidence;
mod objectives;

pub use error::RunError;

use crate::agents::Agent;
use crate::case_file::Case;
use crate::clock::Clock;
use crate::drive::{Drive, DriveError, Progress};
use crate::interrupt::Interrupt;
use crate::judge::Bench;
use crate::names::{Names, OtherEvidence};
use crate::record::Recorder;
use crate::seal::{Manifest, Sealing, write_manifest};
use crate::shared::Shared;
use crate::timelines::{Timelines, TimelinesOf};
use crate::unchanged::{Changed, Snapshot};
use crate::waiting::{Panicked, wait_for};
use crate::worker::{Worker, WorkerRequest};
use engine::{Setting, Task};
use ledger::canonical::{self, CanonicalError};
use ledger::event::{EvidenceHashed, RunOpened, RunSealed, TaskAssigned, TaskEnded, TaskHead};
use ledger::{
    Circumstance, Digest, Event, FORMAT, IntegrityLevel, Rules, RunId, Seed, Stream, TaskId, ToolSpec,
    Vocabulary, Writers,
};
use llm::Model;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store::{CreateError, Writer};
use tokio::task::JoinSet;
use tools::Indexes;

/// Makes the model of a task.
pub type Models = dyn Fn(&Agent, TaskId, Seed) -> Box<dyn Model> + Send + Sync;

/// What to investigate, and how.
pub struct RunRequest {
    /// The case.
    pub case: Case,
    /// The agents, each of which gets one task.
    pub agents: Vec<Agent>,
    /// What decides their steps.
    pub models: Box<Models>,
    /// The rules.
    pub rules: Rules,
    /// Where run folders are made.
    pub runs: PathBuf,
    /// What the run's ids are derived from; `None`: the case and the rules, so that equal runs are equal.
    pub seed: Option<Seed>,
    /// How closely the evidence's bytes are checked.
    pub integrity: IntegrityLevel,
    /// Where tools run.
    pub worker: WorkerRequest,
    /// A folder of ours for the name indexes of runs, outside the evidence and the workers' scratch folder.
    pub indexes: PathBuf,
    /// A folder for name indexes that later runs can use; `None`: none is kept.
    pub cache: Option<PathBuf>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Who is told what happens.
    pub observe: Arc<dyn Fn(Progress) + Send + Sync>,
    /// What stops the run before its end.
    pub interrupt: Interrupt,
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
/// Whatever else it returns, nothing of it goes on: no tool runs and nothing is recorded any more.
/// An interruption that comes when everything is recorded but the seal is too late; the run is then sealed.
pub async fn run(mut request: RunRequest) -> Result<Finished, RunError> {
    let vocabulary = Vocabulary::shipped().map_err(RunError::Vocabulary)?;
    let writers = Writers::shipped().map_err(RunError::Writers)?;
    for folder in [Some(&request.runs), Some(&request.indexes), request.cache.as_ref()].into_iter().flatten()
    {
        refuse_runs_inside(folder, &request.case.paths)?;
    }
    objectives::hand_out(&mut request)?;
    objectives::check(&request.agents, &vocabulary)?;
    objectives::leave_out_foreign(&mut request);
    let before = evidence::look(&request).await?;
    // The first worker is started before the folder is made: where tools cannot run there is no run.
    let hasher = Worker::start(&request.worker, &request.case, &Indexes::new()).map_err(RunError::Tools)?;
    evidence::open(&request, &hasher).await?;
    let opened = opened(&request, vocabulary, writers).map_err(RunError::Canonical)?;
    let mut open = Open::create(&request, opened, hasher.confinement())?;
    let cancel_hashing = hasher.canceller();
    let mut names = open.index_names(&request, &hasher).await?;
    let mut hashing = evidence::hash(&request, open.folder.clone(), hasher);
    let timelines = Arc::new(open.timelines(&request));
    let tasks = match open.investigate(&request, &names.files, &timelines).await {
        Ok(tasks) => tasks,
        Err(error) => {
            cancel_hashing.cancel();
            // Whatever comes of it, the first error is the one to be told.
            let _ = hashing.await;
            return Err(open.because_of_change(&request, &before, error).await);
        }
    };
    let hashed = tokio::select! {
        hashed = &mut hashing => hashed,
        () = request.interrupt.interrupted() => {
            cancel_hashing.cancel();
            hashing.await
        }
    };
    let hashed = match hashed.map_err(|_| RunError::Panicked { folder: open.folder.clone() })? {
        Err(_) if request.interrupt.is_interrupted() => {
            return Err(RunError::Interrupted { folder: open.folder });
        }
        Ok(hashed) => hashed,
        Err(error) => return Err(open.because_of_change(&request, &before, error).await),
    };
    if let Some(changed) = open.change(&request, &before).await? {
        names.forget();
        timelines.forget();
        return Err(changed);
    }
    let settled = names.settle(&hashed).and_then(|()| timelines.settle(&hashed));
    tell(&request, &mut names);
    settled.map_err(|OtherEvidence { label, expected, found }| RunError::IndexOfOther {
        folder: open.folder.clone(),
        label,
        expected,
        found,
    })?;
    open.seal(tasks, hashed)
}

/// What came of a task: its id, its agent, how it ended.
type Driven = (TaskId, String, Result<TaskEnded, DriveError>);

/// A run that is being recorded.
struct Open {
    folder: PathBuf,
    id: RunId,
    opened: RunOpened,
    assigned: Vec<TaskAssigned>,
    recorder: Recorder,
}

impl Open {
    fn create(request: &RunRequest, opened: RunOpened, confinement: Vec<String>) -> Result<Open, RunError> {
        let (folder, id, writer) = create_folder(request)?;
        let recorder = Recorder::new(writer, Arc::clone(&request.clock));
        let labels = request.case.entry.evidence.iter().map(|entry| entry.label.clone());
        let paths = request.case.paths.iter().map(|path| path.display().to_string());
        let circumstance = Circumstance {
            run: Some(id.clone()),
            evidence: labels.zip(paths).collect(),
            confinement,
            ..Circumstance::at(request.clock.now())
        };
        let open = Open { folder, id, opened, assigned: Vec::new(), recorder };
        let event = Event::RunOpened(Box::new(open.opened.clone()));
        let entry = store::Entry { circumstance, ..open.recorder.run_entry(event) };
        open.append(entry)?;
        Ok(open)
    }

    fn append(&self, entry: store::Entry) -> Result<(), RunError> {
        self.recorder
            .append_to_run(entry)
            .map_err(|source| RunError::Recording { folder: self.folder.clone(), source })
    }

    /// Indexes the names of the evidence, and says so in the log before anything can look into an index.
    async fn index_names(&self, request: &RunRequest, worker: &Worker) -> Result<Names, RunError> {
        let cancellers = vec![worker.canceller()];
        let (worker, case) = (worker.clone(), request.case.clone());
        let (indexes, cache) = (request.indexes.clone(), request.cache.clone());
        let index = move || Names::index(&worker, &case, &indexes, cache.as_deref());
        let names = wait_for(&request.interrupt, cancellers, index).await;
        let mut names = names.map_err(|Panicked| RunError::Panicked { folder: self.folder.clone() })?;
        if request.interrupt.is_interrupted() {
            return Err(RunError::Interrupted { folder: self.folder.clone() });
        }
        tell(request, &mut names);
        for indexed in &names.indexed {
            self.append(self.recorder.run_entry(Event::NamesIndexed(indexed.clone())))?;
        }
        Ok(names)
    }

    /// The timeline indexes of this run, of which each stands in its log before it is used.
    fn timelines(&self, request: &RunRequest) -> Timelines {
        let recorder = self.recorder.clone();
        let record = move |indexed| {
            // The store refuses whatever else the run would record after a failure.
            recorder.append_to_run(recorder.run_entry(Event::TimelineIndexed(indexed))).is_ok()
        };
        let RunRequest { case, indexes, cache, observe, .. } = request;
        let of = TimelinesOf { case, indexes, cache: cache.clone(), observe };
        Timelines::of(&of, Box::new(record))
    }

    /// Assigns each agent its task and drives them side by side.
    async fn investigate(
        &mut self,
        request: &RunRequest,
        indexes: &Indexes,
        timelines: &Arc<Timelines>,
    ) -> Result<Vec<(String, TaskEnded)>, RunError> {
        let ids: Vec<TaskId> = (1..).map(TaskId).take(request.agents.len()).collect();
        let setting = Setting::new(self.opened.rules.clone(), self.opened.seed, &self.opened.tools, &ids);
        let setting = Arc::new(setting.with_writers(self.opened.writers.clone()));
        let bench = Arc::new(Bench::new(&self.opened));
        let stop = request.interrupt.of_one_run();
        let shared = Shared::default();
        let mut drives = Vec::new();
        for (agent, id) in request.agents.iter().zip(ids) {
            let model = (request.models)(agent, id, self.opened.seed);
            let assigned = TaskAssigned {
                task: id,
                agent: agent.spec.clone(),
                model: model.name().to_owned(),
                model_digest: model.digest(),
            };
            self.append(self.recorder.run_entry(Event::TaskAssigned(assigned.clone())))?;
            self.assigned.push(assigned.clone());
            drives.push(Drive {
                task: Task::new(assigned, Arc::clone(&setting)),
                agent: agent.spec.name.clone(),
                model,
                shared: shared.clone(),
                worker: Worker::start_with(
                    &request.worker,
                    &request.case,
                    indexes,
                    Some(Arc::clone(timelines)),
                )
                .map_err(RunError::Tools)?,
                recorder: self.recorder.clone(),
                bench: Arc::clone(&bench),
                wall: Duration::from_secs(self.opened.rules.budgets.wall_seconds),
                observe: Arc::clone(&request.observe),
                interrupt: stop.clone(),
            });
        }
        let mut running = JoinSet::new();
        for drive in drives {
            let agent = drive.agent.clone();
            running.spawn(async move { (drive.task.id(), agent, drive.finish().await) });
        }
        let mut ended = self.join(running, &stop).await?;
        ended.sort_by_key(|(id, ..)| *id);
        Ok(ended.into_iter().map(|(_, agent, ended)| (agent, ended)).collect())
    }

    /// Waits for every task; where one fails, or the run is interrupted, the others are stopped and waited for as well.
    async fn join(
        &self,
        mut running: JoinSet<Driven>,
        stop: &Interrupt,
    ) -> Result<Vec<(TaskId, String, TaskEnded)>, RunError> {
        let (mut ended, mut failed) = (Vec::new(), None);
        while let Some(joined) = running.join_next().await {
            let folder = self.folder.clone();
            let error = match joined {
                Ok((id, agent, Ok(end))) => {
                    ended.push((id, agent, end));
                    continue;
                }
                Ok((.., Err(DriveError::Interrupted { .. }))) => {
                    // A task that stopped because another one failed is not the run's failure.
                    failed.get_or_insert(RunError::Interrupted { folder });
                    continue;
                }
                Ok((.., Err(source))) => RunError::Drive { folder, source },
                Err(_) => RunError::Panicked { folder },
            };
            stop.interrupt();
            if matches!(failed, None | Some(RunError::Interrupted { .. })) {
                failed = Some(error);
            }
        }
        failed.map_or(Ok(ended), Err)
    }

    /// The error that says that the evidence is not what it was `before`.
    async fn change(&self, request: &RunRequest, before: &Snapshot) -> Result<Option<RunError>, RunError> {
        let now = evidence::look(request).await?;
        let folder = self.folder.clone();
        let error = |Changed { label, path, change }| RunError::Changed { folder, label, path, change };
        Ok(before.difference(&now, &request.case).map(error))
    }

    /// What ended the run: evidence that changed, where `error` can come of that, for instance because it is gone.
    async fn because_of_change(&self, request: &RunRequest, before: &Snapshot, error: RunError) -> RunError {
        if !matches!(error, RunError::Tools(_) | RunError::Hash { .. }) {
            return error;
        }
        self.change(request, before).await.ok().flatten().unwrap_or(error)
    }

    fn seal(
        self,
        tasks: Vec<(String, TaskEnded)>,
        hashed: Vec<EvidenceHashed>,
    ) -> Result<Finished, RunError> {
        let mismatches = hashed.iter().filter(|hashed| hashed.as_expected == Some(false));
        let mismatches = mismatches.map(|hashed| hashed.evidence.clone()).collect();
        for hashed in hashed {
            self.append(self.recorder.run_entry(Event::EvidenceHashed(hashed)))?;
        }
        let recording = |source| RunError::Recording { folder: self.folder.clone(), source };
        let tally = self.recorder.writer().tally().map_err(recording)?;
        let heads = tally.streams.iter().filter_map(|(stream, events, head)| match stream {
            Stream::Run => None,
            Stream::Task(task) => Some(TaskHead { task: *task, events: *events, head: *head }),
        });
        let event = Event::RunSealed(RunSealed { heads: heads.collect(), payloads: tally.payloads });
        let sealed = self
            .recorder
            .writer()
            .seal(vec![self.recorder.run_entry(event)])
            .map_err(|source| RunError::Seal { folder: self.folder.clone(), source })?;
        let seal = Sealing { head: sealed.head, events: sealed.events, payloads: sealed.payloads };
        let manifest =
            Manifest::of(&self.id, &self.opened, &self.assigned, seal).map_err(RunError::Canonical)?;
        write_manifest(&self.folder, &manifest)
            .map_err(|source| RunError::Manifest { folder: self.folder.clone(), source })?;
        Ok(Finished { folder: self.folder, manifest, tasks, mismatches })
    }
}

/// Tells the observer what a person should know of the indexes.
fn tell(request: &RunRequest, names: &mut Names) {
    for note in names.notes.drain(..) {
        (request.observe)(Progress::Note(note));
    }
}

fn opened(
    request: &RunRequest,
    vocabulary: Vocabulary,
    writers: Writers,
) -> Result<RunOpened, CanonicalError> {
    let mut offered: Vec<ToolSpec> = tools::catalogue();
    offered.extend(engine::catalogue(&vocabulary));
    offered.sort_by(|a, b| a.name.cmp(&b.name));
    let seed = match request.seed {
        Some(seed) => seed,
        None => {
            let specs: Vec<_> = request.agents.iter().map(|agent| &agent.spec).collect();
            let of = canonical::to_vec(&(&request.case.entry, &request.rules, specs))?;
            Seed(Digest::of_parts(&[b"locard seed", &of]))
        }
    };
    Ok(RunOpened {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        seed,
        case: request.case.entry.clone(),
        rules: request.rules.clone(),
        vocabulary,
        writers,
        tools: offered,
        behaviour: Vec::new(),
        confined: !request.worker.unconfined,
    })
}

/// Refuses run folders in `runs` where that lies inside the evidence: evidence is never written, not even beside its files.
pub fn refuse_runs_inside(runs: &Path, evidence: &[PathBuf]) -> Result<(), RunError> {
    let resolved = existing_ancestor(runs);
    match evidence.iter().find(|evidence| resolved.starts_with(evidence)) {
        Some(evidence) => Err(RunError::InsideEvidence { runs: runs.to_owned(), evidence: evidence.clone() }),
        None => Ok(()),
    }
}

/// Where `path` will lie once it is made: its nearest folder that exists, without links and `..`, and the rest.
fn existing_ancestor(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).components() {
        match component {
            std::path::Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
        // Links are resolved where they stand, so that `..` behind one leaves its target.
        plain = plain.canonicalize().unwrap_or(plain);
    }
    plain
}

/// Makes `runs/<UTC time>-<case>`; a second run within the second gets a number.
fn create_folder(request: &RunRequest) -> Result<(PathBuf, RunId, Writer), RunError> {
    let time = request.clock.now().to_compact_text();
    let base = format!("{time}-{}", request.case.entry.name);
    for number in 1u32.. {
        let name = if number == 1 { base.clone() } else { format!("{base}-{number}") };
        let Ok(id) = RunId::new(&name) else { break };
        let folder = request.runs.join(&name);
        match Writer::create(&folder) {
            Ok(writer) => return Ok((folder, id, writer)),
            Err(CreateError::NotEmpty { .. }) if number < 1000 => {}
            Err(error) => return Err(RunError::Create(error)),
        }
    }
    Err(RunError::Panicked { folder: request.runs.join(base) })
}
