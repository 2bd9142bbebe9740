//! Use case: the case tables of evidence, made once and asked by statements.
//!
//! A worker decodes each piece of evidence into the file of its tables; another one, which sees these files and no evidence, answers statements.
//! The files are kept in the cache: those of a folder under the hash of all its bytes, those of an image or an archive under what tells it from others (`docs/decisions/0011-name-index.md`).
//! Outside a run nothing is recorded, and nothing that a statement returns grounds a fact.

use crate::case_file::Case;
use crate::name_cache::{Known, NameCache};
use crate::names::told;
use crate::platform::make_private;
use crate::publish::publish;
use crate::worker::{HASHING, ToolError, Worker, WorkerRequest, evidence_files, start_over};
use ledger::{Digest, EvidenceKind, IntegrityLevel, Record};
use sandbox::{Ending, Limits, Zygote};
use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use thiserror::Error;
use tools::{Answer, AnswerReply, Asked, AskedRow, BuiltTables, Indexes, MOST_TABLES, Request, TABLES_MAKER};

/// Of which evidence to make tables, and where.
pub struct TablesRequest<'r> {
    /// The case.
    pub case: &'r Case,
    /// The label of the only piece of evidence that is wanted; `None`: all.
    pub only: Option<&'r str>,
    /// Where tools run.
    pub worker: &'r WorkerRequest,
    /// A folder of ours for the files, outside the evidence and the workers' scratch folder.
    pub folder: PathBuf,
    /// The folder of those that outlive the command; `None`: none is kept, and none taken.
    pub cache: Option<PathBuf>,
}

/// The tables of a case, ready to be asked.
pub struct CaseTables {
    files: BTreeMap<String, PathBuf>,
    asker: Zygote,
    limits: Limits,
    /// Words for whoever asks: what came from the cache, what is not kept there.
    pub notes: Vec<String>,
}

/// Why there are no tables, or no answer.
#[derive(Debug, Error)]
pub enum TablesError {
    /// No tool can be run, or the evidence not be opened.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The file of the tables cannot be written.
    #[error("write the tables of {label}")]
    Write {
        /// The label of the evidence.
        label: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file of the tables is none that this program wrote, or is damaged.
    #[error("read the tables: {reason}; --no-cache decodes the evidence anew")]
    Unreadable {
        /// Why.
        reason: String,
    },
    /// A thread of ours panicked.
    #[error("make tables: a thread of the program panicked")]
    Panicked,
    /// The statement is none that the tables answer.
    #[error("{reason}")]
    Refused {
        /// Why, and what there is in its place.
        reason: String,
    },
}

/// Makes the tables of all evidence of a case, or takes them from the cache.
///
/// # Errors
///
/// Where no worker starts, evidence cannot be decoded at all, or a file not be written.
pub fn case_tables(request: &TablesRequest<'_>) -> Result<CaseTables, TablesError> {
    let pieces = chosen(request)?;
    make_private(&request.folder)
        .map_err(|source| TablesError::Write { label: request.case.entry.name.clone(), source })?;
    let next = AtomicUsize::new(0);
    let made = Mutex::new(Vec::new());
    let work = || -> Result<(), TablesError> {
        let worker = Worker::start(request.worker, request.case, &Indexes::new())?;
        let cache = request.cache.clone().map(NameCache::of_tables);
        let mut making = Making { worker: &worker, cache, notes: Vec::new() };
        while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Piece { number, label, .. } = *piece;
            let bytes = making.tables(piece)?;
            let name = format!("tables-{number}");
            publish(&request.folder, &name, &bytes)
                .map_err(|source| TablesError::Write { label: label.to_owned(), source })?;
            let notes = std::mem::take(&mut making.notes);
            let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
            made.push((number, label.to_owned(), request.folder.join(name), notes));
        }
        Ok(())
    };
    let workers = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(pieces.len());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let ends = threads.into_iter().map(|thread| thread.join().unwrap_or(Err(TablesError::Panicked)));
        ends.collect::<Vec<_>>().into_iter().collect::<Result<Vec<()>, _>>()
    })?;
    let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    made.sort();
    let asker = start_over(request.worker, vec![request.folder.clone()])?;
    let limits = request.worker.limits;
    let notes = made.iter().flat_map(|(_, _, _, notes)| notes.clone()).collect();
    let files = made.into_iter().map(|(_, label, file, _)| (label, file)).collect();
    Ok(CaseTables { files, asker, limits, notes })
}

/// A piece of evidence of which tables are wanted.
struct Piece<'r> {
    number: usize,
    kind: EvidenceKind,
    label: &'r str,
    path: &'r Path,
}

/// The pieces that are asked for: known before anything is decoded.
fn chosen<'r>(request: &TablesRequest<'r>) -> Result<Vec<Piece<'r>>, TablesError> {
    let evidence = request.case.entry.evidence.iter().zip(&request.case.paths).enumerate();
    let all: Vec<_> = evidence
        .map(|(number, (entry, path))| Piece { number, kind: entry.kind, label: &entry.label, path })
        .collect();
    let labels = all.iter().map(|piece| piece.label).collect::<Vec<_>>().join(", ");
    let wanted = |piece: &Piece<'_>| request.only.is_none_or(|only| only == piece.label);
    let pieces: Vec<_> = all.into_iter().filter(wanted).collect();
    let reason = match (request.only, pieces.len()) {
        (Some(only), 0) => format!("the case has no evidence {only:?}; it has {labels}"),
        (_, found) if found > MOST_TABLES => {
            format!(
                "one statement looks at {MOST_TABLES} pieces of evidence at most, the case has {found}: name one with --evidence, of {labels}"
            )
        }
        _ => return Ok(pieces),
    };
    Err(TablesError::Refused { reason })
}

impl CaseTables {
    /// Runs one SELECT; gives at most `limit` rows.
    ///
    /// # Errors
    ///
    /// Where the statement is refused, or the worker does not answer.
    pub fn ask(&mut self, sql: &str, limit: usize) -> Result<Answer, TablesError> {
        let asked = Asked { files: self.files.clone(), sql: sql.to_owned(), limit };
        match self.send(&Request::AskTables(asked))? {
            AnswerReply::Answered(answer) => Ok(answer),
            AnswerReply::Refused { reason } => Err(TablesError::Refused { reason }),
            AnswerReply::Failed { reason } => Err(TablesError::Unreadable { reason }),
            AnswerReply::Read(_) => Err(unasked()),
        }
    }

    /// The digest of each table that has rows, from the rows as they stand.
    ///
    /// # Errors
    ///
    /// Where a file is none that this program wrote, or the worker does not answer.
    pub fn digests(&mut self) -> Result<Answer, TablesError> {
        // Every row is read, however many there are.
        let limits = Limits { wall: HASHING, cpu_seconds: HASHING.as_secs(), ..self.limits };
        match self.send_within(&Request::HashTables { files: self.files.clone() }, &limits)? {
            AnswerReply::Answered(answer) => Ok(answer),
            AnswerReply::Refused { reason } => Err(TablesError::Refused { reason }),
            AnswerReply::Failed { reason } => Err(TablesError::Unreadable { reason }),
            AnswerReply::Read(_) => Err(unasked()),
        }
    }

    /// Reads one row of a table as the record that it holds.
    ///
    /// # Errors
    ///
    /// Where there is no such row, several pieces of evidence have such a table, or the worker does not answer.
    pub fn record(&mut self, table: &str, row: i64) -> Result<Record, TablesError> {
        let mut files = self.files.iter();
        let (Some((evidence, file)), None) = (files.next(), files.next()) else {
            let labels = self.files.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            let reason = format!(
                "each piece of evidence has its own row {row}: name one with --evidence, of {labels}"
            );
            return Err(TablesError::Refused { reason });
        };
        let (evidence, file, table) = (evidence.clone(), file.clone(), table.to_owned());
        match self.send(&Request::ReadRow(AskedRow { evidence, file, table, row }))? {
            AnswerReply::Read(record) => Ok(*record),
            AnswerReply::Refused { reason } => Err(TablesError::Refused { reason }),
            AnswerReply::Failed { reason } => Err(TablesError::Unreadable { reason }),
            AnswerReply::Answered(_) => Err(unasked()),
        }
    }

    fn send(&mut self, request: &Request) -> Result<AnswerReply, TablesError> {
        let limits = self.limits;
        self.send_within(request, &limits)
    }

    fn send_within(&mut self, request: &Request, limits: &Limits) -> Result<AnswerReply, TablesError> {
        let bytes = tools::encode_request(request).map_err(ToolError::Wire)?;
        let report = self.asker.call(&bytes, limits).map_err(ToolError::Call)?;
        match report.ending {
            Ending::Replied(bytes) => Ok(tools::decode_answer_reply(&bytes).map_err(ToolError::Wire)?),
            ending @ (Ending::TimedOut { .. } | Ending::Signalled { .. } | Ending::ReplyTooLarge { .. }) => {
                let reason = format!("the statement {}: narrow it, or sort less", ending.describe(limits));
                Err(TablesError::Refused { reason })
            }
            ending => Err(ToolError::Tables { ending: ending.describe(limits) }.into()),
        }
    }
}

/// A worker that answers another question than the one that it was asked.
fn unasked() -> TablesError {
    ToolError::Tables { ending: "it answered something else than it was asked".to_owned() }.into()
}

struct Making<'m> {
    worker: &'m Worker,
    cache: Option<NameCache>,
    notes: Vec<String>,
}

impl Making<'_> {
    fn tables(&mut self, piece: &Piece<'_>) -> Result<Vec<u8>, TablesError> {
        let Piece { kind, label, path, .. } = *piece;
        if matches!(kind, EvidenceKind::Archive | EvidenceKind::Image) {
            // Whether it can be opened at all, before anything is kept of it; this level reads no content.
            self.worker.hash(label, IntegrityLevel::Stat)?;
        }
        let key = match &self.cache {
            Some(_) => self.key(kind, label, path)?,
            None => None,
        };
        if let Some(bytes) = key.and_then(|key| self.cached(label, key)) {
            return Ok(bytes);
        }
        let BuiltTables { bytes, tables, whole } = self.worker.build_tables(label, None)?;
        if !whole {
            self.notes.push(format!(
                "the tables of {label} are not kept in the cache: not every source could be read (see gaps)"
            ));
            return Ok(bytes);
        }
        if let (Some(key), Some(cache)) = (key, &self.cache) {
            let entries = tables.iter().map(|table| table.rows).sum();
            let known = Known {
                index: Digest::of(&bytes),
                entries,
                sources: None,
                tables: Vec::new(),
                key: None,
                evidence: None,
            };
            if let Err(error) = cache.store(key, &known, &bytes) {
                self.notes.push(format!("the tables of {label} are not kept in the cache: {error}"));
            }
        }
        Ok(bytes)
    }

    /// What tables are kept under: of a folder, which changes without a trace, the hash of all bytes.
    fn key(&mut self, kind: EvidenceKind, label: &str, path: &Path) -> Result<Option<Digest>, TablesError> {
        let identity = match kind {
            EvidenceKind::Directory => {
                let (integrity, gaps) = self.worker.hash(label, IntegrityLevel::Full)?;
                // What could not be read may be readable the next time.
                if !gaps.is_empty() {
                    let note = format!(
                        "the tables of {label} are not kept in the cache: {} files cannot be read",
                        gaps.len()
                    );
                    self.notes.push(note);
                }
                gaps.is_empty().then_some(integrity.sha256)
            }
            EvidenceKind::Archive | EvidenceKind::Image => {
                match tools::evidence_identity(&evidence_files(kind, path)) {
                    Ok(identity) => Some(identity),
                    Err(error) => {
                        self.notes.push(format!("the tables of {label} are not kept in the cache: {error}"));
                        None
                    }
                }
            }
        };
        Ok(identity.map(|identity| {
            let identity = identity.to_string();
            Digest::of_parts(&[
                b"locard tables",
                TABLES_MAKER.as_bytes(),
                label.as_bytes(),
                identity.as_bytes(),
            ])
        }))
    }

    fn cached(&mut self, label: &str, key: Digest) -> Option<Vec<u8>> {
        match self.cache.as_ref()?.load(key) {
            Ok(found) => found.map(|(_, bytes)| bytes),
            Err(error) => {
                self.notes.push(format!("the tables of {label} are built again: {}", told(&error)));
                None
            }
        }
    }
}
