//! Rules, indicators and lists of known files that a team supplies: this module
//! finds and reads them, and reads them again when a run resumes.
//!
//! Only a worker parses the rule files; here they are plain text.

use ledger::{BroughtFile, BroughtFrom, BroughtKind, Digest};
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;
use tools::{
    Borrowed, Broken, IndicatorFile, KnownError, KnownGood, LONGEST_INDICATORS, LONGEST_RULES, RuleFile,
    Unreadable,
};

/// The most bytes of all rules together: the limit of one request to a worker.
const MOST_BYTES: usize = 48 << 20;

/// The greatest depth of folders to search.
const DEEPEST: usize = 32;

/// Bytes to hash at a time.
const CHUNK: usize = 1 << 16;

/// The paths of third-party rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RulePaths {
    /// Sigma rule files, and folders of them.
    pub sigma: Vec<PathBuf>,
    /// Files of indicators.
    pub ioc: Vec<PathBuf>,
    /// Lists of files that are known good.
    pub known_good: Vec<PathBuf>,
}

/// Third-party rules after reading.
#[derive(Debug, Clone, Default)]
pub struct Brought {
    /// The files, as a run's log records them.
    pub files: Vec<BroughtFile>,
    /// The rules and indicators that workers receive.
    pub rules: Borrowed,
    /// Rule files that cannot be read.
    pub broken: Vec<Broken>,
    /// Indicator files that cannot be read.
    pub unreadable: Vec<Unreadable>,
    /// The paths that they were read from.
    pub paths: RulePaths,
    bytes: usize,
}

/// Why third-party rules are not available.
#[derive(Debug, Error)]
pub enum BroughtError {
    /// A file or folder that was given cannot be read.
    #[error("read the rules {}", path.display())]
    Rules {
        /// Its path.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// A list of known files cannot be read.
    #[error("use the list {}", path.display())]
    Known {
        /// Its path.
        path: PathBuf,
        /// The cause.
        #[source]
        source: KnownError,
    },
    /// A file that the run was begun with no longer exists.
    #[error("go on with the rules of the run: {name} was read when it was begun, and is not there")]
    Gone {
        /// The file.
        name: String,
    },
    /// A file that the run was begun with has changed.
    #[error("go on with the rules of the run: {name} is not what it was when the run was begun")]
    Changed {
        /// The file.
        name: String,
    },
}

/// How files are named: by the path that was typed, or without the examiner's folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// By the full path.
    Typed,
    /// By the name of the given file or folder and the path below it.
    Short,
}

impl Brought {
    /// Whether nothing was supplied.
    pub const fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the paths that the files were read from, as a circumstance of the run.
    pub(crate) fn from(&self) -> Vec<BroughtFrom> {
        let RulePaths { sigma, ioc, known_good } = &self.paths;
        let of = |kind, paths: &[PathBuf]| -> Vec<BroughtFrom> {
            let path = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
            paths.iter().map(|it| BroughtFrom { kind, path: path(it).display().to_string() }).collect()
        };
        let all = [
            of(BroughtKind::Sigma, sigma),
            of(BroughtKind::Ioc, ioc),
            of(BroughtKind::KnownGood, known_good),
        ];
        all.concat()
    }

    fn folder(&mut self, folder: &Path, name: &dyn Fn(&Path) -> String, depth: usize) -> io::Result<()> {
        let mut entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let (path, file_name) = (entry.path(), entry.file_name());
            // Links are not followed, so that nothing is read twice.
            let kind = entry.file_type()?;
            if kind.is_dir() && !file_name.to_string_lossy().starts_with('.') {
                match depth < DEEPEST {
                    true => self.folder(&path, name, depth + 1)?,
                    false => self.broke(name(&path), format!("folders are looked into {DEEPEST} deep")),
                }
            } else if kind.is_file() && is_of_rules(&path) {
                self.sigma_file(&path, name(&path), &entry.metadata()?);
            }
        }
        Ok(())
    }

    fn sigma_file(&mut self, path: &Path, name: String, metadata: &Metadata) {
        match self.text(path, metadata.len(), LONGEST_RULES) {
            Ok(text) => {
                self.known(BroughtKind::Sigma, &name, Some(&text));
                self.rules.sigma.push(RuleFile { name, text });
            }
            Err(reason) => {
                self.known(BroughtKind::Sigma, &name, None);
                self.broke(name, reason);
            }
        }
    }

    fn ioc_file(&mut self, path: &Path, name: String, metadata: &Metadata) {
        match self.text(path, metadata.len(), LONGEST_INDICATORS) {
            Ok(text) => {
                self.known(BroughtKind::Ioc, &name, Some(&text));
                self.rules.indicators.push(IndicatorFile { name, text });
            }
            Err(reason) => {
                self.known(BroughtKind::Ioc, &name, None);
                self.unreadable.push(Unreadable { file: name, line: None, reason });
            }
        }
    }

    fn known(&mut self, kind: BroughtKind, name: &str, text: Option<&String>) {
        let digest = text.map(|text| Digest::of(text.as_bytes()));
        self.files.push(BroughtFile { kind, name: name.to_owned(), digest });
    }

    fn broke(&mut self, file: String, reason: String) {
        self.broken.push(Broken { file, line: None, reason });
    }

    /// Reads the text of a file that does not exceed the limits.
    fn text(&mut self, path: &Path, length: u64, longest: usize) -> Result<String, String> {
        let room = MOST_BYTES.saturating_sub(self.bytes);
        let most = longest.min(room);
        let too_long = || match room < longest {
            true => format!("all files together have more than {MOST_BYTES} bytes"),
            false => format!("a file of the kind has {longest} bytes at most"),
        };
        if length > most as u64 {
            return Err(too_long());
        }
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|error| error.to_string())?;
        file.take(most as u64 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        if bytes.len() > most {
            return Err(too_long());
        }
        self.bytes += bytes.len();
        String::from_utf8(bytes).map_err(|error| format!("it is not UTF-8: {error}"))
    }
}

fn is_of_rules(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ending.eq_ignore_ascii_case("yml") || ending.eq_ignore_ascii_case("yaml")
}

/// Reads third-party rules; folders are read in the order of their file names. A
/// file that cannot be used is listed as broken, and the others are kept.
///
/// # Errors
///
/// Fails if a given path does not exist, a folder cannot be listed, or a list of known files cannot be read.
pub fn brought(paths: &RulePaths, naming: Naming) -> Result<Brought, BroughtError> {
    let mut brought = Brought { paths: paths.clone(), ..Brought::default() };
    for root in &paths.sigma {
        let unread = |source| BroughtError::Rules { path: root.clone(), source };
        let metadata = std::fs::metadata(root).map_err(unread)?;
        let name = |path: &Path| named(root, path, naming);
        match metadata.is_dir() {
            true => brought.folder(root, &name, 0).map_err(unread)?,
            false => brought.sigma_file(root, name(root), &metadata),
        }
    }
    for path in &paths.ioc {
        let metadata =
            std::fs::metadata(path).map_err(|source| BroughtError::Rules { path: path.clone(), source })?;
        brought.ioc_file(path, named(path, path, naming), &metadata);
    }
    for path in &paths.known_good {
        let digest = digest(path).map_err(|source| BroughtError::Rules { path: path.clone(), source })?;
        let name = named(path, path, naming);
        brought.files.push(BroughtFile { kind: BroughtKind::KnownGood, name, digest: Some(digest) });
    }
    Ok(brought)
}

/// Returns the name of a file at or below the path that was given.
fn named(root: &Path, path: &Path, naming: Naming) -> String {
    if naming == Naming::Typed {
        return path.display().to_string();
    }
    // A path such as `rules/..` has no file name.
    let whole = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let first = whole.file_name().map(Path::new).unwrap_or(Path::new(""));
    let way = path.strip_prefix(root).unwrap_or(Path::new(""));
    let parts = first.components().chain(way.components());
    parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}

/// Returns the SHA-256 of a file of any size.
fn digest(path: &Path) -> io::Result<Digest> {
    let mut file = File::open(path)?;
    let (mut digest, mut chunk) = (Sha256::new(), vec![0; CHUNK]);
    loop {
        let read = file.read(&mut chunk)?;
        if read == 0 {
            return Ok(Digest::from_bytes(digest.finalize().into()));
        }
        digest.update(chunk.get(..read).unwrap_or_default());
    }
}

/// Reads the rules of a run again from the paths that it was begun with.
/// Files that were added to a folder since are left out.
///
/// # Errors
///
/// Returns an error that names the first file that is missing or has changed.
pub(crate) fn brought_again(begun: &[BroughtFile], from: &[BroughtFrom]) -> Result<Brought, BroughtError> {
    let of = |kind: BroughtKind| -> Vec<PathBuf> {
        from.iter().filter(|from| from.kind == kind).map(|from| PathBuf::from(&from.path)).collect()
    };
    let paths = RulePaths {
        sigma: of(BroughtKind::Sigma),
        ioc: of(BroughtKind::Ioc),
        known_good: of(BroughtKind::KnownGood),
    };
    let mut now = brought(&paths, Naming::Short)?;
    let mut left = std::mem::take(&mut now.files);
    let mut wanted = HashSet::new();
    for file in begun {
        let same = |it: &BroughtFile| (it.kind, &it.name) == (file.kind, &file.name);
        let Some(place) = left.iter().position(same) else {
            return Err(BroughtError::Gone { name: file.name.clone() });
        };
        if left.remove(place).digest != file.digest {
            return Err(BroughtError::Changed { name: file.name.clone() });
        }
        wanted.insert(file.name.clone());
    }
    now.rules.sigma.retain(|file| wanted.contains(&file.name));
    now.broken.retain(|file| wanted.contains(&file.file));
    now.files = begun.to_vec();
    Ok(now)
}

/// Returns which of the `wanted` hashes the lists mark as known good; only those are kept in memory, whatever the size of the lists.
///
/// # Errors
///
/// Fails if a file cannot be read, or is not a valid list.
pub fn known_good(paths: &[PathBuf], wanted: &HashSet<String>) -> Result<KnownGood, BroughtError> {
    let mut known = KnownGood::default();
    for path in paths {
        let wrong = |source| BroughtError::Known { path: path.clone(), source };
        let file = File::open(path).map_err(|source| wrong(KnownError::Read(source)))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        known.add(&name, &mut BufReader::new(file), wanted).map_err(wrong)?;
    }
    Ok(known)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("rules/deep")).unwrap();
        std::fs::write(folder.path().join("rules/a.yml"), "title: a").unwrap();
        std::fs::write(folder.path().join("rules/deep/b.yaml"), "title: b").unwrap();
        std::fs::write(folder.path().join("rules/c.txt"), "no rule").unwrap();
        std::fs::write(folder.path().join("bad.txt"), "evil.com").unwrap();
        folder
    }

    fn paths(folder: &tempfile::TempDir) -> RulePaths {
        RulePaths {
            sigma: vec![folder.path().join("rules")],
            ioc: vec![folder.path().join("bad.txt")],
            known_good: Vec::new(),
        }
    }

    #[test]
    fn a_run_names_files_by_the_way_from_what_was_named() {
        let folder = folder();
        let brought = brought(&paths(&folder), Naming::Short).unwrap();
        let names: Vec<&str> = brought.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["rules/a.yml", "rules/deep/b.yaml", "bad.txt"]);
        assert!(brought.files.iter().all(|file| file.digest.is_some()));
    }

    #[test]
    fn a_file_that_changed_or_is_gone_is_named_and_a_new_one_is_left_out() {
        let folder = folder();
        let first = brought(&paths(&folder), Naming::Short).unwrap();
        let again = || brought_again(&first.files, &first.from());
        std::fs::write(folder.path().join("rules/new.yml"), "title: new").unwrap();
        let same = again().unwrap();
        assert_eq!(same.rules, first.rules);
        std::fs::write(folder.path().join("rules/deep/b.yaml"), "title: B").unwrap();
        assert!(matches!(again(), Err(BroughtError::Changed { name }) if name == "rules/deep/b.yaml"));
        std::fs::remove_file(folder.path().join("rules/a.yml")).unwrap();
        assert!(matches!(again(), Err(BroughtError::Gone { name }) if name == "rules/a.yml"));
    }
}
