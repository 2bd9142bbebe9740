//! A disk image as evidence.
//!
//! The root holds one folder per volume: `p1`, `p2` … by the number of the partition, `p0` if the medium has no
//! partition table.
//! Times were written by the examined host.
//! A volume that cannot be read is a gap.

mod container;
mod kind;
mod layout;
mod medium;
mod segments;
mod volume;

pub(crate) use container::Container;
pub use container::{Acquisition, ContainerFormat, HashAlgorithm, HashCheck, StoredHash, UnreadSectors};
pub use layout::{Disk, Guid, Layout, Partition, PartitionType, Region, Scheme, read_layout};
pub(crate) use segments::begins_like_an_image;
pub use segments::{image_files, is_image};

use crate::deleted::{DELETED, DeletedSteps};
use crate::error::{OpenError, ReadError};
use crate::link;
use crate::mft::MftDescription;
use crate::path::EvidencePath;
use crate::read::ReadAt;
use crate::tree::{FileReference, Listing, Node, NodeKind, Tree};
use crate::volume::Volume;
use layout::Found;
use ledger::Gap;
use medium::MediumPart;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use volume::Part;

/// The volumes of an image.
pub struct ImageTree {
    label: String,
    container: Rc<Container>,
    layout: Layout,
    parts: Vec<Part>,
    /// Parts of the medium that the image does not hold.
    missing: Vec<String>,
}

/// Opens the image that begins with the file `path`; its bytes decide the container format.
pub fn open_image(path: &Path, label: &str) -> Result<ImageTree, OpenError> {
    let io = |source| OpenError::Io { label: label.to_owned(), path: path.to_owned(), source };
    let resolved = path.canonicalize().map_err(io)?;
    let container = Rc::new(Container::open(&resolved, label)?);
    let Found { layout, missing } = layout::read(&container).map_err(io)?;
    let numbered = layout.regions.iter().filter_map(|region| Some((region.number?, region)));
    let parts = numbered.map(|(number, region)| Part::open(&container, number, region, &missing)).collect();
    let missing = missing.into_iter().map(|(_, missing)| missing).filter(|missing| !missing.is_empty());
    let missing = missing.map(|missing| missing.to_string()).collect();
    Ok(ImageTree { label: label.to_owned(), container, layout, parts, missing })
}

impl ImageTree {
    /// Returns the volume that holds `path`; `None` for the root, or if there is none.
    fn part(&self, path: &EvidencePath) -> Option<&Part> {
        let name = path.components().next()?.to_lowercase();
        self.parts.iter().find(|part| part.name() == name)
    }

    /// Lists the folders of the volumes.
    fn listing(&self) -> Listing {
        let mut listing = Listing { defects: self.layout.defects.clone(), ..Listing::default() };
        let gap = |reason: &String| Gap { path: String::new(), reason: reason.clone() };
        listing.gaps.extend(self.missing.iter().map(gap));
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
            return Ok(Some(Node::folder(EvidencePath::root())));
        }
        let Some(part) = self.part(path) else { return Ok(None) };
        let mut node = part.root()?;
        let names: Vec<_> = path.components().skip(1).collect();
        for (depth, name) in names.iter().enumerate() {
            if let NodeKind::Symlink { target } = &node.kind {
                return Err(ReadError::Symlink { path: node.path, target: target.clone() });
            }
            let files = part.files()?;
            if let ([first, number, name], 2) = (names.as_slice(), depth)
                && *first == DELETED
                && files.deleted_node(&part.path()?, number, name)?.is_some()
                && files.find(&node, name)?.is_some()
            {
                // A file that somebody put at this path must not be read in place of the deleted one.
                let found = "a path that a deleted entry and a file in use share";
                return Err(ReadError::Unsupported { path: path.clone(), found });
            }
            node = match (files.find(&node, name)?, depth, names.as_slice()) {
                (Some(found), ..) => found,
                (None, 0, [first, number, name]) if *first == DELETED => {
                    return files.deleted_node(&part.path()?, number, name);
                }
                (None, ..) => return Ok(None),
            };
        }
        Ok(Some(node))
    }

    fn node_at(&self, path: &EvidencePath, reference: FileReference) -> Result<Option<Node>, ReadError> {
        match self.part(path) {
            Some(part) if path.components().count() > 1 => part.files()?.node_at(path, reference),
            Some(_) | None => self.node(path),
        }
    }

    fn target(&self, link: &Node) -> Option<EvidencePath> {
        let NodeKind::Symlink { target } = &link.kind else { return None };
        let volume = EvidencePath::root().child(link.path.components().next()?).ok()?;
        link::resolved_in_volume(&volume, &link.path, target)
    }

    fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
        if directory.path.is_root() {
            return Ok(self.listing());
        }
        let absent = || ReadError::Absent { path: directory.path.clone() };
        if directory.kind != NodeKind::Directory {
            return Err(ReadError::NotADirectory { path: directory.path.clone() });
        }
        self.part(&directory.path).ok_or_else(absent)?.children(directory)
    }

    fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError> {
        if node.path.is_root() {
            return Err(ReadError::NotAFile { path: node.path.clone() });
        }
        let absent = || ReadError::Absent { path: node.path.clone() };
        let part = self.part(&node.path).ok_or_else(absent)?;
        part.files()?.open(node, stream)
    }

    fn container(&self) -> &[PathBuf] {
        self.container.files()
    }

    fn layout(&self) -> Option<&Layout> {
        Some(&self.layout)
    }

    fn acquisition(&self) -> Option<&Acquisition> {
        Some(self.container.acquisition())
    }

    fn verify_medium(&self) -> io::Result<Vec<HashCheck>> {
        ImageTree::verify_medium(self)
    }

    fn medium(&self, offset: u64, length: u64) -> Option<Box<dyn ReadAt>> {
        Some(Box::new(MediumPart::new(&self.container, offset, length)))
    }

    fn volumes(&self) -> Vec<Volume> {
        self.parts.iter().filter_map(|part| part.describe().ok()).collect()
    }

    fn deleted(&self, volume: &EvidencePath) -> Result<DeletedSteps<'_>, ReadError> {
        let absent = || ReadError::Absent { path: volume.clone() };
        let part = self.part(volume).ok_or_else(absent)?;
        part.files()?.deleted(&part.path()?)
    }

    fn mft_entry(&self, volume: &EvidencePath, number: u64) -> Result<Option<MftDescription>, ReadError> {
        let absent = || ReadError::Absent { path: volume.clone() };
        let part = self.part(volume).ok_or_else(absent)?;
        part.files()?.mft_entry(&part.path()?, number)
    }
}
