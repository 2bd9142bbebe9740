//! Reads many runs for an audit and reduces each to the counts of `graph::audit`; never writes into a run folder.
//!
//! The counts of sealed runs are cached for the next audit (`audit_state`). The
//! runs remain authoritative: without the cache the result is the same.

use crate::audit_state::{AuditState, Entry, KeptRuns, Stamp};
use crate::list::{fits, run_folders};
use crate::names::told;
use crate::open::{OpenRunError, load_with_head};
use crate::outside_evidence::evidence_around;
use crate::seal::{MANIFEST, ManifestError, read_manifest};
use graph::Run;
use graph::audit::{AuditedRun, audited};
use ledger::{Digest, Utc};
use report::audit::{Audit, Named, Sure, Unread};
use report::score::{Truth, score};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Selects the runs to audit.
#[derive(Debug, Clone, Default)]
pub struct AuditOf {
    /// Only runs of cases whose name matches; `*` matches any characters and `?` matches one.
    pub case: Option<String>,
    /// Only runs that were begun at this time or later.
    pub since: Option<Utc>,
}

/// Why a run cannot be counted.
#[derive(Debug, Error)]
pub enum AuditRunError {
    /// The log cannot be read.
    #[error(transparent)]
    Open(#[from] OpenRunError),
    /// The manifest cannot be read.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// Only one of the log and the manifest says that the run is sealed.
    #[error(
        "find one seal in {MANIFEST} and at the end of the log; `locard resume` finishes a run that was stopped while it was sealed"
    )]
    Seal,
    /// The head of the log differs from the head in the manifest.
    #[error("read the log: expected the head {expected}, found {found}")]
    OtherHead {
        /// The head in the manifest.
        expected: Digest,
        /// The last link of the log.
        found: Digest,
    },
}

/// Returns the folders of the runs in `folder`, the most recently begun first;
/// `None` if `folder` is itself a run folder or contains no runs.
pub fn folders_of_runs(folder: &Path) -> Option<Vec<PathBuf>> {
    if is_of_run(folder) {
        return None;
    }
    let stamped = run_folders(folder).ok()?;
    let known: BTreeSet<&PathBuf> = stamped.iter().collect();
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut others: Vec<PathBuf> = entries.filter(|path| is_of_run(path) && !known.contains(path)).collect();
    others.sort();
    let found = [stamped, others].concat();
    (!found.is_empty()).then_some(found)
}

pub(crate) fn is_of_run(folder: &Path) -> bool {
    [store::FILE_NAME, MANIFEST].iter().any(|file| folder.join(file).symlink_metadata().is_ok())
}

/// The result of an audit, with remarks about it.
#[derive(Debug, Default)]
pub struct Audited {
    /// The runs.
    pub audit: Audit,
    /// What could not be done as requested, one line each.
    pub remarks: Vec<String>,
}

/// Reads the runs in these folders.
///
/// A run that cannot be read is listed with its error; a run that appears in two folders is counted once.
/// Counts cached in `state` replace reading a run again; they do not change the result.
pub fn audit_runs(
    folders: &[PathBuf],
    of: &AuditOf,
    state: Option<&AuditState>,
    truths: &[Truth],
) -> Audited {
    let mut reading = Reading { state, ..Reading::default() };
    reading.kept = state.map(|state| {
        state.load().unwrap_or_else(|error| {
            // A bad cache does no harm: the runs are read again and the cache is rebuilt.
            reading.remarks.push(told(&error));
            KeptRuns::default()
        })
    });
    let mut audit = Audit::default();
    let (mut places, mut heads) = (BTreeSet::new(), BTreeSet::new());
    for path in folders {
        // The same folder given twice counts once.
        if !places.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
            continue;
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let folder = path.clone();
        match reading.run(path) {
            Err(because) => audit.unread.push(Unread { name, folder, because: told(&because) }),
            Ok((audited, head)) if is_wanted(&audited, of) => {
                let is_new = head.is_none_or(|head| heads.insert((audited.run.clone(), head)));
                let run = Named { name, folder, audited };
                match (is_new, run.audited.sealed) {
                    (false, _) => audit.twice.push(run.name),
                    (true, true) => audit.sealed.push(run),
                    (true, false) => audit.unsealed.push(run),
                }
            }
            Ok(_) => {}
        }
    }
    in_order(&mut audit.sealed);
    in_order(&mut audit.unsealed);
    audit.unread.sort_by(|one, other| one.folder.cmp(&other.folder));
    reading.compare(&mut audit, truths);
    reading.keep();
    Audited { audit, remarks: reading.remarks }
}

/// The state while runs are read, including the cache.
#[derive(Default)]
struct Reading<'s> {
    state: Option<&'s AuditState>,
    kept: Option<KeptRuns>,
    remarks: Vec<String>,
    /// The evidence paths of the runs that were read.
    evidence: BTreeSet<PathBuf>,
}

impl Reading<'_> {
    /// Returns the counts of the run in `folder`, and its head if it is sealed.
    fn run(&mut self, folder: &Path) -> Result<(AuditedRun, Option<Digest>), AuditRunError> {
        let stamp = Stamp::of(folder);
        if let (Some(kept), Some(stamp), Ok(Some(manifest))) = (&self.kept, stamp, read_manifest(folder))
            && let Some(counted) = kept.of(&manifest.run, manifest.head, stamp)
        {
            return Ok((counted.clone(), Some(manifest.head)));
        }
        let (run, head) = whole(folder)?;
        let begun = run.resumed.iter().map(|(_, circumstance)| circumstance).chain([&run.circumstance]);
        self.evidence.extend(begun.flat_map(|it| it.evidence.values()).map(PathBuf::from));
        let counted = audited(&run);
        // A file that changed while it was read is not cached.
        let stamp = stamp.filter(|stamp| Stamp::of(folder) == Some(*stamp));
        if let (Some(kept), Some(stamp), Some(head)) = (&mut self.kept, stamp, head)
            && !counted.run.is_empty()
        {
            kept.add(Entry { head, stamp, counted: counted.clone() });
        }
        Ok((counted, head))
    }

    /// Compares the confidences of the answers with these ground truths.
    fn compare(&mut self, audit: &mut Audit, truths: &[Truth]) {
        let cases: BTreeSet<String> = audit.runs().map(|run| run.case.clone()).collect();
        for truth in truths {
            if truth.case.is_empty() && cases.len() > 1 {
                self.remarks
                    .push("a ground truth that names no case is compared with runs of one case only".into());
                continue;
            }
            let is_of = |case: &str| truth.case.is_empty() || truth.case == case;
            if !cases.iter().any(|case| is_of(case)) {
                self.remarks.push(format!("no sealed run is of the case {:?} of a ground truth", truth.case));
            }
            let of: Vec<PathBuf> = audit
                .sealed
                .iter()
                .filter(|named| is_of(&named.audited.case))
                .map(|named| named.folder.clone())
                .collect();
            for folder in of {
                match whole(&folder) {
                    Ok((run, _)) => audit.sure.extend(sure(truth, &run)),
                    Err(error) => self.remarks.push(told(&error)),
                }
            }
        }
    }

    fn keep(&mut self) {
        let (Some(state), Some(kept)) = (self.state, self.kept.take()) else { return };
        let evidence = self.evidence.iter().map(PathBuf::as_path);
        if evidence_around(state.file(), evidence).is_some() {
            let file = state.file().display();
            self.remarks
                .push(format!("what was counted is not kept: {file} lies inside the evidence of a run"));
            return;
        }
        if let Err(error) = state.save(kept) {
            self.remarks.push(told(&error));
        }
    }
}

/// Returns the answers of a run with their confidences and the verdict of the ground truth.
fn sure(truth: &Truth, run: &Run) -> Vec<Sure> {
    let model = |agent: &str| {
        let mut tasks = run.tasks.values().map(|view| &view.assigned);
        tasks.find(|assigned| assigned.agent.name == agent).map_or(String::new(), |it| it.model.clone())
    };
    let forecasts = score(truth, run).reliability.forecasts.into_iter();
    forecasts.map(|forecast| Sure { model: model(&forecast.agent), forecast }).collect()
}

fn is_wanted(run: &AuditedRun, of: &AuditOf) -> bool {
    let fits_case = of.case.as_deref().is_none_or(|pattern| fits(pattern.as_bytes(), run.case.as_bytes()));
    // A start time that cannot be parsed does not exclude the run.
    let is_late = |since: &Utc| run.begun.parse::<Utc>().is_ok_and(|begun| begun < *since);
    fits_case && !of.since.as_ref().is_some_and(is_late)
}

fn in_order(runs: &mut [Named]) {
    runs.sort_by_cached_key(|run| {
        (run.audited.begun.parse::<Utc>().ok(), run.name.clone(), run.folder.clone())
    });
}

/// Returns the run in `folder`, and its head if it is sealed. Log and manifest must agree about the seal.
fn whole(folder: &Path) -> Result<(Run, Option<Digest>), AuditRunError> {
    let (run, found) = load_with_head(folder)?;
    match (run.sealed.is_some(), read_manifest(folder)?) {
        (true, Some(manifest)) if manifest.head == found => Ok((run, Some(found))),
        (true, Some(manifest)) => Err(AuditRunError::OtherHead { expected: manifest.head, found }),
        (false, None) => Ok((run, None)),
        (true, None) | (false, Some(_)) => Err(AuditRunError::Seal),
    }
}
