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
use crate::worker::{ToolError, Worker, WorkerRequest, evidence_files, start_over};
use ledger::{Digest, EvidenceKind, IntegrityLevel, Record};
use sandbox::Zygote;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use thiserror::Error;
use tools::{Answer, AnswerReply, Asked, AskedRow, BuiltTables, Indexes, Request, TABLES_MAKER};

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
    limits: sandbox::Limits,
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
    let worker = Worker::start(request.worker, request.case, &Indexes::new())?;
    worker.open_evidence().map_err(|(_, error)| error)?;
    let mut making =
        Making { worker: &worker, cache: request.cache.clone().map(NameCache::of_tables), notes: Vec::new() };
    let mut files = BTreeMap::new();
    let wanted = |label: &str| request.only.is_none_or(|only| only == label);
    let evidence = request.case.entry.evidence.iter().zip(&request.case.paths);
    for (entry, path) in evidence.filter(|(entry, _)| wanted(&entry.label)) {
        let label = &entry.label;
        let bytes = making.tables(entry.kind, label, path)?;
        let name = format!("tables-{}", files.len());
        make_private(&request.folder)
            .and_then(|()| publish(&request.folder, &name, &bytes))
            .map_err(|source| TablesError::Write { label: label.clone(), source })?;
        files.insert(label.clone(), request.folder.join(name));
    }
    if let (Some(only), true) = (request.only, files.is_empty()) {
        let known = request.case.entry.evidence.iter().map(|entry| entry.label.as_str()).collect::<Vec<_>>();
        let reason = format!("the case has no evidence {only:?}; it has {}", known.join(", "));
        return Err(TablesError::Refused { reason });
    }
    let asker = start_over(request.worker, vec![request.folder.clone()])?;
    Ok(CaseTables { files, asker, limits: request.worker.limits, notes: making.notes })
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
            AnswerReply::Failed { reason } => Err(ToolError::Tables { ending: reason }.into()),
            AnswerReply::Read(_) => Err(unasked()),
        }
    }

    /// The digest of each table that has rows, from the rows as they stand.
    ///
    /// # Errors
    ///
    /// Where a file is none that this program wrote, or the worker does not answer.
    pub fn digests(&mut self) -> Result<Answer, TablesError> {
        match self.send(&Request::HashTables { files: self.files.clone() })? {
            AnswerReply::Answered(answer) => Ok(answer),
            AnswerReply::Refused { reason } => Err(TablesError::Refused { reason }),
            AnswerReply::Failed { reason } => Err(ToolError::Tables { ending: reason }.into()),
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
            let reason = format!("each piece of evidence has its own row {row}: name one of {labels}");
            return Err(TablesError::Refused { reason });
        };
        let (evidence, file, table) = (evidence.clone(), file.clone(), table.to_owned());
        match self.send(&Request::ReadRow(AskedRow { evidence, file, table, row }))? {
            AnswerReply::Read(record) => Ok(*record),
            AnswerReply::Refused { reason } => Err(TablesError::Refused { reason }),
            AnswerReply::Failed { reason } => Err(ToolError::Tables { ending: reason }.into()),
            AnswerReply::Answered(_) => Err(unasked()),
        }
    }

    fn send(&mut self, request: &Request) -> Result<AnswerReply, TablesError> {
        let bytes = tools::encode_request(request).map_err(ToolError::Wire)?;
        let report = self.asker.call(&bytes, &self.limits).map_err(ToolError::Call)?;
        let bytes = match report.ending {
            sandbox::Ending::Replied(bytes) => bytes,
            ending => {
                return Err(ToolError::Tables { ending: ending.describe(&self.limits) }.into());
            }
        };
        Ok(tools::decode_answer_reply(&bytes).map_err(ToolError::Wire)?)
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
    fn tables(
        &mut self,
        kind: EvidenceKind,
        label: &str,
        path: &std::path::Path,
    ) -> Result<Vec<u8>, TablesError> {
        let key = match &self.cache {
            Some(_) => self.key(kind, label, path)?,
            None => None,
        };
        if let Some(bytes) = key.and_then(|key| self.cached(label, key)) {
            return Ok(bytes);
        }
        let BuiltTables { bytes, tables } = self.worker.build_tables(label)?;
        if let (Some(key), Some(cache)) = (key, &self.cache) {
            let entries = tables.iter().map(|table| table.rows).sum();
            let known = Known { index: Digest::of(&bytes), entries, sources: None, evidence: None };
            if let Err(error) = cache.store(key, &known, &bytes) {
                self.notes.push(format!("the tables of {label} are not kept in the cache: {error}"));
            }
        }
        Ok(bytes)
    }

    /// What tables are kept under: of a folder, which changes without a trace, the hash of all bytes.
    fn key(
        &mut self,
        kind: EvidenceKind,
        label: &str,
        path: &std::path::Path,
    ) -> Result<Option<Digest>, TablesError> {
        let identity = match kind {
            EvidenceKind::Directory => {
                let (integrity, gaps) = self.worker.hash(label, IntegrityLevel::Full)?;
                // What could not be read may be readable the next time.
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
