//! An NTFS volume as a part of the tree.

use super::bytes::Reference;
use super::collation::stored;
use super::directory::Child;
use super::entry::{DATA, MftEntry};
use super::node::{Examined, damaged, node_reference};
use super::parents::Parents;
use super::reparse::{Reparse, reparse};
use super::stream::Stream;
use super::wof::{self, Overlay};
use super::{ROOT, Volume};
use crate::deleted::{DELETED, DeletedSteps};
use crate::error::{NtfsDamage, ReadError};
use crate::file_system::{FileSystem, child};
use crate::mft::MftDescription;
use crate::path::{EvidencePath, escape_target, unescape_name};
use crate::read::ReadAt;
use crate::tree::{FileReference, Listing, Node, NodeKind, NodeState};
use crate::volume::VolumeFacts;
use crate::window::Window;
use ledger::{Defect, Gap};
use std::io;

/// The size of a large folder: the entries of more children than this may not all be in the cached part of the `$MFT`.
const LARGE_FOLDER: usize = 4096;

/// The files of an NTFS volume.
pub(crate) struct NtfsFiles {
    pub(super) volume: Volume,
    pub(super) parents: Parents,
}

impl NtfsFiles {
    /// Opens the volume in `window`.
    pub(crate) fn open(window: Window) -> Result<NtfsFiles, NtfsDamage> {
        Ok(NtfsFiles { volume: Volume::open(window)?, parents: Parents::default() })
    }
}

impl FileSystem for NtfsFiles {
    fn name(&self) -> &'static str {
        "NTFS"
    }

    fn root(&self, volume: EvidencePath) -> Node {
        match self.volume.entry(ROOT) {
            Ok(entry) => {
                let name = entry.names().flatten().next();
                let found = self.examined(volume, &entry, name.as_ref(), NodeState::Allocated);
                Node { kind: NodeKind::Directory, links: None, ..found.node }
            }
            Err(_) => Node::folder(volume),
        }
    }

    fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
        let folder = &directory.path;
        let (entry, parent) = self.folder(directory)?;
        let names = self.volume.names(&entry).map_err(|source| damaged(folder, source))?;
        let mut listing = Listing::default();
        if parent == ROOT {
            listing.defects.extend(self.volume.damage.iter().map(|what| defect(folder, what.clone())));
        }
        for what in names.damage {
            // The names in the damaged block are lost.
            listing.gaps.push(Gap { path: folder.as_str().to_owned(), reason: what.clone() });
            listing.defects.push(defect(folder, what));
        }
        self.list(folder, parent, &names.children, &mut listing);
        listing.gaps.sort();
        Ok(listing)
    }

    /// Uses the volume's own upper-case table.
    fn find(&self, folder: &Node, name: &str) -> Result<Option<Node>, ReadError> {
        if folder.kind != NodeKind::Directory {
            return Ok(None);
        }
        let (entry, parent) = self.folder(folder)?;
        let Some(found) = self.child(&folder.path, &entry, name)? else { return Ok(None) };
        let path = folder.path.child_raw(&found.name).map_err(|source| invalid(&folder.path, source))?;
        self.listed(path, found.reference, Some(parent)).map(|found| Some(found.node))
    }

    fn node_at(&self, path: &EvidencePath, reference: FileReference) -> Result<Option<Node>, ReadError> {
        let FileReference::Mft { entry, sequence } = reference else { return Ok(None) };
        let parts: Vec<_> = path.components().collect();
        if let [volume, DELETED, number, name] = parts.as_slice()
            && let Some(node) = self.deleted_node(&child(&EvidencePath::root(), volume)?, number, name)?
        {
            return Ok(Some(node).filter(|node| node.reference == Some(reference)));
        }
        let found = self.entry(path, entry)?;
        if found.sequence != sequence || !found.in_use {
            return Ok(None);
        }
        self.listed(path.clone(), Reference { entry, sequence }, None).map(|found| Some(found.node))
    }

    fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError> {
        let path = &node.path;
        let entry = self.own_entry(node)?;
        let mut overlay = None;
        if stream.is_none() {
            match reparse(&self.volume, &entry).map_err(|source| damaged(path, source))? {
                Reparse::Link(target) => {
                    let target = escape_target(target.as_bytes());
                    return Err(ReadError::Symlink { path: path.clone(), target });
                }
                Reparse::Elsewhere(found) => {
                    return Err(ReadError::Unsupported { path: path.clone(), found });
                }
                Reparse::Overlay(_) | Reparse::Cloud | Reparse::Plain if entry.is_directory => {
                    return Err(ReadError::NotAFile { path: path.clone() });
                }
                Reparse::Overlay(algorithm) => overlay = Some(algorithm),
                Reparse::Cloud => self.all_here(path, &entry)?,
                Reparse::Plain => {}
            }
        }
        let none = || match stream {
            Some(stream) => ReadError::NoStream { path: path.clone(), stream: stream.to_owned() },
            None => ReadError::NotAFile { path: path.clone() },
        };
        let main = self.stream(path, &entry, stream)?.ok_or_else(none)?;
        let Some(algorithm) = overlay else { return Ok(Box::new(main)) };
        let missing = || {
            let (entry, what) = (entry.number, "streams WofCompressedData");
            damaged(path, NtfsDamage::Value { entry, what, expected: 1, found: 0 })
        };
        let chunks = self.stream(path, &entry, Some(wof::STREAM))?.ok_or_else(missing)?;
        Ok(Box::new(Overlay::new(algorithm, entry.number, main.len(), chunks)))
    }

    fn facts(&self) -> VolumeFacts {
        self.volume.facts()
    }

    fn deleted(&self, volume: &EvidencePath) -> Result<DeletedSteps<'_>, ReadError> {
        Ok(self.deleted_steps(volume.clone()))
    }

    fn deleted_node(
        &self,
        volume: &EvidencePath,
        number: &str,
        name: &str,
    ) -> Result<Option<Node>, ReadError> {
        Ok(self.find_deleted(volume, number, name))
    }

    fn mft_entry(&self, volume: &EvidencePath, number: u64) -> Result<Option<MftDescription>, ReadError> {
        self.describe(volume, number)
    }
}

impl NtfsFiles {
    /// Returns a stream as stored; `None` if the entry has no stream of this name.
    fn stream(
        &self,
        path: &EvidencePath,
        entry: &MftEntry,
        name: Option<&str>,
    ) -> Result<Option<Stream>, ReadError> {
        let data = entry.data(&self.volume, DATA, name).map_err(|source| damaged(path, source))?;
        if data.as_ref().is_some_and(|data| data.encrypted) {
            return Err(ReadError::Unsupported { path: path.clone(), found: "an encrypted (EFS) stream" });
        }
        Ok(data.map(|data| Stream::new(data, self.volume.place.clone()).named(path.clone())))
    }

    /// Adds the nodes of children, in the order of their written names.
    fn list(&self, folder: &EvidencePath, parent: u64, children: &[Child], listing: &mut Listing) {
        let mut sorted = Vec::with_capacity(children.len());
        for child in children {
            match folder.child_raw(&child.name) {
                Ok(path) => sorted.push((path, child.reference)),
                Err(source) => note(folder, &invalid(folder, source), listing),
            }
        }
        // All paths begin with the folder's path.
        let prefix = folder.as_str().len();
        let by_name = |a: &EvidencePath, b: &EvidencePath| {
            a.as_str().as_bytes().get(prefix..).cmp(&b.as_str().as_bytes().get(prefix..))
        };
        sorted.sort_unstable_by(|a, b| by_name(&a.0, &b.0).then(a.1.entry.cmp(&b.1.entry)));
        sorted.dedup();
        let large = sorted.len() > LARGE_FOLDER;
        if large {
            // If there are more entries than are cached, they are read in the order in which they are stored.
            sorted.sort_unstable_by_key(|(_, reference)| reference.entry);
        }
        listing.nodes.reserve_exact(sorted.len());
        for (path, reference) in sorted {
            match self.listed(path, reference, Some(parent)) {
                Ok(Examined { node, damage }) => {
                    listing.defects.extend(damage.into_iter().map(|what| defect(&node.path, what)));
                    listing.nodes.push(node);
                }
                Err(error) => note(folder, &error, listing),
            }
        }
        if large {
            listing.nodes.sort_by(|a, b| by_name(&a.path, &b.path));
        }
    }

    /// Refuses a cloud file if a part of it is not on this medium: the zeros read there would be mistaken for
    /// its content.
    fn all_here(&self, path: &EvidencePath, entry: &MftEntry) -> Result<(), ReadError> {
        let data = entry.data(&self.volume, DATA, None).map_err(|source| damaged(path, source))?;
        if data.is_some_and(|data| data.has_hole()) {
            let found = "a file whose content, or a part of it, is in a cloud and not on this medium";
            return Err(ReadError::Unsupported { path: path.clone(), found });
        }
        Ok(())
    }

    /// Returns the entry of a folder, and its number.
    fn folder(&self, node: &Node) -> Result<(MftEntry, u64), ReadError> {
        if node.state != NodeState::Allocated {
            let found = "a deleted folder; the deleted entries tell where they stood";
            return Err(ReadError::Unsupported { path: node.path.clone(), found });
        }
        let entry = self.own_entry(node)?;
        let number = entry.number;
        Ok((entry, number))
    }

    /// Returns the entry of a node, unless it belongs to another file by now.
    fn own_entry(&self, node: &Node) -> Result<MftEntry, ReadError> {
        let absent = || ReadError::Absent { path: node.path.clone() };
        match node_reference(node) {
            Some(reference) => {
                let entry = self.entry(&node.path, reference.entry)?;
                // The file of a name that is gone may have another name by now.
                let renamed = node.state != NodeState::Allocated && entry.in_use;
                let own = entry.sequence == reference.sequence && !renamed;
                if own { Ok(entry) } else { Err(absent()) }
            }
            // This is the root of a volume whose own entry is damaged.
            None if node.reference.is_none() && node.path.components().count() == 1 => {
                self.entry(&node.path, ROOT)
            }
            None => Err(absent()),
        }
    }

    /// Finds the child with this written name, or else the only one that differs in letter case alone.
    fn child(&self, folder: &EvidencePath, entry: &MftEntry, name: &str) -> Result<Option<Child>, ReadError> {
        let Ok(wanted) = unescape_name(name) else { return Ok(None) };
        let collation = self.volume.collation();
        let folded = stored(&wanted).map(|units| collation.folded(&units));
        let searched = folded.as_ref().and_then(|folded| self.volume.search(entry, folded));
        let (mut found, damage) = match searched.filter(|found| !found.is_empty()) {
            Some(found) => (found, Vec::new()),
            // Also list names that are out of order.
            None => {
                let mut names = self.volume.names(entry).map_err(|source| damaged(folder, source))?;
                let equal = |name: &[u8]| stored(name).map(|units| collation.folded(&units)) == folded;
                names
                    .children
                    .retain(|child| child.name == wanted || (folded.is_some() && equal(&child.name)));
                (names.children, names.damage)
            }
        };
        if let Some(exact) = found.iter().find(|child| child.name == wanted) {
            return Ok(Some(exact.clone()));
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found.dedup();
        match (found.as_slice(), damage.first()) {
            // The name may be in the part that cannot be read.
            ([], Some(what)) => {
                Err(ReadError::Io { path: folder.clone(), source: io::Error::other(what.clone()) })
            }
            ([], None) => Ok(None),
            ([only], _) => Ok(Some(only.clone())),
            ([first, second, ..], _) => {
                let path = |name: &[u8]| folder.child_raw(name).map_err(|source| invalid(folder, source));
                let (first, second) = (path(&first.name)?, path(&second.name)?);
                Err(ReadError::AmbiguousCase { path: child(folder, name)?, first, second })
            }
        }
    }
}

/// Reports a child that cannot be examined.
fn note(folder: &EvidencePath, error: &ReadError, listing: &mut Listing) {
    let reason = error.to_string();
    if matches!(error, ReadError::Damaged { .. }) {
        listing.defects.push(defect(folder, reason.clone()));
    }
    listing.gaps.push(Gap { path: folder.as_str().to_owned(), reason });
}

fn defect(path: &EvidencePath, what: String) -> Defect {
    Defect { path: path.as_str().to_owned(), offset: None, what }
}

fn invalid(folder: &EvidencePath, source: crate::error::PathError) -> ReadError {
    let source = io::Error::new(io::ErrorKind::InvalidFilename, source);
    ReadError::Io { path: folder.clone(), source }
}
