//! Case tables: made group by group when a call or a statement first needs one, in a worker, and put where workers may read them.
//!
//! Without tables a tool of a run decodes what it needs, and answers the same: whatever fails here is a note.
//! Tables are kept in the cache under what they follow from, the bytes of the files that their decoders read (`docs/decisions/0031-runs-read-tables.md`).

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

/// Numbers the folders of runs of this process.
static ORDINAL: AtomicU64 = AtomicU64::new(0);

/// The case tables of one run, or of one command, in files of a folder that goes with this.
pub(crate) struct MadeTables {
    /// Why there is none, where it cannot be made: then there are no tables.
    folder: Result<PathBuf, String>,
    cache: Option<NameCache>,
    labels: Vec<String>,
    /// The only groups that are made; `None`: any.
    only: Option<BTreeSet<TableGroup>>,
    observe: Arc<dyn Fn(Progress) + Send + Sync>,
    groups: Mutex<BTreeMap<TableGroup, Arc<OnceLock<Arc<Group>>>>>,
}

/// Where case tables are made, and for whom.
pub(crate) struct MadeTablesOf<'r> {
    /// The labels of the evidence.
    pub(crate) labels: Vec<String>,
    /// The folder in which they get one of their own.
    pub(crate) indexes: &'r Path,
    /// The folder of those that outlive a run; `None`: none is kept, and none taken.
    pub(crate) cache: Option<PathBuf>,
    /// The only groups that are made; `None`: any.
    pub(crate) only: Option<BTreeSet<TableGroup>>,
    pub(crate) observe: &'r Arc<dyn Fn(Progress) + Send + Sync>,
}

/// The tables of a group, of each piece of evidence that has any of its sources.
#[derive(Default)]
struct Group {
    made: Vec<OfEvidence>,
    /// Why there are none of a piece of evidence.
    failed: Vec<String>,
    /// Whether a statement was asked over them.
    asked: AtomicBool,
}

/// The tables of a group of one piece of evidence.
struct OfEvidence {
    file: PathBuf,
    read: TablesRead,
    /// Whether every source could be read: a call of a tool decodes others again, which may be readable then.
    whole: bool,
    /// Whether the evidence has none of the sources: a call of a tool then need not look for them again, and nothing is recorded.
    is_empty: bool,
}

/// Why there are no tables of a piece of evidence.
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

    /// The folder that workers of the run may read.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.folder.as_ref().ok().cloned()
    }

    /// The tables that a call of a tool reads, made by the first that asks; whoever asks for the same ones meanwhile waits.
    pub(crate) fn ready(&self, worker: &Worker, tool: &str, arguments: &Value) -> TableFiles {
        let groups = match tools::statement_of(tool, arguments) {
            // The tool itself says what is wrong with a statement, and makes what cannot be had here.
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

    /// The tables of a group, for a statement: what could not be read is told by their gaps.
    ///
    /// # Errors
    ///
    /// Says why there are none.
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

    /// What the log says of the tables that calls read, in the order of their groups and of the evidence.
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

    /// A group, made; `None` where it is none of those that are wanted.
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

    /// The tables of one piece of evidence, where workers may read them; `None` where it has none of the sources.
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

    /// Fills a file with the tables of a piece of evidence: from the cache, or made.
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
        // What breaks a process now may be readable another time.
        let is_whole = built.whole && left_out.is_empty();
        if let (Some(key), Some(cache), true) = (key, &self.cache, is_whole) {
            let known = Known {
                // Known when it is copied.
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

    /// What the tables are kept under; `None` where that cannot be told.
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
            // What is left goes with the scratch folder of the command.
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
