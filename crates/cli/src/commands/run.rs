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
    // A wrong name is told before anything is begun.
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
    // What one case writes must not lie in the evidence of another.
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

/// What a case or a run begins with.
pub(super) enum Begin {
    /// A case of which a run is made.
    New { case: Case, new: Arc<NewRuns> },
    /// A run that is gone on with.
    BrokenOff {
        folder: PathBuf,
        /// Where its evidence is said to lie now.
        evidence: Vec<PathBuf>,
    },
}

/// What new runs have in common.
pub(super) struct NewRuns {
    model: String,
    /// Who hands out the tasks; `None`: the agents work side by side.
    lead: Option<Agent>,
    agents: Vec<Agent>,
    rules: Rules,
    brought: Arc<Brought>,
    seed: Option<Seed>,
    runs: PathBuf,
    unconfined: bool,
    shared: bool,
}

/// A case or a run as it was typed, opened or not.
pub(super) type Opened = (PathBuf, Result<Begin, Failure>);

/// Investigates cases, or goes on with runs, and tells how they ended.
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
    // Before there is anything to clean up.
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
        // The process ends without waiting for its threads; its workers end with it.
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

/// Investigates while showing progress and listening for signals; gives no cases where a second signal came.
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
    /// Whether lessons are told as they are written.
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

/// How many cases are investigated at once: as many as asked for, or as there are processors, and never more than open files allow.
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

/// The soft limit on open files in the text of `/proc/self/limits`; `None` where there is no limit.
fn open_files(limits: &str) -> Option<usize> {
    let line = limits.lines().find(|line| line.starts_with("Max open files"))?;
    line.split_whitespace().nth(3)?.parse().ok()
}

/// How many cases fit into so many open files.
///
/// A worker has 4 here (its three pipes and its canceller) and takes 4 more while it starts; a case has one for each agent and one that hashes, and its log in 8.
fn possible_jobs(files: usize, agents: usize) -> usize {
    (files.saturating_sub(64) / (8 * (agents + 1) + 8)).max(1)
}

/// The cache folder: the one that was asked for, else that of the user; none where it would lie in the evidence, for that is never written.
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

/// What keeps `folder` from being one: it, or what it should lie in, is there and no folder.
fn file_on_the_way(folder: &Path) -> Option<PathBuf> {
    let nearest = folder.ancestors().find_map(|path| Some((path, path.metadata().ok()?)));
    nearest.filter(|(_, metadata)| !metadata.is_dir()).map(|(path, _)| path.to_owned())
}

/// `$XDG_CACHE_HOME/locard` or `~/.cache/locard`; a value that is no absolute path counts as unset (XDG Base Directory Specification).
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

/// Who hands out the tasks, where nobody says which agents shall work, or that they shall work side by side.
fn lead(arguments: &RunArguments) -> Result<Option<Agent>, Failure> {
    let is_small = arguments.profile == ProfileArgument::Small;
    match arguments.agents.is_empty() && !arguments.side_by_side && !is_small {
        true => app::shipped_lead().map(Some).map_err(Failure::Agents),
        false => Ok(None),
    }
}

/// The agents of these names, or all of them.
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

/// The rules of the file, with the bounds that were typed in place of its own.
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
