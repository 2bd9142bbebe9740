//! Whether the evidence is still what it was when its run began.
//!
//! A hash is taken once, beside the investigation: it says what the evidence was at that moment, and not that tools read the same.
//! Size, time of modification and time of inode change are therefore compared before the first and after the last look; those of folders, too, because a folder can be moved away for the length of a call, or another put in its place.
//! They stay out of the events, because equal copies differ in them; their digest is a circumstance of the run, by which a later process can tell that it goes on with the same evidence.
//! Reading changes neither; the time of access is left out for that reason, and the inode number because user-space file systems make it up.

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

/// What the system says of each piece of evidence, in the order of the case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot(Vec<Vec<Entry>>);

/// A file or folder of a piece of evidence. They stand in the order of their paths, what a folder holds right behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// Its name in the folder that the last entry of a smaller depth is; the whole path of one that lies in none.
    name: Box<OsStr>,
    depth: u32,
    seen: Seen,
}

/// What the system says of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    /// A folder, with its times: one that was moved away and put back holds the same files, unchanged.
    Folder(Times),
    /// Anything else.
    Other(Stamp),
    /// It cannot be looked at, or into.
    Unreadable(io::ErrorKind),
}

/// In seconds and nanoseconds since 1970.
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
    /// What the digest is over: whatever would keep a run from being sealed also keeps a later process from going on with it.
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
    /// Whether it is the same, but for the times of a folder: whatever is added to one or removed changes these.
    fn is_as(&self, other: &Seen) -> bool {
        self == other || matches!((self, other), (Seen::Folder(_), Seen::Folder(_)))
    }
}

/// What came of a file or folder while its evidence was examined.
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

    /// One digest of all, the same wherever the folder that holds the evidence lies.
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

    /// The first difference to what the evidence is now.
    pub(crate) fn difference(&self, case: &Case) -> Option<Changed> {
        let pieces = self.0.iter().zip(&case.paths).zip(&case.entry.evidence);
        pieces.into_iter().find_map(|((before, path), entry)| {
            let (path, change) = first_change(before, entry.kind, path)?;
            Some(Changed { label: entry.label.clone(), path, change })
        })
    }
}

/// The path of one entry after the other.
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

/// The first file that is gone or altered; where there is none, the first that was added; else the first folder in which names changed for a time.
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

/// Takes an entry with its path, in the order of paths.
type Visit<'v> = dyn FnMut(&Path, Entry) -> ControlFlow<()> + 'v;

/// Shows every file of a piece of evidence.
fn look(kind: EvidenceKind, path: &Path, visit: &mut Visit<'_>) -> ControlFlow<()> {
    match kind {
        EvidenceKind::Directory => folder(path, visit),
        EvidenceKind::Archive | EvidenceKind::Image => {
            // The files that contain it.
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

/// Shows everything below a folder; links are not followed.
fn folder(root: &Path, visit: &mut Visit<'_>) -> ControlFlow<()> {
    let mut path = PathBuf::new();
    // What is left to be shown of the folders from the root down.
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

/// What lies in a folder, by name.
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
