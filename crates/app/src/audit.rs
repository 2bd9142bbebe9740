//! Reading many runs for an audit: each is reduced to what `graph::audit` counts, and nothing is written into its folder.
//!
//! What was counted of sealed runs is kept for the next audit (`audit_state`); the runs decide, and say the same without it.

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

/// Which of the runs are wanted.
#[derive(Debug, Clone, Default)]
pub struct AuditOf {
    /// Those of cases whose name fits; `*` stands for any characters and `?` for one.
    pub case: Option<String>,
    /// Those that were begun from then on.
    pub since: Option<Utc>,
}

/// Why a run cannot be counted.
#[derive(Debug, Error)]
pub enum AuditRunError {
    /// Its log cannot be read.
    #[error(transparent)]
    Open(#[from] OpenRunError),
    /// Nor can its manifest.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// Only one of the two says that it is sealed.
    #[error(
        "find one seal in {MANIFEST} and at the end of the log; `locard resume` finishes a run that was stopped while it was sealed"
    )]
    Seal,
    /// The log is not the one that was sealed.
    #[error("read the log: expected the head {expected}, found {found}")]
    OtherHead {
        /// What the manifest says.
        expected: Digest,
        /// The last link of the log.
        found: Digest,
    },
}

/// The folders of the runs in `folder`, the one begun last first; `None` where it is the folder of a run, or holds none.
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

/// What an audit found, and what else has to be known of it.
#[derive(Debug, Default)]
pub struct Audited {
    /// The runs.
    pub audit: Audit,
    /// What was not done as it was asked, a line each.
    pub remarks: Vec<String>,
}

/// Reads the runs in these folders.
///
/// One that cannot be read is told with its error; one that stands in two folders is counted once.
/// What `state` keeps of a run stands in for reading it again, and changes nothing in the result.
pub fn audit_runs(
    folders: &[PathBuf],
    of: &AuditOf,
    state: Option<&AuditState>,
    truths: &[Truth],
) -> Audited {
    let mut reading = Reading { state, ..Reading::default() };
    reading.kept = state.map(|state| {
        state.load().unwrap_or_else(|error| {
            // Whatever is wrong with it, the runs say the same, and it is made anew.
            reading.remarks.push(told(&error));
            KeptRuns::default()
        })
    });
    let mut audit = Audit::default();
    let (mut places, mut heads) = (BTreeSet::new(), BTreeSet::new());
    for path in folders {
        // Whoever names a run twice means it once.
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

/// Runs as they are read, with what is kept of them.
#[derive(Default)]
struct Reading<'s> {
    state: Option<&'s AuditState>,
    kept: Option<KeptRuns>,
    remarks: Vec<String>,
    /// Where the evidence of the runs was found that were read.
    evidence: BTreeSet<PathBuf>,
}

impl Reading<'_> {
    /// What is counted of the run in `folder`, and its head where it is sealed.
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
        // A file that changed while it was read is another one.
        let stamp = stamp.filter(|stamp| Stamp::of(folder) == Some(*stamp));
        if let (Some(kept), Some(stamp), Some(head)) = (&mut self.kept, stamp, head)
            && !counted.run.is_empty()
        {
            kept.add(Entry { head, stamp, counted: counted.clone() });
        }
        Ok((counted, head))
    }

    /// The confidences of the answers beside what these truths say of them.
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

/// The answers of a run with their confidences, and what the truth says of them.
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
    // A time that does not read is none that was long ago.
    let is_late = |since: &Utc| run.begun.parse::<Utc>().is_ok_and(|begun| begun < *since);
    fits_case && !of.since.as_ref().is_some_and(is_late)
}

fn in_order(runs: &mut [Named]) {
    runs.sort_by_cached_key(|run| {
        (run.audited.begun.parse::<Utc>().ok(), run.name.clone(), run.folder.clone())
    });
}

/// The run in `folder`, and its head where it is sealed: by its log and by its manifest, or by neither.
fn whole(folder: &Path) -> Result<(Run, Option<Digest>), AuditRunError> {
    let (run, found) = load_with_head(folder)?;
    match (run.sealed.is_some(), read_manifest(folder)?) {
        (true, Some(manifest)) if manifest.head == found => Ok((run, Some(found))),
        (true, Some(manifest)) => Err(AuditRunError::OtherHead { expected: manifest.head, found }),
        (false, None) => Ok((run, None)),
        (true, None) | (false, Some(_)) => Err(AuditRunError::Seal),
    }
}
