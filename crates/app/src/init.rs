//! Use case: make a case folder for existing evidence.
//!
//! Nothing is copied, and evidence is only read.

use crate::case_file::{
    CASE_FILE, Case, CaseError, NoEvidence, is_printable, kind_of, known_as, load_case, no_evidence,
    short_name,
};
use crate::worker::{ToolError, Worker, WorkerRequest};
use ledger::{CaseEntry, EvidenceEntry, EvidenceKind, Gap, IntegrityLevel};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A case that is to be written.
#[derive(Debug, Clone)]
pub struct NewCase {
    /// The case that the file will contain.
    pub case: Case,
    /// The case folder, which need not exist yet.
    pub folder: PathBuf,
}

/// Why a case folder cannot be made.
#[derive(Debug, Error)]
pub enum InitError {
    /// The evidence does not exist.
    #[error("open the evidence {}", path.display())]
    Missing {
        /// The path that was given.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The given path is not evidence that this version can read.
    #[error("open the evidence {}: {because}", path.display())]
    NoEvidence {
        /// Its path.
        path: PathBuf,
        /// The reason.
        because: NoEvidence,
    },
    /// A path cannot be written in a case file.
    #[error("write a case file: the path {path:?} is no text that can be shown on one line")]
    NotText {
        /// The path.
        path: PathBuf,
    },
    /// One piece of evidence contains another.
    #[error("make a case: the evidence {} lies inside the evidence {}", inner.display(), outer.display())]
    Nested {
        /// The evidence inside.
        inner: PathBuf,
        /// The evidence around it, or the same path again.
        outer: PathBuf,
    },
    /// The case folder would be inside the evidence, which is never written.
    #[error("make the case folder {}: it lies inside the evidence {}, which is never written", folder.display(), evidence.display())]
    InsideEvidence {
        /// The case folder.
        folder: PathBuf,
        /// The evidence.
        evidence: PathBuf,
    },
    /// There is already a case file.
    #[error("make a case: {} is there already", path.display())]
    Exists {
        /// The case file.
        path: PathBuf,
    },
    /// The evidence cannot be hashed.
    #[error("hash the evidence {label}")]
    Hash {
        /// Its label.
        label: String,
        /// The cause.
        #[source]
        source: ToolError,
    },
    /// The folder or the file cannot be written.
    #[error("write {}", path.display())]
    Write {
        /// The path.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The written file cannot be read as a case.
    #[error("read the case that was written")]
    Unreadable(#[source] CaseError),
}

/// Plans a case of `evidence` in `folder`; by default in a folder in the working directory, named after the first piece of evidence.
///
/// Writes nothing.
///
/// # Errors
///
/// Fails if a path is not usable as evidence, if evidence is nested, or if the
/// case folder is inside the evidence or already has a case file.
pub fn new_case(evidence: &[PathBuf], folder: Option<&Path>) -> Result<NewCase, InitError> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut kinds = Vec::new();
    for given in evidence {
        let missing = |source| InitError::Missing { path: given.clone(), source };
        let path = given.canonicalize().map_err(missing)?;
        let kind = kind_of(&path).map_err(missing)?;
        let because = no_evidence(&path);
        kinds.push(kind.ok_or_else(|| InitError::NoEvidence { path: given.clone(), because })?);
        if path.to_str().is_none_or(|text| !is_printable(text)) {
            return Err(InitError::NotText { path });
        }
        refuse_nested(&path, &paths)?;
        paths.push(path);
    }
    let name = paths.first().map(|path| format!("{}-case", known_as(path)));
    let folder = folder.map_or_else(|| PathBuf::from(name.unwrap_or_default()), Path::to_owned);
    let folder = resolved(&folder).map_err(|source| InitError::Write { path: folder.clone(), source })?;
    if let Some(evidence) = paths.iter().find(|evidence| folder.starts_with(evidence)) {
        return Err(InitError::InsideEvidence { folder, evidence: evidence.clone() });
    }
    let file = folder.join(CASE_FILE);
    // A dangling link counts as an existing file.
    if file.symlink_metadata().is_ok() {
        return Err(InitError::Exists { path: file });
    }
    let name = short_name(&folder);
    let labels = labels(&paths).into_iter().zip(kinds);
    let evidence = labels
        .map(|(label, kind)| EvidenceEntry { in_place: Vec::new(), label, kind, expected_sha256: None })
        .collect();
    let entry = CaseEntry { title: name.clone(), name, time_zone: "UTC".to_owned(), evidence };
    Ok(NewCase { case: Case { entry, paths, objectives: Vec::new() }, folder })
}

fn refuse_nested(path: &Path, others: &[PathBuf]) -> Result<(), InitError> {
    for other in others {
        let (inner, outer) = match (path.starts_with(other), other.starts_with(path)) {
            (true, _) => (path, other.as_path()),
            (_, true) => (other.as_path(), path),
            (false, false) => continue,
        };
        return Err(InitError::Nested { inner: inner.to_owned(), outer: outer.to_owned() });
    }
    Ok(())
}

/// Returns the resolved location of `path`, which need not exist: symbolic links are resolved in the part that exists.
fn resolved(path: &Path) -> std::io::Result<PathBuf> {
    let absolute = std::path::absolute(path)?;
    match absolute.canonicalize() {
        Ok(path) => Ok(path),
        Err(error) => match (absolute.parent(), absolute.file_name()) {
            (Some(parent), Some(name)) => Ok(resolved(parent)?.join(name)),
            // `..` after a part that does not exist leads nowhere.
            _ => Err(error),
        },
    }
}

/// Returns a label for each path: its name, numbered if an earlier path has the same name.
fn labels(paths: &[PathBuf]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let label = |path: &PathBuf| {
        let name = known_as(path);
        let numbered = (2u32..).map(|number| format!("{name}-{number}"));
        let mut free = std::iter::once(name.clone()).chain(numbered).filter(|label| !taken.contains(label));
        let label = free.next().unwrap_or_else(|| name.clone());
        drop(free);
        taken.insert(label.clone());
        label
    };
    paths.iter().map(label).collect()
}

/// Hashes every byte of the evidence as a run does, and stores the hashes in the case; returns the parts that could not be read.
///
/// # Errors
///
/// Fails if the evidence cannot be opened or hashed.
pub fn hash_case(request: &WorkerRequest, new: &mut NewCase) -> Result<Vec<Gap>, InitError> {
    let failed = |label: &str, source| InitError::Hash { label: label.to_owned(), source };
    let first = new.case.entry.evidence.first().map(|entry| entry.label.clone()).unwrap_or_default();
    let worker =
        Worker::start(request, &new.case, &tools::Indexes::new()).map_err(|source| failed(&first, source))?;
    // A hash of evidence that no run can open would be useless.
    worker.open_evidence().map_err(|(label, source)| failed(&label, source))?;
    let mut unread = Vec::new();
    for entry in &mut new.case.entry.evidence {
        let hashed = worker.hash(&entry.label, IntegrityLevel::Full);
        let (integrity, gaps) = hashed.map_err(|source| failed(&entry.label, source))?;
        entry.expected_sha256 = Some(integrity.sha256);
        unread.extend(gaps);
    }
    Ok(unread)
}

/// Makes the folder and writes `case.toml`, which must not exist; once this returns, the file is readable as a case.
///
/// # Errors
///
/// Fails if the file already exists, cannot be written, or cannot be read back as a case.
pub fn write_case(new: &NewCase) -> Result<PathBuf, InitError> {
    let file = new.folder.join(CASE_FILE);
    let text = text(new)?;
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source: std::io::Error| match source.kind() {
            std::io::ErrorKind::AlreadyExists => InitError::Exists { path },
            _ => InitError::Write { path, source },
        }
    };
    std::fs::create_dir_all(&new.folder).map_err(failed(&new.folder))?;
    let mut options = std::fs::OpenOptions::new();
    let mut written = options.write(true).create_new(true).open(&file).map_err(failed(&file))?;
    written.write_all(text.as_bytes()).and_then(|()| written.sync_all()).map_err(failed(&file))?;
    load_case(&file).map_err(InitError::Unreadable)?;
    Ok(file)
}

fn text(new: &NewCase) -> Result<String, InitError> {
    let entry = &new.case.entry;
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let mut out = format!(
        "# A case for `locard run`; docs/case-format.md describes every member.\n\
         title = {}\n\
         # The time zone of the case; facts are in UTC.\n\
         # time_zone = \"Europe/Berlin\"\n",
        quoted(&entry.title)
    );
    for (evidence, path) in entry.evidence.iter().zip(&new.case.paths) {
        let inside = path.strip_prefix(&new.folder).unwrap_or(path);
        let text = inside.to_str().ok_or_else(|| InitError::NotText { path: path.clone() })?;
        let kind = match evidence.kind {
            EvidenceKind::Archive => "archive",
            EvidenceKind::Directory => "directory",
            EvidenceKind::Image => "image",
        };
        let (path, label) = (quoted(text), quoted(&evidence.label));
        let _ = write!(out, "\n[[evidence]]\npath = {path}\nkind = \"{kind}\"\nlabel = {label}\n");
        let _ = match evidence.expected_sha256 {
            Some(digest) => writeln!(out, "sha256 = \"{digest}\""),
            None => writeln!(out, "# sha256 = \"…\"  # what `locard init --hash` writes and a run checks"),
        };
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn folder(place: &Path, name: &str) -> PathBuf {
        let path = place.join(name);
        std::fs::create_dir_all(&path).unwrap();
        path.canonicalize().unwrap()
    }

    #[test]
    fn what_is_written_reads_as_the_case_that_was_planned() {
        let place = place();
        let evidence = [
            folder(place.path(), "case/inside"),
            folder(place.path(), "host \"one\" é"),
            folder(place.path(), "b/evidence"),
        ];
        let new = new_case(&evidence, Some(&place.path().join("case"))).unwrap();
        let read = load_case(&write_case(&new).unwrap()).unwrap();
        assert_eq!((&read.entry, &read.paths), (&new.case.entry, &new.case.paths));
        let text = std::fs::read_to_string(new.folder.join("case.toml")).unwrap();
        assert!(text.contains("path = \"inside\"\n"), "relative where it can be: {text}");
        assert!(matches!(write_case(&new), Err(InitError::Exists { .. })));
    }

    #[test]
    fn labels_are_names_and_no_two_are_equal() {
        let place = place();
        let evidence: Vec<_> =
            ["a/host", "b/host", "c/host-2", "d/evidence"].map(|name| folder(place.path(), name)).into();
        let new = new_case(&evidence, Some(&place.path().join("case"))).unwrap();
        let labels: Vec<_> = new.case.entry.evidence.iter().map(|entry| entry.label.as_str()).collect();
        assert_eq!(labels, ["host", "host-2", "host-2-2", "d"]);
        assert!(load_case(&write_case(&new).unwrap()).is_ok());
    }

    #[test]
    fn nothing_is_written_into_evidence_or_over_a_case() {
        let place = place();
        let evidence = folder(place.path(), "evidence");
        let inside = |name: &str| new_case(std::slice::from_ref(&evidence), Some(&place.path().join(name)));
        for name in ["evidence", "evidence/case", "evidence/a/b", "other/../evidence/case"] {
            folder(place.path(), "other");
            assert!(matches!(inside(name), Err(InitError::InsideEvidence { .. })), "{name}");
        }
        std::os::unix::fs::symlink(&evidence, place.path().join("link")).unwrap();
        assert!(matches!(inside("link/case"), Err(InitError::InsideEvidence { .. })));
        folder(place.path(), "full");
        std::os::unix::fs::symlink("/nowhere", place.path().join("full/case.toml")).unwrap();
        assert!(matches!(inside("full"), Err(InitError::Exists { .. })));
        assert_eq!(std::fs::read_dir(&evidence).unwrap().count(), 0);
    }

    #[test]
    fn evidence_inside_evidence_and_what_is_no_folder_are_refused() {
        let place = place();
        let (outer, inner) = (folder(place.path(), "a"), folder(place.path(), "a/b"));
        let case = place.path().join("case");
        for evidence in [[outer.clone(), inner.clone()], [inner, outer.clone()], [outer.clone(), outer]] {
            assert!(matches!(new_case(&evidence, Some(&case)), Err(InitError::Nested { .. })));
        }
        let gone = [place.path().join("gone")];
        assert!(matches!(new_case(&gone, Some(&case)), Err(InitError::Missing { .. })));
    }
}
