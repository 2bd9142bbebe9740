//! An NTFS volume as a part of the tree: its entries as nodes.

use super::directory::Child;
use super::entry::{DATA, MftEntry};
use super::reparse::{Reparse, reparse};
use super::stream::Stream;
use super::{ROOT, Volume};
use crate::deleted::DeletedSteps;
use crate::error::{NtfsDamage, ReadError};
use crate::file_system::{FileSystem, child};
use crate::path::{EvidencePath, escape_target};
use crate::read::ReadAt;
use crate::tree::{FileReference, Listing, MacbTimes, Node, NodeKind, NodeState, StreamInfo};
use crate::volume::VolumeFacts;
use crate::window::Window;
use ledger::{Defect, Gap, Time};
use std::io;

/// The files of an NTFS volume.
pub(crate) struct NtfsFiles {
    volume: Volume,
}

impl NtfsFiles {
    /// Opens the volume in `window`.
    pub(crate) fn open(window: Window) -> Result<NtfsFiles, NtfsDamage> {
        Ok(NtfsFiles { volume: Volume::open(window)? })
    }
}

impl FileSystem for NtfsFiles {
    fn name(&self) -> &'static str {
        "NTFS"
    }

    fn root(&self, volume: EvidencePath) -> Node {
        let mut node = Node::folder(volume);
        if let Ok(entry) = self.volume.entry(ROOT) {
            node.times = times(&entry);
            node.reference = Some(FileReference::Mft { entry: ROOT, sequence: entry.sequence });
            node.streams = self.streams(&node.path, &entry).map(|found| found.1).unwrap_or_default();
        }
        node
    }

    fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
        let folder = &directory.path;
        let number = number(directory)?;
        let entry = self.entry(folder, number)?;
        let names = self.volume.names(&entry).map_err(|source| damaged(folder, source))?;
        let path = || folder.as_str().to_owned();
        let mut listing = Listing::default();
        for what in names.damage {
            // The names in the damaged block are lost to us.
            listing.gaps.push(Gap { path: path(), reason: what.clone() });
            listing.defects.push(Defect { path: path(), offset: None, what });
        }
        for found in names.children {
            let node = folder.child_raw(found.name.as_bytes()).map_err(|source| {
                let source = io::Error::new(io::ErrorKind::InvalidFilename, source);
                ReadError::Io { path: folder.clone(), source }
            });
            match node.and_then(|path| self.node(path, &found)) {
                Ok(node) => listing.nodes.push(node),
                Err(error) => {
                    let reason = error.to_string();
                    if matches!(error, ReadError::Damaged { .. }) {
                        listing.defects.push(Defect { path: path(), offset: None, what: reason.clone() });
                    }
                    listing.gaps.push(Gap { path: path(), reason });
                }
            }
        }
        listing.nodes.sort_by(|a, b| a.name.cmp(&b.name));
        listing.nodes.dedup_by(|a, b| a.path == b.path && a.reference == b.reference);
        listing.gaps.sort();
        Ok(listing)
    }

    fn find(&self, folder: &Node, name: &str) -> Result<Option<Node>, ReadError> {
        if folder.kind != NodeKind::Directory {
            return Ok(None);
        }
        match self.child(&folder.path, number(folder)?, name)? {
            Some((path, child)) => self.node(path, &child).map(Some),
            None => Ok(None),
        }
    }

    fn node_at(&self, path: &EvidencePath, reference: FileReference) -> Result<Option<Node>, ReadError> {
        let FileReference::Mft { entry, sequence } = reference else { return Ok(None) };
        let child = Child { name: path.name().to_owned(), entry, sequence };
        self.node(path.clone(), &child).map(Some)
    }

    fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError> {
        let path = &node.path;
        let entry = self.entry(path, number(node)?)?;
        if stream.is_none() {
            match self.reparse(path, &entry)? {
                Reparse::Link(target) => {
                    let target = escape_target(target.as_bytes());
                    return Err(ReadError::Symlink { path: path.clone(), target });
                }
                Reparse::Elsewhere(found) => {
                    return Err(ReadError::Unsupported { path: path.clone(), found });
                }
                Reparse::Plain if entry.is_directory => {
                    return Err(ReadError::NotAFile { path: path.clone() });
                }
                Reparse::Plain => {}
            }
        }
        let data = entry.data(&self.volume, DATA, stream).map_err(|source| damaged(path, source))?;
        let none = || match stream {
            Some(stream) => ReadError::NoStream { path: path.clone(), stream: stream.to_owned() },
            None => ReadError::NotAFile { path: path.clone() },
        };
        let data = data.ok_or_else(none)?;
        if data.encrypted {
            return Err(ReadError::Unsupported { path: path.clone(), found: "an encrypted (EFS) stream" });
        }
        Ok(Box::new(Stream::new(data, self.volume.place.clone()).named(path.clone())))
    }

    fn facts(&self) -> VolumeFacts {
        VolumeFacts {
            cluster: Some(self.volume.place.cluster),
            shadow_copies: self.volume.has_shadow_copies(),
            ..VolumeFacts::default()
        }
    }

    fn deleted(&self, _volume: &EvidencePath) -> Result<DeletedSteps<'_>, ReadError> {
        Ok(Box::new(std::iter::empty()))
    }

    fn deleted_node(
        &self,
        _volume: &EvidencePath,
        _number: &str,
        _name: &str,
    ) -> Result<Option<Node>, ReadError> {
        Ok(None)
    }
}

impl NtfsFiles {
    /// The child of the folder `number` with this written name, or else the only one that differs in letter case alone.
    fn child(
        &self,
        folder: &EvidencePath,
        number: u64,
        name: &str,
    ) -> Result<Option<(EvidencePath, Child)>, ReadError> {
        let entry = self.entry(folder, number)?;
        let names = self.volume.names(&entry).map_err(|source| damaged(folder, source))?;
        let lower = name.to_lowercase();
        let mut folded = Vec::new();
        for found in names.children {
            let Ok(path) = folder.child_raw(found.name.as_bytes()) else { continue };
            if path.name() == name {
                return Ok(Some((path, found)));
            }
            if path.name().to_lowercase() == lower {
                folded.push((path, found));
            }
        }
        folded.sort_by(|a, b| a.0.cmp(&b.0));
        match folded.as_slice() {
            [] => match names.damage.first() {
                // The name may stand in the part that cannot be read.
                Some(what) => {
                    Err(ReadError::Io { path: folder.clone(), source: io::Error::other(what.clone()) })
                }
                None => Ok(None),
            },
            [only] => Ok(Some(only.clone())),
            [first, second, ..] => Err(ReadError::AmbiguousCase {
                path: child(folder, name)?,
                first: first.0.clone(),
                second: second.0.clone(),
            }),
        }
    }

    /// The node of an entry that a folder names.
    fn node(&self, path: EvidencePath, found: &Child) -> Result<Node, ReadError> {
        let entry = self.entry(&path, found.entry)?;
        let wrong = |what, expected: u16, actual: u16| {
            let (expected, actual) = (u64::from(expected), u64::from(actual));
            let source = NtfsDamage::Value { entry: found.entry, what, expected, found: actual };
            Err(damaged(&path, source))
        };
        if entry.sequence != found.sequence {
            return wrong("sequence number", found.sequence, entry.sequence);
        }
        if !entry.in_use {
            return wrong("in-use flag", 1, 0);
        }
        let (size, streams) = self.streams(&path, &entry)?;
        let kind = match self.reparse(&path, &entry)? {
            Reparse::Link(target) => NodeKind::Symlink { target: escape_target(target.as_bytes()) },
            Reparse::Elsewhere(_) | Reparse::Plain if entry.is_directory => NodeKind::Directory,
            // `$Secure` and its like hold streams and indexes only.
            Reparse::Plain if !entry.has_main_stream() => NodeKind::Other,
            Reparse::Elsewhere(_) | Reparse::Plain => NodeKind::File,
        };
        Ok(Node {
            name: path.name().to_owned(),
            name_times: None,
            links: Some(entry.links.into()),
            size: if kind == NodeKind::File { size } else { 0 },
            kind,
            times: times(&entry),
            reference: Some(FileReference::Mft { entry: entry.number, sequence: entry.sequence }),
            state: NodeState::Allocated,
            streams,
            path,
        })
    }

    /// Bytes of the main stream, and the named ones.
    fn streams(&self, path: &EvidencePath, entry: &MftEntry) -> Result<(u64, Vec<StreamInfo>), ReadError> {
        let (mut size, mut streams) = (0, Vec::new());
        for name in entry.streams() {
            let data = entry.data(&self.volume, DATA, name.as_deref());
            let Some(data) = data.map_err(|source| damaged(path, source))? else { continue };
            match name {
                Some(name) => streams.push(StreamInfo { name, size: data.size }),
                None => size = data.size,
            }
        }
        Ok((size, streams))
    }

    fn entry(&self, path: &EvidencePath, number: u64) -> Result<MftEntry, ReadError> {
        self.volume.entry(number).map_err(|source| damaged(path, source))
    }

    fn reparse(&self, path: &EvidencePath, entry: &MftEntry) -> Result<Reparse, ReadError> {
        reparse(&self.volume, entry).map_err(|source| damaged(path, source))
    }
}

fn number(node: &Node) -> Result<u64, ReadError> {
    match node.reference {
        Some(FileReference::Mft { entry, .. }) => Ok(entry),
        // The root of the volume, whose own entry is damaged.
        None if node.path.components().count() == 1 => Ok(ROOT),
        Some(FileReference::Inode(_) | FileReference::DirectoryEntry(_)) | None => {
            Err(ReadError::Absent { path: node.path.clone() })
        }
    }
}

fn damaged(path: &EvidencePath, source: NtfsDamage) -> ReadError {
    ReadError::Damaged { path: path.clone(), source: source.into() }
}

/// The times of `$STANDARD_INFORMATION`; none where the entry has none.
fn times(entry: &MftEntry) -> MacbTimes {
    let Some(found) = entry.standard_information() else { return MacbTimes::default() };
    let time = |time: ntfs_core::time::Filetime| Some(Time::from_filetime(time.0));
    MacbTimes {
        modified: time(found.modified),
        accessed: time(found.accessed),
        changed: time(found.mft_modified),
        born: time(found.created),
    }
}
