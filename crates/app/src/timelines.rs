//! The timeline indexes of a run: made when the first call looks into one, in that call's worker, and put where all workers of the run may read them.
//!
//! Without an index a tool decodes what it needs, and answers the same: whatever fails here is a note.
//! The one thing that is no note is an index of other evidence (see `docs/decisions/0015-timeline-index.md`).

use crate::case_file::Case;
use crate::name_cache::{Known, NameCache};
use crate::names::{Kept, OtherEvidence, settle, told};
use crate::platform::make_private;
use crate::progress::Progress;
use crate::publish::publish;
use crate::worker::{Worker, evidence_files};
use ledger::event::{EvidenceHashed, TimelineIndexed};
use ledger::{Digest, EvidenceKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tools::{Indexes, TIMELINE_MAKER};

/// Numbers the folders of runs of this process.
static ORDINAL: AtomicU64 = AtomicU64::new(0);

/// The timeline indexes of one run, in files of a folder that goes with this.
pub(crate) struct Timelines {
    /// `None` where it cannot be made: then there are no indexes.
    folder: Option<PathBuf>,
    cache: Option<NameCache>,
    case: Case,
    record: Box<Record>,
    observe: Arc<dyn Fn(Progress) + Send + Sync>,
    state: Mutex<State>,
}

/// Records that there is an index, before it is used; `false`: it could not be recorded.
pub(crate) type Record = dyn Fn(TimelineIndexed) -> bool + Send + Sync;

/// Where the timeline indexes of a case are made, and for whom.
pub(crate) struct TimelinesOf<'r> {
    pub(crate) case: &'r Case,
    /// The folder in which they get one of their own.
    pub(crate) indexes: &'r Path,
    /// The folder of those that outlive a run; `None`: none is kept, and none taken.
    pub(crate) cache: Option<PathBuf>,
    pub(crate) observe: &'r Arc<dyn Fn(Progress) + Send + Sync>,
}

#[derive(Default)]
struct State {
    /// The files by label, once they were made.
    files: Option<Indexes>,
    kept: Vec<Kept>,
}

/// An index, and what is known of it.
type Had = (Known, Vec<u8>);

impl Timelines {
    pub(crate) fn of(of: &TimelinesOf<'_>, record: Box<Record>) -> Timelines {
        let name = format!("times-{}-{}", std::process::id(), ORDINAL.fetch_add(1, Ordering::Relaxed));
        let folder = of.indexes.join(name);
        let cache = of.cache.clone().map(NameCache::of_timelines);
        let observe = Arc::clone(of.observe);
        let mut timelines = Timelines {
            folder: None,
            cache,
            case: of.case.clone(),
            record,
            observe,
            state: Mutex::default(),
        };
        match make_private(&folder) {
            Ok(()) => timelines.folder = Some(folder),
            Err(error) => timelines.note(format!("no timeline index is made: {error}")),
        }
        timelines
    }

    /// The folder that workers of the run may read.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.folder.clone()
    }

    /// The indexes, made by the first that asks; whoever asks meanwhile waits.
    ///
    /// Each stands in the log before anything can look into it.
    pub(crate) fn ready(&self, worker: &Worker) -> Indexes {
        let mut state = self.state();
        if let Some(files) = &state.files {
            return files.clone();
        }
        let mut files = Indexes::new();
        if let Some(folder) = &self.folder {
            for (entry, path) in self.case.entry.evidence.iter().zip(&self.case.paths) {
                let had = self.make(worker, folder, entry.kind, &entry.label, path, &mut state.kept);
                if let Some((known, bytes)) = had {
                    self.hand_out(folder, &entry.label, &known, &bytes, &mut files);
                }
            }
        }
        state.files = Some(files.clone());
        files
    }

    /// Holds the evidence's hashes against those of the evidence that the indexes were built from, as far as these are known, and keeps them.
    pub(crate) fn settle(&self, hashed: &[EvidenceHashed]) -> Result<(), OtherEvidence> {
        let Some(cache) = &self.cache else { return Ok(()) };
        let mut notes = Vec::new();
        let settled = settle(cache, &mut self.state().kept, hashed, "timeline", &mut notes);
        notes.into_iter().for_each(|note| self.note(note));
        settled
    }

    /// Takes out of the cache what it has of evidence that changed: which of its states an index was built from is not known.
    pub(crate) fn forget(&self) {
        let Some(cache) = &self.cache else { return };
        for kept in self.state().kept.drain(..) {
            // An entry that stays is held against the hash of the run that uses it.
            let _ = cache.remove(kept.key);
        }
    }

    /// Takes the index of an image or an archive from the cache, or builds it; that of a folder is always built, from the times of its unchanged files.
    fn make(
        &self,
        worker: &Worker,
        folder: &Path,
        kind: EvidenceKind,
        label: &str,
        path: &Path,
        kept: &mut Vec<Kept>,
    ) -> Option<Had> {
        let key = self.cache.as_ref().and_then(|_| self.key(kind, label, path));
        let known = key.and_then(|key| self.cached(label, key));
        match (kind, key, known) {
            (EvidenceKind::Archive | EvidenceKind::Image, Some(key), Some((known, bytes))) => {
                kept.push(Kept { label: label.to_owned(), key, known: known.clone() });
                Some((known, bytes))
            }
            (EvidenceKind::Archive | EvidenceKind::Image, Some(key), None) => {
                let (known, bytes) = self.built(worker, folder, label, None)?;
                if self.keep(label, key, &known, &bytes) {
                    kept.push(Kept { label: label.to_owned(), key, known: known.clone() });
                }
                Some((known, bytes))
            }
            (EvidenceKind::Directory, Some(key), previous) => {
                let before = previous.as_ref().map(|(known, _)| known.index);
                let (known, bytes) = self.built(worker, folder, label, previous.map(|(_, bytes)| bytes))?;
                if before != Some(known.index) {
                    self.keep(label, key, &known, &bytes);
                }
                Some((known, bytes))
            }
            (_, None, _) => self.built(worker, folder, label, None),
        }
    }

    /// What an index is kept under: of an image what tells it from others; of a folder, whose files are told apart one by one, where it is.
    fn key(&self, kind: EvidenceKind, label: &str, path: &Path) -> Option<Digest> {
        let parts = |what: &[u8]| {
            Digest::of_parts(&[b"locard timeline", TIMELINE_MAKER.as_bytes(), label.as_bytes(), what])
        };
        match kind {
            EvidenceKind::Directory => Some(parts(path.as_os_str().as_encoded_bytes())),
            EvidenceKind::Archive | EvidenceKind::Image => {
                match tools::evidence_identity(&evidence_files(kind, path)) {
                    Ok(identity) => Some(parts(identity.to_string().as_bytes())),
                    Err(error) => {
                        self.note(unkept(label, &error.to_string()));
                        None
                    }
                }
            }
        }
    }

    fn cached(&self, label: &str, key: Digest) -> Option<Had> {
        match self.cache.as_ref()?.load(key) {
            Ok(found) => found,
            Err(error) => {
                self.note(format!("the timeline index of {label} is built again: {}", told(&error)));
                None
            }
        }
    }

    fn built(&self, worker: &Worker, folder: &Path, label: &str, previous: Option<Vec<u8>>) -> Option<Had> {
        const NAME: &str = "previous";
        let file = folder.join(NAME);
        // What cannot be put there saves nothing.
        let previous = previous.and_then(|bytes| publish(folder, NAME, &bytes).ok()).map(|()| file.clone());
        let built = worker.build_timeline(label, previous);
        let _ = std::fs::remove_file(&file);
        match built {
            Ok(built) => {
                let (index, entries, sources) = (Digest::of(&built.bytes), built.events, Some(built.sources));
                Some((
                    Known {
                        index,
                        length: Some(built.bytes.len() as u64),
                        entries,
                        sources,
                        tables: Vec::new(),
                        key: None,
                        evidence: None,
                    },
                    built.bytes,
                ))
            }
            Err(error) => {
                let error = told(&error);
                self.note(format!("no timeline index of {label}, so that every call decodes: {error}"));
                None
            }
        }
    }

    fn keep(&self, label: &str, key: Digest, known: &Known, bytes: &[u8]) -> bool {
        let Some(cache) = &self.cache else { return false };
        match cache.store(key, known, bytes) {
            Ok(()) => true,
            Err(error) => {
                self.note(unkept(label, &error.to_string()));
                false
            }
        }
    }

    /// Puts the index where the run's workers may read it, and says so in the log.
    fn hand_out(&self, folder: &Path, label: &str, known: &Known, bytes: &[u8], files: &mut Indexes) {
        let name = format!("times-{}", files.len());
        if let Err(error) = publish(folder, &name, bytes) {
            return self.note(format!("no timeline index of {label}, so that every call decodes: {error}"));
        }
        let event = TimelineIndexed {
            evidence: label.to_owned(),
            index: known.index,
            events: known.entries,
            sources: known.sources.unwrap_or(0),
        };
        // What is not recorded is not used.
        if (self.record)(event) {
            files.insert(label.to_owned(), folder.join(name));
        }
    }

    fn note(&self, note: String) {
        (self.observe)(Progress::Note(note));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic of another caller leaves no half-made index: files are set last.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Timelines {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            // What is left goes with the scratch folder of the command.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

fn unkept(label: &str, error: &str) -> String {
    format!("the timeline index of {label} is not kept in the cache: {error}")
}
