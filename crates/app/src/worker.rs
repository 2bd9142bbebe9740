//! Glue: sends the engine's tool calls to the sandbox, and serves them in the worker process.

mod again;
mod answer;
mod holding;
mod leaving_out;

use crate::case_file::Case;
use crate::made_tables::{MadeTables, MadeTablesOf};
use crate::progress::Progress;
use again::again;
use answer::Expected;
use engine::ToolReturn;
pub use holding::{describe_confinement, try_confinement};
use leaving_out::leaving_out;
use ledger::chain::Cost;
use ledger::event::RunOpened;
use ledger::{Behaviour, Completeness, Digest, EvidenceKind, Gap, Integrity, IntegrityLevel, Outcome};
use sandbox::{
    CallError, Canceller, Config, Confinement, Ending, Limits, Policy, Report, ServeError, SpawnError,
    Zygote, ZygoteExit,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use thiserror::Error;
use tools::{
    AnswerReply, BuiltIndex, BuiltTables, Expansion, HashReply, IndexReply, Indexes, LeftOut, Mount, Request,
    SequencesReply, SourcesReply, SpanRead, TableGroup, TablesReply, WantedSpan, WireError,
};

/// How to start workers.
#[derive(Debug, Clone)]
pub struct WorkerRequest {
    /// The program that acts as the worker when it is called with [`sandbox::WORKER_ARGUMENT`].
    pub program: PathBuf,
    /// Whether tools may run unconfined.
    pub unconfined: bool,
    /// A folder for scratch folders, outside the evidence.
    pub scratch: PathBuf,
    /// The limits of one call.
    pub limits: Limits,
    /// The limits for expanding archives.
    pub expansion: Expansion,
}

impl WorkerRequest {
    /// Returns the same request with the expansion limits of a recorded run, for repeating its calls.
    pub(crate) fn as_recorded(&self, opened: &RunOpened) -> WorkerRequest {
        let is_bounded = opened.behaviour.contains(&Behaviour::BoundsArchives.into());
        let expansion = if is_bounded { Expansion::Bounded } else { Expansion::Former };
        WorkerRequest { expansion, ..self.clone() }
    }
}

/// Why no tool can be run at all; a problem of a single call is its outcome instead.
#[derive(Debug, Error)]
pub enum ToolError {
    /// No worker starts, or it cannot be confined.
    #[error("start a tool worker")]
    Spawn(#[source] SpawnError),
    /// The worker's call to hash evidence did not end normally.
    #[error("hash evidence in a tool worker: {ending}")]
    Hash {
        /// How it ended.
        ending: String,
    },
    /// The evidence itself cannot be opened or read.
    #[error("{reason}")]
    Evidence {
        /// The reason.
        reason: String,
    },
    /// The worker's call to index names did not end normally.
    #[error("index names in a tool worker: {ending}")]
    Index {
        /// How it ended.
        ending: String,
    },
    /// The worker's call to build or query tables did not end normally.
    #[error("work on case tables in a tool worker: {ending}")]
    Tables {
        /// How it ended.
        ending: String,
    },
    /// The worker's call to read bytes again did not end normally.
    #[error("read bytes in a tool worker: {ending}")]
    Spans {
        /// How it ended.
        ending: String,
    },
    /// The worker's call to look for sequences did not end normally.
    #[error("look for sequences in a tool worker: {ending}")]
    Sequences {
        /// How it ended.
        ending: String,
    },
    /// No worker was available for a call.
    #[error("call a tool worker")]
    Call(#[source] CallError),
    /// A request cannot be encoded, or an answer cannot be read.
    #[error("talk to a tool worker")]
    Wire(#[source] WireError),
}

/// Why case tables return no answer.
#[derive(Debug, Error)]
pub enum StatementError {
    /// No tool can be run.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The file of the tables was not written by this program, or is damaged.
    #[error("read the tables: {reason}; --no-cache decodes the evidence anew")]
    Unreadable {
        /// The reason.
        reason: String,
    },
    /// The tables do not accept the statement.
    #[error("{reason}")]
    Refused {
        /// Why, and what can be used instead.
        reason: String,
    },
}

/// The error for a worker whose reply does not fit the request.
pub(crate) fn unasked() -> ToolError {
    ToolError::Tables { ending: "it answered something else than it was asked".to_owned() }
}

/// The longest time to hash one piece of evidence.
pub(crate) const HASHING: Duration = Duration::from_secs(24 * 3600);

/// The longest time to index the names of one piece of evidence.
const INDEXING: Duration = Duration::from_secs(1800);

/// The address space for indexing, in bytes: an entry takes some hundred.
const INDEXING_MEMORY: u64 = 8 << 30;

/// The longest index in bytes: some 15 million entries.
const LONGEST_INDEX: u64 = 1 << 30;

/// The longest file of case tables in bytes.
const LONGEST_TABLES: u64 = 4 << 30;

/// A worker that runs tools, one call at a time.
#[derive(Clone)]
pub(crate) struct Worker {
    zygote: Arc<Mutex<Zygote>>,
    confinement: Confinement,
    mounts: Arc<[Mount]>,
    indexes: Arc<Indexes>,
    /// Indexes that were built when archives were opened, until they are requested.
    built: Arc<Mutex<BTreeMap<String, BuiltIndex>>>,
    expansion: Expansion,
    /// In a run, the case tables, which are made when a call needs them.
    made: Option<Arc<MadeTables>>,
    expected: Arc<Expected>,
    limits: Limits,
}

impl Worker {
    /// Starts a worker over the evidence of the case, with its available name indexes.
    pub(crate) fn start(
        request: &WorkerRequest,
        case: &Case,
        indexes: &Indexes,
    ) -> Result<Worker, ToolError> {
        Worker::start_with(request, case, indexes, None)
    }

    /// Works like [`Worker::start`], for a run that makes case tables when a call needs them.
    pub(crate) fn start_with(
        request: &WorkerRequest,
        case: &Case,
        indexes: &Indexes,
        made: Option<Arc<MadeTables>>,
    ) -> Result<Worker, ToolError> {
        let folder = made.as_ref().and_then(|made| made.folder());
        let readable = readable(case).into_iter().chain(indexes.values().cloned()).chain(folder);
        let zygote = start_over(request, readable.collect())?;
        let mounts = case.entry.evidence.iter().zip(&case.paths).map(|(entry, path)| Mount {
            label: entry.label.clone(),
            path: path.clone(),
            kind: entry.kind,
            in_place: entry.in_place.clone(),
            expansion: request.expansion,
        });
        Ok(Worker {
            confinement: *zygote.confinement(),
            zygote: Arc::new(Mutex::new(zygote)),
            mounts: mounts.collect(),
            indexes: Arc::new(indexes.clone()),
            built: Arc::default(),
            expansion: request.expansion,
            made,
            expected: Arc::new(Expected::of(case.entry.evidence.iter().map(|entry| entry.label.clone()))),
            limits: request.limits,
        })
    }

    /// Starts a worker that sees a folder with case tables, but no evidence.
    pub(crate) fn of_tables(request: &WorkerRequest, folder: Option<PathBuf>) -> Result<Worker, ToolError> {
        let zygote = start_over(request, folder.into_iter().collect())?;
        Ok(Worker {
            confinement: *zygote.confinement(),
            zygote: Arc::new(Mutex::new(zygote)),
            mounts: Arc::new([]),
            indexes: Arc::default(),
            built: Arc::default(),
            expansion: request.expansion,
            made: None,
            expected: Arc::new(Expected::of([])),
            limits: request.limits,
        })
    }

    /// Returns a handle that cancels the call that runs, and every later one.
    pub(crate) fn canceller(&self) -> Canceller {
        self.zygote.lock().unwrap_or_else(PoisonError::into_inner).canceller()
    }

    /// Describes the confinement of its calls, one line each.
    pub(crate) fn confinement(&self) -> Vec<String> {
        holding::recorded(&self.confinement)
    }

    /// Runs one tool; any problem with the call is its outcome.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> (ToolReturn, Option<Cost>) {
        let tables = self.made.as_ref().map(|made| made.ready(self, tool, arguments));
        let request = Request::Call {
            tool: tool.to_owned(),
            arguments: arguments.clone(),
            evidence: self.mounts.to_vec(),
            indexes: self.indexes.as_ref().clone(),
            tables: tables.unwrap_or_default(),
        };
        match self.send(&request, &self.limits) {
            Ok(report) => {
                let cost = cost(&report);
                (returned(report, &self.limits, tool, &self.expected), Some(cost))
            }
            Err(error) => (broken(Outcome::Failed, tool, no_worker(&error)), None),
        }
    }

    /// Opens each image and archive once.
    /// A folder can fail to open only by being absent, so it is not checked.
    /// This also indexes the names of an archive, so that a compressed tar is expanded only once for both.
    ///
    /// # Errors
    ///
    /// Returns the label of the first piece that cannot be opened, and why.
    pub(crate) fn open_evidence(&self) -> Result<(), (String, ToolError)> {
        let containers = self.mounts.iter().filter(|mount| match mount.kind {
            EvidenceKind::Archive | EvidenceKind::Image => true,
            EvidenceKind::Directory => false,
        });
        for mount in containers {
            self.open_one(mount).map_err(|error| (mount.label.clone(), error))?;
        }
        Ok(())
    }

    fn open_one(&self, mount: &Mount) -> Result<(), ToolError> {
        if mount.kind == EvidenceKind::Archive {
            match self.index(&mount.label) {
                Ok(IndexReply::Built(built)) => {
                    self.built().insert(mount.label.clone(), built);
                    return Ok(());
                }
                Ok(IndexReply::Unopened { reason }) => return Err(ToolError::Evidence { reason }),
                // The archive may still be readable without an index.
                Ok(IndexReply::Failed { .. }) | Err(_) => {}
            }
        }
        // This level reads no content.
        self.hash(&mount.label, IntegrityLevel::Stat).map(drop)
    }

    /// Hashes the evidence with this label.
    pub(crate) fn hash(
        &self,
        label: &str,
        level: IntegrityLevel,
    ) -> Result<(Integrity, Vec<Gap>), ToolError> {
        let unknown = || ToolError::Hash { ending: format!("no evidence is labelled {label:?}") };
        let mount = self.mount(label).ok_or_else(unknown)?;
        let limits = Limits { wall: HASHING, cpu_seconds: HASHING.as_secs(), ..self.limits };
        let report = self.send(&Request::Hash { mount, level }, &limits)?;
        match report.ending {
            Ending::Replied(bytes) => match tools::decode_hash_reply(&bytes).map_err(ToolError::Wire)? {
                HashReply::Hashed { integrity, gaps } => Ok((integrity, gaps)),
                HashReply::Failed { reason } => Err(ToolError::Evidence { reason }),
            },
            ending => Err(ToolError::Hash { ending: ending.describe(&limits) }),
        }
    }

    /// Builds the name index of the evidence with this label; its bytes are as untrusted as the evidence.
    pub(crate) fn build_index(&self, label: &str) -> Result<BuiltIndex, ToolError> {
        if let Some(built) = self.built().remove(label) {
            return Ok(built);
        }
        match self.index(label)? {
            IndexReply::Built(built) => Ok(built),
            IndexReply::Unopened { reason } | IndexReply::Failed { reason } => {
                Err(ToolError::Index { ending: reason })
            }
        }
    }

    /// Drops the indexes that were not requested.
    pub(crate) fn forget_indexes(&self) {
        self.built().clear();
    }

    fn built(&self) -> MutexGuard<'_, BTreeMap<String, BuiltIndex>> {
        self.built.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the limits for expanding archives.
    pub(crate) fn expansion(&self) -> Expansion {
        self.expansion
    }

    fn index(&self, label: &str) -> Result<IndexReply, ToolError> {
        let unknown = || ToolError::Index { ending: format!("no evidence is labelled {label:?}") };
        let mount = self.mount(label).ok_or_else(unknown)?;
        let limits = self.indexing();
        let report = self.send(&Request::BuildIndex { mount }, &limits)?;
        match report.ending {
            Ending::Replied(bytes) => tools::decode_index_reply(bytes).map_err(ToolError::Wire),
            ending => Err(ToolError::Index { ending: ending.describe(&limits) }),
        }
    }

    /// Hashes the sources of a group of case tables; `None` if not all of them can be read.
    pub(crate) fn digest_sources(&self, label: &str, group: TableGroup) -> Result<Option<Digest>, ToolError> {
        let unknown = || ToolError::Tables { ending: format!("no evidence is labelled {label:?}") };
        let mount = self.mount(label).ok_or_else(unknown)?;
        let limits = self.indexing();
        let (indexes, group) = (self.indexes.as_ref().clone(), group.name().to_owned());
        let report = self.send(&Request::DigestSources { mount, indexes, group }, &limits)?;
        match report.ending {
            Ending::Replied(bytes) => match tools::decode_sources_reply(&bytes).map_err(ToolError::Wire)? {
                SourcesReply::Digested { digest } => Ok(digest),
                SourcesReply::Failed { reason } => Err(ToolError::Evidence { reason }),
            },
            ending => Err(ToolError::Tables { ending: ending.describe(&limits) }),
        }
    }

    /// Returns the groups of the tables that a statement reads.
    pub(crate) fn groups_of(&self, sql: &str) -> Result<BTreeSet<TableGroup>, StatementError> {
        let answer = self.statement(&Request::GroupsOf { sql: sql.to_owned() }, &self.limits)?;
        let AnswerReply::Groups { groups } = answer else { return Err(unasked().into()) };
        Ok(groups.iter().filter_map(|name| TableGroup::named(name)).collect())
    }

    /// Sends a request about case tables.
    pub(crate) fn statement(
        &self,
        request: &Request,
        limits: &Limits,
    ) -> Result<AnswerReply, StatementError> {
        let report = self.send(request, limits)?;
        let refused = |reason| Err(StatementError::Refused { reason });
        match report.ending {
            Ending::Replied(bytes) => match tools::decode_answer_reply(&bytes).map_err(ToolError::Wire)? {
                AnswerReply::Refused { reason } => refused(reason),
                AnswerReply::Failed { reason } => Err(StatementError::Unreadable { reason }),
                answer @ (AnswerReply::Answered(_)
                | AnswerReply::Read(_)
                | AnswerReply::Checked(_)
                | AnswerReply::Matched(_)
                | AnswerReply::Groups { .. }) => Ok(answer),
            },
            ending @ (Ending::TimedOut { .. }
            | Ending::Signalled { .. }
            | Ending::DiskFull
            | Ending::ReplyTooLarge { .. }) => {
                refused(format!("the statement {}: narrow it, or sort less", ending.describe(limits)))
            }
            ending => Err(ToolError::Tables { ending: ending.describe(limits) }.into()),
        }
    }

    /// Returns the default limits of a statement.
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns the limits for comparing all rows of tables with rules.
    pub(crate) fn matching(&self) -> Limits {
        self.indexing()
    }

    /// Builds the case tables of a group of the evidence with this label into a file; its bytes are as untrusted as the evidence.
    ///
    /// A file that breaks the process becomes a gap: the tables are built anew
    /// without it, in another process. Returns these files as well.
    pub(crate) fn build_tables(
        &self,
        label: &str,
        group: TableGroup,
        mut into: &File,
    ) -> Result<(BuiltTables, Vec<LeftOut>), ToolError> {
        let unknown = || ToolError::Tables { ending: format!("no evidence is labelled {label:?}") };
        let mount = self.mount(label).ok_or_else(unknown)?;
        let limits = Limits { file_size: LONGEST_TABLES, reply_bytes: LONGEST_TABLES, ..self.indexing() };
        let left_out = leaving_out(limits, |without, limits| {
            let (mount, indexes) = (mount.clone(), self.indexes.as_ref().clone());
            let (group, without) = (group.name().to_owned(), without.to_vec());
            let request = Request::BuildTables { mount, indexes, group, without };
            let request = tools::encode_request(&request).map_err(ToolError::Wire)?;
            let mut zygote = self.zygote.lock().unwrap_or_else(PoisonError::into_inner);
            zygote.call_into(&request, limits, into).map_err(ToolError::Call)
        })?;
        match tools::decode_tables_reply(&mut into).map_err(ToolError::Wire)? {
            (TablesReply::Built(built), length) => {
                into.set_len(length).map_err(|source| ToolError::Call(CallError::Keep { source }))?;
                Ok((built, left_out))
            }
            (TablesReply::Failed { reason }, _) => Err(ToolError::Evidence { reason }),
        }
    }

    /// Returns the limits for building an index.
    fn indexing(&self) -> Limits {
        Limits {
            wall: INDEXING,
            cpu_seconds: INDEXING.as_secs(),
            address_space: INDEXING_MEMORY.max(self.limits.address_space),
            reply_bytes: LONGEST_INDEX,
            ..self.limits
        }
    }

    /// Reads raw bytes of the evidence, which are untrusted; returns the result of each span.
    pub(crate) fn read_spans(&self, spans: &[WantedSpan]) -> Result<Vec<SpanRead>, ToolError> {
        let limits = Limits { wall: INDEXING, cpu_seconds: INDEXING.as_secs(), ..self.limits };
        let request = Request::ReadSpans { evidence: self.mounts.to_vec(), spans: spans.to_vec() };
        let report = self.send(&request, &limits)?;
        match report.ending {
            Ending::Replied(bytes) => tools::decode_spans_reply(&bytes, spans).map_err(ToolError::Wire),
            ending => Err(ToolError::Spans { ending: ending.describe(&limits) }),
        }
    }

    /// Returns what several log records show together; all of it comes from a process that has read hostile bytes.
    fn sequences(&self) -> Result<SequencesReply, ToolError> {
        let limits = Limits { wall: INDEXING, cpu_seconds: INDEXING.as_secs(), ..self.limits };
        let report = self.send(&Request::Sequences { evidence: self.mounts.to_vec() }, &limits)?;
        match report.ending {
            Ending::Replied(bytes) => tools::decode_sequences_reply(&bytes).map_err(ToolError::Wire),
            ending => Err(ToolError::Sequences { ending: ending.describe(&limits) }),
        }
    }

    fn mount(&self, label: &str) -> Option<Mount> {
        self.mounts.iter().find(|mount| mount.label == label).cloned()
    }

    fn send(&self, request: &Request, limits: &Limits) -> Result<Report, ToolError> {
        let bytes = tools::encode_request(request).map_err(ToolError::Wire)?;
        // A panic of another caller leaves no half-made call: the zygote replaces itself.
        let mut zygote = self.zygote.lock().unwrap_or_else(PoisonError::into_inner);
        again(limits, |limits| zygote.call(&bytes, limits).map_err(ToolError::Call))
    }
}

/// Starts a worker that may read only these files and folders; tries once more if it was killed while it started.
pub(crate) fn start_over(request: &WorkerRequest, readable: Vec<PathBuf>) -> Result<Zygote, ToolError> {
    let config = Config {
        program: request.program.clone(),
        readable,
        scratch_root: request.scratch.clone(),
        confinement: if request.unconfined { Policy::Unconfined } else { Policy::Required },
    };
    let started = match Zygote::spawn(config.clone()) {
        Err(SpawnError::Died { exit: ZygoteExit::Signal(_), .. }) => Zygote::spawn(config),
        started => started,
    };
    started.map_err(ToolError::Spawn)
}

/// Returns the files and folders of the evidence that a worker may read.
fn readable(case: &Case) -> Vec<PathBuf> {
    let evidence = case.entry.evidence.iter().zip(&case.paths);
    evidence.flat_map(|(entry, path)| evidence_files(entry.kind, path)).collect()
}

/// Returns the files or the folder on the examiner's machine that form a piece of evidence; for an image, all its files.
pub(crate) fn evidence_files(kind: EvidenceKind, path: &Path) -> Vec<PathBuf> {
    match kind {
        EvidenceKind::Archive | EvidenceKind::Directory => vec![path.to_owned()],
        EvidenceKind::Image => tools::image_files(path),
    }
}

/// Runs the worker process: serves tool calls until the parent process ends.
///
/// `main` must call this before anything else if its first argument is [`sandbox::WORKER_ARGUMENT`].
///
/// # Errors
///
/// Fails if the worker cannot serve calls.
pub fn worker_main() -> Result<(), ServeError> {
    tools::prepare();
    sandbox::serve(|request, scratch| {
        let tools::Answered { file, bytes } = tools::handle(request, scratch);
        sandbox::Reply { file, bytes }
    })
}

/// Runs one tool on a case, outside any run: nothing is recorded.
///
/// For a tool that reads many sources at once, the case tables are made before the call,
/// in `folder`, under the limits of building tables instead of those of a call.
///
/// # Errors
///
/// Fails if no worker can be started.
pub fn call_tool(
    request: &WorkerRequest,
    case: &Case,
    folder: &Path,
    tool: &str,
    arguments: &Value,
) -> Result<ToolReturn, ToolError> {
    if !tools::reads_what_there_is(tool) {
        return Ok(Worker::start(request, case, &Indexes::new())?.call(tool, arguments).0);
    }
    let notes = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&notes);
    let observe: Arc<dyn Fn(Progress) + Send + Sync> = Arc::new(move |progress| {
        if let Progress::Note(note) = progress {
            heard.lock().unwrap_or_else(PoisonError::into_inner).push(note);
        }
    });
    let labels = case.entry.evidence.iter().map(|entry| entry.label.clone()).collect();
    let of = MadeTablesOf { labels, indexes: folder, cache: None, only: None, observe: &observe };
    let worker = Worker::start_with(request, case, &Indexes::new(), Some(Arc::new(MadeTables::of(of))))?;
    let mut returned = worker.call(tool, arguments).0;
    returned.notes.append(&mut notes.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(returned)
}

/// Returns what several records of a case's logs show together, outside any run.
///
/// # Errors
///
/// Fails if no worker can be started, or if it was stopped early.
pub fn sequences(request: &WorkerRequest, case: &Case) -> Result<SequencesReply, ToolError> {
    Worker::start(request, case, &Indexes::new())?.sequences()
}

/// Converts a report of the sandbox to a result for the engine.
fn returned(report: Report, limits: &Limits, tool: &str, expected: &Expected) -> ToolReturn {
    let bytes = match report.ending {
        Ending::Replied(bytes) => bytes,
        ref ending @ Ending::TimedOut { .. } => {
            return broken(Outcome::Timeout, tool, told(ending, limits));
        }
        // The caller cancelled the call, so this is not a gap in the evidence.
        ref ending @ Ending::Cancelled => {
            let broken = broken(Outcome::Timeout, tool, told(ending, limits));
            return ToolReturn { gaps: Vec::new(), ..broken };
        }
        ref ending @ (Ending::Panicked { .. }
        | Ending::Signalled { .. }
        | Ending::Exited { .. }
        | Ending::ReplyTooLarge { .. }
        | Ending::DiskFull
        | Ending::BadReply { .. }
        | Ending::SetupFailed { .. }
        | Ending::ZygoteDied { .. }) => return broken(Outcome::Failed, tool, told(ending, limits)),
    };
    match answer::read(&bytes, tool, expected) {
        Ok((summary, output)) => ToolReturn {
            outcome: summary.outcome,
            completeness: summary.completeness,
            normalised: summary.normalised,
            output: matches!(summary.outcome, Outcome::Ok | Outcome::Empty).then(|| Arc::new(output)),
            defects: summary.defects,
            gaps: summary.gaps,
            notes: summary.notes,
        },
        Err(error) => broken(Outcome::Failed, tool, format!("the tool's answer cannot be used: {error}")),
    }
}

/// Returns why there was no worker, without details that differ between equal runs.
fn no_worker(error: &ToolError) -> String {
    match error {
        ToolError::Call(CallError::RequestTooLong { actual, limit }) => {
            format!("the request has {actual} bytes; {limit} are allowed")
        }
        ToolError::Spawn(_)
        | ToolError::Call(_)
        | ToolError::Hash { .. }
        | ToolError::Evidence { .. }
        | ToolError::Index { .. }
        | ToolError::Tables { .. }
        | ToolError::Spans { .. }
        | ToolError::Sequences { .. }
        | ToolError::Wire(_) => "no tool worker could be had".to_owned(),
    }
}

fn told(ending: &Ending, limits: &Limits) -> String {
    format!("the call {}", ending.describe(limits))
}

/// Returns a call without a result: nothing was examined.
fn broken(outcome: Outcome, tool: &str, note: String) -> ToolReturn {
    ToolReturn {
        outcome,
        completeness: Completeness::Truncated,
        normalised: None,
        output: None,
        defects: Vec::new(),
        gaps: vec![Gap { path: tool.to_owned(), reason: note.clone() }],
        notes: vec![note],
    }
}

fn cost(report: &Report) -> Cost {
    let microseconds = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    Cost {
        wall_microseconds: microseconds(report.usage.wall),
        cpu_microseconds: microseconds(report.usage.user.saturating_add(report.usage.system)),
        peak_kib: report.usage.peak_rss_kib,
        served_from: None,
    }
}
