//! A folder of the examiner's machine as evidence.
//!
//! Its times are those of the copy ([`Clock::CollectionCopy`]), so no event is based on them.

use crate::error::{OpenError, ReadError};
use crate::inner::is_top;
use crate::link;
use crate::path::{EvidencePath, escape_name, escape_target, unescape_name};
use crate::platform::{self, FileExt, FileFacts, Moment, name_bytes};
use crate::read::{Extent, ReadAt};
use crate::tree::{Entries, FileReference, Listing, MacbTimes, Node, NodeKind, Tree};
use ledger::{ByteSpan, Clock, Gap, Precision, Time, Utc};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;
use walkdir::WalkDir;

/// A folder laid out like the volume it was copied from.
#[derive(Debug)]
pub struct DirectoryTree {
    label: String,
    /// The root without links, resolved once when the tree was opened.
    root: PathBuf,
    /// The host paths of folders that are not links and are not below one.
    ///
    /// Each is checked once. Anyone who swaps a folder for a link meanwhile changes the evidence: the run
    /// notices at its end, and a worker cannot read anything outside the evidence.
    folders: Mutex<BTreeMap<EvidencePath, PathBuf>>,
    /// A source that knows the subfolders of a folder without reading it.
    known: Option<Known>,
}

/// Returns the written names of the entries of a folder that can be folders; `None` if that is not known.
pub type FoldersIn = dyn Fn(&EvidencePath) -> Option<Vec<String>> + Send + Sync;

struct Known(Box<FoldersIn>);

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Known")
    }
}

/// The most folders that are kept.
const MOST_FOLDERS: usize = 4096;

/// Opens the folder `root` of the examiner's machine; only `root` itself may be a symbolic link.
pub fn open_directory(root: &Path, label: &str) -> Result<DirectoryTree, OpenError> {
    let error = |source| OpenError::Io { label: label.to_owned(), path: root.to_owned(), source };
    let resolved = root.canonicalize().map_err(error)?;
    if !resolved.metadata().map_err(error)?.is_dir() {
        return Err(OpenError::NotADirectory { label: label.to_owned(), path: root.to_owned() });
    }
    Ok(DirectoryTree { label: label.to_owned(), root: resolved, folders: Mutex::default(), known: None })
}

impl DirectoryTree {
    /// Returns the same tree with subfolders known from an earlier walk: each is checked, but their parent
    /// folder is not read to find them.
    #[must_use]
    pub fn knowing(self, folders: Box<FoldersIn>) -> DirectoryTree {
        DirectoryTree { known: Some(Known(folders)), ..self }
    }
}

impl Tree for DirectoryTree {
    fn label(&self) -> &str {
        &self.label
    }

    fn node(&self, path: &EvidencePath) -> Result<Option<Node>, ReadError> {
        let mut node = examine(EvidencePath::root(), &self.root)?;
        for name in path.components() {
            match &node.kind {
                NodeKind::Directory => {}
                NodeKind::Symlink { target } => {
                    return Err(ReadError::Symlink { path: node.path, target: target.clone() });
                }
                NodeKind::File | NodeKind::Other => return Ok(None),
            }
            let Some(child) = self.find(&node.path, name)? else { return Ok(None) };
            let host = self.host(&child)?;
            node = examine(child, &host)?;
        }
        Ok(Some(node))
    }

    fn node_listed(&self, path: &EvidencePath) -> Result<Option<Node>, ReadError> {
        let host = self.checked_host(path);
        match host.and_then(|host| examine(path.clone(), &host)) {
            Ok(node) => Ok(Some(node)),
            Err(ReadError::Absent { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Resolves a link's target. One that begins with a slash is on the examiner's machine or, as in a copied
    /// volume, starts at the root of the evidence.
    fn target(&self, link: &Node) -> Option<EvidencePath> {
        let NodeKind::Symlink { target } = &link.kind else { return None };
        let root = escape_target(name_bytes(self.root.as_os_str()));
        let below = target.strip_prefix(&root).filter(|below| below.is_empty() || below.starts_with('/'));
        let target = match below {
            Some("") => "/",
            Some(below) => below,
            None => target,
        };
        link::resolved(&EvidencePath::root(), &link.path, target)
    }

    fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
        let Entries { nodes, defects, gaps, .. } = self.entries(directory)?;
        Ok(Listing { nodes: nodes.collect(), defects, gaps })
    }

    fn entries(&self, directory: &Node) -> Result<Entries<'_>, ReadError> {
        let host = self.checked_host(&directory.path)?;
        if !symlink_metadata(&host, &directory.path)?.is_dir() {
            return Err(ReadError::NotADirectory { path: directory.path.clone() });
        }
        // walkdir reports a failure to read the folder itself as an entry of depth 0.
        let entries = WalkDir::new(&host).min_depth(1).max_depth(1).follow_links(false);
        let mut found: Vec<(Box<str>, Found)> = Vec::new();
        let mut gaps = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => match listed(&directory.path, entry.file_name(), entry.path()) {
                    Ok((path, entry)) => found.push((path.name().into(), entry)),
                    Err(error) => gaps.push(gap(&directory.path, &error)),
                },
                Err(error) if error.depth() == 0 => return Err(from_walkdir(&directory.path, error)),
                Err(error) => gaps.push(gap(&directory.path, &error)),
            }
        }
        found.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        gaps.sort();
        let holds_top = found.iter().any(|(name, found)| found.kind == NodeKind::Directory && is_top(name));
        let path = directory.path.clone();
        // Each name already was part of such a path.
        let nodes =
            found.into_iter().filter_map(move |(name, found)| Some(found.node(path.child(&name).ok()?)));
        Ok(Entries { nodes: Box::new(nodes), defects: Vec::new(), gaps, holds_top })
    }

    fn folders(&self, directory: &Node) -> Result<Vec<Node>, ReadError> {
        let path = &directory.path;
        let host = self.checked_host(path)?;
        if !symlink_metadata(&host, path)?.is_dir() {
            return Err(ReadError::NotADirectory { path: path.clone() });
        }
        if let Some(names) = self.known.as_ref().and_then(|known| known.0(path)) {
            return Ok(self.those_of(path, &names));
        }
        let entries = host.read_dir().map_err(|source| ReadError::Io { path: path.clone(), source })?;
        // The type that the system returns with the name; nothing else is checked.
        let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let listed = folders.filter_map(|entry| listed(path, &entry.file_name(), &entry.path()).ok());
        let mut folders: Vec<Node> = listed.map(|(path, found)| found.node(path)).collect();
        folders.retain(|node| node.kind == NodeKind::Directory);
        folders.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(folders)
    }

    fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError> {
        let path = node.path.clone();
        if let Some(stream) = stream {
            return Err(ReadError::NoStream { path, stream: stream.to_owned() });
        }
        let host = self.checked_host(&path)?;
        match kind(&host, &symlink_metadata(&host, &path)?, &path)? {
            NodeKind::File => {}
            NodeKind::Symlink { target } => return Err(ReadError::Symlink { path, target }),
            NodeKind::Directory | NodeKind::Other => return Err(ReadError::NotAFile { path }),
        }
        let (file, length) = platform::open_itself(&host)
            .and_then(|file| file.metadata().map(|metadata| (file, metadata.len())))
            .map_err(|source| ReadError::Io { path: path.clone(), source })?;
        Ok(Box::new(FileReader { file, length, path }))
    }
}

impl DirectoryTree {
    /// Returns those entries with these names that are folders now.
    fn those_of(&self, folder: &EvidencePath, names: &[String]) -> Vec<Node> {
        let paths = names.iter().filter_map(|name| folder.child(name).ok());
        let nodes = paths.filter_map(|path| self.node_listed(&path).ok().flatten());
        let mut folders: Vec<Node> = nodes.filter(|node| node.kind == NodeKind::Directory).collect();
        folders.sort_by(|a, b| a.name.cmp(&b.name));
        folders
    }

    /// Finds the child of `directory` with this written name, or else the only one that differs in letter case alone.
    ///
    /// The folder is always listed: the machine's own file system may ignore case and would then return the
    /// spelling that was asked for.
    fn find(&self, directory: &EvidencePath, name: &str) -> Result<Option<EvidencePath>, ReadError> {
        let error = |source| ReadError::Io { path: directory.clone(), source };
        let lower = name.to_lowercase();
        let mut folded: Vec<String> = Vec::new();
        for entry in self.host(directory)?.read_dir().map_err(error)? {
            let found = escape_name(name_bytes(&entry.map_err(error)?.file_name()));
            if found == name {
                return child(directory, &found).map(Some);
            }
            if found.to_lowercase() == lower {
                folded.push(found);
            }
        }
        folded.sort();
        match folded.as_slice() {
            [] => Ok(None),
            [only] => child(directory, only).map(Some),
            [first, second, ..] => Err(ReadError::AmbiguousCase {
                path: child(directory, name)?,
                first: child(directory, first)?,
                second: child(directory, second)?,
            }),
        }
    }

    /// Returns the path on the examiner's machine.
    fn host(&self, path: &EvidencePath) -> Result<PathBuf, ReadError> {
        let mut host = self.root.clone();
        for name in path.components() {
            host.push(raw_name(path, name)?);
        }
        Ok(host)
    }

    /// The same, after checking that no folder above it is a link.
    fn checked_host(&self, path: &EvidencePath) -> Result<PathBuf, ReadError> {
        match path.parent() {
            Some(parent) => Ok(self.folder(&parent)?.join(raw_name(path, path.name())?)),
            None => Ok(self.root.clone()),
        }
    }

    /// Returns the host path of a folder, after checking that neither it nor any folder above it is a link.
    fn folder(&self, directory: &EvidencePath) -> Result<PathBuf, ReadError> {
        let folders = || self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if directory.is_root() {
            return Ok(self.root.clone());
        }
        if let Some(known) = folders().get(directory) {
            return Ok(known.clone());
        }
        let host = self.checked_host(directory)?;
        if let NodeKind::Symlink { target } = kind(&host, &symlink_metadata(&host, directory)?, directory)? {
            return Err(ReadError::Symlink { path: directory.clone(), target });
        }
        let mut folders = folders();
        if folders.len() >= MOST_FOLDERS {
            folders.clear();
        }
        folders.insert(directory.clone(), host.clone());
        Ok(host)
    }
}

/// An entry's metadata on the examiner's machine, kept small: a folder can hold a million entries.
struct Found {
    kind: NodeKind,
    size: u64,
    facts: FileFacts,
    born: Option<Moment>,
}

impl Found {
    /// Reads the metadata at `host`; `path` is for messages.
    fn at(host: &Path, path: &EvidencePath) -> Result<Found, ReadError> {
        let metadata = symlink_metadata(host, path)?;
        let kind = kind(host, &metadata, path)?;
        let size = if kind == NodeKind::File { metadata.len() } else { 0 };
        Ok(Found { kind, size, facts: platform::facts(&metadata), born: born(&metadata) })
    }

    /// Returns the node at this path.
    fn node(self, path: EvidencePath) -> Node {
        let Found { kind, size, facts, born } = self;
        let times = MacbTimes {
            modified: facts.modified.map(time),
            accessed: facts.accessed.map(time),
            changed: facts.changed.map(time),
            born: born.map(time),
        };
        let reference = facts.inode.map(FileReference::Inode);
        Node { kind, size, times, links: facts.links, reference, ..Node::folder(path) }
    }
}

fn examine(path: EvidencePath, host: &Path) -> Result<Node, ReadError> {
    Found::at(host, &path).map(|found| found.node(path))
}

/// Reads one entry of a folder of the examiner's machine.
fn listed(directory: &EvidencePath, name: &OsStr, host: &Path) -> Result<(EvidencePath, Found), ReadError> {
    let path = child(directory, &escape_name(name_bytes(name)))?;
    Found::at(host, &path).map(|found| (path, found))
}

fn child(directory: &EvidencePath, name: &str) -> Result<EvidencePath, ReadError> {
    directory.child(name).map_err(|source| ReadError::Io {
        path: directory.clone(),
        source: io::Error::new(io::ErrorKind::InvalidFilename, source),
    })
}

fn raw_name(path: &EvidencePath, name: &str) -> Result<OsString, ReadError> {
    unescape_name(name)
        .map_err(|source| io::Error::new(io::ErrorKind::InvalidFilename, source))
        .and_then(platform::from_name_bytes)
        .map_err(|source| ReadError::Io { path: path.clone(), source })
}

fn gap(path: &EvidencePath, error: &dyn std::error::Error) -> Gap {
    Gap { path: path.as_str().to_owned(), reason: error.to_string() }
}

fn from_walkdir(path: &EvidencePath, error: walkdir::Error) -> ReadError {
    let source = error.into_io_error().unwrap_or_else(|| io::Error::other("the folder holds itself"));
    ReadError::Io { path: path.clone(), source }
}

fn symlink_metadata(host: &Path, path: &EvidencePath) -> Result<Metadata, ReadError> {
    host.symlink_metadata().map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => ReadError::Absent { path: path.clone() },
        _ => ReadError::Io { path: path.clone(), source },
    })
}

fn kind(host: &Path, metadata: &Metadata, path: &EvidencePath) -> Result<NodeKind, ReadError> {
    let kind = metadata.file_type();
    if kind.is_file() {
        Ok(NodeKind::File)
    } else if kind.is_dir() {
        Ok(NodeKind::Directory)
    } else if kind.is_symlink() {
        let target = host.read_link().map_err(|source| ReadError::Io { path: path.clone(), source })?;
        Ok(NodeKind::Symlink { target: escape_target(name_bytes(target.as_os_str())) })
    } else {
        Ok(NodeKind::Other)
    }
}

fn born(metadata: &Metadata) -> Option<Moment> {
    let born = metadata.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((i64::try_from(born.as_secs()).ok()?, i64::from(born.subsec_nanos())))
}

fn time((seconds, nanoseconds): Moment) -> Time {
    Time {
        utc: Utc::from_unix_nanoseconds(i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds)),
        raw: format!("{seconds}.{nanoseconds:09}"),
        clock: Clock::CollectionCopy,
        precision: Precision::Nanosecond,
        zone: None,
    }
}

struct FileReader {
    file: File,
    length: u64,
    path: EvidencePath,
}

impl ReadAt for FileReader {
    fn len(&self) -> u64 {
        self.length
    }

    fn path(&self) -> &EvidencePath {
        &self.path
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
        // A file that grows while it is read keeps the length it had when it was opened.
        let left = usize::try_from(self.length.saturating_sub(offset)).unwrap_or(usize::MAX);
        let wanted = left.min(buffer.len());
        let buffer = buffer.get_mut(..wanted).unwrap_or_default();
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match self.file.read_at(buffer, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result.map_err(|source| ReadError::Io { path: self.path.clone(), source }),
            }
        }
    }

    fn stored_from(&mut self, offset: u64) -> u64 {
        platform::stored_from(&self.file, offset, self.length)
    }

    fn provenance(&self, span: ByteSpan) -> Vec<Extent> {
        let end = span.end().min(self.length);
        if span.offset >= end {
            return Vec::new();
        }
        let container = self.path.as_str().to_owned();
        vec![Extent { container, offset: span.offset, length: end - span.offset }]
    }
}
