//! Case tables: a worker makes a group of tables when a call or a statement first needs it, and workers read them from files.
//!
//! Without tables, a tool decodes what it needs and returns the same: any failure here is only a note.
//! The cache keeps tables under a key derived from the bytes of the files that their decoders read
//! (`docs/decisions/0031-runs-read-tables.md`).

use crate::name_cache::{Known, NameCache};
use crate::names::told;
use crate::platform::{create_new, make_private};
use crate::progress::Progress;
use crate::worker::{ToolError, Worker};
use ledger::Digest;
use ledger::event::TablesRead;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use thiserror::Error;
use tools::{BuiltTables, Indexes, LeftOut, TableFiles, TableGroup};

/// Numbers the table folders of this process.
static ORDINAL: AtomicU64 = AtomicU64::new(0);

/// The case tables of one run or one command; dropping this removes their folder.
pub(crate) struct MadeTables {
    /// The folder, or why it cannot be made; then there are no tables.
    folder: Result<PathBuf, String>,
    cache: Option<NameCache>,
    labels: Vec<String>,
    /// The only groups to make; `None` means any.
    only: Option<BTreeSet<TableGroup>>,
    observe: Arc<dyn Fn(Progress) + Send + Sync>,
    groups: Mutex<BTreeMap<TableGroup, Arc<OnceLock<Arc<Group>>>>>,
}

/// Where case tables are made, and for which evidence.
pub(crate) struct MadeTablesOf<'r> {
    /// The labels of the evidence.
    pub(crate) labels: Vec<String>,
    /// The folder in which the tables get a folder of their own.
    pub(crate) indexes: &'r Path,
    /// The folder of cached tables; `None` disables the cache.
    pub(crate) cache: Option<PathBuf>,
    /// The only groups to make; `None` means any.
    pub(crate) only: Option<BTreeSet<TableGroup>>,
    pub(crate) observe: &'r Arc<dyn Fn(Progress) + Send + Sync>,
}

/// The tables of one group, for each piece of evidence.
#[derive(Default)]
struct Group {
    made: Vec<OfEvidence>,
    /// Why the tables of a piece of evidence are missing.
    failed: Vec<String>,
    /// Whether a statement was run over them.
    asked: AtomicBool,
}

/// The tables of one group of one piece of evidence.
struct OfEvidence {
    file: PathBuf,
    read: TablesRead,
    /// Whether every source could be read. If not, a tool call decodes the sources again, which may then be readable.
    whole: bool,
    /// Whether the evidence has none of the sources: tool calls need not look for them again, and nothing is recorded.
    is_empty: bool,
}

/// Why a piece of evidence has no tables.
#[derive(Debug, Error)]
enum UnmadeError {
    #[error("{reason}")]
    Folder { reason: String },
    #[error("write them")]
    Write(#[source] io::Error),
    #[error(transparent)]
    Tool(#[from] ToolError),
}

impl MadeTables {
    pub(crate) fn of(of: MadeTablesOf<'_>) -> MadeTables {
        let name = format!("tables-{}-{}", std::process::id(), ORDINAL.fetch_add(1, Ordering::Relaxed));
        let folder = of.indexes.join(name);
        MadeTables {
            folder: make_private(&folder).map(|()| folder).map_err(|error| error.to_string()),
            cache: of.cache.map(NameCache::of_tables),
            labels: of.labels,
            only: of.only,
            observe: Arc::clone(of.observe),
            groups: Mutex::default(),
        }
    }

    /// Returns the folder that workers of the run may read.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.folder.as_ref().ok().cloned()
    }

    /// Returns the tables that a tool call reads. The first caller makes them; others that need the same tables wait.
    pub(crate) fn ready(&self, worker: &Worker, tool: &str, arguments: &Value) -> TableFiles {
        let groups = match tools::statement_of(tool, arguments) {
            // The tool itself reports what is wrong with a statement, and makes the tables that are not available here.
            Some(sql) => worker.groups_of(sql).unwrap_or_default().into_iter().collect(),
            None => tools::groups_of(tool, arguments),
        };
        let groups = groups.into_iter();
        if tools::reads_what_there_is(tool) {
            return groups
                .filter_map(|group| Some((group, self.asked(worker, group).ok()?)))
                .map(named)
                .collect();
        }
        let made = groups.filter_map(|group| Some((group, self.group(worker, group)?)));
        made.map(|(group, made)| named((group, files(made.made.iter().filter(|made| made.whole))))).collect()
    }

    /// Returns the tables of a group for a statement; their gaps list what could not be read.
    ///
    /// # Errors
    ///
    /// Returns the reason if there are no tables.
    pub(crate) fn asked(&self, worker: &Worker, group: TableGroup) -> Result<Indexes, String> {
        let unwanted = || format!("no case tables are made of {}", group.name());
        let made = self.group(worker, group).ok_or_else(unwanted)?;
        if let Some(reason) = made.failed.first() {
            return Err(reason.clone());
        }
        made.asked.store(true, Ordering::Relaxed);
        Ok(files(made.made.iter().filter(|made| !made.is_empty)))
    }

    /// Makes the tables that an earlier session of the run has read.
    pub(crate) fn again(&self, worker: &Worker, groups: &BTreeSet<TableGroup>) {
        for group in groups {
            self.group(worker, *group);
        }
    }

    /// Returns the log entries of the tables that calls have read, in the order of the groups and of the evidence.
    pub(crate) fn read(&self) -> Vec<TablesRead> {
        let groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let made = groups.values().filter_map(|group| group.get());
        let read = |group: &Arc<Group>| {
            let asked = group.asked.load(Ordering::Relaxed);
            let read = group.made.iter().filter(|made| !made.is_empty && (made.whole || asked));
            read.map(|made| made.read.clone()).collect::<Vec<_>>()
        };
        made.flat_map(read).collect()
    }

    /// Returns a group, made if necessary; `None` if it is not one of the wanted groups.
    fn group(&self, worker: &Worker, group: TableGroup) -> Option<Arc<Group>> {
        if self.only.as_ref().is_some_and(|only| !only.contains(&group)) {
            return None;
        }
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = Arc::clone(groups.entry(group).or_default());
        drop(groups);
        Some(Arc::clone(slot.get_or_init(|| Arc::new(self.make(worker, group)))))
    }

    fn make(&self, worker: &Worker, group: TableGroup) -> Group {
        let mut made = Group::default();
        for (number, label) in self.labels.iter().enumerate() {
            match self.of_evidence(worker, label, group, number) {
                Ok(of_evidence) => made.made.push(of_evidence),
                Err(error) => {
                    let reason = format!("there are no {}: {}", tables_of(label, group), told(&error));
                    self.note(reason.clone());
                    made.failed.push(reason);
                }
            }
        }
        made
    }

    /// Makes the tables of one piece of evidence, in a file that workers may read.
    fn of_evidence(
        &self,
        worker: &Worker,
        label: &str,
        group: TableGroup,
        number: usize,
    ) -> Result<OfEvidence, UnmadeError> {
        let folder = self.folder.as_ref().map_err(|reason| UnmadeError::Folder { reason: reason.clone() })?;
        let path = folder.join(format!("{}-{number}", group.name()));
        let mut file = create_new(&path, 0o400).map_err(UnmadeError::Write)?;
        let BuiltTables { tables, sources, whole } = self.had(worker, label, group, &mut file)?;
        let (evidence, group) = (label.to_owned(), group.name().to_owned());
        let is_empty = sources == 0;
        Ok(OfEvidence { file: path, read: TablesRead { evidence, group, tables }, whole, is_empty })
    }

    /// Fills a file with the tables of a piece of evidence, from the cache or newly made.
    fn had(
        &self,
        worker: &Worker,
        label: &str,
        group: TableGroup,
        file: &mut File,
    ) -> Result<BuiltTables, ToolError> {
        let key = self.cache.as_ref().and_then(|_| self.key(worker, label, group));
        if let Some(had) = key.and_then(|key| self.cached(label, group, key, file)) {
            return Ok(had);
        }
        let (built, left_out) = worker.build_tables(label, group, file)?;
        for LeftOut { path, reason, .. } in &left_out {
            self.note(format!("the {} are made without {path}: {reason}", tables_of(label, group)));
        }
        // A source that fails now may be readable another time, so incomplete tables are not cached.
        let is_whole = built.whole && left_out.is_empty();
        if let (Some(key), Some(cache), true) = (key, &self.cache, is_whole) {
            let known = Known {
                // The digest is computed when the file is copied.
                index: Digest::of(b""),
                length: None,
                entries: built.tables.iter().map(|table| table.rows).sum(),
                sources: Some(built.sources),
                tables: built.tables.clone(),
                key: None,
                evidence: None,
                check: None,
            };
            if let Err(error) = cache.store_file(key, known, file) {
                self.note(format!("the {} are not kept in the cache: {error}", tables_of(label, group)));
            }
        }
        Ok(built)
    }

    /// Returns the cache key of the tables; `None` if it cannot be computed.
    fn key(&self, worker: &Worker, label: &str, group: TableGroup) -> Option<Digest> {
        match worker.digest_sources(label, group) {
            Ok(key) => key,
            Err(error) => {
                let error = told(&error);
                self.note(format!("the {} are not kept in the cache: {error}", tables_of(label, group)));
                None
            }
        }
    }

    fn cached(&self, label: &str, group: TableGroup, key: Digest, file: &mut File) -> Option<BuiltTables> {
        match self.cache.as_ref()?.copy_to(key, file) {
            Ok(found) => found.map(|Known { tables, sources, .. }| BuiltTables {
                tables,
                sources: sources.unwrap_or_default(),
                whole: true,
            }),
            Err(error) => {
                let error = told(&error);
                self.note(format!("the {} are made again: {error}", tables_of(label, group)));
                None
            }
        }
    }

    fn note(&self, note: String) {
        (self.observe)(Progress::Note(note));
    }
}

impl Drop for MadeTables {
    fn drop(&mut self) {
        if let Ok(folder) = &self.folder {
            // Anything left over is removed with the scratch folder of the command.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

fn files<'m>(made: impl Iterator<Item = &'m OfEvidence>) -> Indexes {
    made.map(|made| (made.read.evidence.clone(), made.file.clone())).collect()
}

fn named((group, files): (TableGroup, Indexes)) -> (String, Indexes) {
    (group.name().to_owned(), files)
}

fn tables_of(label: &str, group: TableGroup) -> String {
    format!("case tables of {label} ({})", group.name())
}
