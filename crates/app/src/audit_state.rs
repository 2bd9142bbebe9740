//! What an audit keeps of the sealed runs that it has read, so that the next one need not read them again.
//!
//! It is a cache and nothing else: an entry counts only for the run of its name and head, and only while the run's file is the one that it was made from, by length and times.
//! A file that is lost, damaged or of another version is made anew from the runs.

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

/// The version of what is counted and of how it is kept: what another one wrote is not used.
const VERSION: u16 = 1;

/// The most bytes of the file that are read: some ten thousand runs.
const LARGEST: u64 = 256 << 20;

/// The most runs that are kept; those that were begun first go first.
const MOST: usize = 10_000;

/// The file that keeps what was counted of runs.
#[derive(Debug, Clone)]
pub struct AuditState {
    file: PathBuf,
}

/// Why the file is not used.
#[derive(Debug, Error)]
pub enum AuditStateError {
    /// It would be part of a run.
    #[error("keep what was counted in {}: it lies in the folder of a run, which is never written", path.display())]
    InRun {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be read.
    #[error("read what was counted before in {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// It is not what was written.
    #[error("read what was counted before in {}: the file is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be written.
    #[error("keep what was counted in {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// The file as it is written.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    locard_audit_state: u16,
    /// The version of the program: another one may count otherwise.
    program: String,
    runs: Vec<Entry>,
    /// The digest of all the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    check: Option<Digest>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) head: Digest,
    pub(crate) stamp: Stamp,
    pub(crate) counted: AuditedRun,
}

/// What the system says of a run's file: what was written there since differs in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stamp {
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// That of the run in `folder`; `None` where it is no plain file, or a journal beside it may say more.
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

/// What is kept, by the name of the run and its head.
#[derive(Debug, Default)]
pub(crate) struct KeptRuns {
    entries: BTreeMap<(String, Digest), Entry>,
    /// Whether something was added since it was read.
    is_new: bool,
}

impl KeptRuns {
    /// What was counted of a run, if its file is still the one that was read.
    pub(crate) fn of(&self, run: &RunId, head: Digest, stamp: Stamp) -> Option<&AuditedRun> {
        let entry = self.entries.get(&(run.as_str().to_owned(), head))?;
        (entry.stamp == stamp).then_some(&entry.counted)
    }

    /// Adds what was counted of a run.
    pub(crate) fn add(&mut self, entry: Entry) {
        self.entries.insert((entry.counted.run.clone(), entry.head), entry);
        self.is_new = true;
    }
}

impl AuditState {
    /// What is kept in this file, which need not be there yet.
    ///
    /// # Errors
    ///
    /// [`AuditStateError::InRun`]: nothing is ever written there.
    pub fn new(file: PathBuf) -> Result<AuditState, AuditStateError> {
        let absolute = std::path::absolute(&file).unwrap_or_else(|_| file.clone());
        let resolved = absolute.parent().and_then(|folder| folder.canonicalize().ok());
        let around = |path: &Path| path.ancestors().skip(1).any(crate::audit::is_of_run);
        let is_in_run = around(&absolute) || resolved.is_some_and(|folder| around(&folder.join("file")));
        if is_in_run { Err(AuditStateError::InRun { path: file }) } else { Ok(AuditState { file }) }
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// What is kept; nothing where there is no file, or one of another version.
    pub(crate) fn load(&self) -> Result<KeptRuns, AuditStateError> {
        let path = || self.file.clone();
        let bytes = match read_regular(&self.file, LARGEST) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(KeptRuns::default()),
            Err(source) => return Err(AuditStateError::Read { path: path(), source }),
        };
        // Another version has other members: it is looked for alone.
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

    /// Writes what is kept, with what other processes have added meanwhile; does nothing where nothing is new.
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
        // Two audits at once: each adds what it has read. The lock goes with its file.
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

/// The digest of everything but itself.
fn check(written: &Written) -> Result<Digest, CanonicalError> {
    let Written { locard_audit_state, program, runs, check: _ } = written;
    canonical::to_vec(&(locard_audit_state, program, runs)).map(|bytes| Digest::of(&bytes))
}
