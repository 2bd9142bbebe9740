//! `locard run`.

mod account;
mod batch;
mod summary;

use crate::arguments::{
    CacheArguments, Format, IntegrityArgument, ProfileArgument, RunArguments, WorkArguments,
};
use crate::board::Board;
use crate::commands::memory::memory_use;
use crate::commands::rules::over;
use crate::commands::{ended, worker};
use crate::failure::Failure;
use crate::heads;
use crate::models::Chooser;
use crate::platform::Signals;
use crate::printer::Printer;
use crate::scratch::Scratch;
use crate::screen::Screen;
use account::Asked;
use app::{
    Agent, Brought, Case, Interrupt, KeepHead, MemoryUse, Naming, Progress, ResumeRequest, RunRequest,
    SystemClock, WorkerRequest, Workplace,
};
use ledger::{IntegrityLevel, Rules, Seed};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use summary::Ended;
use tokio::time::Instant;

/// How often the progress is drawn.
const TICK: Duration = Duration::from_millis(200);

pub(super) fn execute(arguments: &RunArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let chooser = Arc::new(Chooser::new((&arguments.language_model).into(), &arguments.runs));
    // A wrong name must be reported before anything begins.
    drop(chooser.of_new(&arguments.model).map_err(Failure::Model)?);
    let new = Arc::new(NewRuns {
        model: arguments.model.clone(),
        lead: lead(arguments)?,
        agents: match (arguments.profile, arguments.agents.is_empty()) {
            (ProfileArgument::Small, true) => vec![app::shipped_examiner().map_err(Failure::Agents)?],
            _ => agents(&arguments.agents)?,
        },
        rules: rules(arguments)?,
        brought: Arc::new(app::brought(&arguments.brought.paths(), Naming::Short).map_err(Failure::Brought)?),
        seed: arguments.seed.map(Seed),
        runs: arguments.runs.clone(),
        unconfined: arguments.unconfined,
        shared: arguments.shared,
    });
    let open = |path: &PathBuf| -> Opened {
        let case = app::load_case(path).map_err(Failure::Case);
        (path.clone(), case.map(|case| Begin::New { case, new: Arc::clone(&new) }))
    };
    let cases: Vec<Opened> = arguments.cases.iter().map(open).collect();
    // No run folder may be inside the evidence of any of the cases.
    let evidence: Vec<PathBuf> = cases.iter().flat_map(|(_, begin)| evidence_of(begin)).collect();
    app::refuse_runs_inside(&arguments.runs, &evidence).map_err(|error| Failure::Run(Box::new(error)))?;
    begin_all(cases, &evidence, arguments.jobs, &arguments.work, chooser, printer)
}

fn evidence_of(begin: &Result<Begin, Failure>) -> Vec<PathBuf> {
    match begin {
        Ok(Begin::New { case, .. }) => case.paths.clone(),
        Ok(Begin::BrokenOff { .. }) | Err(_) => Vec::new(),
    }
}

/// How to begin: with a case, or with a run to resume.
pub(super) enum Begin {
    /// A case to make a new run for.
    New { case: Case, new: Arc<NewRuns> },
    /// A run to resume.
    BrokenOff {
        folder: PathBuf,
        /// Where the evidence is now, as given on the command line.
        evidence: Vec<PathBuf>,
    },
}

/// What new runs have in common.
pub(super) struct NewRuns {
    model: String,
    /// The agent that assigns the tasks; `None` if the agents work in parallel without one.
    lead: Option<Agent>,
    agents: Vec<Agent>,
    rules: Rules,
    brought: Arc<Brought>,
    seed: Option<Seed>,
    runs: PathBuf,
    unconfined: bool,
    shared: bool,
}

/// A case or run as it was typed, and either how to begin it or why it could not be opened.
pub(super) type Opened = (PathBuf, Result<Begin, Failure>);

/// Investigates cases or resumes runs, and prints how they ended. Returns the exit code.
pub(super) fn begin_all(
    cases: Vec<Opened>,
    evidence: &[PathBuf],
    jobs: Option<NonZeroUsize>,
    arguments: &WorkArguments,
    chooser: Arc<Chooser>,
    printer: &mut Printer,
) -> Result<u8, Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::Runtime)?;
    // Signals must be caught before there is anything to clean up.
    let signals = runtime.block_on(async { Signals::listen() })?;
    let (plan, scratch) = Plan::new(arguments, cases.len(), evidence, chooser, printer)?;
    let jobs = self::jobs(jobs, cases.len(), plan.agents.len(), printer);
    let plan = Arc::new(plan);
    let telling = Arc::downgrade(&plan);
    plan.chooser.tell(move |note| {
        if let Some(plan) = telling.upgrade() {
            plan.screen.say(&report::terminal(note));
        }
    });
    let (cases, stopped) = runtime.block_on(watched(&plan, cases, jobs, signals));
    plan.screen.clear();
    let Some(cases) = cases else {
        // The process exits without waiting for its threads; its workers end with it.
        runtime.shutdown_background();
        return Ok(stopped.unwrap_or(Failure::INTERRUPTED));
    };
    drop((runtime, scratch));
    let all = Ended { cases: &cases, stopped, fail_on: &arguments.fail_on };
    let printed = match arguments.format {
        Format::Json => printer.result(&report::json_text(&all.value())),
        Format::Text => all.text().map_or(Ok(()), |text| printer.result(&text)),
    };
    Ok(ended(printer, printed, all.code()))
}

/// Investigates while showing progress and listening for signals. Returns no cases if a second signal arrived.
async fn watched(
    plan: &Arc<Plan>,
    cases: Vec<Opened>,
    jobs: usize,
    mut signals: Signals,
) -> (Option<Vec<Asked>>, Option<u8>) {
    let mut stopped = None;
    let mut investigating = pin!(batch::investigate(Arc::clone(plan), cases, jobs));
    let mut tick = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            asked = &mut investigating => return (Some(asked), stopped),
            code = signals.next() => match stopped {
                None => {
                    stopped = Some(code);
                    plan.interrupt.interrupt();
                    plan.screen.say("interrupted: stopping; interrupt again to stop at once");
                }
                Some(_) => return (None, stopped),
            },
            _ = tick.tick(), if plan.screen.is_live() => {
                let size = Screen::size();
                let lines = plan.board().render(plan.begun.elapsed(), size);
                plan.screen.paint(&lines, size);
            }
        }
    }
}

/// What the cases of a command have in common.
struct Plan {
    agents: Vec<Agent>,
    chooser: Arc<Chooser>,
    integrity: IntegrityLevel,
    worker: WorkerRequest,
    indexes: PathBuf,
    cache: Option<PathBuf>,
    keep: KeepHead,
    memory: MemoryUse,
    /// Whether to print a line when lessons are written.
    report_memory: bool,
    interrupt: Interrupt,
    language: report::Language,
    screen: Screen,
    board: Mutex<Board>,
    begun: Instant,
}

impl Plan {
    fn new(
        arguments: &WorkArguments,
        cases: usize,
        evidence: &[PathBuf],
        chooser: Arc<Chooser>,
        printer: &Printer,
    ) -> Result<(Plan, Scratch), Failure> {
        let agents = app::shipped_crew().map_err(Failure::Agents)?;
        let (worker, scratch) = worker(false, evidence)?;
        let plan = Plan {
            agents,
            chooser,
            integrity: level(arguments.evidence.integrity),
            worker,
            indexes: scratch.indexes().to_owned(),
            cache: cache(&arguments.evidence.kept, evidence, printer)?,
            keep: heads::keep(&arguments.seal, evidence, printer)?,
            memory: memory_use(&arguments.memory, evidence, printer)?,
            report_memory: arguments.memory.report_memory,
            interrupt: Interrupt::new(),
            language: arguments.lang,
            screen: Screen::new(arguments.quiet),
            board: Mutex::new(Board::new(cases)),
            begun: Instant::now(),
        };
        Ok((plan, scratch))
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self, index: usize, event: &Progress) {
        crate::log::progress(index, event);
        if let Progress::Note(note) = event {
            self.screen.say(&report::terminal(&format!("note: {note}")));
        }
        if let Progress::Learned { run, task, agent, lessons } = event
            && self.report_memory
        {
            self.screen.say(&report::terminal(&format!(
                "memory: {run} {task} {agent}: {lessons} lessons are written"
            )));
        }
        self.board().hear(index, event);
    }

    fn begin(&self, index: usize, name: &str) {
        self.board().begin(index, name, self.begun.elapsed());
    }

    fn request(self: &Arc<Plan>, index: usize, case: Case, new: &NewRuns) -> Result<RunRequest, Failure> {
        let (models, recorded) = self.chooser.of_new(&new.model).map_err(Failure::Model)?;
        let (seed, copy) = recorded.map(|run| (run.seed, MemoryUse::Copy(run.remembered.clone()))).unzip();
        let work = self.work(index, new.unconfined);
        let recording = store::Options { shared: new.shared, ..store::Options::default() };
        Ok(RunRequest {
            case,
            lead: new.lead.clone(),
            agents: new.agents.clone(),
            models,
            rules: new.rules.clone(),
            brought: Arc::clone(&new.brought),
            runs: new.runs.clone(),
            seed: new.seed.or(seed),
            work: Workplace { recording, memory: copy.unwrap_or_else(|| work.memory.clone()), ..work },
        })
    }

    fn resume_request(
        self: &Arc<Plan>,
        index: usize,
        folder: PathBuf,
        evidence: Vec<PathBuf>,
    ) -> ResumeRequest {
        let plan = Arc::clone(self);
        ResumeRequest {
            folder,
            evidence,
            agents: self.agents.clone(),
            models: Box::new(move |task| plan.chooser.of_task(task)),
            work: self.work(index, false),
        }
    }

    fn work(self: &Arc<Plan>, index: usize, unconfined: bool) -> Workplace {
        let plan = Arc::clone(self);
        Workplace {
            integrity: self.integrity,
            worker: WorkerRequest { unconfined, ..self.worker.clone() },
            indexes: self.indexes.clone(),
            cache: self.cache.clone(),
            recording: store::Options::default(),
            clock: Arc::new(SystemClock),
            observe: Arc::new(move |event| plan.hear(index, &event)),
            interrupt: self.interrupt.clone(),
            keep: self.keep.clone(),
            memory: self.memory.clone(),
        }
    }
}

/// How many cases to investigate at once: the requested number, or one per processor, but never more than
/// the limit on open files allows.
fn jobs(asked: Option<NonZeroUsize>, cases: usize, agents: usize, printer: &Printer) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let wanted = asked.map_or_else(processors, NonZeroUsize::get).min(cases).max(1);
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let Some(files) = open_files(&limits) else { return wanted };
    let possible = possible_jobs(files, agents);
    if wanted > possible && asked.is_some() {
        printer.complain(&format!(
            "note: {possible} cases at once instead of {wanted}: only {files} open files are allowed (ulimit -n)"
        ));
    }
    wanted.min(possible)
}

/// The soft limit on open files, from the text of `/proc/self/limits`; `None` if there is no limit.
fn open_files(limits: &str) -> Option<usize> {
    let line = limits.lines().find(|line| line.starts_with("Max open files"))?;
    line.split_whitespace().nth(3)?.parse().ok()
}

/// How many cases fit into this many open files.
///
/// A worker needs 4 of our files (its three pipes and its canceller), and 4 more while it starts.
/// A case needs one worker per agent and one for hashing, and 8 files for its log.
fn possible_jobs(files: usize, agents: usize) -> usize {
    (files.saturating_sub(64) / (8 * (agents + 1) + 8)).max(1)
}

/// The cache folder: the given one, or the user's. Fails if the given one is inside the evidence, which is never written to.
/// `None` with --no-cache, or if the user's folder is unknown or inside the evidence.
pub(super) fn cache(
    arguments: &CacheArguments,
    evidence: &[PathBuf],
    printer: &Printer,
) -> Result<Option<PathBuf>, Failure> {
    if arguments.no_cache {
        return Ok(None);
    }
    if let Some(folder) = &arguments.cache {
        if let Some(path) = file_on_the_way(folder) {
            return Err(Failure::Cache { path });
        }
        app::refuse_runs_inside(folder, evidence).map_err(|error| Failure::Run(Box::new(error)))?;
        return Ok(Some(folder.to_owned()));
    }
    let folder = user_cache();
    match folder.as_ref().map(|folder| app::refuse_runs_inside(folder, evidence)) {
        Some(Err(_)) => {
            printer.complain("note: name indexes are not kept: the cache folder lies inside the evidence");
            Ok(None)
        }
        Some(Ok(())) | None => Ok(folder),
    }
}

/// The path that prevents `folder` from being created: the nearest existing ancestor (or itself), if it is not a folder.
fn file_on_the_way(folder: &Path) -> Option<PathBuf> {
    let nearest = folder.ancestors().find_map(|path| Some((path, path.metadata().ok()?)));
    nearest.filter(|(_, metadata)| !metadata.is_dir()).map(|(path, _)| path.to_owned())
}

/// The user's cache folder: `$XDG_CACHE_HOME/locard` or `~/.cache/locard`.
///
/// A variable whose value is not an absolute path counts as unset (XDG Base Directory Specification).
#[expect(clippy::disallowed_methods, reason = "the user's folders stand in the environment")]
fn user_cache() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(cache.join("locard"))
}

pub(super) fn level(argument: IntegrityArgument) -> IntegrityLevel {
    match argument {
        IntegrityArgument::Full => IntegrityLevel::Full,
        IntegrityArgument::Sampled => IntegrityLevel::Sampled,
        IntegrityArgument::Stat => IntegrityLevel::Stat,
    }
}

/// The lead, unless the arguments choose agents, parallel work without a lead, or the small profile.
fn lead(arguments: &RunArguments) -> Result<Option<Agent>, Failure> {
    let is_small = arguments.profile == ProfileArgument::Small;
    match arguments.agents.is_empty() && !arguments.side_by_side && !is_small {
        true => app::shipped_lead().map(Some).map_err(Failure::Agents),
        false => Ok(None),
    }
}

/// The shipped agents with these names, or all of them if none is named.
fn agents(names: &[String]) -> Result<Vec<Agent>, Failure> {
    let shipped = app::shipped_agents().map_err(Failure::Agents)?;
    let known = |name: &String| shipped.iter().any(|agent| agent.spec.name == *name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        let known = shipped.iter().map(|agent| agent.spec.name.clone()).collect();
        return Err(Failure::NoSuchAgent { found: unknown.clone(), known });
    }
    let is_asked = |agent: &Agent| names.is_empty() || names.contains(&agent.spec.name);
    Ok(shipped.into_iter().filter(is_asked).collect())
}

/// The rules: the defaults of the profile, overridden by the file, overridden by the command line.
fn rules(arguments: &RunArguments) -> Result<Rules, Failure> {
    let ours = match arguments.profile {
        ProfileArgument::Full => Rules::default(),
        ProfileArgument::Small => Rules::small(),
    };
    let mut rules = match &arguments.rules {
        None => ours,
        Some(path) => over(ours, path)?,
    };
    let budgets = &mut rules.budgets;
    budgets.run_tokens = arguments.max_tokens.map(NonZeroU64::get).or(budgets.run_tokens);
    budgets.run_cost = arguments.max_cost.or(budgets.run_cost);
    rules.sweep &= !arguments.no_sweep;
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_cases_than_open_files_allow_are_not_begun_at_once() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
            Max open files            1024                 524288               files     \n";
        assert_eq!(open_files(limits), Some(1024));
        assert_eq!(open_files(&limits.replace("1024  ", "unlimited")), None);
        assert_eq!((possible_jobs(1024, 1), possible_jobs(1024, 7), possible_jobs(20, 7)), (40, 13, 1));
    }
}
