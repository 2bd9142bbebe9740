//! Cases: a folder with `case.toml`, or evidence given by its path alone.

mod error;

pub use error::{CaseError, NoEvidence};

use crate::place::{line, nearest};
use ledger::{CaseEntry, Digest, EvidenceEntry, EvidenceKind, Objective};
use serde::Deserialize;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A case on this machine.
#[derive(Debug, Clone)]
pub struct Case {
    /// The part that the run records.
    pub entry: CaseEntry,
    /// The path of each piece of evidence, in the order of the entry.
    pub paths: Vec<PathBuf>,
    /// Objectives that the case adds, with the name of their agent.
    pub objectives: Vec<(String, Objective)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    title: Spanned<String>,
    time_zone: Option<Spanned<String>>,
    evidence: Spanned<Vec<EvidenceTable>>,
    #[serde(default)]
    objectives: Vec<ObjectiveTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EvidenceTable {
    path: Spanned<PathBuf>,
    label: Option<Spanned<String>>,
    kind: EvidenceKind,
    sha256: Option<Digest>,
    #[serde(default)]
    in_place: Vec<Spanned<String>>,
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

/// How a case file was identified.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// The user named it: it may refer to evidence anywhere.
    ByUser,
    /// It was found in a folder by its name: it may be part of the evidence, and must not lead out of its folder.
    Found,
}

/// Opens the case at `path`: a folder with `case.toml`, that file itself, a folder of evidence, an archive, or a disk image.
///
/// A `case.toml` that was only found in a folder may have been written by whoever made the evidence.
/// Everything that it refers to must therefore be inside that folder, after symbolic links are resolved.
pub fn load_case(path: &Path) -> Result<Case, CaseError> {
    let missing = |source| CaseError::Missing { path: path.to_owned(), source };
    let absolute = path.canonicalize().map_err(missing)?;
    if !absolute.is_dir() {
        return match absolute.file_name().is_some_and(|name| name == CASE_FILE) {
            true => from_file(&absolute, Named::ByUser),
            false => match kind_of(&absolute).map_err(missing)? {
                Some(kind) => Ok(from_evidence(&absolute, kind)),
                None => {
                    let because = no_evidence(&absolute);
                    Err(CaseError::NoEvidence { path: path.to_owned(), because })
                }
            },
        };
    }
    let file = absolute.join(CASE_FILE);
    // A dangling link counts as a case file that cannot be read, not as a folder without a case file.
    match file.symlink_metadata() {
        Ok(_) => from_file(&file, Named::Found),
        Err(error) if error.kind() == ErrorKind::NotFound => match only_containers(&absolute) {
            Some(first) => Err(CaseError::OnlyContainers { path: path.to_owned(), first }),
            None => Ok(from_evidence(&absolute, EvidenceKind::Directory)),
        },
        Err(source) => Err(CaseError::Unreadable { path: file, source }),
    }
}

/// The name of a case file.
pub(crate) const CASE_FILE: &str = "case.toml";

/// Returns the kind of the evidence at `path`, by its content; `None` for a file that is neither an archive nor a disk image.
pub(crate) fn kind_of(path: &Path) -> std::io::Result<Option<EvidenceKind>> {
    let metadata = path.metadata()?;
    if metadata.is_dir() {
        return Ok(Some(EvidenceKind::Directory));
    }
    // Opening a pipe would block until something writes to it.
    if !metadata.is_file() {
        return Ok(None);
    }
    // An archive has a signature; the first bytes of an image are boot code, which can be anything.
    if tools::is_archive(path)? {
        return Ok(Some(EvidenceKind::Archive));
    }
    Ok(tools::is_image(path)?.then_some(EvidenceKind::Image))
}

/// Returns why [`kind_of`] found no kind for `path`.
pub(crate) fn no_evidence(path: &Path) -> NoEvidence {
    match path.metadata() {
        Ok(metadata) if !metadata.is_file() => NoEvidence::NotRegular,
        Ok(metadata) if metadata.len() == 0 => NoEvidence::Empty,
        Ok(_) | Err(_) => NoEvidence::Unknown,
    }
}

/// The most files of a folder of images; a folder with more counts as evidence itself.
const MAX_LOOKED_AT: usize = 1000;

/// The largest text file that an acquisition tool writes next to an image, in bytes.
const MOST_TEXT: u64 = 64 << 10;

/// Returns the first image or archive of a folder that holds only images,
/// archives and the files that acquisition tools write next to them.
///
/// Such a folder is useless as evidence, because files inside it are not opened as images.
fn only_containers(folder: &Path) -> Option<PathBuf> {
    let entries: Vec<_> = folder.read_dir().ok()?.take(MAX_LOOKED_AT + 1).collect::<Result<_, _>>().ok()?;
    let mut paths: Vec<_> = entries.iter().map(std::fs::DirEntry::path).collect();
    if paths.len() > MAX_LOOKED_AT || paths.iter().any(|path| !path.is_file()) {
        return None;
    }
    paths.sort();
    let of_container = |path: &PathBuf| match kind_of(path) {
        // A compressed text is not an archive: an exported log is read in place.
        _ if path.file_name().is_some_and(|name| tools::names_a_compressed_text(&name.to_string_lossy())) => {
            false
        }
        Ok(Some(EvidenceKind::Archive | EvidenceKind::Image)) => true,
        Ok(Some(EvidenceKind::Directory) | None) | Err(_) => false,
    };
    let first = paths.iter().find(|path| of_container(path))?.clone();
    let segments = tools::image_files(&first);
    let beside = |path: &PathBuf| {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        let written = ["txt", "log", "csv", "json", "xml", "md5", "sha1", "sha256"];
        // A larger file may be evidence itself, such as an exported log.
        let is_small = path.metadata().is_ok_and(|file| file.len() <= MOST_TEXT);
        is_small && written.iter().any(|known| extension == *known)
    };
    paths.iter().all(|path| segments.contains(path) || of_container(path) || beside(path)).then_some(first)
}

fn from_evidence(folder: &Path, kind: EvidenceKind) -> Case {
    let (label, name) = (short_name(folder), known_as(folder));
    let evidence = vec![EvidenceEntry { label, kind, expected_sha256: None, in_place: Vec::new() }];
    let entry = CaseEntry { title: name.clone(), name, time_zone: utc(), evidence };
    Case { entry, paths: vec![folder.to_owned()], objectives: Vec::new() }
}

/// Returns the name of the evidence: of a folder called `evidence`, the name of its parent.
pub(crate) fn known_as(folder: &Path) -> String {
    match (short_name(folder), folder.parent()) {
        (name, Some(parent)) if name == "evidence" => short_name(parent),
        (name, _) => name,
    }
}

fn from_file(file: &Path, named: Named) -> Result<Case, CaseError> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let text = read(file, folder, named)?;
    let parsed: CaseFile = toml::from_str(&text)
        .map_err(|source| CaseError::Malformed { path: file.to_owned(), source: Box::new(source) })?;
    let place = Place { file, folder, text: &text, named };
    let title = place.printable(parsed.title, "a title with text in it and without control characters")?;
    let time_zone = parsed.time_zone.map(|zone| place.time_zone(zone)).transpose()?;
    let none = place.wrong(&parsed.evidence, "at least one [[evidence]]", "none".to_owned());
    let (evidence, paths) = place.evidence(parsed.evidence.into_inner())?;
    if evidence.is_empty() {
        return Err(none);
    }
    let time_zone = time_zone.unwrap_or_else(utc);
    let entry = CaseEntry { name: short_name(folder), title, time_zone, evidence };
    let objectives = parsed.objectives.into_iter().map(|table| (table.agent, table.objective)).collect();
    Ok(Case { entry, paths, objectives })
}

/// A case file, for error messages that name its lines.
struct Place<'a> {
    file: &'a Path,
    folder: &'a Path,
    text: &'a str,
    named: Named,
}

impl Place<'_> {
    fn line<T>(&self, of: &Spanned<T>) -> usize {
        line(self.text, of.span().start)
    }

    fn wrong<T>(&self, of: &Spanned<T>, expected: &'static str, found: String) -> CaseError {
        CaseError::Content { path: self.file.to_owned(), line: self.line(of), expected, found }
    }

    fn printable(&self, text: Spanned<String>, expected: &'static str) -> Result<String, CaseError> {
        match is_printable(text.get_ref()) {
            true => Ok(text.into_inner()),
            false => Err(self.wrong(&text, expected, format!("{:?}", text.get_ref()))),
        }
    }

    fn time_zone(&self, zone: Spanned<String>) -> Result<String, CaseError> {
        let database = jiff::tz::TimeZoneDatabase::bundled();
        if database.get(zone.get_ref()).is_ok() {
            return Ok(zone.into_inner());
        }
        let names: Vec<String> = database.available().map(|name| name.to_string()).collect();
        let nearest = nearest(zone.get_ref(), names.iter().map(String::as_str)).map(str::to_owned);
        let line = self.line(&zone);
        Err(CaseError::TimeZone { path: self.file.to_owned(), line, found: zone.into_inner(), nearest })
    }

    fn evidence(&self, tables: Vec<EvidenceTable>) -> Result<(Vec<EvidenceEntry>, Vec<PathBuf>), CaseError> {
        let mut entries: Vec<EvidenceEntry> = Vec::new();
        let mut paths = Vec::new();
        for table in tables {
            let path = self.evidence_path(&table.path, table.kind)?;
            self.refuse_nested(&table.path, &path, &paths)?;
            let named = |label: &str| entries.iter().any(|entry| entry.label == label);
            let own = "a label of its own for each piece of evidence";
            let label = match table.label {
                Some(label) if named(label.get_ref()) => {
                    return Err(self.wrong(&label, own, format!("{:?} again", label.get_ref())));
                }
                Some(label) => {
                    self.printable(label, "a label with text in it and without control characters")?
                }
                None => short_name(&path),
            };
            if named(&label) {
                return Err(self.wrong(&table.path, own, format!("{label:?} again, from the folder's name")));
            }
            let in_place = self.in_place(table.in_place, table.kind, &path)?;
            entries.push(EvidenceEntry { label, kind: table.kind, expected_sha256: table.sha256, in_place });
            paths.push(path);
        }
        Ok((entries, paths))
    }

    /// Checks the paths that the case file declares as the host's own; in a folder they must exist.
    fn in_place(
        &self,
        paths: Vec<Spanned<String>>,
        kind: EvidenceKind,
        evidence: &Path,
    ) -> Result<Vec<String>, CaseError> {
        let mut all = Vec::new();
        for path in paths {
            if self.named == Named::Found {
                // Otherwise the maker of the evidence would vouch for it.
                let expected =
                    "no in_place in a case file that was only found in a folder: name the file itself";
                return Err(self.wrong(&path, expected, format!("{:?}", path.get_ref())));
            }
            let path =
                Spanned::new(path.span(), path.get_ref().replace('\\', "/").trim_matches('/').to_owned());
            let path_is_below = !path.get_ref().split('/').any(|part| ["", ".", ".."].contains(&part));
            let is_there = kind != EvidenceKind::Directory || evidence.join(path.get_ref()).exists();
            if !path_is_below || !is_there {
                let expected = "the path of a file or folder of the evidence, from its root";
                return Err(self.wrong(&path, expected, format!("{:?}", path.get_ref())));
            }
            all.push(self.printable(path, "a path without control characters")?);
        }
        Ok(all)
    }

    /// Returns the path of the evidence with symbolic links resolved.
    fn evidence_path(&self, path: &Spanned<PathBuf>, kind: EvidenceKind) -> Result<PathBuf, CaseError> {
        let evidence = self.folder.join(path.get_ref());
        let resolved = evidence.canonicalize().map_err(|source| CaseError::EvidenceMissing {
            path: self.file.to_owned(),
            line: self.line(path),
            evidence,
            source,
        })?;
        refuse_outside(self.folder, &resolved, self.named, Some(self.line(path)))?;
        let (expected, fits) = match kind {
            EvidenceKind::Archive => (
                "the path of an archive (zip, 7z, tar, tar.gz, tar.zst)",
                kind_of(&resolved).ok().flatten() == Some(kind),
            ),
            EvidenceKind::Directory => ("the path of a folder", resolved.is_dir()),
            EvidenceKind::Image => (
                "the path of a disk image (raw, split raw, E01, VMDK, VHDX, VHD, QCOW2)",
                kind_of(&resolved).ok().flatten() == Some(kind),
            ),
        };
        match fits {
            true => Ok(resolved),
            false => {
                let found = resolved.display();
                Err(self.wrong(
                    path,
                    expected,
                    match no_evidence(&resolved) {
                        NoEvidence::Empty => format!("{found}, which is empty"),
                        NoEvidence::NotRegular if !resolved.is_dir() => {
                            format!("{found}, which is no regular file")
                        }
                        NoEvidence::NotRegular | NoEvidence::Unknown => format!("{found}"),
                    },
                ))
            }
        }
    }

    fn refuse_nested(&self, at: &Spanned<PathBuf>, path: &Path, others: &[PathBuf]) -> Result<(), CaseError> {
        let nested = |inner: &Path, outer: &Path| CaseError::Nested {
            path: self.file.to_owned(),
            line: self.line(at),
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
}

/// Reads a case file, but not more than its maximum length.
fn read(file: &Path, folder: &Path, named: Named) -> Result<String, CaseError> {
    let unreadable = |source| CaseError::Unreadable { path: file.to_owned(), source };
    let resolved = file.canonicalize().map_err(unreadable)?;
    refuse_outside(folder, &resolved, named, None)?;
    // Opening a pipe would block until something writes to it.
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

fn refuse_outside(
    folder: &Path,
    resolved: &Path,
    named: Named,
    line: Option<usize>,
) -> Result<(), CaseError> {
    match named {
        Named::Found if !resolved.starts_with(folder) => {
            Err(CaseError::Outside { folder: folder.to_owned(), line, outside: resolved.to_owned() })
        }
        Named::Found | Named::ByUser => Ok(()),
    }
}

/// Whether a text fits on one line and is not blank.
pub(crate) fn is_printable(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(char::is_control)
}

/// Returns a folder's name with everything but ASCII letters, digits, `-`, `_` and `.` replaced by `-`.
pub(crate) fn short_name(folder: &Path) -> String {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let name: String = name.chars().take(64).map(plain).collect();
    match name.trim_start_matches('.') {
        "" => "case".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests;
