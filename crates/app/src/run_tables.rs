//! The case tables of a run: made group by group when a call first needs one, in that call's worker, and put where all workers of the run may read them.
//!
//! Without tables a tool decodes what it needs, and answers the same: whatever fails here is a note.
//! Tables are kept in the cache under what they follow from, the bytes of the files that their decoders read (`docs/decisions/0031-runs-read-tables.md`).

use crate::name_cache::{Known, NameCache};
use crate::names::told;
use crate::platform::make_private;
use crate::progress::Progress;
use crate::publish::publish;
use crate::worker::Worker;
use ledger::Digest;
use ledger::event::{TableDigest, TablesRead};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tools::{BuiltTables, Indexes, TableFiles, TableGroup};

/// Numbers the folders of runs of this process.
static ORDINAL: AtomicU64 = AtomicU64::new(0);

/// The case tables of one run, in files of a folder that goes with this.
pub(crate) struct RunTables {
    /// `None` where it cannot be made: then there are no tables.
    folder: Option<PathBuf>,
    cache: Option<NameCache>,
    labels: Vec<String>,
    /// The only groups that are made; `None`: any.
    only: Option<BTreeSet<TableGroup>>,
    observe: Arc<dyn Fn(Progress) + Send + Sync>,
    groups: Mutex<BTreeMap<TableGroup, Arc<OnceLock<Group>>>>,
}

/// Where the case tables of a run are made, and for whom.
pub(crate) struct RunTablesOf<'r> {
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

/// The tables of a group, of each piece of evidence of which they could be made.
#[derive(Default)]
struct Group {
    files: Indexes,
    read: Vec<TablesRead>,
}

/// The bytes of tables, and what they hold.
struct Had {
    bytes: Vec<u8>,
    tables: Vec<TableDigest>,
}

impl RunTables {
    pub(crate) fn of(of: RunTablesOf<'_>) -> RunTables {
        let name = format!("tables-{}-{}", std::process::id(), ORDINAL.fetch_add(1, Ordering::Relaxed));
        let folder = of.indexes.join(name);
        let mut tables = RunTables {
            folder: None,
            cache: of.cache.map(NameCache::of_tables),
            labels: of.labels,
            only: of.only,
            observe: Arc::clone(of.observe),
            groups: Mutex::default(),
        };
        match make_private(&folder) {
            Ok(()) => tables.folder = Some(folder),
            Err(error) => tables.note(format!("no case tables are made: {error}")),
        }
        tables
    }

    /// The folder that workers of the run may read.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.folder.clone()
    }

    /// The tables that a call reads, made by the first that asks; whoever asks for the same ones meanwhile waits.
    pub(crate) fn ready(&self, worker: &Worker, tool: &str, arguments: &Value) -> TableFiles {
        let groups = tools::groups_of(tool, arguments).into_iter();
        groups.map(|group| (group.name().to_owned(), self.files(worker, group))).collect()
    }

    /// Makes the tables that an earlier session of the run has read.
    pub(crate) fn again(&self, worker: &Worker, groups: &BTreeSet<TableGroup>) {
        for group in groups {
            self.files(worker, *group);
        }
    }

    /// What the log says of the tables that calls read, in the order of their groups and of the evidence.
    pub(crate) fn read(&self) -> Vec<TablesRead> {
        let groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        groups.values().filter_map(|group| group.get()).flat_map(|group| group.read.clone()).collect()
    }

    fn files(&self, worker: &Worker, group: TableGroup) -> Indexes {
        if self.only.as_ref().is_some_and(|only| !only.contains(&group)) {
            return Indexes::new();
        }
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = Arc::clone(groups.entry(group).or_default());
        drop(groups);
        slot.get_or_init(|| self.make(worker, group)).files.clone()
    }

    fn make(&self, worker: &Worker, group: TableGroup) -> Group {
        let mut made = Group::default();
        let Some(folder) = &self.folder else { return made };
        for label in &self.labels {
            let Some(Had { bytes, tables }) = self.had(worker, label, group) else { continue };
            let name = format!("{}-{}", group.name(), made.files.len());
            if let Err(error) = publish(folder, &name, &bytes) {
                self.note(unmade(label, group, &error.to_string()));
                continue;
            }
            made.files.insert(label.clone(), folder.join(name));
            let (evidence, group) = (label.clone(), group.name().to_owned());
            made.read.push(TablesRead { evidence, group, tables });
        }
        made
    }

    /// The tables of a piece of evidence: from the cache, or made.
    fn had(&self, worker: &Worker, label: &str, group: TableGroup) -> Option<Had> {
        let key = self.cache.as_ref().and_then(|_| self.key(worker, label, group));
        if let Some(had) = key.and_then(|key| self.cached(label, group, key)) {
            return Some(had);
        }
        let BuiltTables { bytes, tables, .. } = match worker.build_tables(label, Some(group)) {
            Ok(built) => built,
            Err(error) => {
                self.note(unmade(label, group, &told(&error)));
                return None;
            }
        };
        if let (Some(key), Some(cache)) = (key, &self.cache) {
            let entries = tables.iter().map(|table| table.rows).sum();
            let known = Known {
                index: Digest::of(&bytes),
                entries,
                sources: None,
                tables: tables.clone(),
                key: None,
                evidence: None,
            };
            if let Err(error) = cache.store(key, &known, &bytes) {
                self.note(format!("{} are not kept in the cache: {error}", tables_of(label, group)));
            }
        }
        Some(Had { bytes, tables })
    }

    /// What the tables are kept under; `None` where that cannot be told.
    fn key(&self, worker: &Worker, label: &str, group: TableGroup) -> Option<Digest> {
        match worker.digest_sources(label, group) {
            Ok(key) => key,
            Err(error) => {
                self.note(format!("{} are not kept in the cache: {}", tables_of(label, group), told(&error)));
                None
            }
        }
    }

    fn cached(&self, label: &str, group: TableGroup, key: Digest) -> Option<Had> {
        match self.cache.as_ref()?.load(key) {
            Ok(found) => found.map(|(known, bytes)| Had { bytes, tables: known.tables }),
            Err(error) => {
                self.note(format!("{} are made again: {}", tables_of(label, group), told(&error)));
                None
            }
        }
    }

    fn note(&self, note: String) {
        (self.observe)(Progress::Note(note));
    }
}

impl Drop for RunTables {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            // What is left goes with the scratch folder of the command.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

fn tables_of(label: &str, group: TableGroup) -> String {
    format!("the case tables of {label} ({})", group.name())
}

fn unmade(label: &str, group: TableGroup, error: &str) -> String {
    format!("no case tables of {label} ({}), so that every call decodes: {error}", group.name())
}
