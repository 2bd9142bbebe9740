//! A volume of an image, and its entries as nodes.

use super::container::Container;
use super::kind::{FileSystem, recognise};
use super::layout::{Region, head};
use crate::error::{NtfsDamage, ReadError};
use crate::ntfs::{Child, DATA, MftEntry, ROOT, Reparse, Stream, Volume, reparse};
use crate::path::{EvidencePath, escape_target};
use crate::read::ReadAt;
use crate::tree::{FileReference, Listing, MacbTimes, Node, NodeKind, NodeState, StreamInfo};
use ledger::{Defect, Gap, Time};
use std::io;
use std::rc::Rc;

/// A partition, or a medium without any.
pub(super) struct Part {
    number: u32,
    pub(super) content: Content,
}

/// What a volume holds.
pub(super) enum Content {
    Ntfs(Box<Ntfs>),
    /// A file system that is not read yet.
    Unread(FileSystem),
    /// Its first bytes cannot be read, or it is NTFS by its boot sector and no further: why.
    Damaged(String),
}

/// An NTFS volume as a part of the tree.
pub(super) struct Ntfs {
    volume: Volume,
}

impl Part {
    pub(super) fn open(container: &Rc<Container>, number: u32, region: &Region) -> Part {
        let kind = match head(container, region.offset) {
            Ok(head) => recognise(&head),
            Err(error) => return Part { number, content: Content::Damaged(error.to_string()) },
        };
        let content = match kind {
            FileSystem::Ntfs => match Volume::open(container, region.offset, region.length) {
                Ok(volume) => Content::Ntfs(Box::new(Ntfs { volume })),
                Err(error) => Content::Damaged(error.to_string()),
            },
            FileSystem::Fat
            | FileSystem::ExFat
            | FileSystem::Ext
            | FileSystem::BitLocker
            | FileSystem::Unknown => Content::Unread(kind),
        };
        Part { number, content }
    }

    /// `p` and the number of the partition.
    pub(super) fn name(&self) -> String {
        format!("p{}", self.number)
    }

    /// The folder of the volume, with the times of its own root where it has one.
    pub(super) fn root(&self) -> Result<Node, ReadError> {
        let path = child(&EvidencePath::root(), &self.name())?;
        let mut node = super::folder(path.clone());
        if let Content::Ntfs(ntfs) = &self.content
            && let Ok(entry) = ntfs.volume.entry(ROOT)
        {
            node.times = times(&entry);
            node.reference = Some(FileReference::Mft { entry: ROOT, sequence: entry.sequence });
            node.streams = ntfs.streams(&path, &entry)?.1;
        }
        Ok(node)
    }

    /// The volume, where it is one that is read.
    pub(super) fn ntfs(&self) -> Result<&Ntfs, ReadError> {
        let unread = |found| {
            let path = child(&EvidencePath::root(), &self.name())?;
            Err(ReadError::Unsupported { path, found })
        };
        match &self.content {
            Content::Ntfs(ntfs) => Ok(ntfs),
            Content::Unread(kind) => unread(kind.describe()),
            Content::Damaged(_) => unread("a damaged file system"),
        }
    }
}

impl Ntfs {
    /// The child of the folder `number` with this written name, or else the only one that differs in letter case alone.
    pub(super) fn find(
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
    pub(super) fn node(&self, path: EvidencePath, found: &Child) -> Result<Node, ReadError> {
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
            size: if kind == NodeKind::File { size } else { 0 },
            kind,
            times: times(&entry),
            reference: Some(FileReference::Mft { entry: entry.number, sequence: entry.sequence }),
            state: NodeState::Allocated,
            streams,
            path,
        })
    }

    /// The entries of a folder; one that cannot be read is a defect and a gap.
    pub(super) fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
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
        if number == ROOT && self.volume.has_shadow_copies() {
            listing
                .gaps
                .push(Gap { path: path(), reason: "volume shadow copies are not read yet".to_owned() });
        }
        listing.nodes.sort_by(|a, b| a.name.cmp(&b.name));
        listing.nodes.dedup_by(|a, b| a.path == b.path && a.reference == b.reference);
        listing.gaps.sort();
        Ok(listing)
    }

    /// The bytes of a file or of a named stream.
    pub(super) fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError> {
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
        Some(FileReference::Inode(_)) | None => Err(ReadError::Absent { path: node.path.clone() }),
    }
}

fn damaged(path: &EvidencePath, source: NtfsDamage) -> ReadError {
    ReadError::Damaged { path: path.clone(), source }
}

fn child(folder: &EvidencePath, name: &str) -> Result<EvidencePath, ReadError> {
    folder.child(name).map_err(|source| ReadError::Io {
        path: folder.clone(),
        source: io::Error::new(io::ErrorKind::InvalidFilename, source),
    })
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
