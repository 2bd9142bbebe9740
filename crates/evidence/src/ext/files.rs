//! An ext volume as a part of the tree: its inodes as nodes.

use super::bytes::u32_at;
use super::content::target;
use super::deleted;
use super::directory::{Entry, Names, Wanted, names};
use super::inode::{Inode, InodeKind};
use super::recovery::Bitmaps;
use super::stream::Stream;
use super::{ROOT, Volume};
use crate::deleted::{DELETED, DeletedSteps};
use crate::error::{Damage, ReadError};
use crate::file_system::{FileSystem, child};
use crate::path::{EvidencePath, escape_name, escape_target};
use crate::read::ReadAt;
use crate::tree::{FileReference, Listing, Node, NodeKind, NodeState};
use crate::volume::VolumeFacts;
use crate::window::Window;
use ledger::{Clock, Defect, Gap, Precision, Time, Utc};
use std::cell::OnceCell;
use std::collections::HashSet;
use std::io;
use std::rc::Rc;

/// The files of an ext2, ext3 or ext4 volume.
pub(crate) struct ExtFiles {
    pub(super) volume: Rc<Volume>,
    /// The names of deleted entries, once they were needed.
    pub(super) traces: OnceCell<deleted::Traces>,
    pub(super) bitmaps: Bitmaps,
}

impl ExtFiles {
    /// Opens the volume in `window`.
    pub(crate) fn open(window: Window) -> Result<ExtFiles, Damage> {
        let volume = Rc::new(Volume::open(window)?);
        Ok(ExtFiles { volume, traces: OnceCell::new(), bitmaps: Bitmaps::default() })
    }
}

impl FileSystem for ExtFiles {
    fn name(&self) -> &'static str {
        self.volume.superblock.name()
    }

    fn root(&self, volume: EvidencePath) -> Node {
        let mut node = Node::folder(volume);
        node.reference = Some(FileReference::Inode(ROOT));
        if let Ok(inode) = self.volume.inode(ROOT) {
            node.times = inode.times();
            node.links = Some(inode.links.into());
        }
        node
    }

    fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
        let folder = &directory.path;
        if directory.state == NodeState::Deleted {
            let found = "the content of a deleted folder; its entries are among the deleted ones";
            return Err(ReadError::Unsupported { path: folder.clone(), found });
        }
        let (inode, found) = self.folder(directory)?;
        let mut listing = Listing::default();
        if inode.number == ROOT {
            self.tell_volume(folder, &mut listing);
            self.tell_inode(folder, &inode, &mut listing);
        }
        tell_names(folder, &found, &mut listing);
        self.list(folder, &inode, found.entries, &mut listing);
        listing.nodes.sort_by(|a, b| a.name.cmp(&b.name));
        listing.gaps.sort();
        Ok(listing)
    }

    fn find(&self, folder: &Node, name: &str) -> Result<Option<Node>, ReadError> {
        if folder.kind != NodeKind::Directory {
            return Ok(None);
        }
        let (_, found) = self.folder(folder)?;
        match self.choose(&folder.path, name, &found)? {
            Some((path, number)) => self.node(path, number).map(Some),
            None => Ok(None),
        }
    }

    fn node_at(&self, path: &EvidencePath, reference: FileReference) -> Result<Option<Node>, ReadError> {
        let FileReference::Inode(number) = reference else { return Ok(None) };
        let names: Vec<_> = path.components().collect();
        match names.as_slice() {
            [volume, deleted, of, name] if *deleted == DELETED && *of == number.to_string() => {
                self.deleted_node(&child(&EvidencePath::root(), volume)?, of, name)
            }
            _ => self.node(path.clone(), number).map(Some),
        }
    }

    fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError> {
        let path = node.path.clone();
        if let Some(stream) = stream {
            return Err(ReadError::NoStream { path, stream: stream.to_owned() });
        }
        match &node.kind {
            NodeKind::File => {}
            NodeKind::Symlink { target } => return Err(ReadError::Symlink { path, target: target.clone() }),
            NodeKind::Directory | NodeKind::Other => return Err(ReadError::NotAFile { path }),
        }
        // A deleted name whose inode is no longer its own has no bytes to read.
        let number = node.reference.ok_or_else(|| ReadError::NotAFile { path: path.clone() });
        let inode = self.inode(&path, self.number(&path, number?)?)?;
        if inode.kind != Some(InodeKind::File) {
            return Err(ReadError::NotAFile { path });
        }
        let found = match (inode.is_encrypted(), inode.is_compressed()) {
            (true, _) => "an encrypted (fscrypt) file",
            (false, true) => "a compressed (e2compr) file",
            (false, false) => {
                let stream = Stream::new(&self.volume, &inode, path.clone());
                return Ok(Box::new(stream.map_err(|source| ReadError::Damaged { path, source })?));
            }
        };
        Err(ReadError::Unsupported { path, found })
    }

    fn facts(&self) -> VolumeFacts {
        let superblock = &self.volume.superblock;
        let made = superblock.made();
        let created = Time {
            utc: Utc::from_unix_nanoseconds(i128::from(made) * 1_000_000_000),
            raw: made.to_string(),
            clock: Clock::Host,
            precision: Precision::Second,
            zone: None,
        };
        VolumeFacts {
            serial: Some(superblock.uuid()),
            label: Some(escape_name(superblock.label())).filter(|label| !label.is_empty()),
            version: Some(self.name().to_owned()),
            sector: None,
            cluster: Some(superblock.block),
            clusters: Some(superblock.blocks),
            created: (made != 0).then_some(created),
            dirty: superblock.is_dirty(),
            shadow_copies: false,
        }
    }

    fn deleted(&self, volume: &EvidencePath) -> Result<DeletedSteps<'_>, ReadError> {
        Ok(Box::new(deleted::steps(self, volume.clone())))
    }

    fn deleted_node(
        &self,
        volume: &EvidencePath,
        number: &str,
        name: &str,
    ) -> Result<Option<Node>, ReadError> {
        Ok(deleted::node(self, volume, number, name))
    }
}

impl ExtFiles {
    /// Reports damage to the volume as a whole, and what its journal holds back.
    fn tell_volume(&self, path: &EvidencePath, listing: &mut Listing) {
        let defect =
            |what: &String| Defect { path: path.as_str().to_owned(), offset: None, what: what.clone() };
        listing.defects.extend(self.volume.defects.iter().map(defect));
        listing.gaps.extend(self.journal_gap(path));
        let missing = self.volume.superblock.groups().saturating_sub(self.volume.groups.len() as u64);
        if missing > 0 {
            let reason = format!("{missing} groups have no descriptor that could be read");
            listing.gaps.push(Gap { path: path.as_str().to_owned(), reason });
        }
    }

    /// Returns the gap left because the journal is not replayed.
    pub(super) fn journal_gap(&self, path: &EvidencePath) -> Option<Gap> {
        let reason = match self.volume.superblock.needs_recovery() {
            Some(false) => return None,
            Some(true) => "the journal holds changes that are not replayed",
            None => "whether the journal holds changes is not told by a copy of the superblock",
        };
        Some(Gap { path: path.as_str().to_owned(), reason: reason.to_owned() })
    }

    /// Returns the inode of a folder and the names in it.
    fn folder(&self, directory: &Node) -> Result<(Inode, Names), ReadError> {
        let path = || directory.path.clone();
        let number = directory.reference.ok_or_else(|| ReadError::NotADirectory { path: path() })?;
        let inode = self.inode(&directory.path, self.number(&directory.path, number)?)?;
        if inode.kind != Some(InodeKind::Directory) {
            return Err(ReadError::NotADirectory { path: path() });
        }
        if inode.is_encrypted() {
            return Err(ReadError::Unsupported { path: path(), found: "an encrypted (fscrypt) folder" });
        }
        let found = names(&self.volume, &inode, Wanted::Entries);
        let found = found.map_err(|source| ReadError::Damaged { path: path(), source })?;
        Ok((inode, found))
    }

    /// Reads the entries in the order of their inodes, which is their order on the medium.
    fn list(&self, folder: &EvidencePath, above: &Inode, mut entries: Vec<Entry>, listing: &mut Listing) {
        entries.sort_by_key(|entry| entry.inode);
        let mut folders = HashSet::new();
        for entry in entries {
            let node = child_raw(folder, &entry.name).and_then(|path| {
                let (node, inode) = self.read_node(path, entry.inode)?;
                self.tell_inode(&node.path, &inode, listing);
                if inode.kind == Some(InodeKind::Directory) {
                    self.check_parent(&node.path, &inode, above, folders.insert(inode.number))?;
                }
                Ok(node)
            });
            match node {
                Ok(node) => listing.nodes.push(node),
                Err(error) => {
                    let (path, reason) = (folder.as_str().to_owned(), error.to_string());
                    if matches!(error, ReadError::Damaged { .. }) {
                        listing.defects.push(Defect {
                            path: path.clone(),
                            offset: None,
                            what: reason.clone(),
                        });
                    }
                    listing.gaps.push(Gap { path, reason });
                }
            }
        }
    }

    fn tell_inode(&self, path: &EvidencePath, inode: &Inode, listing: &mut Listing) {
        if !inode.checksum_holds(&self.volume.superblock) {
            let at = format!("byte {} of the volume: inode {}", inode.offset, inode.number);
            let what = format!("{at}: the checksum of an inode is not its own");
            listing.defects.push(Defect { path: path.as_str().to_owned(), offset: None, what });
        }
    }

    /// Checks that a folder has only one name; otherwise a walk over damaged folders could be endless.
    fn check_parent(
        &self,
        path: &EvidencePath,
        folder: &Inode,
        above: &Inode,
        is_first: bool,
    ) -> Result<(), ReadError> {
        if folder.is_encrypted() {
            return Ok(());
        }
        let parent = names(&self.volume, folder, Wanted::Parent).ok().and_then(|names| names.parent);
        let expected = match is_first {
            true if parent == Some(above.number) => return Ok(()),
            true => "the folder that it is named in",
            false => "one name for a folder",
        };
        let found = parent.unwrap_or(0);
        let source = Damage::Field { what: "`..` of a folder", offset: folder.offset, expected, found };
        Err(ReadError::Damaged { path: path.clone(), source })
    }

    /// Finds the entry with this written name, or else the only one that differs in letter case alone.
    fn choose(
        &self,
        folder: &EvidencePath,
        name: &str,
        names: &Names,
    ) -> Result<Option<(EvidencePath, u64)>, ReadError> {
        let lower = name.to_lowercase();
        let mut folded = Vec::new();
        for entry in &names.entries {
            let written = escape_name(&entry.name);
            if written == name {
                return Ok(Some((child_raw(folder, &entry.name)?, entry.inode)));
            }
            if written.to_lowercase() == lower {
                folded.push((child_raw(folder, &entry.name)?, entry.inode));
            }
        }
        folded.sort();
        let is_ours = name == DELETED && folder.components().count() == 1;
        let missing = match is_ours {
            // Deleted entries can be requested whatever the root folder has lost.
            true => None,
            false => names.damage.first().map(Damage::to_string).or(names.cut.map(str::to_owned)),
        };
        match (folded.as_slice(), missing) {
            // The name may be in the part that cannot be read.
            ([], Some(what)) => Err(ReadError::Io { path: folder.clone(), source: io::Error::other(what) }),
            ([], None) => Ok(None),
            ([only], _) => Ok(Some(only.clone())),
            ([first, second, ..], _) => Err(ReadError::AmbiguousCase {
                path: child(folder, name)?,
                first: first.0.clone(),
                second: second.0.clone(),
            }),
        }
    }

    fn node(&self, path: EvidencePath, number: u64) -> Result<Node, ReadError> {
        self.read_node(path, number).map(|found| found.0)
    }

    /// Returns the node of an inode that a folder names.
    fn read_node(&self, path: EvidencePath, number: u64) -> Result<(Node, Inode), ReadError> {
        let inode = self.inode(&path, number)?;
        let wrong = |what, at, expected, found| {
            let offset = inode.offset.saturating_add(at);
            let source = Damage::Field { what, offset, expected, found };
            Err(ReadError::Damaged { path: path.clone(), source })
        };
        let Some(kind) = inode.kind else {
            return wrong("type of an inode", 0, "a type", u64::from(u32_at(&inode.raw, 0) & 0xf000));
        };
        if inode.links == 0 {
            return wrong("links of an inode", 0x1a, "one for the name", 0);
        }
        if kind == InodeKind::Symlink && inode.is_encrypted() {
            return Err(ReadError::Unsupported { path, found: "an encrypted (fscrypt) link" });
        }
        let node = self.describe(path.clone(), &inode, kind, NodeState::Allocated);
        Ok((node.map_err(|source| ReadError::Damaged { path, source })?, inode))
    }

    /// Returns what an inode says about itself.
    pub(super) fn describe(
        &self,
        path: EvidencePath,
        inode: &Inode,
        kind: InodeKind,
        state: NodeState,
    ) -> Result<Node, Damage> {
        let kind = match kind {
            InodeKind::File => NodeKind::File,
            InodeKind::Directory => NodeKind::Directory,
            InodeKind::Symlink => NodeKind::Symlink { target: escape_target(&target(&self.volume, inode)?) },
            InodeKind::Other => NodeKind::Other,
        };
        Ok(Node {
            name: path.name().to_owned(),
            size: if kind == NodeKind::File { inode.size } else { 0 },
            kind,
            times: inode.times(),
            name_times: None,
            links: Some(inode.links.into()),
            reference: Some(FileReference::Inode(inode.number)),
            state,
            streams: Vec::new(),
            path,
        })
    }

    fn inode(&self, path: &EvidencePath, number: u64) -> Result<Inode, ReadError> {
        self.volume.inode(number).map_err(|source| ReadError::Damaged { path: path.clone(), source })
    }

    fn number(&self, path: &EvidencePath, reference: FileReference) -> Result<u64, ReadError> {
        match reference {
            FileReference::Inode(number) => Ok(number),
            FileReference::DirectoryEntry(_) | FileReference::Mft { .. } => {
                Err(ReadError::Absent { path: path.clone() })
            }
        }
    }
}

/// Reports what was found in a folder besides its entries.
fn tell_names(folder: &EvidencePath, found: &Names, listing: &mut Listing) {
    let path = || folder.as_str().to_owned();
    for damage in &found.damage {
        let what = damage.to_string();
        listing.gaps.push(Gap { path: path(), reason: what.clone() });
        listing.defects.push(Defect { path: path(), offset: None, what });
    }
    let doubt = |what: &String| Defect { path: path(), offset: None, what: what.clone() };
    listing.defects.extend(found.doubts.iter().map(doubt));
    listing.gaps.extend(found.cut.map(|reason| Gap { path: path(), reason: reason.to_owned() }));
}

pub(super) fn child_raw(folder: &EvidencePath, name: &[u8]) -> Result<EvidencePath, ReadError> {
    folder.child_raw(name).map_err(|source| {
        let source = io::Error::new(io::ErrorKind::InvalidFilename, source);
        ReadError::Io { path: folder.clone(), source }
    })
}
