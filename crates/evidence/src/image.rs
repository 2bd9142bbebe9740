//! A disk image as evidence.
//!
//! The root holds one folder a volume: `p1`, `p2` … by the number of the partition, `p0` where the medium has no partition table.
//! Times are those of `$STANDARD_INFORMATION`, written by the examined host.
//! Deleted entries are not listed, and of the file systems only NTFS is read; any other volume is a gap.

mod container;
mod kind;
mod layout;
mod segments;
mod volume;

pub(crate) use container::Container;
pub use container::{Acquisition, ContainerFormat, HashAlgorithm, HashCheck, StoredHash, UnreadSectors};
pub use layout::{Layout, Region, Scheme, read_layout};
pub use segments::{image_files, is_image};

use crate::error::{OpenError, ReadError};
use crate::ntfs::ROOT;
use crate::path::EvidencePath;
use crate::read::ReadAt;
use crate::tree::{Listing, MacbTimes, Node, NodeKind, NodeState, Tree};
use ledger::{Defect, Gap};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use volume::{Content, Part};

/// The volumes of an image.
pub struct ImageTree {
    label: String,
    container: Rc<Container>,
    layout: Layout,
    parts: Vec<Part>,
}

/// Opens the image that begins with the file `path`: raw, split raw (`.001`) or E01, as its first bytes say.
pub fn open_image(path: &Path, label: &str) -> Result<ImageTree, OpenError> {
    let io = |source| OpenError::Io { label: label.to_owned(), path: path.to_owned(), source };
    let resolved = path.canonicalize().map_err(io)?;
    let container = Rc::new(Container::open(&resolved, label)?);
    let layout = layout::read(&container).map_err(io)?;
    let numbered = layout.regions.iter().filter_map(|region| Some((region.number?, region)));
    let parts = numbered.map(|(number, region)| Part::open(&container, number, region)).collect();
    Ok(ImageTree { label: label.to_owned(), container, layout, parts })
}

impl ImageTree {
    /// How the medium is divided, with what lies between the partitions.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The volume that holds `path`; `None` for the root and where there is none.
    fn part(&self, path: &EvidencePath) -> Option<&Part> {
        let name = path.components().next()?.to_lowercase();
        self.parts.iter().find(|part| part.name() == name)
    }

    fn root(&self) -> Node {
        folder(EvidencePath::root())
    }

    fn volumes(&self) -> Listing {
        let mut listing = Listing { defects: self.layout.defects.clone(), ..Listing::default() };
        for part in &self.parts {
            match part.root() {
                Ok(node) => listing.nodes.push(node),
                Err(error) => listing.gaps.push(Gap { path: part.name(), reason: error.to_string() }),
            }
        }
        listing.nodes.sort_by(|a, b| a.name.cmp(&b.name));
        listing
    }
}

impl Tree for ImageTree {
    fn label(&self) -> &str {
        &self.label
    }

    fn node(&self, path: &EvidencePath) -> Result<Option<Node>, ReadError> {
        if path.is_root() {
            return Ok(Some(self.root()));
        }
        let Some(part) = self.part(path) else { return Ok(None) };
        let root = part.root()?;
        let mut names = path.components().skip(1).peekable();
        if names.peek().is_none() {
            return Ok(Some(root));
        }
        let volume = part.ntfs()?;
        let mut node = root;
        let mut number = ROOT;
        for name in names {
            match &node.kind {
                NodeKind::Directory => {}
                NodeKind::Symlink { target } => {
                    return Err(ReadError::Symlink { path: node.path, target: target.clone() });
                }
                NodeKind::File | NodeKind::Other => return Ok(None),
            }
            let Some((path, child)) = volume.find(&node.path, number, name)? else { return Ok(None) };
            node = volume.node(path, &child)?;
            number = child.entry;
        }
        Ok(Some(node))
    }

    fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
        if directory.path.is_root() {
            return Ok(self.volumes());
        }
        let absent = || ReadError::Absent { path: directory.path.clone() };
        if directory.kind != NodeKind::Directory {
            return Err(ReadError::NotADirectory { path: directory.path.clone() });
        }
        let part = self.part(&directory.path).ok_or_else(absent)?;
        match &part.content {
            Content::Ntfs(volume) => volume.children(directory),
            Content::Unread(kind) => {
                let reason = format!("{} is not read yet", kind.describe());
                Ok(Listing { gaps: vec![Gap { path: part.name(), reason }], ..Listing::default() })
            }
            Content::Damaged(what) => {
                let (path, reason) = (part.name(), "a damaged file system is not read".to_owned());
                let defect = Defect { path: path.clone(), offset: None, what: what.clone() };
                Ok(Listing { defects: vec![defect], gaps: vec![Gap { path, reason }], nodes: Vec::new() })
            }
        }
    }

    fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError> {
        if node.path.is_root() {
            return Err(ReadError::NotAFile { path: node.path.clone() });
        }
        let absent = || ReadError::Absent { path: node.path.clone() };
        let part = self.part(&node.path).ok_or_else(absent)?;
        part.ntfs()?.open(node, stream)
    }

    fn container(&self) -> &[PathBuf] {
        self.container.files()
    }
}

/// A folder that is ours and not the evidence's.
fn folder(path: EvidencePath) -> Node {
    Node {
        name: path.name().to_owned(),
        kind: NodeKind::Directory,
        size: 0,
        times: MacbTimes::default(),
        reference: None,
        state: NodeState::Allocated,
        streams: Vec::new(),
        path,
    }
}
