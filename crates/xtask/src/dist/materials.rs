//! The contents to pack for one target, independent of the format.

use super::target::Target;
use super::{DistError, error};
use std::fs;
use std::path::Path;

/// A file to pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its path, with `/` between folders.
    pub(super) path: String,
    /// Its permissions.
    pub(super) mode: u32,
    pub(super) bytes: Vec<u8>,
}

impl Entry {
    /// Creates a file that everybody may read.
    pub(super) fn plain(path: &str, bytes: impl Into<Vec<u8>>) -> Entry {
        Entry { path: path.to_owned(), mode: 0o644, bytes: bytes.into() }
    }

    /// Creates a file that everybody may execute.
    pub(super) fn program(path: &str, bytes: impl Into<Vec<u8>>) -> Entry {
        Entry { path: path.to_owned(), mode: 0o755, bytes: bytes.into() }
    }
}

/// Everything to pack for one target.
#[derive(Debug, Clone)]
pub(super) struct Materials {
    pub(super) version: &'static str,
    pub(super) target: Target,
    /// The time of every file, in seconds.
    pub(super) time: u64,
    pub(super) program: Vec<u8>,
    /// Manual pages in `man/`, completions in `completions/`.
    pub(super) written: Vec<Entry>,
    /// The licences of everything that is linked.
    pub(super) licences: String,
    /// Files of the workspace, by their paths in it.
    pub(super) shipped: Vec<Entry>,
}

/// The files and folders of the workspace that are shipped.
const SHIPPED: [&str; 7] =
    ["ARCHITECTURE.md", "CHANGELOG.md", "Containerfile", "LICENSE", "README.md", "cases/demo", "docs"];

/// Reads the shipped files.
pub(super) fn shipped(root: &Path) -> Result<Vec<Entry>, DistError> {
    let mut entries = Vec::new();
    for path in SHIPPED {
        gather(&root.join(path), path, &mut entries)?;
    }
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(entries)
}

fn gather(place: &Path, path: &str, entries: &mut Vec<Entry>) -> Result<(), DistError> {
    if !place.is_dir() {
        entries.push(Entry::plain(path, fs::read(place).map_err(error::reading(place))?));
        return Ok(());
    }
    for entry in fs::read_dir(place).map_err(error::reading(place))? {
        let entry = entry.map_err(error::reading(place))?;
        gather(&entry.path(), &format!("{path}/{}", entry.file_name().to_string_lossy()), entries)?;
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns small materials, for tests of the formats.
    pub(in crate::dist) fn small() -> Materials {
        Materials {
            version: "1.2.3",
            target: Target::X86_64,
            time: 1_700_000_000,
            program: b"\x7fELF".to_vec(),
            written: vec![
                Entry::plain("man/locard.1", b".TH locard 1".as_slice()),
                Entry::plain("completions/locard.bash", b"complete".as_slice()),
                Entry::plain("completions/_locard", b"#compdef".as_slice()),
                Entry::plain("completions/locard.fish", b"complete -c".as_slice()),
            ],
            licences: "licences\n".to_owned(),
            shipped: ["CHANGELOG.md", "LICENSE", "README.md", "cases/demo/case.toml", "docs/view.md"]
                .map(|path| Entry::plain(path, path.as_bytes()))
                .to_vec(),
        }
    }

    #[test]
    fn what_readers_need_is_shipped_and_the_demo_with_it() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let entries = shipped(&root).unwrap();
        for path in ["LICENSE", "README.md", "Containerfile", "cases/demo/case.toml", "docs/releasing.md"] {
            assert!(entries.iter().any(|entry| entry.path == path && !entry.bytes.is_empty()), "{path}");
        }
        assert!(entries.is_sorted_by(|one, other| one.path < other.path));
    }
}
