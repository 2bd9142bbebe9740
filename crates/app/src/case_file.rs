//! Cases: a folder with `case.toml`, or evidence given by its path alone.

use ledger::{CaseEntry, Digest, EvidenceEntry, EvidenceKind, Objective};
use serde::Deserialize;
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
    /// `case.toml` names no evidence, or the same label twice.
    #[error("read {}: expected {expected}", path.display())]
    Evidence {
        /// The file.
        path: PathBuf,
        /// What should stand there.
        expected: &'static str,
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

/// Opens the case at `path`: a folder with `case.toml`, that file itself, or a folder of evidence.
pub fn load_case(path: &Path) -> Result<Case, CaseError> {
    let missing = |source| CaseError::Missing { path: path.to_owned(), source };
    let absolute = path.canonicalize().map_err(missing)?;
    let file = match absolute.is_dir() {
        true => absolute.join("case.toml"),
        false if absolute.file_name().is_some_and(|name| name == "case.toml") => absolute.clone(),
        false => return Err(CaseError::NotADirectory { path: path.to_owned() }),
    };
    match file.exists() {
        true => from_file(&file),
        false => Ok(from_evidence(&absolute)),
    }
}

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

fn from_file(file: &Path) -> Result<Case, CaseError> {
    let text = std::fs::read_to_string(file)
        .map_err(|source| CaseError::Unreadable { path: file.to_owned(), source })?;
    let parsed: CaseFile = toml::from_str(&text)
        .map_err(|source| CaseError::Malformed { path: file.to_owned(), source: Box::new(source) })?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut entries: Vec<EvidenceEntry> = Vec::new();
    let mut paths = Vec::new();
    for table in parsed.evidence {
        let path = folder.join(&table.path);
        let path = path.canonicalize().map_err(|source| CaseError::Missing { path, source })?;
        if !path.is_dir() {
            return Err(CaseError::NotADirectory { path });
        }
        let label = table.label.unwrap_or_else(|| short_name(&path));
        if entries.iter().any(|entry| entry.label == label) {
            let expected = "a label of its own for each piece of evidence";
            return Err(CaseError::Evidence { path: file.to_owned(), expected });
        }
        entries.push(EvidenceEntry { label, kind: table.kind, expected_sha256: table.sha256 });
        paths.push(path);
    }
    if entries.is_empty() {
        let expected = "at least one [[evidence]]";
        return Err(CaseError::Evidence { path: file.to_owned(), expected });
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
