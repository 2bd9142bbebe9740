//! Use case: query the case tables of evidence with SQL.
//!
//! Workers decode, in parallel, only what a statement reads.
//! Outside a run nothing is recorded, and the result of a statement cannot be the basis of a fact.

use crate::case_file::Case;
use crate::made_tables::{MadeTables, MadeTablesOf};
use crate::names::Names;
use crate::progress::Progress;
use crate::worker::{HASHING, StatementError, ToolError, Worker, WorkerRequest, unasked};
use detect::Level;
use ledger::Record;
use sandbox::Limits;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;
use tools::{
    Answer, AnswerReply, Asked, AskedRow, AskedRules, Borrowed, Cell, CheckedRules, Found, Indexes, Matched,
    Request, TableFiles, TableGroup,
};

/// The evidence to make tables of, and where.
pub struct TablesRequest<'r> {
    /// The case.
    pub case: &'r Case,
    /// The label of the only piece of evidence to use; `None` means all.
    pub only: Option<&'r str>,
    /// How to start the workers.
    pub worker: &'r WorkerRequest,
    /// A folder for the files, outside the evidence and the workers' scratch folder.
    pub folder: PathBuf,
    /// The folder of cached tables; `None` disables the cache.
    pub cache: Option<PathBuf>,
}

/// The tables of a case, made as far as statements need them.
pub struct CaseTables {
    labels: Vec<String>,
    made: MadeTables,
    /// They decode; one for each processor.
    workers: Vec<Worker>,
    /// It answers statements, and sees the tables but not the evidence.
    asker: Worker,
    notes: Arc<Mutex<Vec<String>>>,
    /// Keeps the index files that the workers use.
    _names: Names,
}

/// The result of a statement, with the sources behind it.
#[derive(Debug)]
pub struct WithSources {
    /// The rows.
    pub answer: Answer,
    /// The sources, each with the label of its piece of evidence.
    pub sources: BTreeSet<(String, String)>,
}

/// How much of the evidence behind a statement was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unread {
    /// The number of gaps.
    pub gaps: u64,
    /// The number of defects that may hide records.
    pub damage: u64,
}

/// Why there are no tables, or no answer.
#[derive(Debug, Error)]
pub enum TablesError {
    /// No tool can be run, the evidence cannot be opened, or the statement cannot be answered.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// The tables of a piece of evidence cannot be made or written.
    #[error("{reason}")]
    Unmade {
        /// Which tables, and the reason.
        reason: String,
    },
    /// A thread of the program panicked.
    #[error("make tables: a thread of the program panicked")]
    Panicked,
    /// The requested evidence or row cannot be used.
    #[error("{reason}")]
    Refused {
        /// Why, and what can be used instead.
        reason: String,
    },
}

impl From<ToolError> for TablesError {
    fn from(error: ToolError) -> TablesError {
        TablesError::Statement(error.into())
    }
}

/// Opens the evidence of a case for statements; nothing is decoded before a statement needs it.
///
/// # Errors
///
/// Fails if no worker starts, or the evidence cannot be opened.
pub fn case_tables(request: &TablesRequest<'_>) -> Result<CaseTables, TablesError> {
    let case = chosen(request)?;
    let first = Worker::start(request.worker, &case, &Indexes::new())?;
    first.open_evidence().map_err(|(_, error)| error)?;
    let names = Names::index(&first, &case, &request.folder, request.cache.as_deref());
    let notes = Arc::new(Mutex::new(names.notes.clone()));
    let labels: Vec<_> = case.entry.evidence.iter().map(|entry| entry.label.clone()).collect();
    let heard = Arc::clone(&notes);
    let observe: Arc<dyn Fn(Progress) + Send + Sync> = Arc::new(move |progress| {
        if let Progress::Note(note) = progress {
            heard.lock().unwrap_or_else(PoisonError::into_inner).push(note);
        }
    });
    let made = MadeTables::of(MadeTablesOf {
        labels: labels.clone(),
        indexes: &request.folder,
        cache: request.cache.clone(),
        only: None,
        observe: &observe,
    });
    let asker = Worker::of_tables(request.worker, made.folder())?;
    let count = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let workers = (0..count).map(|_| Worker::start(request.worker, &case, &names.files));
    let workers = workers.collect::<Result<_, _>>()?;
    Ok(CaseTables { labels, made, workers, asker, notes, _names: names })
}

/// Returns the case with only the requested piece of evidence.
fn chosen(request: &TablesRequest<'_>) -> Result<Case, TablesError> {
    let mut case = request.case.clone();
    let Some(only) = request.only else { return Ok(case) };
    let labels = joined(case.entry.evidence.iter().map(|entry| entry.label.as_str()));
    let pieces = std::mem::take(&mut case.entry.evidence).into_iter().zip(std::mem::take(&mut case.paths));
    (case.entry.evidence, case.paths) = pieces.filter(|(entry, _)| entry.label == only).unzip();
    match case.entry.evidence.is_empty() {
        true => Err(TablesError::Refused {
            reason: format!("the case has no evidence {only:?}; it has {labels}"),
        }),
        false => Ok(case),
    }
}

fn joined<'l>(labels: impl Iterator<Item = &'l str>) -> String {
    labels.collect::<Vec<_>>().join(", ")
}

impl CaseTables {
    /// Runs one SELECT; returns at most `limit` rows.
    ///
    /// # Errors
    ///
    /// Fails if the statement is refused, its tables cannot be made, or the worker does not answer.
    pub fn ask(&self, sql: &str, limit: usize) -> Result<Answer, TablesError> {
        let files = self.files(&self.asker.groups_of(sql)?)?;
        self.ask_over(files, sql, limit)
    }

    /// Returns the sources that were read for the tables of a statement.
    ///
    /// # Errors
    ///
    /// Fails like [`CaseTables::ask`].
    pub fn sources_of(&self, sql: &str) -> Result<BTreeSet<String>, TablesError> {
        let files = self.files(&self.asker.groups_of(sql)?)?;
        let answer = self.ask_over(files, "SELECT DISTINCT source FROM sources", usize::MAX)?;
        let text = |cell| match cell {
            Cell::Text(text) => Some(text),
            Cell::Null | Cell::Integer(_) | Cell::Real(_) => None,
        };
        Ok(answer.rows.into_iter().flatten().filter_map(text).collect())
    }

    /// Ends the statement that runs, and every later one; to continue, open the case anew.
    pub fn stop(&self) {
        self.workers.iter().chain([&self.asker]).for_each(|worker| worker.canceller().cancel());
    }

    /// Returns the labels of the evidence.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().map(String::as_str)
    }

    /// Works like [`CaseTables::ask`], and also returns the sources that were read, for each piece of evidence.
    ///
    /// # Errors
    ///
    /// Fails like [`CaseTables::ask`].
    pub fn ask_with_sources(&self, sql: &str, limit: usize) -> Result<WithSources, TablesError> {
        let files = self.files(&self.asker.groups_of(sql)?)?;
        let of_sources = "SELECT DISTINCT _evidence, source FROM sources";
        let listed = self.ask_over(files.clone(), of_sources, usize::MAX)?;
        let pair = |cells: Vec<Cell>| match cells.as_slice() {
            [Cell::Text(evidence), Cell::Text(source)] => Some((evidence.clone(), source.clone())),
            _ => None,
        };
        let sources = listed.rows.into_iter().filter_map(pair).collect();
        Ok(WithSources { answer: self.ask_over(files, sql, limit)?, sources })
    }

    /// Counts the gaps in the tables of a statement, and the defects that may hide records.
    ///
    /// # Errors
    ///
    /// Fails like [`CaseTables::ask`].
    pub fn unread_of(&self, sql: &str) -> Result<Unread, TablesError> {
        let files = self.files(&self.asker.groups_of(sql)?)?;
        let counts = "SELECT (SELECT count(*) FROM gaps), (SELECT count(*) FROM defects WHERE hides)";
        let answer = self.ask_over(files, counts, 1)?;
        let number = |cell: Option<&Cell>| match cell {
            Some(Cell::Integer(number)) => u64::try_from(*number).unwrap_or_default(),
            _ => 0,
        };
        let row = answer.rows.first();
        let cell = |index: usize| row.and_then(|row| row.get(index));
        Ok(Unread { gaps: number(cell(0)), damage: number(cell(1)) })
    }

    /// Returns the digest of each table that has rows, computed from the stored rows.
    ///
    /// # Errors
    ///
    /// Fails if a table cannot be made, or the worker does not answer.
    pub fn digests(&self) -> Result<Answer, TablesError> {
        let files = self.files(&TableGroup::all())?;
        // This reads every row, however many there are.
        let limits = Limits { wall: HASHING, cpu_seconds: HASHING.as_secs(), ..self.asker.limits() };
        answered(self.asker.statement(&Request::HashTables { files }, &limits)?)
    }

    /// Reads one row of a table and returns its record.
    ///
    /// # Errors
    ///
    /// Fails if there is no such row, there are several pieces of evidence, or the worker does not answer.
    pub fn record(&self, table: &str, row: i64) -> Result<Record, TablesError> {
        let [evidence] = self.labels.as_slice() else {
            let labels = joined(self.labels.iter().map(String::as_str));
            let reason = format!(
                "each piece of evidence has its own row {row}: name one with --evidence, of {labels}"
            );
            return Err(TablesError::Refused { reason });
        };
        self.record_on(evidence, table, row)
    }

    /// Reads one row of a table of a piece of evidence and returns its record.
    ///
    /// # Errors
    ///
    /// Fails if there is no such row, or the worker does not answer.
    pub fn record_on(&self, evidence: &str, table: &str, row: i64) -> Result<Record, TablesError> {
        let files = self.files(&TableGroup::of_table(table).into_iter().collect())?;
        let asked = AskedRow { files, evidence: evidence.to_owned(), table: table.to_owned(), row };
        match self.asker.statement(&Request::ReadRow(asked), &self.asker.limits())? {
            AnswerReply::Read(record) => Ok(*record),
            _ => Err(unasked().into()),
        }
    }

    /// Compares all relevant records with third-party rules and returns the matches with at least the level `least`.
    ///
    /// # Errors
    ///
    /// Fails if the rules cannot be read at all, the records cannot be decoded, or the worker does not answer.
    pub fn matched(&self, rules: &Borrowed, least: Level) -> Result<Matched, TablesError> {
        let of =
            Compared { made: &self.made, labels: &self.labels, workers: &self.workers, asker: &self.asker };
        of.matched(rules, least, None)
    }

    /// Returns the notes for the user about how the tables were made; each note is returned once.
    pub fn notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn ask_over(&self, files: TableFiles, sql: &str, limit: usize) -> Result<Answer, TablesError> {
        let asked = Asked { files, sql: sql.to_owned(), limit };
        answered(self.asker.statement(&Request::AskTables(asked), &self.asker.limits())?)
    }

    fn files(&self, groups: &BTreeSet<TableGroup>) -> Result<TableFiles, TablesError> {
        files(&self.made, &self.workers, groups)
    }
}

/// Tables whose rows are compared with third-party rules.
pub(crate) struct Compared<'c> {
    pub(crate) made: &'c MadeTables,
    /// The labels of the evidence.
    pub(crate) labels: &'c [String],
    /// They make tables that do not exist yet.
    pub(crate) workers: &'c [Worker],
    /// It sees the tables but not the evidence.
    pub(crate) asker: &'c Worker,
}

impl Compared<'_> {
    /// Compares all relevant records with the rules and returns the matches with at least the level `least`, at most `each` of one rule.
    ///
    /// # Errors
    ///
    /// Fails like [`CaseTables::matched`].
    pub(crate) fn matched(
        &self,
        rules: &Borrowed,
        least: Level,
        each: Option<u64>,
    ) -> Result<Matched, TablesError> {
        let checked = checked(self.asker, rules)?;
        let files = files(self.made, self.workers, &tools::groups_of_records(&checked.records))?;
        let asked = Request::MatchRules(AskedRules { files, rules: rules.clone(), least, each });
        let AnswerReply::Matched(matched) = self.asker.statement(&asked, &self.asker.matching())? else {
            return Err(unasked().into());
        };
        // The reply comes from a process that has read hostile bytes.
        let is_ours = |found: &Found| self.labels.contains(&found.record.locator.evidence);
        match matched.found.iter().all(is_ours) {
            true => Ok(*matched),
            false => Err(unasked().into()),
        }
    }
}

/// Returns the tables of these groups, made by all workers in parallel.
fn files(
    made: &MadeTables,
    workers: &[Worker],
    groups: &BTreeSet<TableGroup>,
) -> Result<TableFiles, TablesError> {
    let next = AtomicUsize::new(0);
    let queue: Vec<_> = groups.iter().copied().collect();
    let work = |worker: &Worker| -> Result<TableFiles, TablesError> {
        let mut files = TableFiles::new();
        while let Some(group) = queue.get(next.fetch_add(1, Ordering::Relaxed)) {
            let of_group = made.asked(worker, *group).map_err(|reason| TablesError::Unmade { reason })?;
            files.insert(group.name().to_owned(), of_group);
        }
        Ok(files)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            workers.iter().take(queue.len()).map(|worker| scope.spawn(|| work(worker))).collect();
        let ends = threads.into_iter().map(|thread| thread.join().unwrap_or(Err(TablesError::Panicked)));
        let ends: Vec<_> = ends.collect();
        let mut all = TableFiles::new();
        for end in ends {
            all.extend(end?);
        }
        Ok(all)
    })
}

/// Reads third-party rules in a worker that sees no evidence, and reports what is wrong with them.
///
/// # Errors
///
/// Fails if no worker starts, or it does not answer.
pub fn check_rules(worker: &WorkerRequest, rules: &Borrowed) -> Result<CheckedRules, TablesError> {
    checked(&Worker::of_tables(worker, None)?, rules)
}

fn checked(worker: &Worker, rules: &Borrowed) -> Result<CheckedRules, TablesError> {
    let asked = Request::CheckRules { rules: rules.clone() };
    match worker.statement(&asked, &worker.matching())? {
        AnswerReply::Checked(checked) => Ok(*checked),
        _ => Err(unasked().into()),
    }
}

fn answered(reply: AnswerReply) -> Result<Answer, TablesError> {
    match reply {
        AnswerReply::Answered(answer) => Ok(answer),
        _ => Err(unasked().into()),
    }
}
