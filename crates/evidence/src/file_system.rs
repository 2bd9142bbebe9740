//! The interface between every file system reader and the tree.

use crate::deleted::DeletedSteps;
use crate::error::ReadError;
use crate::mft::MftDescription;
use crate::path::EvidencePath;
use crate::read::ReadAt;
use crate::tree::{FileReference, Listing, Node, NodeKind};
use crate::volume::VolumeFacts;
use std::io;

/// An opened file system.
///
/// Paths are those of the whole tree: `volume`, if given, is the path of the volume's folder.
pub(crate) trait FileSystem {
    /// Returns its type, such as `NTFS` or `FAT16`.
    fn name(&self) -> &'static str;

    /// Returns the root folder.
    fn root(&self, volume: EvidencePath) -> Node;

    /// Lists the entries of a folder, sorted by the bytes of their written names. An unreadable entry is a gap,
    /// and also a defect if it is damaged.
    fn children(&self, directory: &Node) -> Result<Listing, ReadError>;

    /// Finds the child with this written name, or else the only one that differs in letter case alone.
    fn find(&self, folder: &Node, name: &str) -> Result<Option<Node>, ReadError> {
        if folder.kind != NodeKind::Directory {
            return Ok(None);
        }
        choose(folder, name, self.children(folder)?)
    }

    /// Returns the entry that is known to have this path and number; `None` if the number belongs to another
    /// entry by now.
    fn node_at(&self, path: &EvidencePath, reference: FileReference) -> Result<Option<Node>, ReadError>;

    /// Opens the bytes of a file, or of its named stream; also of a deleted entry.
    fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError>;

    /// Returns what the file system says about itself.
    fn facts(&self) -> VolumeFacts;

    /// Returns its deleted entries, in the order of their numbers.
    fn deleted(&self, volume: &EvidencePath) -> Result<DeletedSteps<'_>, ReadError>;

    /// Returns the deleted entry at `volume/$Deleted/number/name`.
    fn deleted_node(
        &self,
        volume: &EvidencePath,
        number: &str,
        name: &str,
    ) -> Result<Option<Node>, ReadError>;

    /// See [`Tree::mft_entry`](crate::Tree::mft_entry).
    fn mft_entry(&self, volume: &EvidencePath, number: u64) -> Result<Option<MftDescription>, ReadError> {
        let _ = (volume, number);
        Ok(None)
    }
}

/// Finds the entry of a listing with this written name, or else the only one that differs in letter case alone.
fn choose(folder: &Node, name: &str, listing: Listing) -> Result<Option<Node>, ReadError> {
    let lower = name.to_lowercase();
    let mut folded = Vec::new();
    for node in listing.nodes {
        if node.name == name {
            return Ok(Some(node));
        }
        if node.name.to_lowercase() == lower {
            folded.push(node);
        }
    }
    let mut folded = folded.into_iter();
    match (folded.next(), folded.next()) {
        (None, _) => match listing.gaps.first() {
            // The name may be in the part that cannot be read.
            Some(gap) => {
                let source = io::Error::other(gap.reason.clone());
                Err(ReadError::Io { path: folder.path.clone(), source })
            }
            None => Ok(None),
        },
        (Some(only), None) => Ok(Some(only)),
        (Some(first), Some(second)) => Err(ReadError::AmbiguousCase {
            path: child(&folder.path, name)?,
            first: first.path,
            second: second.path,
        }),
    }
}

/// Returns the path of a folder's child with this written name.
pub(crate) fn child(folder: &EvidencePath, name: &str) -> Result<EvidencePath, ReadError> {
    folder.child(name).map_err(|source| ReadError::Io {
        path: folder.clone(),
        source: io::Error::new(io::ErrorKind::InvalidFilename, source),
    })
}
