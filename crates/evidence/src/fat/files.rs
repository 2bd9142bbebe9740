//! A FAT or exFAT volume as a part of the tree: its entries as nodes.

use super::entry::{Entry, Found};
use super::pieces::{Pieces, Stop};
use super::stream::Stream;
use super::volume::{Format, Volume};
use super::{boot, deleted, exfat_boot};
use crate::deleted::{DELETED, DeletedEntry, DeletedStep, DeletedSteps};
use crate::error::{Damage, ReadError};
use crate::file_system::{FileSystem, child};
use crate::path::EvidencePath;
use crate::read::ReadAt;
use crate::tree::{FileReference, Listing, Node, NodeKind, NodeState};
use crate::volume::VolumeFacts;
use crate::window::Window;
use ledger::{Defect, Gap};
use std::collections::HashMap;

/// The most entries and defects of one folder that are kept: FAT has at most 65,536, a 256 MiB exFAT folder millions.
const MAX_LISTED: usize = 1 << 19;

/// The files of a volume.
pub(crate) struct FatFiles {
    volume: Volume,
}

impl FatFiles {
    /// Opens the FAT12, FAT16 or FAT32 volume in `window`.
    pub(crate) fn open_fat(window: Window) -> Result<FatFiles, Damage> {
        Ok(FatFiles { volume: boot::open(window)? })
    }

    /// Opens the exFAT volume in `window`.
    pub(crate) fn open_exfat(window: Window) -> Result<FatFiles, Damage> {
        Ok(FatFiles { volume: exfat_boot::open(window)? })
    }
}

impl FileSystem for FatFiles {
    fn name(&self) -> &'static str {
        match self.volume.format {
            Format::Fat12 => "FAT12",
            Format::Fat16 => "FAT16",
            Format::Fat32 => "FAT32",
            Format::ExFat => "exFAT",
        }
    }

    fn root(&self, volume: EvidencePath) -> Node {
        Node::folder(volume)
    }

    fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
        let folder = &directory.path;
        if directory.state == NodeState::Deleted {
            let reason = "what a deleted folder held is told among the deleted entries".to_owned();
            let gaps = vec![Gap { path: folder.as_str().to_owned(), reason }];
            return Ok(Listing { gaps, ..Listing::default() });
        }
        let (pieces, mut listing) = self.folder(directory)?;
        let mut reader = Lister { volume: &self.volume, folder, firsts: HashMap::new() };
        for found in self.volume.entries(&pieces) {
            match found {
                Found::Entry(entry) if !entry.deleted => reader.entry(&entry, &mut listing),
                Found::Damage(stop) => reader.damage(stop, &mut listing),
                Found::Entry(_) | Found::Label(_) | Found::Bitmap { .. } => {}
            }
            if listing.nodes.len() + listing.defects.len() >= MAX_LISTED {
                let reason = format!("more than {MAX_LISTED} entries: the others are not listed");
                listing.gaps.push(Gap { path: folder.as_str().to_owned(), reason });
                break;
            }
        }
        listing.nodes.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listing)
    }

    fn node_at(&self, path: &EvidencePath, reference: FileReference) -> Result<Option<Node>, ReadError> {
        let FileReference::DirectoryEntry(offset) = reference else { return Ok(None) };
        let mut names = path.components();
        let (volume, first) = (names.next().unwrap_or_default(), names.next());
        let volume = child(&EvidencePath::root(), volume)?;
        let node = match self.volume.entry_at(offset) {
            // The content of a deleted folder need not be marked as deleted itself.
            Some(entry) if !entry.deleted && first != Some(DELETED) => {
                let node = path.parent().and_then(|folder| node(&folder, &entry).ok());
                node.filter(|node| node.path == *path)
            }
            Some(_) | None => None,
        };
        if let Some(node) = node {
            return Ok(Some(node));
        }
        // The name began in another cluster, or the entry is a deleted one.
        let mut node = self.root(volume.clone());
        for name in path.components().skip(1) {
            match self.find(&node, name)? {
                Some(found) => node = found,
                None if first == Some(DELETED) => {
                    return self.deleted_node(&volume, &offset.to_string(), path.name());
                }
                None => return Ok(None),
            }
        }
        Ok(Some(node).filter(|node| node.reference == Some(reference)))
    }

    fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError> {
        let path = &node.path;
        if let Some(stream) = stream {
            return Err(ReadError::NoStream { path: path.clone(), stream: stream.to_owned() });
        }
        if node.kind != NodeKind::File {
            return Err(ReadError::NotAFile { path: path.clone() });
        }
        let entry = self.entry(node)?;
        let pieces = self.volume.content(&entry);
        Ok(Box::new(Stream::new(&self.volume.clusters.window, pieces, &entry, path)))
    }

    fn facts(&self) -> VolumeFacts {
        self.volume.facts.clone()
    }

    fn deleted(&self, volume: &EvidencePath) -> Result<DeletedSteps<'_>, ReadError> {
        deleted::steps(&self.volume, volume)
    }

    fn deleted_node(
        &self,
        volume: &EvidencePath,
        number: &str,
        name: &str,
    ) -> Result<Option<Node>, ReadError> {
        let known = number.parse().ok().filter(|known: &u64| known.to_string() == number);
        let Some(offset) = known else { return Ok(None) };
        let found = self.deleted_at(volume, offset)?;
        Ok(found.map(|found| found.node).filter(|node| node.name == name))
    }
}

impl FatFiles {
    /// Finds the deleted entry at a byte of the volume, using the search for all of them: other bytes can look
    /// like an entry.
    fn deleted_at(&self, volume: &EvidencePath, offset: u64) -> Result<Option<DeletedEntry>, ReadError> {
        let reference = Some(FileReference::DirectoryEntry(offset));
        Ok(deleted::steps(&self.volume, volume)?.find_map(|step| match step {
            DeletedStep::Entry(entry) => Some(*entry).filter(|entry| entry.node.reference == reference),
            DeletedStep::Defect(_) | DeletedStep::Gap(_) => None,
        }))
    }

    /// Returns the bytes of a folder, and a listing with the damage that is already known.
    fn folder(&self, directory: &Node) -> Result<(Pieces, Listing), ReadError> {
        let mut listing = Listing::default();
        if directory.reference.is_none() && directory.path.components().count() == 1 {
            let path = || directory.path.as_str().to_owned();
            let defects = self.volume.defects.iter();
            listing.defects = defects.map(|defect| Defect { path: path(), ..defect.clone() }).collect();
            return Ok((self.volume.root_pieces(), listing));
        }
        let entry = self.entry(directory)?;
        if !entry.directory {
            return Err(ReadError::NotADirectory { path: directory.path.clone() });
        }
        Ok((self.volume.folder(&entry), listing))
    }

    /// Returns the entry of a node.
    fn entry(&self, node: &Node) -> Result<Entry, ReadError> {
        let absent = || ReadError::Absent { path: node.path.clone() };
        let offset = match node.reference {
            Some(FileReference::DirectoryEntry(offset)) => offset,
            Some(FileReference::Inode(_) | FileReference::Mft { .. }) | None => return Err(absent()),
        };
        let mut entry = match self.volume.entry_at(offset) {
            Some(entry) => entry,
            None => self.split_entry(node, offset)?.ok_or_else(absent)?,
        };
        // The content of a deleted folder is deleted with it, marked or not.
        entry.deleted |= node.state == NodeState::Deleted;
        Ok(entry)
    }

    /// Finds an entry that continues in another cluster than it begins in, through its folder.
    fn split_entry(&self, node: &Node, offset: u64) -> Result<Option<Entry>, ReadError> {
        if node.state == NodeState::Deleted {
            return Ok(deleted::entry(&self.volume, offset));
        }
        let Some(parent) = node.path.parent() else { return Ok(None) };
        let mut folder =
            self.root(child(&EvidencePath::root(), node.path.components().next().unwrap_or_default())?);
        for name in parent.components().skip(1) {
            let Some(found) = self.find(&folder, name)? else { return Ok(None) };
            folder = found;
        }
        let (pieces, _) = self.folder(&folder)?;
        Ok(self.volume.entries(&pieces).find_map(|found| match found {
            Found::Entry(entry) => Some(entry).filter(|entry| entry.offset == offset),
            Found::Label(_) | Found::Bitmap { .. } | Found::Damage(_) => None,
        }))
    }
}

/// Lists one folder.
struct Lister<'a> {
    volume: &'a Volume,
    folder: &'a EvidencePath,
    /// The first clusters seen so far, with the entries that own them.
    firsts: HashMap<u32, u64>,
}

impl Lister<'_> {
    fn defect(&self, what: String, listing: &mut Listing) {
        listing.defects.push(Defect { path: self.folder.as_str().to_owned(), offset: None, what });
    }

    /// Reports damage after which entries may be missing.
    fn damage(&self, stop: Stop, listing: &mut Listing) {
        let what = Damage::from(stop).to_string();
        // If a long name is damaged, the short one is used instead.
        if !stop.what.contains("long name") && !stop.what.starts_with("checksum") {
            listing.gaps.push(Gap { path: self.folder.as_str().to_owned(), reason: what.clone() });
        }
        self.defect(what, listing);
    }

    fn entry(&mut self, entry: &Entry, listing: &mut Listing) {
        if let Some(stop) = self.wrong(entry) {
            self.defect(Damage::from(stop).to_string(), listing);
        }
        match node(self.folder, entry) {
            Ok(node) => listing.nodes.push(node),
            Err(error) => {
                let (path, reason) = (self.folder.as_str().to_owned(), error.to_string());
                self.defect(reason.clone(), listing);
                listing.gaps.push(Gap { path, reason });
            }
        }
    }

    /// Checks an entry for impossible values, without following its chain.
    fn wrong(&mut self, entry: &Entry) -> Option<Stop> {
        let stop = |what, expected, found| Some(Stop { what, offset: entry.offset, expected, found });
        let clusters = &self.volume.clusters;
        let fat = self.volume.format != Format::ExFat;
        if entry.size == 0 && !(entry.directory && fat) {
            return None;
        }
        if clusters.offset(entry.first).is_none() {
            return stop("first cluster", "a cluster of the volume", entry.first.into());
        }
        if clusters.of(entry.size) > u64::from(clusters.count) {
            return stop("bytes of a file", "no more than the volume has", entry.size);
        }
        match self.firsts.insert(entry.first, entry.offset) {
            Some(_) => {
                stop("first cluster", "one that no other entry of the folder names", entry.first.into())
            }
            None => None,
        }
    }
}

/// Returns the node of an entry in a folder.
pub(super) fn node(folder: &EvidencePath, entry: &Entry) -> Result<Node, ReadError> {
    let path = folder.child_raw(&entry.name).map_err(|source| ReadError::Io {
        path: folder.clone(),
        source: std::io::Error::new(std::io::ErrorKind::InvalidFilename, source),
    })?;
    Ok(Node {
        kind: if entry.directory { NodeKind::Directory } else { NodeKind::File },
        size: if entry.directory { 0 } else { entry.size },
        times: entry.stamps.times(),
        reference: Some(FileReference::DirectoryEntry(entry.offset)),
        state: if entry.deleted { NodeState::Deleted } else { NodeState::Allocated },
        ..Node::folder(path)
    })
}
