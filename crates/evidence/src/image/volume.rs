//! A volume of an image: its folder in the tree, and the file system behind it.

use super::container::{Container, Missing};
use super::kind::{Kind, recognise};
use super::layout::{Region, head};
use crate::error::{Damage, ReadError};
use crate::ext::ExtFiles;
use crate::fat::FatFiles;
use crate::file_system::{FileSystem, child};
use crate::ntfs::{NtfsFiles, has_copy};
use crate::path::EvidencePath;
use crate::tree::{Listing, Node};
use crate::volume::Volume;
use crate::window::Window;
use ledger::{Defect, Gap};
use std::rc::Rc;

/// A partition, or a medium without partitions.
pub(super) struct Part {
    number: u32,
    region: Region,
    kind: Kind,
    content: Content,
    /// What the image does not hold of it.
    missing: Vec<String>,
}

/// The content of a volume.
enum Content {
    /// A supported file system.
    Read(Box<dyn FileSystem>),
    /// A file system that is not supported yet, or not recognised.
    Unread,
    /// The first bytes cannot be read, or they name a file system that cannot be opened; with the reason.
    Damaged(String),
}

impl Part {
    /// Opens the volume; `missing` is what the image does not hold, with the partition that is cut off.
    pub(super) fn open(
        container: &Rc<Container>,
        number: u32,
        region: &Region,
        missing: &[(Option<u32>, Missing)],
    ) -> Part {
        let its = missing.iter().filter(|(cut, missing)| match cut {
            Some(cut) => *cut == number,
            None => missing.touches(region.offset, region.length),
        });
        let missing: Vec<_> = its.map(|(_, missing)| missing.to_string()).collect();
        let part = |kind, content| Part { number, region: region.clone(), kind, content, missing };
        let kind = match head(container, region.offset) {
            Ok(head) => recognise(&head),
            Err(error) => return part(Kind::Unknown, Content::Damaged(error.to_string())),
        };
        let window = Window::new(container, region.offset, region.length);
        let kind = match kind {
            // The first sector of an NTFS volume may be damaged; the last one is its copy.
            Kind::Unknown if has_copy(&window) => Kind::Ntfs,
            known => known,
        };
        let content = match files(kind, window) {
            Ok(Some(files)) => Content::Read(files),
            Ok(None) => Content::Unread,
            Err(error) => Content::Damaged(error.to_string()),
        };
        part(kind, content)
    }

    /// Returns `p` and the number of the partition.
    pub(super) fn name(&self) -> String {
        format!("p{}", self.number)
    }

    /// Returns the path of its folder.
    pub(super) fn path(&self) -> Result<EvidencePath, ReadError> {
        child(&EvidencePath::root(), &self.name())
    }

    /// Returns the folder of the volume, with the metadata of its own root if it has one.
    pub(super) fn root(&self) -> Result<Node, ReadError> {
        let path = self.path()?;
        Ok(match &self.content {
            Content::Read(files) => files.root(path),
            Content::Unread | Content::Damaged(_) => Node::folder(path),
        })
    }

    /// Returns the file system, if it can be read.
    pub(super) fn files(&self) -> Result<&dyn FileSystem, ReadError> {
        let found = match &self.content {
            Content::Read(files) => return Ok(files.as_ref()),
            Content::Unread => self.kind.describe(),
            Content::Damaged(_) => "a damaged file system",
        };
        Err(ReadError::Unsupported { path: self.path()?, found })
    }

    /// Lists the entries of a folder; a volume that cannot be read gives a gap, never an empty folder.
    pub(super) fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
        let mut listing = self.listing(directory)?;
        if directory.path.components().count() == 1 {
            let gap = |reason: &String| Gap { path: self.name(), reason: reason.clone() };
            listing.gaps.extend(self.missing.iter().map(gap));
        }
        Ok(listing)
    }

    fn listing(&self, directory: &Node) -> Result<Listing, ReadError> {
        let gap = |reason| vec![Gap { path: self.name(), reason }];
        match &self.content {
            Content::Read(files) => {
                let mut listing = files.children(directory)?;
                if directory.path.components().count() == 1 && files.facts().shadow_copies {
                    listing.gaps.extend(gap("volume shadow copies are not read yet".to_owned()));
                }
                Ok(listing)
            }
            Content::Unread => {
                let reason = format!("{} is not read yet", self.kind.describe());
                Ok(Listing { gaps: gap(reason), ..Listing::default() })
            }
            Content::Damaged(what) => {
                let defect = Defect { path: self.name(), offset: None, what: what.clone() };
                let gaps = gap("a damaged file system is not read".to_owned());
                Ok(Listing { defects: vec![defect], gaps, nodes: Vec::new() })
            }
        }
    }

    /// Describes the volume for examiners.
    pub(super) fn describe(&self) -> Result<Volume, ReadError> {
        let (file_system, facts, unread) = match &self.content {
            Content::Read(files) => (Some(files.name()), Some(files.facts()), None),
            Content::Unread => {
                (self.kind.name(), None, Some(format!("{} is not read yet", self.kind.describe())))
            }
            Content::Damaged(what) => (self.kind.name(), None, Some(what.clone())),
        };
        Ok(Volume {
            path: self.path()?,
            number: self.number,
            offset: self.region.offset,
            length: self.region.length,
            file_system,
            facts,
            unread,
        })
    }
}

/// Returns the reader for a file system of this kind; `None` if there is none yet.
fn files(kind: Kind, window: Window) -> Result<Option<Box<dyn FileSystem>>, Damage> {
    match kind {
        Kind::Ntfs => Ok(Some(Box::new(NtfsFiles::open(window)?))),
        Kind::Ext => Ok(Some(Box::new(ExtFiles::open(window)?))),
        Kind::Fat => Ok(Some(Box::new(FatFiles::open_fat(window)?))),
        Kind::ExFat => Ok(Some(Box::new(FatFiles::open_exfat(window)?))),
        Kind::BitLocker | Kind::Unknown => Ok(None),
    }
}
