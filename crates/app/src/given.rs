//! Finds the present location of the evidence of a recorded run.
//!
//! Labels and kinds stay those of the run: they are part of its outputs, and a tool that runs again must return the same.
//! Hashes decide whether the bytes are the same.

use crate::case_file::{Case, CaseError, kind_of, load_case};
use crate::open::OpenRunError;
use crate::stored::Stored;
use ledger::event::RunOpened;
use ledger::{CaseEntry, Circumstance, EvidenceEntry, EvidenceKind};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why the evidence of a run cannot be located.
#[derive(Debug, Error)]
pub enum GivenError {
    /// The log of the run cannot be read.
    #[error(transparent)]
    Run(OpenRunError),
    /// The first event of the run does not open one.
    #[error("read the run {}: its first event does not open a run", folder.display())]
    NotOpened {
        /// The run folder.
        folder: PathBuf,
    },
    /// The given path cannot be opened as a case or as evidence.
    #[error("find the evidence of the run: {0}")]
    Case(#[source] CaseError),
    /// The evidence is neither at its recorded path nor at the given one.
    #[error("find the evidence {label} of the run: nothing can be read at {}", path.display())]
    Missing {
        /// Its label.
        label: String,
        /// The expected path.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The run does not record where it found the evidence.
    #[error("find the evidence {label} of the run: the run does not say where it was")]
    Untold {
        /// Its label.
        label: String,
    },
    /// The given case has no evidence with this label.
    #[error("find the evidence {label} of the run: {} has {}", path.display(), found.join(", "))]
    Label {
        /// The label in the run.
        label: String,
        /// The given path.
        path: PathBuf,
        /// The labels in the given case.
        found: Vec<String>,
    },
    /// The run has several pieces of evidence, and it is unclear which one was given.
    #[error("find the evidence of the run: it has {}; {} can be one of them only", labels.join(", "), path.display())]
    Which {
        /// The labels in the run.
        labels: Vec<String>,
        /// The given path.
        path: PathBuf,
    },
    /// One piece of evidence was given twice.
    #[error("find the evidence {label} of the run: it is given twice")]
    Twice {
        /// Its label.
        label: String,
    },
    /// The given evidence is of another kind than the evidence of the run.
    #[error("find the evidence {label} of the run: expected {}, found {} at {}", kind(Some(*expected)), kind(*found), path.display())]
    Kind {
        /// Its label.
        label: String,
        /// The kind that the run examined.
        expected: EvidenceKind,
        /// The kind that was found; `None` if it is not evidence.
        found: Option<EvidenceKind>,
        /// Its path.
        path: PathBuf,
    },
}

fn kind(kind: Option<EvidenceKind>) -> &'static str {
    match kind {
        Some(EvidenceKind::Archive) => "an archive",
        Some(EvidenceKind::Directory) => "a folder",
        Some(EvidenceKind::Image) => "a disk image",
        None => "something else",
    }
}

/// Returns the case of the run in `folder`, with the present paths of its evidence.
///
/// Each of `given` is a case (folder or file) with evidence under the run's labels, `LABEL=PATH` for one piece of evidence, or, if the
/// run has only one piece, its path.
/// Evidence that is not given is looked for where the run found it.
///
/// # Errors
///
/// Fails if the run cannot be read, or a piece of evidence is not found or is of another kind.
pub fn evidence_of(folder: &Path, given: &[PathBuf]) -> Result<Case, GivenError> {
    let (log, _) = Stored::open(folder).map_err(GivenError::Run)?;
    let Some(opened) = log.opened else {
        return Err(GivenError::NotOpened { folder: folder.to_owned() });
    };
    placed(&opened, &log.begun, given)
}

/// Does the same for a run whose first event and its circumstance are already read.
pub(crate) fn placed(
    opened: &RunOpened,
    begun: &Circumstance,
    given: &[PathBuf],
) -> Result<Case, GivenError> {
    let mut places = BTreeMap::new();
    for given in given {
        place(&opened.case, given, &mut places)?;
    }
    let found = |entry: &EvidenceEntry| {
        let path = match places.remove(&entry.label) {
            Some(path) => path,
            None => {
                let told = begun.evidence.get(&entry.label);
                told.map(PathBuf::from).ok_or_else(|| GivenError::Untold { label: entry.label.clone() })?
            }
        };
        checked(entry, path)
    };
    let paths = opened.case.evidence.iter().map(found).collect::<Result<_, _>>()?;
    Ok(Case { entry: opened.case.clone(), paths, objectives: Vec::new() })
}

/// Records which evidence of the case is at the given path.
fn place(case: &CaseEntry, given: &Path, places: &mut BTreeMap<String, PathBuf>) -> Result<(), GivenError> {
    let found = match labelled(case, given) {
        Some(one) => vec![one],
        None => {
            let loaded = load_case(given).map_err(GivenError::Case)?;
            matched(case, given, loaded)?
        }
    };
    for (label, path) in found {
        if places.insert(label.clone(), path).is_some() {
            return Err(GivenError::Twice { label });
        }
    }
    Ok(())
}

/// Parses `LABEL=PATH`, where the label is one of the run.
fn labelled(case: &CaseEntry, given: &Path) -> Option<(String, PathBuf)> {
    let text = given.to_str()?;
    let one = |entry: &EvidenceEntry| {
        let path = text.strip_prefix(&entry.label)?.strip_prefix('=')?;
        Some((entry.label.clone(), PathBuf::from(path)))
    };
    case.evidence.iter().find_map(one)
}

/// Returns the evidence of the run in a case that was given; a single piece needs no label.
fn matched(case: &CaseEntry, given: &Path, loaded: Case) -> Result<Vec<(String, PathBuf)>, GivenError> {
    let found: Vec<String> = loaded.entry.evidence.iter().map(|entry| entry.label.clone()).collect();
    match (case.evidence.as_slice(), loaded.paths.as_slice()) {
        ([one], [path]) => return Ok(vec![(one.label.clone(), path.clone())]),
        ([_, _, ..], [path])
            if !found.iter().any(|found| case.evidence.iter().any(|it| it.label == *found)) =>
        {
            let labels = case.evidence.iter().map(|entry| entry.label.clone()).collect();
            return Err(GivenError::Which { labels, path: path.clone() });
        }
        _ => {}
    }
    let missing = case.evidence.iter().find(|entry| !found.contains(&entry.label));
    if let (Some(missing), true) = (missing, loaded.paths.len() > 1) {
        return Err(GivenError::Label { label: missing.label.clone(), path: given.to_owned(), found });
    }
    let of_run = |(label, _): &(String, PathBuf)| case.evidence.iter().any(|entry| entry.label == *label);
    Ok(found.into_iter().zip(loaded.paths).filter(of_run).collect())
}

/// Resolves symbolic links and checks that the evidence is of the right kind.
fn checked(entry: &EvidenceEntry, path: PathBuf) -> Result<PathBuf, GivenError> {
    let label = entry.label.clone();
    let (expected, missing) =
        (entry.kind, |source| GivenError::Missing { label: label.clone(), path: path.clone(), source });
    let resolved = path.canonicalize().map_err(missing)?;
    let found = kind_of(&resolved).map_err(missing)?;
    match found == Some(expected) {
        true => Ok(resolved),
        false => Err(GivenError::Kind { label, expected, found, path }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn case(labels: &[&str]) -> CaseEntry {
        let entry = |label: &&str| EvidenceEntry {
            in_place: Vec::new(),
            label: (*label).to_owned(),
            kind: EvidenceKind::Directory,
            expected_sha256: None,
        };
        let evidence = labels.iter().map(entry).collect();
        CaseEntry { name: "c".into(), title: "c".into(), time_zone: "UTC".into(), evidence }
    }

    fn loaded(labels: &[&str]) -> Case {
        let paths = labels.iter().map(|label| PathBuf::from(format!("/{label}"))).collect();
        Case { entry: case(labels), paths, objectives: Vec::new() }
    }

    #[test]
    fn evidence_is_matched_by_label_and_a_single_piece_needs_none() {
        let of = |run: &[&str], given: &[&str]| matched(&case(run), Path::new("given"), loaded(given));
        let at = |label: &str, path: &str| (label.to_owned(), PathBuf::from(path));
        assert_eq!(of(&["a"], &["copy"]).unwrap(), [at("a", "/copy")]);
        assert_eq!(of(&["a", "b"], &["b", "a"]).unwrap(), [at("b", "/b"), at("a", "/a")]);
        assert_eq!(of(&["a"], &["b", "a"]).unwrap(), [at("a", "/a")]);
        assert_eq!(of(&["a", "b"], &["b"]).unwrap(), [at("b", "/b")]);
        assert!(matches!(of(&["a", "b"], &["copy"]), Err(GivenError::Which { .. })));
        assert!(matches!(of(&["a", "b"], &["a", "c"]), Err(GivenError::Label { label, .. }) if label == "b"));
    }

    #[test]
    fn a_label_before_an_equals_sign_is_one_of_the_run_or_part_of_the_path() {
        let run = case(&["a", "a=b"]);
        let at = |text: &str| {
            labelled(&run, Path::new(text)).map(|(label, path)| (label, path.display().to_string()))
        };
        assert_eq!(at("a=/x=y"), Some(("a".to_owned(), "/x=y".to_owned())));
        assert_eq!(at("c=/x"), None);
        assert_eq!(at("/x"), None);
    }
}
