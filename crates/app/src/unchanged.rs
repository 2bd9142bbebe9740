//! Whether the evidence is still what it was when its run began.
//!
//! A hash is taken once, beside the investigation: it says what the evidence was at that moment, and not that tools read the same.
//! Size, time of modification and time of inode change are therefore compared before the first and after the last look.
//! They stay out of the events, because equal copies differ in them; their digest is a circumstance of the run, by which a later process can tell that it goes on with the same evidence.
//! Reading changes neither; the time of access is left out for that reason, and the inode number because user-space file systems make it up.

use crate::case_file::Case;
use crate::platform::{Moment, changed, modified};
use crate::worker::evidence_files;
use ledger::{Digest, EvidenceKind};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

/// What the system says of each piece of evidence, in the order of the case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot(Vec<BTreeMap<PathBuf, Seen>>);

/// What the system says of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    /// A folder: what lies in it stands for itself.
    Folder,
    /// Anything else.
    Other(Stamp),
    /// It cannot be looked at, or into.
    Unreadable(io::ErrorKind),
}

/// Size in bytes; times in seconds and nanoseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    size: u64,
    modified: Moment,
    changed: Moment,
}

impl Seen {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Seen::Folder => b"folder".to_vec(),
            Seen::Unreadable(_) => b"unreadable".to_vec(),
            Seen::Other(Stamp { size, modified, changed }) => {
                let times = [modified.0, modified.1, changed.0, changed.1];
                [size.to_le_bytes()].into_iter().chain(times.map(i64::to_le_bytes)).flatten().collect()
            }
        }
    }
}

/// What came of a file while its evidence was examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It was not there before.
    Added,
    /// It is not there, or cannot be looked at, any more.
    Gone,
    /// Its size or a time differs.
    Altered,
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Change::Added => "was added",
            Change::Gone => "is gone",
            Change::Altered => "was changed",
        })
    }
}

/// A piece of evidence that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) label: String,
    /// The first file that shows it.
    pub(crate) path: PathBuf,
    pub(crate) change: Change,
}

impl Snapshot {
    /// Looks at every file of the evidence; what cannot be looked at is part of the result.
    pub(crate) fn take(case: &Case) -> Snapshot {
        let evidence = case.entry.evidence.iter().zip(&case.paths);
        Snapshot(
            evidence
                .map(|(entry, path)| match entry.kind {
                    EvidenceKind::Directory => folder(path),
                    EvidenceKind::Archive | EvidenceKind::Image => container(entry.kind, path),
                })
                .collect(),
        )
    }

    /// One digest of all, the same wherever the folder that holds the evidence lies.
    pub(crate) fn digest(&self, case: &Case) -> Digest {
        let mut parts: Vec<Vec<u8>> = vec![b"locard stamps".to_vec()];
        for (path, files) in case.paths.iter().zip(&self.0) {
            let home = path.parent().unwrap_or(path);
            parts.push(files.len().to_le_bytes().to_vec());
            for (file, seen) in files {
                parts.push(file.strip_prefix(home).unwrap_or(file).as_os_str().as_encoded_bytes().to_vec());
                parts.push(seen.bytes());
            }
        }
        Digest::of_parts(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    /// The first difference to what the evidence is `now`.
    pub(crate) fn difference(&self, now: &Snapshot, case: &Case) -> Option<Changed> {
        let pieces = self.0.iter().zip(&now.0).zip(&case.entry.evidence);
        pieces.into_iter().find_map(|((before, now), entry)| {
            let (path, change) = first_change(before, now)?;
            Some(Changed { label: entry.label.clone(), path, change })
        })
    }
}

fn first_change(
    before: &BTreeMap<PathBuf, Seen>,
    now: &BTreeMap<PathBuf, Seen>,
) -> Option<(PathBuf, Change)> {
    let lost = before.iter().find_map(|(path, seen)| match now.get(path) {
        Some(found) if found == seen => None,
        None | Some(Seen::Unreadable(_)) => Some((path.clone(), Change::Gone)),
        Some(Seen::Folder | Seen::Other(_)) => Some((path.clone(), Change::Altered)),
    });
    lost.or_else(|| {
        let added = now.keys().find(|path| !before.contains_key(*path));
        added.map(|path| (path.clone(), Change::Added))
    })
}

/// The files that contain an image or an archive.
fn container(kind: EvidenceKind, path: &Path) -> BTreeMap<PathBuf, Seen> {
    let files = evidence_files(kind, path).into_iter();
    files.map(|path| (path.clone(), seen(path.metadata()))).collect()
}

/// Everything below a folder; links are not followed.
fn folder(root: &Path) -> BTreeMap<PathBuf, Seen> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(path) = waiting.pop() {
        let mut what = seen(path.symlink_metadata());
        if what == Seen::Folder {
            match path.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>) {
                Ok(entries) => waiting.extend(entries.iter().map(std::fs::DirEntry::path)),
                Err(error) => what = Seen::Unreadable(error.kind()),
            }
        }
        found.insert(path, what);
    }
    found
}

fn seen(metadata: io::Result<Metadata>) -> Seen {
    match metadata {
        Ok(metadata) if metadata.is_dir() => Seen::Folder,
        Ok(metadata) => Seen::Other(Stamp {
            size: metadata.len(),
            modified: modified(&metadata),
            changed: changed(&metadata),
        }),
        Err(error) => Seen::Unreadable(error.kind()),
    }
}
