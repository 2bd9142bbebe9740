//! Where the evidence of a recorded run lies now.
//!
//! Labels and kinds are those of the run: they stand in its outputs, and a tool that runs again must answer with the same.
//! Whether the bytes are the same is for hashes to say.

use crate::case_file::{Case, CaseError, kind_of, load_case};
use crate::open::OpenRunError;
use crate::stored::Stored;
use ledger::event::RunOpened;
use ledger::{CaseEntry, Circumstance, EvidenceEntry, EvidenceKind};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why nobody knows where the evidence of a run lies.
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
    /// What was given cannot be opened as a case or as evidence.
    #[error("find the evidence of the run: {0}")]
    Case(#[source] CaseError),
    /// The run's evidence is not where it was found then, or where it is said to be.
    #[error("find the evidence {label} of the run: nothing can be read at {}", path.display())]
    Missing {
        /// Its label.
        label: String,
        /// Where it should be.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The run does not tell where it found the evidence.
    #[error("find the evidence {label} of the run: the run does not say where it was")]
    Untold {
        /// Its label.
        label: String,
    },
    /// What was given holds no evidence of this label.
    #[error("find the evidence {label} of the run: {} has {}", path.display(), found.join(", "))]
    Label {
        /// The label that the run knows.
        label: String,
        /// What was given.
        path: PathBuf,
        /// The labels there.
        found: Vec<String>,
    },
    /// The run has several pieces of evidence, and it was not said which one is given.
    #[error("find the evidence of the run: it has {}; {} can be one of them only", labels.join(", "), path.display())]
    Which {
        /// The labels that the run knows.
        labels: Vec<String>,
        /// What was given.
        path: PathBuf,
    },
    /// One piece of evidence was given twice.
    #[error("find the evidence {label} of the run: it is given twice")]
    Twice {
        /// Its label.
        label: String,
    },
    /// What was given is of another kind than the evidence of the run.
    #[error("find the evidence {label} of the run: expected {}, found {} at {}", kind(Some(*expected)), kind(*found), path.display())]
    Kind {
        /// Its label.
        label: String,
        /// What the run examined.
        expected: EvidenceKind,
        /// What is there; `None`: nothing that is evidence.
        found: Option<EvidenceKind>,
        /// Where.
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

/// The case of the run in `folder`, with its evidence where it lies now.
///
/// Each of `given` is a case (folder or file) with evidence of the run's labels, `LABEL=PATH` for one piece of evidence, or, where the run has but one, the path of that.
/// What is not given is looked for where the run found it.
pub fn evidence_of(folder: &Path, given: &[PathBuf]) -> Result<Case, GivenError> {
    let (log, _) = Stored::open(folder).map_err(GivenError::Run)?;
    let Some(opened) = log.opened else {
        return Err(GivenError::NotOpened { folder: folder.to_owned() });
    };
    placed(&opened, &log.begun, given)
}

/// The same of a run whose first event and its circumstance have been read.
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

/// Notes which evidence of the case is given here.
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

/// `LABEL=PATH` with a label of the run.
fn labelled(case: &CaseEntry, given: &Path) -> Option<(String, PathBuf)> {
    let text = given.to_str()?;
    let one = |entry: &EvidenceEntry| {
        let path = text.strip_prefix(&entry.label)?.strip_prefix('=')?;
        Some((entry.label.clone(), PathBuf::from(path)))
    };
    case.evidence.iter().find_map(one)
}

/// The evidence of the run in a case that was given; a single piece needs no label.
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

/// The path without links, where something of the right kind lies there.
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
