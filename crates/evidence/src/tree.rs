//! The tree: the common interface to every kind of evidence.

use crate::archive::{Expansion, open_archive};
use crate::deleted::DeletedSteps;
use crate::directory::open_directory;
use crate::error::{OpenError, ReadError};
use crate::image::{Acquisition, HashCheck, Layout, open_image};
use crate::inner::is_top;
use crate::link;
use crate::mft::MftDescription;
use crate::path::EvidencePath;
use crate::read::ReadAt;
use crate::volume::Volume;
use ledger::{Defect, EvidenceKind, Gap, Time};
use std::io;
use std::path::{Path, PathBuf};

/// A read-only tree of files and folders.
pub trait Tree {
    /// Returns the label by which locators name this piece of evidence.
    fn label(&self) -> &str;

    /// Returns the entry at `path`: the exact spelling, or else one that differs in letter case alone (compared
    /// in Unicode lower case; on NTFS by the volume's own upper-case table).
    ///
    /// `None` if there is none.
    /// The node has the evidence's own spelling.
    /// Links on the way are not followed but reported as [`ReadError::Symlink`].
    fn node(&self, path: &EvidencePath) -> Result<Option<Node>, ReadError>;

    /// Lists the entries of a folder, in the byte order of their written names.
    ///
    /// An entry that cannot be examined is a gap in the listing; a folder that cannot be read at all is an error.
    fn children(&self, directory: &Node) -> Result<Listing, ReadError>;

    /// The same, but creates the entries one by one, for callers that go through very large folders.
    fn entries(&self, directory: &Node) -> Result<Entries<'_>, ReadError> {
        self.children(directory).map(Entries::from)
    }

    /// Lists the folders in a folder, in the byte order of their written names; what cannot be examined is left out.
    ///
    /// For callers that need nothing else from a folder with very many files.
    fn folders(&self, directory: &Node) -> Result<Vec<Node>, ReadError> {
        let nodes = self.children(directory)?.nodes.into_iter();
        Ok(nodes.filter(|node| node.kind == NodeKind::Directory).collect())
    }

    /// Opens the bytes of a file, or of its named stream.
    fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError>;

    /// Returns the files of the examiner's machine that contain the tree, in order; none if the tree consists of
    /// such files itself.
    fn container(&self) -> &[PathBuf] {
        &[]
    }

    /// Returns the entry that is known to have this path and number, without checking the folders above it.
    ///
    /// `None` if the number belongs to another entry by now.
    fn node_at(&self, path: &EvidencePath, reference: FileReference) -> Result<Option<Node>, ReadError> {
        Ok(self.node(path)?.filter(|node| node.reference == Some(reference)))
    }

    /// Returns the entry at exactly this path, which came from an earlier listing: its spelling is not looked up
    /// again.
    ///
    /// `None` if there is none by now.
    fn node_listed(&self, path: &EvidencePath) -> Result<Option<Node>, ReadError> {
        Ok(self.node(path)?.filter(|node| node.path == *path))
    }

    /// Returns the path to which a symbolic link leads, whether or not it exists; `None` if that is outside of
    /// the evidence, and if the node is not a link.
    fn target(&self, link: &Node) -> Option<EvidencePath> {
        match &link.kind {
            NodeKind::Symlink { target } => link::resolved(&EvidencePath::root(), &link.path, target),
            NodeKind::File | NodeKind::Directory | NodeKind::Other => None,
        }
    }

    /// Returns the partition layout of the imaged medium; `None` if the evidence is not an image.
    fn layout(&self) -> Option<&Layout> {
        None
    }

    /// Returns the listing of an archive as bytes with which it can be opened again without listing it; `None`
    /// if listing again is just as fast.
    fn listing(&self) -> Option<Vec<u8>> {
        None
    }

    /// Returns the first bytes of a file, enough to recognise its kind, if opening it would be needlessly
    /// expensive; `None` if reading it is just as fast.
    fn first_bytes(&self, node: &Node) -> Option<&[u8]> {
        let _ = node;
        None
    }

    /// Returns what the container of an image says about itself and its acquisition; `None` if the evidence is
    /// not an image.
    fn acquisition(&self) -> Option<&Acquisition> {
        None
    }

    /// Computes the digests of the whole imaged medium, next to those stored in its container; none if the
    /// evidence is not an image.
    ///
    /// It reads every byte of the medium once. An unreadable byte is an error that gives its offset.
    fn verify_medium(&self) -> io::Result<Vec<HashCheck>> {
        Ok(Vec::new())
    }

    /// Returns the bytes of the imaged medium itself from `offset` on, cut off at its end; `None` if the
    /// evidence is not an image.
    ///
    /// Their path is the root.
    fn medium(&self, offset: u64, length: u64) -> Option<Box<dyn ReadAt>> {
        let _ = (offset, length);
        None
    }

    /// Returns the volumes, in the order of their paths.
    fn volumes(&self) -> Vec<Volume> {
        Vec::new()
    }

    /// Returns the deleted entries of the volume at this path, in the order of their numbers; none if this kind
    /// of evidence keeps none.
    fn deleted(&self, volume: &EvidencePath) -> Result<DeletedSteps<'_>, ReadError> {
        let _ = volume;
        Ok(Box::new(std::iter::empty()))
    }

    /// Describes entry `number` of the `$MFT` of the volume at this path; `None` if that is not an NTFS volume,
    /// or has no such entry.
    fn mft_entry(&self, volume: &EvidencePath, number: u64) -> Result<Option<MftDescription>, ReadError> {
        let _ = (volume, number);
        Ok(None)
    }
}

/// One entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its path, spelled as in the evidence.
    pub path: EvidencePath,
    /// Its written name; empty for the root.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
    /// Size of its main stream in bytes; 0 if it has none.
    pub size: u64,
    /// Its times; on NTFS those of `$STANDARD_INFORMATION`.
    pub times: MacbTimes,
    /// The times of `$FILE_NAME`, which programs cannot set; none on other file systems.
    pub name_times: Option<MacbTimes>,
    /// Number of names that lead to it (hard links), if the file system counts them.
    pub links: Option<u64>,
    /// Its number in the file system.
    pub reference: Option<FileReference>,
    /// Whether the file system still counts it as present.
    pub state: NodeState,
    /// Its named streams.
    pub streams: Vec<StreamInfo>,
}

impl Node {
    /// Creates the node of a folder of which only the path is known.
    pub fn folder(path: EvidencePath) -> Node {
        Node {
            name: path.name().to_owned(),
            kind: NodeKind::Directory,
            size: 0,
            times: MacbTimes::default(),
            name_times: None,
            links: None,
            reference: None,
            state: NodeState::Allocated,
            streams: Vec::new(),
            path,
        }
    }
}

/// The kind of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A symbolic link; never followed.
    Symlink {
        /// Its target as written, escaped like names.
        target: String,
    },
    /// A device, a pipe or a socket; on NTFS also a file that has only named streams, such as `$Secure`.
    Other,
}

/// The four times of an entry, as far as the file system records them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MacbTimes {
    /// Content last written.
    pub modified: Option<Time>,
    /// Content last read.
    pub accessed: Option<Time>,
    /// Metadata last changed.
    pub changed: Option<Time>,
    /// Created.
    pub born: Option<Time>,
}

/// The number of an entry in its file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileReference {
    /// The inode number.
    Inode(u64),
    /// Offset of its entry from the start of the volume, in bytes: FAT and exFAT do not number entries.
    DirectoryEntry(u64),
    /// The entry of the `$MFT`.
    Mft {
        /// Its index.
        entry: u64,
        /// How often the index was given to a new file.
        sequence: u16,
    },
}

/// Whether the file system still counts an entry as present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeState {
    /// The entry exists.
    Allocated,
    /// The entry was deleted; its bytes may belong to another file by now.
    Deleted,
    /// The name is gone, and the file is in use under another one: nothing can be read through this name.
    Renamed,
}

/// A named (alternate) stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamInfo {
    /// Its name, escaped like names in paths.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
}

/// The content of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// The entries that could be examined.
    pub nodes: Vec<Node>,
    /// Damage found in the folder.
    pub defects: Vec<Defect>,
    /// Entries that could not be examined.
    pub gaps: Vec<Gap>,
}

/// The content of a folder, with nodes created on demand.
pub struct Entries<'t> {
    /// The entries that could be examined, in the byte order of their written names.
    pub nodes: Box<dyn Iterator<Item = Node> + 't>,
    /// Damage found in the folder.
    pub defects: Vec<Defect>,
    /// Entries that could not be examined.
    pub gaps: Vec<Gap>,
    /// Whether one of them is a folder that is usually at the top of a volume.
    pub(crate) holds_top: bool,
}

impl From<Listing> for Entries<'_> {
    fn from(Listing { nodes, defects, gaps }: Listing) -> Self {
        let holds_top = holds_top(&nodes);
        Entries { nodes: Box::new(nodes.into_iter()), defects, gaps, holds_top }
    }
}

/// Checks whether one of these is a folder that is usually at the top of a volume.
pub(crate) fn holds_top(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| node.kind == NodeKind::Directory && is_top(&node.name))
}

/// Opens a piece of evidence of any kind; `path` is on the examiner's machine.
pub fn open(kind: EvidenceKind, path: &Path, label: &str) -> Result<Box<dyn Tree>, OpenError> {
    open_listed(kind, path, label, None, Expansion::Bounded)
}

/// The same, with what [`Tree::listing`] returned for this very evidence, and with these limits.
pub fn open_listed(
    kind: EvidenceKind,
    path: &Path,
    label: &str,
    listing: Option<&[u8]>,
    expansion: Expansion,
) -> Result<Box<dyn Tree>, OpenError> {
    match kind {
        EvidenceKind::Directory => Ok(Box::new(open_directory(path, label)?)),
        EvidenceKind::Archive => Ok(Box::new(open_archive(path, label, listing, expansion)?)),
        EvidenceKind::Image => Ok(Box::new(open_image(path, label)?)),
    }
}
