//! Cases: a folder with `case.toml`, or evidence given by its path alone.

use ledger::{CaseEntry, Digest, EvidenceEntry, EvidenceKind, Objective};
use serde::Deserialize;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A case as it lies on this machine.
#[derive(Debug, Clone)]
pub struct Case {
    /// What the run records of it.
    pub entry: CaseEntry,
    /// Where each piece of evidence lies, in the order of the entry.
    pub paths: Vec<PathBuf>,
    /// Objectives that the case adds, by agent.
    pub objectives: Vec<(String, Objective)>,
}

/// Why there is no case.
#[derive(Debug, Error)]
pub enum CaseError {
    /// Nothing lies at the path.
    #[error("open the case {}", path.display())]
    Missing {
        /// The path that was given.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// `case.toml` cannot be read.
    #[error("read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// `case.toml` does not say what a case file says; the source points at the line.
    #[error("read {}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, column and what was expected.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// `case.toml` is longer than any case file.
    #[error("read {}: expected at most {MAX_CASE_FILE} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// `case.toml` is a folder, a pipe or a device.
    #[error("read {}: expected a file", path.display())]
    NotAFile {
        /// Its path.
        path: PathBuf,
    },
    /// `case.toml` names no evidence, names it twice, or says something that cannot be shown.
    #[error("read {}: expected {expected}", path.display())]
    Evidence {
        /// The file.
        path: PathBuf,
        /// What should stand there.
        expected: &'static str,
    },
    /// One piece of evidence contains another, which would be examined twice under two names.
    #[error("read {}: the evidence {} lies inside the evidence {}", path.display(), inner.display(), outer.display())]
    Nested {
        /// The case file.
        path: PathBuf,
        /// The evidence inside.
        inner: PathBuf,
        /// The evidence around it, or the same folder again.
        outer: PathBuf,
    },
    /// A case file that was only found in the folder names something outside that folder.
    ///
    /// Whoever names the case file itself allows this.
    #[error("open the case {}: its case.toml leads to {}, which lies outside this folder", folder.display(), outside.display())]
    Outside {
        /// The folder that was given.
        folder: PathBuf,
        /// Where the case file, or a path in it, leads.
        outside: PathBuf,
    },
    /// Evidence is of a kind that this version cannot read.
    #[error("open the evidence {}: expected a directory", path.display())]
    NotADirectory {
        /// Its path.
        path: PathBuf,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    title: String,
    #[serde(default = "utc")]
    time_zone: String,
    evidence: Vec<EvidenceTable>,
    #[serde(default)]
    objectives: Vec<ObjectiveTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EvidenceTable {
    path: PathBuf,
    label: Option<String>,
    kind: EvidenceKind,
    sha256: Option<Digest>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ObjectiveTable {
    agent: String,
    objective: Objective,
}

fn utc() -> String {
    "UTC".to_owned()
}

/// The longest case file in bytes: 1 MiB.
pub(crate) const MAX_CASE_FILE: u64 = 1 << 20;

/// Who says that a case file is one.
#[derive(Clone, Copy)]
enum Named {
    /// The user: it may name evidence anywhere.
    ByUser,
    /// Only its name: it may be part of the evidence, and must not lead out of its folder.
    Found,
}

/// Opens the case at `path`: a folder with `case.toml`, that file itself, or a folder of evidence.
///
/// A `case.toml` that is only found in a folder may have been written by whoever made the evidence.
/// Everything that it leads to must therefore lie inside that folder, symbolic links resolved.
pub fn load_case(path: &Path) -> Result<Case, CaseError> {
    let missing = |source| CaseError::Missing { path: path.to_owned(), source };
    let absolute = path.canonicalize().map_err(missing)?;
    if !absolute.is_dir() {
        return match absolute.file_name().is_some_and(|name| name == CASE_FILE) {
            true => from_file(&absolute, Named::ByUser),
            false => Err(CaseError::NotADirectory { path: path.to_owned() }),
        };
    }
    let file = absolute.join(CASE_FILE);
    // A link to nothing is a case file that cannot be read, and not a folder without one.
    match file.symlink_metadata() {
        Ok(_) => from_file(&file, Named::Found),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(from_evidence(&absolute)),
        Err(source) => Err(CaseError::Unreadable { path: file, source }),
    }
}

const CASE_FILE: &str = "case.toml";

fn from_evidence(folder: &Path) -> Case {
    let label = short_name(folder);
    // A folder that is only called `evidence` is known by the one around it.
    let name = match (label.as_str(), folder.parent()) {
        ("evidence", Some(parent)) => short_name(parent),
        _ => label.clone(),
    };
    let evidence = vec![EvidenceEntry { label, kind: EvidenceKind::Directory, expected_sha256: None }];
    let entry = CaseEntry { title: name.clone(), name, time_zone: utc(), evidence };
    Case { entry, paths: vec![folder.to_owned()], objectives: Vec::new() }
}

fn from_file(file: &Path, named: Named) -> Result<Case, CaseError> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let parsed: CaseFile = toml::from_str(&read(file, folder, named)?)
        .map_err(|source| CaseError::Malformed { path: file.to_owned(), source: Box::new(source) })?;
    let wrong = |expected| CaseError::Evidence { path: file.to_owned(), expected };
    if !is_printable(&parsed.title) || !is_printable(&parsed.time_zone) {
        return Err(wrong("a title and a time zone with text in them and without control characters"));
    }
    let mut entries: Vec<EvidenceEntry> = Vec::new();
    let mut paths = Vec::new();
    for table in parsed.evidence {
        let path = evidence_path(folder, &table.path, named)?;
        refuse_nested(file, &path, &paths)?;
        let label = table.label.unwrap_or_else(|| short_name(&path));
        if !is_printable(&label) {
            return Err(wrong("a label with text in it and without control characters"));
        }
        if entries.iter().any(|entry| entry.label == label) {
            return Err(wrong("a label of its own for each piece of evidence"));
        }
        entries.push(EvidenceEntry { label, kind: table.kind, expected_sha256: table.sha256 });
        paths.push(path);
    }
    if entries.is_empty() {
        return Err(wrong("at least one [[evidence]]"));
    }
    let entry = CaseEntry {
        name: short_name(folder),
        title: parsed.title,
        time_zone: parsed.time_zone,
        evidence: entries,
    };
    let objectives = parsed.objectives.into_iter().map(|table| (table.agent, table.objective)).collect();
    Ok(Case { entry, paths, objectives })
}

/// The text of a case file, of which no more is read than one may have.
fn read(file: &Path, folder: &Path, named: Named) -> Result<String, CaseError> {
    let unreadable = |source| CaseError::Unreadable { path: file.to_owned(), source };
    let resolved = file.canonicalize().map_err(unreadable)?;
    refuse_outside(folder, &resolved, named)?;
    // To open a pipe would wait for whoever writes to it.
    if !resolved.metadata().map_err(unreadable)?.is_file() {
        return Err(CaseError::NotAFile { path: file.to_owned() });
    }
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(&resolved).map_err(unreadable)?;
    opened.take(MAX_CASE_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_CASE_FILE {
        return Err(CaseError::TooLong { path: file.to_owned() });
    }
    String::from_utf8(bytes).map_err(|error| unreadable(std::io::Error::new(ErrorKind::InvalidData, error)))
}

/// Where the evidence lies, symbolic links resolved.
fn evidence_path(folder: &Path, path: &Path, named: Named) -> Result<PathBuf, CaseError> {
    let path = folder.join(path);
    let path = path.canonicalize().map_err(|source| CaseError::Missing { path, source })?;
    refuse_outside(folder, &path, named)?;
    match path.is_dir() {
        true => Ok(path),
        false => Err(CaseError::NotADirectory { path }),
    }
}

fn refuse_outside(folder: &Path, resolved: &Path, named: Named) -> Result<(), CaseError> {
    match named {
        Named::Found if !resolved.starts_with(folder) => {
            Err(CaseError::Outside { folder: folder.to_owned(), outside: resolved.to_owned() })
        }
        Named::Found | Named::ByUser => Ok(()),
    }
}

fn refuse_nested(file: &Path, path: &Path, others: &[PathBuf]) -> Result<(), CaseError> {
    let nested = |inner: &Path, outer: &Path| CaseError::Nested {
        path: file.to_owned(),
        inner: inner.to_owned(),
        outer: outer.to_owned(),
    };
    for other in others {
        if path.starts_with(other) {
            return Err(nested(path, other));
        }
        if other.starts_with(path) {
            return Err(nested(other, path));
        }
    }
    Ok(())
}

/// Whether a text can be shown on one line and says something.
fn is_printable(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(char::is_control)
}

/// A folder's name with everything but ASCII letters, digits, `-`, `_` and `.` replaced by `-`.
fn short_name(folder: &Path) -> String {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let name: String = name.chars().take(64).map(plain).collect();
    match name.trim_start_matches('.') {
        "" => "case".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests write their own case files")]
mod tests {
    use super::*;

    fn case_with(text: &str) -> Result<Case, CaseError> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("evidence")).unwrap();
        std::fs::write(folder.path().join("case.toml"), text).unwrap();
        load_case(folder.path())
    }

    #[test]
    fn a_case_file_names_its_evidence() {
        let case =
            case_with("title = \"T\"\n[[evidence]]\npath = \"evidence\"\nkind = \"directory\"\n").unwrap();
        assert_eq!((case.entry.title.as_str(), case.entry.evidence[0].label.as_str()), ("T", "evidence"));
    }

    #[test]
    fn an_error_in_a_case_file_points_at_its_line() {
        let error =
            case_with("title = \"T\"\n[[evidence]]\npath = \"evidence\"\nkind = \"disc\"\n").unwrap_err();
        let CaseError::Malformed { source, .. } = error else { panic!("{error}") };
        assert!(source.to_string().contains("line 4"), "{source}");
    }

    #[test]
    fn evidence_that_is_not_there_is_named() {
        let error =
            case_with("title = \"T\"\n[[evidence]]\npath = \"gone\"\nkind = \"directory\"\n").unwrap_err();
        assert!(matches!(error, CaseError::Missing { path, .. } if path.ends_with("gone")));
    }

    #[test]
    fn a_folder_without_a_case_file_is_evidence() {
        let folder = tempfile::tempdir().unwrap();
        let evidence = folder.path().join("host one");
        std::fs::create_dir(&evidence).unwrap();
        assert_eq!(load_case(&evidence).unwrap().entry.name, "host-one");
    }
}
