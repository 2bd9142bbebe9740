//! Checks whether the evidence is still the same as when its run began.
//!
//! A hash is computed once, in parallel with the investigation: it describes the
//! evidence at that moment, and does not prove that tools read the same bytes.
//! The size, the modification time and the inode change time are therefore compared before the first and after the last access. Folders
//! are included, because a folder can be moved away or replaced for the duration of a call.
//! These values stay out of the events, because equal copies differ in them. Their digest is a circumstance of the run, which lets a
//! later process check that it resumes with the same evidence.
//! Reading does not change these values. The access time is left out because reading
//! changes it, and the inode number because user-space file systems invent it.

use crate::case_file::Case;
use crate::platform::{Moment, changed, modified};
use crate::worker::evidence_files;
use ledger::{Digest, EvidenceKind, PartsDigest};
use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::Metadata;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The file metadata of each piece of evidence, in the order of the case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot(Vec<Vec<Entry>>);

/// A file or folder of a piece of evidence. Entries are in the order of their paths; the contents of a folder follow it directly.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// Its name within the last preceding entry of a smaller depth; for an entry at depth 0, the whole path.
    name: Box<OsStr>,
    depth: u32,
    seen: Seen,
}

/// The metadata of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    /// A folder with its times: if it is moved away and put back, its files look unchanged.
    Folder(Times),
    /// Anything else.
    Other(Stamp),
    /// Its metadata or contents cannot be read.
    Unreadable(io::ErrorKind),
}

/// Times in seconds and nanoseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Times {
    modified: Moment,
    changed: Moment,
}

/// Size in bytes, and times.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    size: u64,
    times: Times,
}

impl Seen {
    /// Returns the bytes for the digest. A change that would prevent sealing the run also prevents resuming it in a later process.
    fn bytes(&self) -> Vec<u8> {
        match self {
            Seen::Folder(times) => [b"folder".as_slice(), &times.bytes()].concat(),
            Seen::Unreadable(_) => b"unreadable".to_vec(),
            Seen::Other(Stamp { size, times }) => [size.to_le_bytes().as_slice(), &times.bytes()].concat(),
        }
    }
}

impl Times {
    fn bytes(&self) -> Vec<u8> {
        let times = [self.modified.0, self.modified.1, self.changed.0, self.changed.1];
        times.map(i64::to_le_bytes).concat()
    }
}

impl Seen {
    /// Whether two states are equal, ignoring the times of a folder, which change whenever an entry is added or removed.
    fn is_as(&self, other: &Seen) -> bool {
        self == other || matches!((self, other), (Seen::Folder(_), Seen::Folder(_)))
    }
}

/// How a file or folder changed while its evidence was examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It did not exist before.
    Added,
    /// It no longer exists, or can no longer be read.
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

/// A piece of evidence that has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) label: String,
    /// The first file that shows the change.
    pub(crate) path: PathBuf,
    pub(crate) change: Change,
}

impl Snapshot {
    /// Reads the metadata of every file of the evidence; unreadable entries are part of the result.
    pub(crate) fn take(case: &Case) -> Snapshot {
        let evidence = case.entry.evidence.iter().zip(&case.paths);
        Snapshot(
            evidence
                .map(|(entry, path)| {
                    let mut entries = Vec::new();
                    let _ = look(entry.kind, path, &mut |_, entry| {
                        entries.push(entry);
                        ControlFlow::Continue(())
                    });
                    entries.shrink_to_fit();
                    entries
                })
                .collect(),
        )
    }

    /// Returns one digest of everything; it does not depend on the location of the folder that contains the evidence.
    pub(crate) fn digest(&self, case: &Case) -> Digest {
        let mut digest = PartsDigest::default();
        digest.add(b"locard stamps");
        for (path, entries) in case.paths.iter().zip(&self.0) {
            let home = path.parent().unwrap_or(path);
            digest.add(&entries.len().to_le_bytes());
            let mut at = Cursor::default();
            for entry in entries {
                let file = at.enter(entry);
                digest.add(file.strip_prefix(home).unwrap_or(file).as_os_str().as_encoded_bytes());
                digest.add(&entry.seen.bytes());
            }
        }
        digest.finish()
    }

    /// Returns the first difference from the present state of the evidence.
    pub(crate) fn difference(&self, case: &Case) -> Option<Changed> {
        let pieces = self.0.iter().zip(&case.paths).zip(&case.entry.evidence);
        pieces.into_iter().find_map(|((before, path), entry)| {
            let (path, change) = first_change(before, entry.kind, path)?;
            Some(Changed { label: entry.label.clone(), path, change })
        })
    }
}

/// Tracks the path of one entry after the other.
#[derive(Default)]
struct Cursor(PathBuf, u32);

impl Cursor {
    fn enter(&mut self, entry: &Entry) -> &Path {
        while self.1 > entry.depth {
            self.0.pop();
            self.1 -= 1;
        }
        match entry.depth {
            0 => self.0 = PathBuf::from(&*entry.name),
            _ => self.0.push(&*entry.name),
        }
        self.1 = entry.depth + 1;
        &self.0
    }
}

/// Returns the first file that is gone or altered; otherwise the first that was added; otherwise the first folder whose times changed.
fn first_change(before: &[Entry], kind: EvidenceKind, path: &Path) -> Option<(PathBuf, Change)> {
    let mut rest = before.iter();
    let mut at = Cursor::default();
    let mut expected = rest.next().map(|entry| (at.enter(entry).to_owned(), &entry.seen));
    let (mut lost, mut added, mut stirred) = (None, None, None);
    let flow = look(kind, path, &mut |found, Entry { seen, .. }| {
        let order = expected.as_ref().map(|(path, _)| match path.as_os_str() == found.as_os_str() {
            true => Ordering::Equal,
            false => path.as_path().cmp(found),
        });
        match (order, &expected) {
            (Some(Ordering::Less), Some((path, _))) => lost = Some((path.clone(), Change::Gone)),
            (Some(Ordering::Equal), Some((path, before))) if !before.is_as(&seen) => {
                let is_there = matches!(seen, Seen::Folder(_) | Seen::Other(_));
                lost = Some((path.clone(), if is_there { Change::Altered } else { Change::Gone }));
            }
            (Some(Ordering::Equal), Some((path, before))) => {
                if **before != seen {
                    stirred.get_or_insert_with(|| (path.clone(), Change::Altered));
                }
                expected = rest.next().map(|entry| (at.enter(entry).to_owned(), &entry.seen));
            }
            _ => {
                added.get_or_insert_with(|| (found.to_owned(), Change::Added));
            }
        }
        if lost.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if flow.is_continue() {
        lost = expected.map(|(path, _)| (path, Change::Gone));
    }
    lost.or(added).or(stirred)
}

/// Receives each entry with its path, in the order of paths.
type Visit<'v> = dyn FnMut(&Path, Entry) -> ControlFlow<()> + 'v;

/// Visits every file of a piece of evidence.
fn look(kind: EvidenceKind, path: &Path, visit: &mut Visit<'_>) -> ControlFlow<()> {
    match kind {
        EvidenceKind::Directory => folder(path, visit),
        EvidenceKind::Archive | EvidenceKind::Image => {
            // The files of the container.
            let mut files = evidence_files(kind, path);
            files.sort();
            files.dedup();
            files.into_iter().try_for_each(|path| {
                let entry = Entry { name: path.as_os_str().into(), depth: 0, seen: seen(path.metadata()) };
                visit(&path, entry)
            })
        }
    }
}

/// Visits everything below a folder; does not follow links.
fn folder(root: &Path, visit: &mut Visit<'_>) -> ControlFlow<()> {
    let mut path = PathBuf::new();
    // The entries still to visit, for each folder on the path from the root.
    let mut open = vec![vec![(OsString::from(root), seen(root.symlink_metadata()))].into_iter()];
    while let Some(rest) = open.last_mut() {
        let Some((name, mut what)) = rest.next() else {
            open.pop();
            path.pop();
            continue;
        };
        path.push(&name);
        let mut below = None;
        if matches!(what, Seen::Folder(_)) {
            match listed(&path) {
                Ok(entries) => below = Some(entries.into_iter()),
                Err(error) => what = Seen::Unreadable(error.kind()),
            }
        }
        let depth = u32::try_from(open.len() - 1).unwrap_or(u32::MAX);
        visit(&path, Entry { name: name.into_boxed_os_str(), depth, seen: what })?;
        match below {
            Some(below) => open.push(below),
            None => {
                path.pop();
            }
        }
    }
    ControlFlow::Continue(())
}

/// Returns the entries of a folder, sorted by name.
fn listed(folder: &Path) -> io::Result<Vec<(OsString, Seen)>> {
    let entries =
        folder.read_dir()?.map(|entry| entry.map(|entry| (entry.file_name(), seen(entry.metadata()))));
    let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
    entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    Ok(entries)
}

fn seen(metadata: io::Result<Metadata>) -> Seen {
    match metadata {
        Ok(metadata) if metadata.is_dir() => Seen::Folder(times(&metadata)),
        Ok(metadata) => Seen::Other(Stamp { size: metadata.len(), times: times(&metadata) }),
        Err(error) => Seen::Unreadable(error.kind()),
    }
}

fn times(metadata: &Metadata) -> Times {
    Times { modified: modified(metadata), changed: changed(metadata) }
}
