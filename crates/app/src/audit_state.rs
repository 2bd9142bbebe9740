//! The cache of an audit: the counts of the sealed runs that it has read, so that the next audit need not read them again.
//!
//! It is only a cache. An entry applies only to the run with its name and head,
//! and only while the length and times of the run's file are unchanged.
//! A file that is lost, damaged or of another version is rebuilt from the runs.

use crate::platform::{changed, make_private, modified, open_to_append};
use crate::publish::publish_private;
use crate::regular::read_regular;
use graph::audit::AuditedRun;
use ledger::canonical::{self, CanonicalError};
use ledger::{Digest, RunId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The version of the counts and of their file format; a file of another version is not used.
const VERSION: u16 = 1;

/// The largest file that is read, in bytes: enough for about ten thousand runs.
const LARGEST: u64 = 256 << 20;

/// The most runs that are kept; the runs that were begun earliest are dropped first.
const MOST: usize = 10_000;

/// The file that caches the counts of runs.
#[derive(Debug, Clone)]
pub struct AuditState {
    file: PathBuf,
}

/// Why the cache file is not used.
#[derive(Debug, Error)]
pub enum AuditStateError {
    /// The file would be inside a run folder.
    #[error("keep what was counted in {}: it lies in the folder of a run, which is never written", path.display())]
    InRun {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("read what was counted before in {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The file is damaged.
    #[error("read what was counted before in {}: the file is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("keep what was counted in {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
}

/// The file format.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    locard_audit_state: u16,
    /// The version of the program; another version may count differently.
    program: String,
    runs: Vec<Entry>,
    /// The digest of all other members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    check: Option<Digest>,
}

/// The entry of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) head: Digest,
    pub(crate) stamp: Stamp,
    pub(crate) counted: AuditedRun,
}

/// Metadata of a run's file, which changes if the file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stamp {
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// Returns the stamp of the run in `folder`; `None` if it is not a regular file, or if a journal next to it may hold more events.
    pub(crate) fn of(folder: &Path) -> Option<Stamp> {
        let file = folder.join(store::FILE_NAME);
        let beside = |suffix: &str| folder.join(format!("{}{suffix}", store::FILE_NAME));
        if ["-wal", "-journal"].iter().any(|suffix| beside(suffix).symlink_metadata().is_ok()) {
            return None;
        }
        let metadata = file.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some(Stamp { length: metadata.len(), modified: modified(&metadata), changed: changed(&metadata) })
    }
}

/// The cached entries, by run name and head.
#[derive(Debug, Default)]
pub(crate) struct KeptRuns {
    entries: BTreeMap<(String, Digest), Entry>,
    /// Whether an entry was added since the file was read.
    is_new: bool,
}

impl KeptRuns {
    /// Returns the counts of a run if its file has not changed since.
    pub(crate) fn of(&self, run: &RunId, head: Digest, stamp: Stamp) -> Option<&AuditedRun> {
        let entry = self.entries.get(&(run.as_str().to_owned(), head))?;
        (entry.stamp == stamp).then_some(&entry.counted)
    }

    /// Adds the counts of a run.
    pub(crate) fn add(&mut self, entry: Entry) {
        self.entries.insert((entry.counted.run.clone(), entry.head), entry);
        self.is_new = true;
    }
}

impl AuditState {
    /// Uses `file` as the cache; it need not exist yet.
    ///
    /// # Errors
    ///
    /// Returns [`AuditStateError::InRun`] if the file would be inside a run folder, which is never written.
    pub fn new(file: PathBuf) -> Result<AuditState, AuditStateError> {
        let absolute = std::path::absolute(&file).unwrap_or_else(|_| file.clone());
        let resolved = absolute.parent().and_then(|folder| folder.canonicalize().ok());
        let around = |path: &Path| path.ancestors().skip(1).any(crate::audit::is_of_run);
        let is_in_run = around(&absolute) || resolved.is_some_and(|folder| around(&folder.join("file")));
        if is_in_run { Err(AuditStateError::InRun { path: file }) } else { Ok(AuditState { file }) }
    }

    /// Returns the path of the cache file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Loads the cache; it is empty if there is no file, or if another version wrote it.
    pub(crate) fn load(&self) -> Result<KeptRuns, AuditStateError> {
        let path = || self.file.clone();
        let bytes = match read_regular(&self.file, LARGEST) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(KeptRuns::default()),
            Err(source) => return Err(AuditStateError::Read { path: path(), source }),
        };
        // Another version may have other members, so check the version on its own first.
        let version = serde_json::from_slice::<serde_json::Value>(&bytes);
        let version = version.ok().and_then(|value| value.get("locard_audit_state")?.as_u64());
        match version {
            None => return Err(AuditStateError::Damaged { path: path() }),
            Some(version) if version != u64::from(VERSION) => return Ok(KeptRuns::default()),
            Some(_) => {}
        }
        let written: Option<Written> = serde_json::from_slice(&bytes).ok();
        let written =
            written.filter(|written| check(written).ok() == written.check && written.check.is_some());
        let written = written.ok_or_else(|| AuditStateError::Damaged { path: path() })?;
        if written.program != program() {
            return Ok(KeptRuns::default());
        }
        let entries = written.runs.into_iter();
        let entries = entries.map(|entry| ((entry.counted.run.clone(), entry.head), entry)).collect();
        Ok(KeptRuns { entries, is_new: false })
    }

    /// Writes the cache, merged with the entries that other processes have added meanwhile; does nothing if nothing was added.
    pub(crate) fn save(&self, kept: KeptRuns) -> Result<(), AuditStateError> {
        if !kept.is_new {
            return Ok(());
        }
        self.write(kept).map_err(|source| AuditStateError::Write { path: self.file.clone(), source })
    }

    fn write(&self, kept: KeptRuns) -> io::Result<()> {
        let folder = crate::output_file::beside(&self.file);
        let name = self.file.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "expected a file name"))?;
        make_private(folder)?;
        let lock = open_to_append(&folder.join(format!("{name}.lock")))?;
        // If two audits run at once, each adds its entries. Closing the file releases the lock.
        lock.lock()?;
        let mut all = self.load().unwrap_or_default().entries;
        all.extend(kept.entries);
        let mut runs: Vec<Entry> = all.into_values().collect();
        if runs.len() > MOST {
            runs.sort_by(|one, other| other.counted.begun.cmp(&one.counted.begun));
            runs.truncate(MOST);
        }
        let mut written =
            Written { locard_audit_state: VERSION, program: program().to_owned(), runs, check: None };
        written.check = Some(check(&written).map_err(io::Error::other)?);
        publish_private(folder, name, &serde_json::to_vec(&written)?)
    }
}

const fn program() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Returns the digest of everything except the `check` member.
fn check(written: &Written) -> Result<Digest, CanonicalError> {
    let Written { locard_audit_state, program, runs, check: _ } = written;
    canonical::to_vec(&(locard_audit_state, program, runs)).map(|bytes| Digest::of(&bytes))
}
