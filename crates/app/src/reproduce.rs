//! Use case: run the tools of a recorded run again and compare their outputs.
//!
//! Only the calls of the run are used, no cached index and no stored output. The names and times of the evidence are indexed anew.
//! The evidence is hashed in parallel, at the level that the run used.

mod calls;
mod fields;
mod log;
mod records;
mod result;
mod schema;

pub use calls::{Difference, TextsDiffer};
pub use fields::{FieldDiffers, Part};
pub use records::{RecordChange, RecordDiffers, RecordsDiffer};
pub use result::{CallDiffers, EvidenceAgain, NotCompared, Reproduced, TablesDiffer};

use crate::case_file::Case;
use crate::interrupt::Interrupt;
use crate::made_tables::{MadeTables, MadeTablesOf};
use crate::names::{Names, told};
use crate::progress::Progress;
use crate::replay::{ReplayError, ReplayRequest};
use crate::stored::{Recording as _, Stored};
use crate::waiting::{Panicked, wait_for};
use crate::worker::{ToolError, Worker, WorkerRequest};
use calls::Measure;
use engine::ToolReturn;
use ledger::event::{EvidenceHashed, Format, InvocationEnded, RunOpened, TablesRead};
use ledger::{Digest, Event, FORMAT, Integrity, Outcome, Output, Record};
use log::{Call, Recorded};
use records::Subjects;
use schema::Later;
use serde_json::Value;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use store::Reader;
use thiserror::Error;
use tokio::task::JoinSet;
use tools::{Indexes, TableGroup};

/// What is needed to run the tools of a run again.
pub struct ReproduceRequest {
    /// The case of the run, with the present paths of its evidence ([`crate::evidence_of`]).
    pub case: Case,
    /// Whose calls to repeat; all calls if nothing is named.
    pub only: ReplayRequest,
    /// How many calls run at once.
    pub jobs: NonZeroUsize,
    /// The most examples of one kind of change in one call.
    pub examples: usize,
    /// How to start the workers that run tools.
    pub worker: WorkerRequest,
    /// A folder for indexes, outside the evidence and the workers' scratch folder.
    pub indexes: PathBuf,
    /// The observer of the progress.
    pub observe: Arc<dyn Fn(Again) + Send + Sync>,
    /// Stops the comparison early.
    pub interrupt: Interrupt,
}

/// What the observer is told.
#[derive(Debug, Clone)]
pub enum Again {
    /// A note for the user.
    Note(String),
    /// A call was repeated.
    Called {
        /// The number of calls so far.
        done: usize,
        /// The number of calls in total.
        of: usize,
        /// The tool.
        tool: String,
    },
    /// Facts were compared with the bytes behind them.
    Looked {
        /// The number of facts so far.
        done: usize,
        /// The number of facts in total.
        of: usize,
    },
}

/// Why nothing could be compared. A difference is a result, not an error.
#[derive(Debug, Error)]
pub enum AgainError {
    /// The log cannot be read, or has no such task.
    #[error(transparent)]
    Log(ReplayError),
    /// Evidence cannot be opened.
    #[error("open the evidence {label}")]
    Evidence {
        /// Its label.
        label: String,
        /// The cause.
        #[source]
        source: ToolError,
    },
    /// No tool can be run.
    #[error("run tools")]
    Tools(#[source] ToolError),
    /// The comparison was interrupted.
    #[error("read the evidence again: it was interrupted")]
    Interrupted,
    /// A thread of the program panicked.
    #[error("read the evidence again: a thread of the program panicked")]
    Panicked,
}

/// Runs the tools of the run in `folder` again, over the evidence of the request.
///
/// # Errors
///
/// Fails if the log cannot be read, the evidence cannot be opened, or no tool can be run.
pub async fn reproduce(folder: &Path, request: &ReproduceRequest) -> Result<Reproduced, AgainError> {
    let (log, reader) = Stored::open(folder).map_err(|error| AgainError::Log(ReplayError::Run(error)))?;
    let Some(opened) = &log.opened else {
        return Err(AgainError::Log(ReplayError::NotOpened { folder: folder.to_owned() }));
    };
    let (calls, endless) = log::calls(&log, &request.only).map_err(AgainError::Log)?;
    let worker = request.worker.as_recorded(opened);
    let hasher = open(&worker, request).await?;
    let indexer = hasher.clone();
    let (case, indexes) = (request.case.clone(), request.indexes.clone());
    let index = move || Names::index(&indexer, &case, &indexes, None);
    let names = wait_for(&request.interrupt, vec![hasher.canceller()], index).await.map_err(panicked)?;
    go_on(&request.interrupt)?;
    let recorded: Vec<_> = log
        .of_run
        .iter()
        .filter_map(|event| match event {
            Event::TablesRead(read) => Some(read.clone()),
            _ => None,
        })
        .collect();
    let made = Arc::new(tables(request, &recorded));
    let mut notes = names.notes.clone();
    if endless > 0 {
        notes.push(format!("{endless} invocations have no end in the log: nothing is known to compare with"));
    }
    let cancel_hashing = hasher.canceller();
    let asking = async {
        let rules = ToolRules::of(opened, &log);
        let asked =
            ask((request, &worker), &names.files, &made, calls, reader, subjects(opened), rules).await;
        if asked.is_err() {
            cancel_hashing.cancel();
        }
        asked
    };
    let (evidence, asked) = tokio::join!(hash(request, hasher, &log), asking);
    let (evidence, asked) = (evidence?, asked?);
    go_on(&request.interrupt)?;
    let (events, recorded) = match opened.format < TYPED_EVENTS {
        true => recorded.into_iter().partition(|read| TABLES_OF_EVENTS.contains(&read.group.as_str())),
        false => (Vec::new(), recorded),
    };
    if !events.is_empty() {
        notes.push(
            "the case tables of event logs are not compared: more events have types of their own".to_owned(),
        );
    }
    let tables = other_tables(recorded, &made.read());
    Ok(summed(opened, evidence, tables, asked, notes))
}

fn panicked(_: Panicked) -> AgainError {
    AgainError::Panicked
}

pub(crate) fn go_on(interrupt: &Interrupt) -> Result<(), AgainError> {
    if interrupt.is_interrupted() { Err(AgainError::Interrupted) } else { Ok(()) }
}

/// Starts a worker and checks that it can open each piece of evidence.
async fn open(worker: &WorkerRequest, request: &ReproduceRequest) -> Result<Worker, AgainError> {
    let worker = Worker::start(worker, &request.case, &Indexes::new()).map_err(AgainError::Tools)?;
    opened_by(&worker, &request.interrupt).await?;
    Ok(worker)
}

pub(crate) async fn opened_by(worker: &Worker, interrupt: &Interrupt) -> Result<(), AgainError> {
    let opener = worker.clone();
    let opened = wait_for(interrupt, vec![worker.canceller()], move || opener.open_evidence()).await;
    go_on(interrupt)?;
    opened.map_err(panicked)?.map_err(|(label, source)| AgainError::Evidence { label, source })
}

/// Passes on the notes that arise while tables are made for the calls.
fn observer(request: &ReproduceRequest) -> Arc<dyn Fn(Progress) + Send + Sync> {
    let observe = Arc::clone(&request.observe);
    Arc::new(move |progress: Progress| {
        if let Progress::Note(note) = progress {
            observe(Again::Note(note));
        }
    })
}

/// Makes the case tables that calls of the run have read anew, without the cache.
fn tables(request: &ReproduceRequest, recorded: &[TablesRead]) -> MadeTables {
    let labels = request.case.entry.evidence.iter().map(|entry| entry.label.clone()).collect();
    let only = recorded.iter().filter_map(|read| TableGroup::named(&read.group)).collect();
    MadeTables::of(MadeTablesOf {
        labels,
        indexes: &request.indexes,
        cache: None,
        only: Some(only),
        observe: &observer(request),
    })
}

/// Returns the tables that differ, among those that the repeated calls have read.
fn other_tables(recorded: Vec<TablesRead>, now: &[TablesRead]) -> Vec<TablesDiffer> {
    let differs = |recorded: TablesRead| {
        let same = |now: &&TablesRead| (&now.evidence, &now.group) == (&recorded.evidence, &recorded.group);
        let now = now.iter().find(same).filter(|now| **now != recorded)?;
        Some(TablesDiffer { now: now.tables.clone(), recorded })
    };
    recorded.into_iter().filter_map(differs).collect()
}

/// Returns the subject field of each record type, as the run declares it.
fn subjects(opened: &RunOpened) -> Subjects {
    let types = opened.tools.iter().flat_map(|tool| &tool.records);
    types.map(|kind| (kind.name.clone(), kind.subject.clone())).collect()
}

/// Hashes the evidence at the level that the run used.
async fn hash(
    request: &ReproduceRequest,
    worker: Worker,
    log: &Stored,
) -> Result<Vec<EvidenceAgain>, AgainError> {
    let hashed = |label: &str| {
        log.of_run.iter().find_map(|event| match event {
            Event::EvidenceHashed(EvidenceHashed { evidence, integrity, .. }) if evidence == label => {
                Some(integrity.clone())
            }
            _ => None,
        })
    };
    let pieces = request.case.entry.evidence.iter().zip(&request.case.paths);
    let known: Vec<_> =
        pieces.map(|(entry, path)| (entry.label.clone(), path.clone(), hashed(&entry.label))).collect();
    let canceller = worker.canceller();
    let work = move || {
        known.into_iter().map(|(label, path, recorded)| again(&worker, label, path, recorded)).collect()
    };
    wait_for(&request.interrupt, vec![canceller], work).await.map_err(panicked)
}

fn again(worker: &Worker, label: String, path: PathBuf, recorded: Option<Integrity>) -> EvidenceAgain {
    let taken = recorded.as_ref().map(|recorded| worker.hash(&label, recorded.level));
    let (now, failed) = match taken {
        None => (None, None),
        Some(Ok((integrity, _))) => (Some(integrity), None),
        Some(Err(error)) => (None, Some(told(&error))),
    };
    let same = recorded.as_ref().zip(now.as_ref()).map(|(recorded, now)| recorded == now);
    EvidenceAgain { label, path, recorded, now, same, failed }
}

/// The results of the repeated calls.
#[derive(Default)]
struct Asked {
    calls: u64,
    invocations: u64,
    differing: Vec<(usize, CallDiffers)>,
    not_compared: Vec<(usize, NotCompared)>,
}

impl Asked {
    /// Records that a recorded call is not compared, and why.
    fn leave_out(&mut self, place: usize, call: &Call, recorded: &Recorded, because: &str) {
        let (task, tool) = (recorded.task.to_string(), call.tool.clone());
        let (invocation, because) = (recorded.ended.invocation, because.to_owned());
        self.not_compared.push((place, NotCompared { invocation, task, tool, because }));
    }

    /// Records that the result of a recorded call differs.
    fn differ(&mut self, place: usize, call: &Call, recorded: &Recorded, differences: Vec<Difference>) {
        let Recorded { task, agent, ended } = recorded;
        let differing = CallDiffers {
            invocation: ended.invocation,
            task: task.to_string(),
            agent: agent.clone(),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            differences,
        };
        self.differing.push((place, differing));
    }
}

/// What the calling threads share.
struct Asking {
    calls: Vec<Call>,
    next: AtomicUsize,
    done: AtomicUsize,
    reader: Mutex<Reader>,
    subjects: Subjects,
    rules: ToolRules,
    examples: usize,
    observe: Arc<dyn Fn(Again) + Send + Sync>,
    interrupt: Interrupt,
}

/// Makes each call once; several run at the same time, each in its own worker.
async fn ask(
    (request, worker): (&ReproduceRequest, &WorkerRequest),
    names: &Indexes,
    made: &Arc<MadeTables>,
    calls: Vec<Call>,
    reader: Reader,
    subjects: Subjects,
    rules: ToolRules,
) -> Result<Asked, AgainError> {
    let jobs = request.jobs.get().min(calls.len());
    let asking = Arc::new(Asking {
        calls,
        next: AtomicUsize::new(0),
        done: AtomicUsize::new(0),
        reader: Mutex::new(reader),
        subjects,
        rules,
        examples: request.examples,
        observe: Arc::clone(&request.observe),
        interrupt: request.interrupt.clone(),
    });
    let mut running = JoinSet::new();
    for _ in 0..jobs {
        let made = Some(Arc::clone(made));
        let worker = Worker::start_with(&patient(worker), &request.case, names, made);
        let worker = worker.map_err(AgainError::Tools)?;
        let (asking, interrupt) = (Arc::clone(&asking), request.interrupt.clone());
        running.spawn(async move {
            let canceller = worker.canceller();
            wait_for(&interrupt, vec![canceller], move || asking.work(&worker)).await
        });
    }
    let mut all = Asked::default();
    while let Some(asked) = running.join_next().await {
        let asked = asked.map_err(|_| AgainError::Panicked)?.map_err(panicked)?;
        all.calls += asked.calls;
        all.invocations += asked.invocations;
        all.differing.extend(asked.differing);
        all.not_compared.extend(asked.not_compared);
    }
    Ok(all)
}

/// The first format whose counts name everything that bounds them.
const COUNTED_IN_FULL: Format = Format { major: 2, minor: 9 };

/// The first format in which the first folder of a pattern is looked for in every volume.
const PLACED_PATTERNS: Format = Format { major: 2, minor: 12 };

/// The first format in which a pattern that begins with a wildcard folder name is looked for in every volume.
const PATTERNS_OF_FOLDERS: Format = Format { major: 2, minor: 14 };

/// The first format that refuses every call that can find nothing, and in which every call that finds nothing to read says so.
/// Such a call looks for a channel or provider that no record has, a folder,
/// key or hive that does not exist, or a text that cannot be a name.
const REFUSED_PLACES: Format = Format { major: 2, minor: 15 };

/// The first format in which a search lists everything similar to the thing that it did
/// not find. Formats before 2.17 list nothing, later ones fewer similar names.
const NEAR_TOLD: Format = Format { major: 2, minor: 20 };

/// The first format in which a search of a hive also lists what is similar if it read the hive without its transaction logs.
const NEAR_AS_IT_STANDS: Format = Format { major: 2, minor: 22 };

/// The first format with today's rules for places: a record of a hive or a log must be in
/// a file with that name, and a log that names another computer is foreign.
const OWN_NAMES: Format = Format { major: 2, minor: 20 };

/// The first format in which the events that examiners ask for first have types of
/// their own, addresses are separate from their ports, and codes have names.
const TYPED_EVENTS: Format = Format { major: 2, minor: 21 };

/// The groups of case tables that contain events, and facts about logs as a whole.
const TABLES_OF_EVENTS: [&str; 2] = ["event_log", "logs"];

/// The rules of the run's tools, as far as they differ from today's.
struct ToolRules {
    counts_less: bool,
    /// Whether a pattern of paths was relative to the root of the evidence only.
    means_root: bool,
    /// Whether a pattern that begins with a wildcard folder name was relative to the root of the evidence only.
    begins_at_root: bool,
    /// Whether a call that could find nothing returned an empty result, and not every call that found nothing to read said so.
    answers_nowhere: bool,
    has_time_index: bool,
    /// Whether searches listed nothing that is similar, or less than today.
    tells_nothing_near: bool,
    /// Whether searches listed nothing that is similar if they left something unread.
    tells_near_of_whole: bool,
    /// Whether places were judged by other rules, or not at all.
    places_otherwise: bool,
    /// Whether fewer events had types of their own.
    types_fewer_events: bool,
    /// The minor number of the format, which determines the form of records ([`ledger::as_formerly_told`]).
    minor: u16,
    /// The arguments that the run's tools did not accept yet.
    later: Later,
}

impl ToolRules {
    fn of(opened: &RunOpened, log: &Stored) -> ToolRules {
        let is_index = |event: &Event| matches!(event, Event::TimelineIndexed(_));
        ToolRules {
            counts_less: opened.format < COUNTED_IN_FULL,
            means_root: opened.format < PLACED_PATTERNS,
            begins_at_root: opened.format < PATTERNS_OF_FOLDERS,
            answers_nowhere: opened.format < REFUSED_PLACES,
            tells_nothing_near: opened.format < NEAR_TOLD,
            tells_near_of_whole: opened.format < NEAR_AS_IT_STANDS,
            places_otherwise: opened.format < OWN_NAMES,
            types_fewer_events: opened.format < TYPED_EVENTS,
            minor: opened.format.minor,
            later: Later::of(&opened.tools, &tools::catalogue()),
            has_time_index: log.of_run.iter().any(is_index),
        }
    }

    /// Returns why the answer of a call cannot be compared with today's; `None` if it can.
    fn incomparable(&self, call: &Call) -> Option<String> {
        let has = |name: &str| call.arguments.get(name).is_some_and(|value| !value.is_null());
        let because = match call.tool.as_str() {
            _ if self.counts_less && has("count_by") => {
                "its counts said less than those of today, which name all that bounds them"
            }
            "find_files" | "list_deleted" if self.means_root && found_nothing_below_a_folder(call) => {
                "its pattern began with a folder that was looked for at the root of the evidence alone"
            }
            "find_files" | "list_deleted" if self.begins_at_root && begins_with_a_pattern(call) => {
                "its pattern began with one of a folder at the root of the evidence alone"
            }
            "timeline" | "timeline_histogram" if self.has_time_index => {
                "its timeline had times, too, that date nothing on the host"
            }
            "find_files" if self.answers_nowhere && has_colon(call, "with_stream") => {
                "its stream was looked for with the colons around it, which no name has"
            }
            _ if self.answers_nowhere && (starts_at_computer(call) || names_a_path(call)) => {
                "a path or key in it was understood in one notation alone"
            }
            tool => {
                let because = tools::untranslatable(tool, &call.arguments)?;
                return Some(format!("the tool is retired, and {because}"));
            }
        };
        Some(because.to_owned())
    }
}

/// Whether a pattern of paths begins with a wildcard folder name.
fn begins_with_a_pattern(call: &Call) -> bool {
    let (name, first) = name_and_first(call);
    name.contains(['/', '\\']) && first.contains(['*', '?']) && first != "**" && !first.ends_with(':')
}

fn text<'c>(call: &'c Call, argument: &str) -> &'c str {
    call.arguments.get(argument).and_then(Value::as_str).unwrap_or_default()
}

fn has_colon(call: &Call, argument: &str) -> bool {
    text(call, argument).contains(':')
}

/// Whether records were selected by a path or a list, so that its notation mattered.
fn names_a_path(call: &Call) -> bool {
    let is_of_entries = matches!(call.tool.as_str(), "find_files" | "list_deleted");
    let begins = |start: &str| {
        let text = text(call, "text");
        text.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
    };
    let name = text(call, "name");
    !is_of_entries && name.contains(['/', '\\'])
        || name.contains(", ")
        || ["HK", "CurrentControlSet", "Computer"].into_iter().any(begins)
}

/// Whether a key is written as in a registry editor, with an abbreviated root key.
fn starts_at_computer(call: &Call) -> bool {
    let key = text(call, "key").to_ascii_lowercase();
    key.contains("computer\\hk") && !key.contains("computer\\hkey_")
}

/// Returns the pattern of a call, and the first name in it.
fn name_and_first(call: &Call) -> (&str, &str) {
    let name = text(call, "name");
    let first = name.trim_start_matches(['/', '\\', '{']).split(['/', '\\', ',']).next().unwrap_or_default();
    (name, first)
}

/// Whether a call found nothing with a pattern of paths that begins with the plain name of a folder.
fn found_nothing_below_a_folder(call: &Call) -> bool {
    let (name, first) = name_and_first(call);
    let is_folder = name.contains(['/', '\\']) && !first.contains(['*', '?', ':', '%']);
    is_folder && call.recorded.iter().all(|recorded| recorded.ended.outcome == Outcome::Empty)
}

/// Whether a call that was answered is now refused because of where it looks.
fn is_refused_today(ended: &InvocationEnded, now: &ToolReturn) -> bool {
    let refuses_place = now.notes.first().is_some_and(|note| tools::refuses_place(note));
    !ended.outcome.is_failure() && now.outcome == Outcome::Failed && refuses_place
}

/// Whether a call that was answered is now refused because of a field that it counts by.
fn is_refused_field(ended: &InvocationEnded, now: &ToolReturn) -> bool {
    let names_fields = now.notes.first().is_some_and(|note| tools::names_fields(note));
    !ended.outcome.is_failure() && now.outcome == Outcome::Failed && names_fields
}

/// Whether an answer contains events that had no type of their own before format 2.21, or counts records that may include them.
fn tells_later_types(call: &Call, outputs: &[&Output]) -> bool {
    let reads_rows = matches!(call.tool.as_str(), "timeline" | "timeline_histogram" | "list_event_channels");
    let counts =
        !text(call, "count_by").is_empty() && reads_events(call) || text(call, "sql").contains("event");
    let later = |output: &&Output| output.records().iter().any(tools::is_event_typed_later);
    counts || reads_rows || outputs.iter().any(later)
}

/// Whether the records that a call asks for are events, or may include events.
fn reads_events(call: &Call) -> bool {
    match (text(call, "source"), text(call, "record")) {
        ("", "") | ("event_log" | "logons", _) => true,
        (_, record) => ledger::source_kind(record) == Some("event_log"),
    }
}

/// Converts an output to the form of earlier formats, some of which had no placements.
fn as_both_tell(output: Arc<Output>, rules: &ToolRules) -> Arc<Output> {
    if rules.minor == FORMAT.minor {
        return output;
    }
    let told = |record: &Record| {
        let record = ledger::as_formerly_told(record, rules.minor);
        if rules.places_otherwise { Record { placement: None, ..record } } else { record }
    };
    // A shortened form of a valid output is valid, too.
    Output::new(output.records().iter().map(told).collect()).map_or(output, Arc::new)
}

/// A slower machine should not change an answer, so a call may take several times as long as in a run.
fn patient(request: &WorkerRequest) -> WorkerRequest {
    const TIMES: u32 = 4;
    let limits = sandbox::Limits {
        wall: request.limits.wall.saturating_mul(TIMES),
        cpu_seconds: request.limits.cpu_seconds.saturating_mul(TIMES.into()),
        ..request.limits
    };
    WorkerRequest { limits, ..request.clone() }
}

impl Asking {
    /// Makes calls until none are left, or until an interruption.
    fn work(&self, worker: &Worker) -> Asked {
        let mut asked = Asked::default();
        loop {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(call) = self.calls.get(place).filter(|_| !self.interrupt.is_interrupted()) else {
                return asked;
            };
            self.one(worker, place, call, &mut asked);
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            (self.observe)(Again::Called { done, of: self.calls.len(), tool: call.tool.clone() });
        }
    }

    fn one(&self, worker: &Worker, place: usize, call: &Call, asked: &mut Asked) {
        let (mut comparable, stopped): (Vec<_>, Vec<_>) =
            call.recorded.iter().partition(|recorded| recorded.ended.outcome != Outcome::Timeout);
        for recorded in stopped {
            let because = "the clock stopped it when the run was made: what it would have said is not known";
            asked.leave_out(place, call, recorded, because);
        }
        if comparable.is_empty() {
            return;
        }
        if let Some(because) = self.rules.incomparable(call) {
            comparable.into_iter().for_each(|recorded| asked.leave_out(place, call, recorded, &because));
            return;
        }
        // The run's own tool had to refuse this call, and did. A later session of the run may have repeated the call with a newer tool.
        let is_refusal = |recorded: &&Recorded| recorded.ended.outcome == Outcome::Failed;
        let refused =
            comparable.extract_if(.., |recorded| self.rules.later.refused(call) && is_refusal(recorded));
        asked.invocations += refused.count() as u64;
        if comparable.is_empty() {
            asked.calls += 1;
            return;
        }
        let (now, _) = worker.call(&call.tool, &call.arguments);
        let as_told = |output: Arc<Output>| as_both_tell(output, &self.rules);
        let now = ToolReturn { output: now.output.map(as_told), ..now };
        asked.calls += 1;
        let translated = tools::successor(&call.tool).is_some();
        let untold = self.rules.answers_nowhere;
        let nearless =
            self.rules.tells_nothing_near || self.rules.tells_near_of_whole && !now.gaps.is_empty();
        let reworded = self.rules.later.rewords_refusals(&call.tool);
        let (subjects, examples) = (&self.subjects, self.examples);
        let measure = Measure { subjects, examples, translated, untold, nearless, reworded };
        for recorded in comparable {
            let ended = &recorded.ended;
            if self.rules.answers_nowhere && is_refused_today(ended, &now) {
                let because = "it looked where nothing of the evidence stands, which is refused today";
                asked.leave_out(place, call, recorded, because);
                continue;
            }
            if reworded && is_refused_field(ended, &now) {
                let because = "it counted by a field that no record has, which is refused today";
                asked.leave_out(place, call, recorded, because);
                continue;
            }
            asked.invocations += 1;
            let differences =
                calls::differences(ended, &now, |digest| self.stored(digest).map(as_told), &measure);
            if !differences.is_empty()
                && self.rules.types_fewer_events
                && self.is_of_later_types(call, ended, &now)
            {
                asked.invocations -= 1;
                let because = "it tells of events that have types of their own today";
                asked.leave_out(place, call, recorded, because);
                continue;
            }
            if !differences.is_empty() {
                asked.differ(place, call, recorded, differences);
            }
        }
    }

    /// Whether the old and the new answer may differ only because events have types of their own now.
    fn is_of_later_types(&self, call: &Call, ended: &InvocationEnded, now: &ToolReturn) -> bool {
        let then = ended.output.as_ref().and_then(|digest| self.stored(digest).ok());
        let outputs: Vec<&Output> = [then.as_deref(), now.output.as_deref()].into_iter().flatten().collect();
        tells_later_types(call, &outputs)
    }

    /// Returns the recorded output with this digest.
    fn stored(&self, digest: &Digest) -> Result<Arc<Output>, String> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        reader.output(digest).map_err(|error| told(&error))
    }
}

fn summed(
    opened: &RunOpened,
    evidence: Vec<EvidenceAgain>,
    tables_differing: Vec<TablesDiffer>,
    mut asked: Asked,
    notes: Vec<String>,
) -> Reproduced {
    asked.differing.sort_by_key(|(place, _)| *place);
    asked.not_compared.sort_by_key(|(place, _)| *place);
    let differing: Vec<CallDiffers> = asked.differing.into_iter().map(|(_, call)| call).collect();
    let catalogue = tools::catalogue();
    let called: Vec<&String> = differing.iter().map(|call| &call.tool).collect();
    let changed =
        opened.tools.iter().filter(|tool| called.contains(&&tool.name) && !catalogue.contains(tool));
    Reproduced {
        same: differing.is_empty()
            && tables_differing.is_empty()
            && !evidence.iter().any(EvidenceAgain::is_other),
        evidence,
        tables_differing,
        invocations: asked.invocations,
        invocations_same: asked.invocations - differing.len() as u64,
        calls: asked.calls,
        not_compared: asked.not_compared.into_iter().map(|(_, call)| call).collect(),
        made_by: opened.program.clone(),
        tools_changed: changed.map(|tool| tool.name.clone()).collect(),
        differing,
        notes,
    }
}

#[cfg(test)]
mod tests;
