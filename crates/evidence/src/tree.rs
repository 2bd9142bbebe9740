//! The tree: what every kind of evidence looks like to a reader.

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
    /// How locators name this piece of evidence.
    fn label(&self) -> &str;

    /// The entry at `path`: spelled so, or else differing in letter case alone (compared in Unicode lower case; on NTFS by the volume's own upper-case table).
    ///
    /// `None` where there is none.
    /// The node carries the evidence's own spelling.
    /// Links on the way are not followed but reported as [`ReadError::Symlink`].
    fn node(&self, path: &EvidencePath) -> Result<Option<Node>, ReadError>;

    /// The entries of a folder in the byte order of their written names.
    ///
    /// An entry that cannot be examined is a gap in the listing; a folder that cannot be read at all is an error.
    fn children(&self, directory: &Node) -> Result<Listing, ReadError>;

    /// The same with the entries made one by one, for whoever goes through folders of very many.
    fn entries(&self, directory: &Node) -> Result<Entries<'_>, ReadError> {
        self.children(directory).map(Entries::from)
    }

    /// The folders in a folder, in the byte order of their written names; what cannot be examined is left out.
    ///
    /// For whoever wants nothing else of a folder of very many files.
    fn folders(&self, directory: &Node) -> Result<Vec<Node>, ReadError> {
        let nodes = self.children(directory)?.nodes.into_iter();
        Ok(nodes.filter(|node| node.kind == NodeKind::Directory).collect())
    }

    /// The bytes of a file, or of its named stream.
    fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError>;

    /// The files of the examiner's machine that contain the tree, in order; none where the tree is such files itself.
    fn container(&self) -> &[PathBuf] {
        &[]
    }

    /// The entry that is known to have this path and number, without looking at the folders above it.
    ///
    /// `None` where the number is by now another entry's.
    fn node_at(&self, path: &EvidencePath, reference: FileReference) -> Result<Option<Node>, ReadError> {
        Ok(self.node(path)?.filter(|node| node.reference == Some(reference)))
    }

    /// The entry at this very path, which a listing gave before: its spelling is not looked up again.
    ///
    /// `None` where there is none by now.
    fn node_listed(&self, path: &EvidencePath) -> Result<Option<Node>, ReadError> {
        Ok(self.node(path)?.filter(|node| node.path == *path))
    }

    /// The path to which a symbolic link leads, whether or not something stands there; `None` where that is outside of the evidence, and for what is no link.
    fn target(&self, link: &Node) -> Option<EvidencePath> {
        match &link.kind {
            NodeKind::Symlink { target } => link::resolved(&EvidencePath::root(), &link.path, target),
            NodeKind::File | NodeKind::Directory | NodeKind::Other => None,
        }
    }

    /// How the imaged medium is divided; `None` for what is no image.
    fn layout(&self) -> Option<&Layout> {
        None
    }

    /// What an archive lists, as bytes with which it can be opened again without listing it; `None` for whatever is as soon listed.
    fn listing(&self) -> Option<Vec<u8>> {
        None
    }

    /// The first bytes of a file, as many as its kind is told by, where opening it would cost more than it need; `None` wherever it is as soon read.
    fn first_bytes(&self, node: &Node) -> Option<&[u8]> {
        let _ = node;
        None
    }

    /// What the container of an image tells of itself and of its acquisition; `None` for what is no image.
    fn acquisition(&self) -> Option<&Acquisition> {
        None
    }

    /// The digests of the whole imaged medium beside those that its container stores; none for what is no image.
    ///
    /// It reads every byte of the medium once; what cannot be read is an error that names the place.
    fn verify_medium(&self) -> io::Result<Vec<HashCheck>> {
        Ok(Vec::new())
    }

    /// The bytes of the imaged medium itself from `offset` on, cut at its end; `None` for what is no image.
    ///
    /// Their path is the root.
    fn medium(&self, offset: u64, length: u64) -> Option<Box<dyn ReadAt>> {
        let _ = (offset, length);
        None
    }

    /// The volumes, in the order of their paths.
    fn volumes(&self) -> Vec<Volume> {
        Vec::new()
    }

    /// The deleted entries of the volume at this path, in the order of their numbers; none where the kind of evidence keeps none.
    fn deleted(&self, volume: &EvidencePath) -> Result<DeletedSteps<'_>, ReadError> {
        let _ = volume;
        Ok(Box::new(std::iter::empty()))
    }

    /// What entry `number` of the `$MFT` of the volume at this path says; `None` where that is no NTFS volume, or has no such entry.
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
    /// Bytes of its main stream; 0 for what has none.
    pub size: u64,
    /// When what happened to it; on NTFS the times of `$STANDARD_INFORMATION`.
    pub times: MacbTimes,
    /// The times of `$FILE_NAME`, which programs cannot set; none on other file systems.
    pub name_times: Option<MacbTimes>,
    /// How many names lead to it (hard links), where the file system counts them.
    pub links: Option<u64>,
    /// Its number in the file system.
    pub reference: Option<FileReference>,
    /// Whether the file system still counts it in.
    pub state: NodeState,
    /// Its named streams.
    pub streams: Vec<StreamInfo>,
}

impl Node {
    /// A folder of which nothing but its place is known.
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

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A symbolic link; never followed.
    Symlink {
        /// Where it points, as it is written, escaped as names are.
        target: String,
    },
    /// A device, a pipe, a socket; on NTFS also a file that has named streams alone, such as `$Secure`.
    Other,
}

/// The four times of an entry, as far as the file system keeps them.
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
    /// Where its entry stands in its folder, in bytes from the start of the volume: FAT and exFAT number nothing.
    DirectoryEntry(u64),
    /// The entry of the `$MFT`.
    Mft {
        /// Its index.
        entry: u64,
        /// How often the index was given to a new file.
        sequence: u16,
    },
}

/// Whether the file system still counts an entry in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeState {
    /// It does.
    Allocated,
    /// The entry was deleted; its bytes may be another's by now.
    Deleted,
    /// The name is gone, and the file is in use under another one: nothing can be read by it.
    Renamed,
}

/// A named (alternate) stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamInfo {
    /// Its name, written as names in paths are.
    pub name: String,
    /// Its bytes.
    pub size: u64,
}

/// What a folder holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// The entries that could be examined.
    pub nodes: Vec<Node>,
    /// Damage met in the folder.
    pub defects: Vec<Defect>,
    /// Entries that could not be examined.
    pub gaps: Vec<Gap>,
}

/// What a folder holds, its entries not yet made.
pub struct Entries<'t> {
    /// The entries that could be examined, in the byte order of their written names.
    pub nodes: Box<dyn Iterator<Item = Node> + 't>,
    /// Damage met in the folder.
    pub defects: Vec<Defect>,
    /// Entries that could not be examined.
    pub gaps: Vec<Gap>,
    /// Whether one of them is a folder as stands at the top of a volume.
    pub(crate) holds_top: bool,
}

impl From<Listing> for Entries<'_> {
    fn from(Listing { nodes, defects, gaps }: Listing) -> Self {
        let holds_top = holds_top(&nodes);
        Entries { nodes: Box::new(nodes.into_iter()), defects, gaps, holds_top }
    }
}

/// Whether one of these is a folder as stands at the top of a volume.
pub(crate) fn holds_top(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| node.kind == NodeKind::Directory && is_top(&node.name))
}

/// Opens a piece of evidence of any kind; `path` is on the examiner's machine.
pub fn open(kind: EvidenceKind, path: &Path, label: &str) -> Result<Box<dyn Tree>, OpenError> {
    open_listed(kind, path, label, None, Expansion::Bounded)
}

/// The same with what [`Tree::listing`] gave of this very evidence, and to these bounds.
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
