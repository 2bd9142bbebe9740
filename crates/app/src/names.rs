//! The name indexes of a run: a worker builds each one, or it comes from the cache, and the run's workers read it from a file.
//!
//! Without an index, a tool walks the evidence and returns the same: any failure here is only a note.
//! The exception is an index of different evidence, which is an error (see `docs/decisions/0011-name-index.md`).

use crate::case_file::Case;
use crate::name_cache::{Known, NameCache};
use crate::platform::make_private;
use crate::publish::publish;
use crate::worker::{Worker, evidence_files};
use ledger::event::{EvidenceHashed, NamesIndexed};
use ledger::{Digest, EvidenceKind, IntegrityLevel};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use tools::{BuiltIndex, Expansion, INDEX_MAKER, Indexes};

/// Numbers the index folders of this process.
static ORDINAL: AtomicU64 = AtomicU64::new(0);

/// A run's name index was built from other evidence than the bytes that were hashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OtherEvidence {
    pub(crate) label: String,
    pub(crate) expected: Digest,
    pub(crate) found: Digest,
}

/// The indexes of one run; dropping this removes their folder.
pub(crate) struct Names {
    folder: PathBuf,
    cache: Option<NameCache>,
    /// The log entries of the indexes, in the order of the evidence.
    pub(crate) indexed: Vec<NamesIndexed>,
    /// Their files, by label.
    pub(crate) files: Indexes,
    kept: Vec<Kept>,
    /// Notes for the user.
    pub(crate) notes: Vec<String>,
}

/// An index that is also in the cache.
pub(crate) struct Kept {
    pub(crate) label: String,
    pub(crate) key: Digest,
    pub(crate) known: Known,
}

/// Compares the hashes of the evidence with those that the cached indexes were built
/// from, as far as these are known, and stores the hashes that were unknown.
///
/// An index of different evidence is removed from the cache; `what` describes the indexes in notes.
///
/// # Errors
///
/// Returns [`OtherEvidence`] if an index was built from different evidence.
pub(crate) fn settle(
    cache: &NameCache,
    kept: &mut [Kept],
    hashed: &[EvidenceHashed],
    what: &str,
    notes: &mut Vec<String>,
) -> Result<(), OtherEvidence> {
    for kept in kept {
        let hash = hashed.iter().find(|hashed| hashed.evidence == kept.label);
        let Some(hash) = hash.filter(|hashed| hashed.integrity.level == IntegrityLevel::Full) else {
            continue;
        };
        let found = hash.integrity.sha256;
        match kept.known.evidence {
            Some(expected) if expected == found => {}
            Some(expected) => {
                let label = kept.label.clone();
                if let Err(error) = cache.remove(kept.key) {
                    notes.push(format!(
                        "the {what} index of {label} could not be removed from the cache: {error}"
                    ));
                }
                return Err(OtherEvidence { label, expected, found });
            }
            None => {
                kept.known.evidence = Some(found);
                if let Err(error) = cache.remember(kept.key, &kept.known) {
                    let label = &kept.label;
                    notes.push(format!("the {what} index of {label} is not kept in the cache: {error}"));
                }
            }
        }
    }
    Ok(())
}

impl Names {
    /// Indexes each piece of evidence of the case. Images and archives may come from
    /// the cache; folders are always indexed anew, because they can change.
    pub(crate) fn index(worker: &Worker, case: &Case, indexes: &Path, cache: Option<&Path>) -> Names {
        let folder = format!("{}-{}", std::process::id(), ORDINAL.fetch_add(1, Ordering::Relaxed));
        let mut names = Names {
            folder: indexes.join(folder),
            cache: cache.map(|folder| NameCache::new(folder.to_owned())),
            indexed: Vec::new(),
            files: Indexes::new(),
            kept: Vec::new(),
            notes: Vec::new(),
        };
        for (entry, path) in case.entry.evidence.iter().zip(&case.paths) {
            let key = match (entry.kind, &names.cache) {
                (EvidenceKind::Archive | EvidenceKind::Image, Some(_)) => {
                    names.key(&entry.label, &evidence_files(entry.kind, path), worker.expansion())
                }
                (EvidenceKind::Archive | EvidenceKind::Image, None) | (EvidenceKind::Directory, _) => None,
            };
            let found = key.and_then(|key| names.cached(&entry.label, key));
            let found = found.or_else(|| names.built(worker, &entry.label, key));
            if let Some((known, bytes)) = found {
                names.hand_out(&entry.label, &known, &bytes);
            }
        }
        worker.forget_indexes();
        names
    }

    /// Compares the hashes of the evidence with those that the indexes were built from,
    /// as far as these are known, and stores the hashes that were unknown.
    ///
    /// An index of different evidence is removed from the cache; lookups in it were unreliable.
    pub(crate) fn settle(&mut self, hashed: &[EvidenceHashed]) -> Result<(), OtherEvidence> {
        let Some(cache) = &self.cache else { return Ok(()) };
        settle(cache, &mut self.kept, hashed, "name", &mut self.notes)
    }

    /// Removes the entries of evidence that changed from the cache: it is unknown which state the index was built from.
    pub(crate) fn forget(&mut self) {
        let Some(cache) = &self.cache else { return };
        for kept in self.kept.drain(..) {
            // If the removal fails, the next run that uses the entry still compares the hash.
            let _ = cache.remove(kept.key);
        }
    }

    /// Returns the cache key for the index of evidence in these files.
    fn key(&mut self, label: &str, files: &[PathBuf], expansion: Expansion) -> Option<Digest> {
        let maker = match expansion {
            Expansion::Bounded => INDEX_MAKER.to_owned(),
            Expansion::Former => format!("{INDEX_MAKER} former"),
        };
        match tools::evidence_identity(files) {
            Ok(identity) => {
                Some(Digest::of_parts(&[b"locard names", maker.as_bytes(), identity.to_string().as_bytes()]))
            }
            Err(error) => {
                self.notes.push(unkept(label, &error));
                None
            }
        }
    }

    fn cached(&mut self, label: &str, key: Digest) -> Option<(Known, Vec<u8>)> {
        match self.cache.as_ref()?.load(key) {
            Ok(found) => {
                let (known, bytes) = found?;
                self.kept.push(Kept { label: label.to_owned(), key, known: known.clone() });
                Some((known, bytes))
            }
            Err(error) => {
                self.notes.push(format!("the name index of {label} is built again: {}", told(&error)));
                None
            }
        }
    }

    fn built(&mut self, worker: &Worker, label: &str, key: Option<Digest>) -> Option<(Known, Vec<u8>)> {
        let BuiltIndex { bytes, entries } = match worker.build_index(label) {
            Ok(built) => built,
            Err(error) => {
                let error = told(&error);
                self.notes.push(format!("no name index for {label}, so searches will be slower: {error}"));
                return None;
            }
        };
        let known = Known {
            index: Digest::of(&bytes),
            length: Some(bytes.len() as u64),
            entries,
            sources: None,
            tables: Vec::new(),
            key: None,
            evidence: None,
            check: None,
        };
        if let (Some(key), Some(cache)) = (key, &self.cache) {
            match cache.store(key, &known, &bytes) {
                Ok(()) => self.kept.push(Kept { label: label.to_owned(), key, known: known.clone() }),
                Err(error) => self.notes.push(unkept(label, &error)),
            }
        }
        Some((known, bytes))
    }

    /// Copies the index to a file that the run's workers may read, and that nobody else can change or remove.
    fn hand_out(&mut self, label: &str, known: &Known, bytes: &[u8]) {
        let name = format!("names-{}", self.files.len());
        match make_private(&self.folder).and_then(|()| publish(&self.folder, &name, bytes)) {
            Ok(()) => {
                self.files.insert(label.to_owned(), self.folder.join(name));
                let (evidence, index, entries) = (label.to_owned(), known.index, known.entries);
                self.indexed.push(NamesIndexed { evidence, index, entries });
            }
            Err(error) => {
                self.notes.push(format!("no name index for {label}, so searches will be slower: {error}"));
            }
        }
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        // Anything left over is removed with the scratch folder of the command.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn unkept(label: &str, error: &dyn Error) -> String {
    format!("the name index of {label} is not kept in the cache: {error}")
}

/// Returns an error with its causes as one line.
pub(crate) fn told(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}
