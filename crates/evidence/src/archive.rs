//! A triage archive as evidence: zip, 7z, tar, tar.gz or tar.zst, read in place.
//!
//! Nothing is ever expanded onto a disk. Archives and disk images inside the archive are files like any other;
//! an archive that holds nothing else is refused.
//! A zip and a 7z are listed from their directories, a tar from its headers. A compressed tar must be expanded
//! for that whenever it is opened without its listing.
//! The times are those of the packed copy ([`ledger::Clock::CollectionCopy`]), so no event is based on them.

mod damage;
mod decode;
mod entry;
mod index;
mod inner;
pub(crate) mod kind;
mod listing;
mod name;
mod seven;
mod stamp;
mod stream;
pub(crate) mod tar;
mod zip;

pub use damage::ArchiveDamage;
pub use kind::is_archive;

use crate::error::{OpenError, ReadError};
use crate::image::begins_like_an_image;
use crate::path::EvidencePath;
use crate::read::ReadAt;
use crate::tree::{Listing, Node, NodeKind, Tree};
use decode::{Gzip, Part, Zstd};
use entry::Entry;
use index::{Content, Folder, Holds, Index, Leaf, LeafKind};
use kind::Kind;
use ledger::Gap;
use serde::{Deserialize, Serialize};
use seven::{Refused, Seven};
use std::cell::RefCell;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use stream::{Bound, Decode, Start, Stream};
use tar::Bytes;

/// The limits for expanding and listing archives (decision 0064).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expansion {
    /// Today's limits.
    #[default]
    Bounded,
    /// The limits of runs from before [`ledger::Behaviour::BoundsArchives`].
    Former,
}

/// An opened archive.
pub struct ArchiveTree {
    label: String,
    files: [PathBuf; 1],
    file: Rc<File>,
    length: u64,
    index: Index,
    format: Format,
}

/// How entries are read.
enum Format {
    Zip {
        /// Bytes of an entry to which the ratio limit does not apply.
        free: u64,
    },
    Seven(Seven),
    Tar(Rc<RefCell<Bytes>>),
}

/// Opens the archive `path` of the examiner's machine. Its first bytes decide the format.
///
/// `listing` is what [`Tree::listing`] returned for this very archive; the archive is then not listed again. A
/// listing that cannot be read is ignored.
pub fn open_archive(
    path: &Path,
    label: &str,
    listing: Option<&[u8]>,
    expansion: Expansion,
) -> Result<ArchiveTree, OpenError> {
    let io = |source| OpenError::Io { label: label.to_owned(), path: path.to_owned(), source };
    let path = path.canonicalize().map_err(io)?;
    let no_archive = || OpenError::NotAnArchive { label: label.to_owned(), path: path.clone() };
    // Opening a pipe would block until somebody writes to it.
    if !path.metadata().map_err(io)?.is_file() {
        return Err(no_archive());
    }
    let file = Rc::new(File::open(&path).map_err(io)?);
    let length = file.metadata().map_err(io)?.len();
    let kind = kind::of(&file).map_err(io)?.ok_or_else(no_archive)?;
    let place = Place { label, path: &path, file: &file, length, expansion };
    let listed = listing.and_then(listing::read).and_then(|(index, free)| place.listed(kind, index, free));
    let is_known = listed.is_some();
    let (index, format) = listed.map_or_else(|| place.list(kind), Ok)?;
    let tree = ArchiveTree { label: label.to_owned(), files: [path.clone()], file, length, index, format };
    if is_known {
        return Ok(tree);
    }
    match inner::only_containers(&tree) {
        None => Ok(tree),
        Some((first, found)) => {
            Err(OpenError::OnlyContainers { label: label.to_owned(), path, first, found: found.as_str() })
        }
    }
}

/// A file that is being opened.
struct Place<'a> {
    label: &'a str,
    path: &'a Path,
    file: &'a Rc<File>,
    length: u64,
    expansion: Expansion,
}

impl Place<'_> {
    fn list(&self, kind: Kind) -> Result<(Index, Format), OpenError> {
        let io = |source| OpenError::Io { label: self.label.to_owned(), path: self.path.to_owned(), source };
        let (file, length) = (self.file, self.length);
        match kind {
            Kind::Zip => {
                let expected = "the end of a central directory: the zip is cut, or one part of several";
                let none = || self.damaged(ArchiveDamage::Structure { offset: length, expected });
                let (index, free) = zip::read(file, length, self.expansion).map_err(io)?.ok_or_else(none)?;
                Ok((index, Format::Zip { free }))
            }
            Kind::Seven => match seven::read(file, length) {
                Ok((seven, index)) => Ok((index, Format::Seven(seven))),
                Err(Refused::Damaged(damage)) => Err(self.damaged(damage)),
                Err(Refused::Encrypted) => {
                    Err(self.packed("a 7z with an encrypted header", "decrypt it first"))
                }
            },
            Kind::Tar => Ok(tarred(Bytes::Plain(Part::new(file, 0, length)))),
            Kind::Gzip | Kind::Zstd => self.expanded(kind),
            Kind::Xz => {
                Err(self.packed("an xz stream, which is not expanded here", "decompress it first (`unxz`)"))
            }
            Kind::Bzip2 => {
                Err(self
                    .packed("a bzip2 stream, which is not expanded here", "decompress it first (`bunzip2`)"))
            }
        }
    }

    /// Opens the archive with a known listing; `None` for formats whose listings are not kept.
    fn listed(&self, kind: Kind, index: Index, free: u64) -> Option<(Index, Format)> {
        let of_tar = |bytes| Format::Tar(Rc::new(RefCell::new(bytes)));
        let format = match kind {
            Kind::Zip => Format::Zip { free },
            Kind::Tar => of_tar(Bytes::Plain(Part::new(self.file, 0, self.length))),
            Kind::Gzip | Kind::Zstd => of_tar(Bytes::Packed(self.expand(kind))),
            Kind::Seven | Kind::Xz | Kind::Bzip2 => return None,
        };
        Some((index, format))
    }

    /// Lists the tar in a compressed file; any other content is an error.
    fn expanded(&self, kind: Kind) -> Result<(Index, Format), OpenError> {
        let mut bytes = Bytes::Packed(self.expand(kind));
        let (head, wrong) = bytes.take(0, 4608);
        let hint = match kind {
            Kind::Zstd => "decompress it first (`unzstd`)",
            _ => "decompress it first (`gunzip`)",
        };
        match wrong {
            _ if tar::is_header(&head) => Ok(tarred(bytes)),
            Some((offset, wrong)) => Err(self.damaged(stream::damage(offset, wrong))),
            None if begins_like_an_image(&head) => Err(self.packed("a compressed disk image", hint)),
            None => Err(self.packed("a compressed file that holds no tar", hint)),
        }
    }

    /// Returns a stream over the expanded bytes of a compressed file.
    fn expand(&self, kind: Kind) -> Stream {
        let part = Part::new(self.file, 0, self.length);
        let (start, keep): (Start, usize) = match kind {
            Kind::Zstd => {
                (Box::new(move || Ok(Box::new(Zstd::new(part.clone())?) as Box<dyn Decode>)), KEEP_ZSTD)
            }
            _ => (Box::new(move || Ok(Box::new(Gzip::new(part.clone())))), 0),
        };
        Stream::new(start, keep, Bound::of_tar(self.length, self.expansion))
    }

    fn damaged(&self, source: ArchiveDamage) -> OpenError {
        OpenError::Archive { label: self.label.to_owned(), path: self.path.to_owned(), source }
    }

    fn packed(&self, found: &'static str, hint: &'static str) -> OpenError {
        OpenError::Packed { label: self.label.to_owned(), path: self.path.to_owned(), found, hint }
    }
}

fn tarred(mut bytes: Bytes) -> (Index, Format) {
    let index = tar::read(&mut bytes);
    (index, Format::Tar(Rc::new(RefCell::new(bytes))))
}

/// Bytes kept in memory of a stream that has no points to resume from. A zstd up to this size is expanded only
/// once per call.
const KEEP_ZSTD: usize = 256 << 20;

/// The item at a path.
enum Item<'a> {
    Folder(&'a Folder),
    Leaf(&'a Leaf),
}

/// The maximum length of a link target that is stored as the entry's content.
const MAX_TARGET: u64 = 4096;

/// The most hard links that are followed to find one entry's content.
const MAX_HOPS: usize = 16;

impl ArchiveTree {
    /// Returns the item at exactly this path.
    fn item(&self, path: &EvidencePath) -> Result<Option<Item<'_>>, ReadError> {
        let mut folder = &self.index.root;
        let mut parts = path.components().peekable();
        while let Some(part) = parts.next() {
            let holds = holds(folder, path)?;
            match holds.folders.get(part) {
                Some(below) => folder = below,
                None => {
                    let leaf = holds.leaves.get(part).filter(|_| parts.peek().is_none());
                    return Ok(leaf.map(|leaf| Item::Leaf(leaf)));
                }
            }
        }
        Ok(Some(Item::Folder(folder)))
    }

    /// Returns the leaf whose content a hard link shares; a link whose target is missing is returned as it is.
    fn content<'a>(&'a self, leaf: &'a Leaf) -> &'a Leaf {
        let mut found = leaf;
        for _ in 0..MAX_HOPS {
            let LeafKind::Hardlink(target) = &found.kind else { break };
            match self.index.leaf(target) {
                Some(next) => found = next,
                None => break,
            }
        }
        found
    }

    fn leaf_node(&self, path: EvidencePath, leaf: &Leaf) -> Node {
        let shared = self.content(leaf);
        let kind = match &shared.kind {
            LeafKind::File | LeafKind::Hardlink(_) => NodeKind::File,
            LeafKind::Other => NodeKind::Other,
            LeafKind::Symlink(Some(target)) => NodeKind::Symlink { target: target.to_string() },
            LeafKind::Symlink(None) => NodeKind::Symlink { target: self.target(&path, shared) },
        };
        let size = if kind == NodeKind::File { shared.size } else { 0 };
        Node { kind, size, times: leaf.stamps.times(), ..Node::folder(path) }
    }

    /// Reads the target of a link from its content; empty if it cannot be read.
    fn target(&self, path: &EvidencePath, leaf: &Leaf) -> String {
        let reader = self.reader(path, leaf).ok();
        let bytes = reader.and_then(|mut reader| crate::read::read_all(reader.as_mut(), MAX_TARGET).ok());
        crate::path::escape_target(&bytes.unwrap_or_default())
    }

    fn reader(&self, path: &EvidencePath, leaf: &Leaf) -> Result<Box<dyn ReadAt>, ReadError> {
        let name = self.files.first().and_then(|file| file.file_name()).unwrap_or_default();
        let container = name.to_string_lossy().into_owned();
        let entry = Entry::new(path.clone(), leaf.size, container);
        match (leaf.content, &self.format) {
            (Content::Zip { crc, .. }, Format::Zip { free }) => {
                let (stored, stream) = zip::open(&self.file, self.length, *free, leaf.content, path)?;
                Ok(Box::new(entry.alone(stream, stored).checked(Some(crc)).or_not_empty()?))
            }
            (Content::Tar { data }, Format::Tar(bytes)) => {
                let stored = matches!(&*bytes.borrow(), Bytes::Plain(_)).then_some(data);
                Ok(Box::new(entry.of_tar(bytes.clone(), data, stored)))
            }
            (Content::Seven { block, offset, crc }, Format::Seven(seven)) => {
                Ok(Box::new(entry.of_block(seven.block(block), offset).checked(crc)))
            }
            (Content::Unread(found), _) => {
                Err(ReadError::Unsupported { path: path.clone(), found: found.as_str() })
            }
            (Content::Overlapping, _) => Err(ReadError::Damaged {
                path: path.clone(),
                source: ArchiveDamage::Overlap { offset: leaf.offset.unwrap_or_default() }.into(),
            }),
            (Content::Empty, _) if matches!(leaf.kind, LeafKind::Hardlink(_)) => {
                let found = "a hard link to what the archive does not hold";
                Err(ReadError::Unsupported { path: path.clone(), found })
            }
            (Content::Empty | Content::Zip { .. } | Content::Tar { .. } | Content::Seven { .. }, _) => {
                Ok(Box::new(entry))
            }
        }
    }

    /// Returns the written name of a child of `folder`: the exact spelling if it exists, otherwise the only name
    /// that differs in letter case alone.
    fn spelled(&self, folder: &Folder, path: &EvidencePath, name: &str) -> Result<Option<String>, ReadError> {
        let Holds { folders, leaves } = holds(folder, path)?;
        if folders.contains_key(name) || leaves.contains_key(name) {
            return Ok(Some(name.to_owned()));
        }
        let lower = name.to_lowercase();
        let names = folders.keys().chain(leaves.keys());
        let mut folded: Vec<&str> =
            names.map(AsRef::as_ref).filter(|found| found.to_lowercase() == lower).collect();
        folded.sort_unstable();
        let child = |name: &str| path.child(name).unwrap_or_else(|_| path.clone());
        match folded.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some((*only).to_owned())),
            [first, second, ..] => Err(ReadError::AmbiguousCase {
                path: child(name),
                first: child(first),
                second: child(second),
            }),
        }
    }
}

/// Returns the content of a folder; `path` is the path that was asked for, for the error.
fn holds<'f>(folder: &'f Folder, path: &EvidencePath) -> Result<&'f Holds, ReadError> {
    let damaged = || ReadError::Damaged { path: path.clone(), source: ArchiveDamage::Listing.into() };
    folder.holds().ok_or_else(damaged)
}

fn folder_node(path: EvidencePath, folder: &Folder) -> Node {
    Node { times: folder.stamps.times(), ..Node::folder(path) }
}

/// Returns the gap for a name that no path can have, which only a foreign listing or a bug of ours can contain.
/// It must not cost the rest of its folder.
fn unnamed(folder: &EvidencePath, name: &str) -> Gap {
    let reason =
        format!("an entry of the archive whose name {name:?} cannot be part of a path: it is not read");
    Gap { path: folder.as_str().to_owned(), reason }
}

impl Tree for ArchiveTree {
    fn label(&self) -> &str {
        &self.label
    }

    fn node(&self, path: &EvidencePath) -> Result<Option<Node>, ReadError> {
        let mut found = EvidencePath::root();
        let mut folder = &self.index.root;
        let mut names = path.components().peekable();
        while let Some(name) = names.next() {
            let Some(name) = self.spelled(folder, &found, name)? else { return Ok(None) };
            found = found.child(&name).map_err(|_| ReadError::Absent { path: path.clone() })?;
            let holds = holds(folder, path)?;
            if let Some(below) = holds.folders.get(name.as_str()) {
                folder = below;
                continue;
            }
            let Some(leaf) = holds.leaves.get(name.as_str()) else { return Ok(None) };
            let node = self.leaf_node(found, leaf);
            return match (&node.kind, names.peek()) {
                (_, None) => Ok(Some(node)),
                (NodeKind::Symlink { target }, Some(_)) => {
                    Err(ReadError::Symlink { target: target.clone(), path: node.path })
                }
                (NodeKind::File | NodeKind::Directory | NodeKind::Other, Some(_)) => Ok(None),
            };
        }
        Ok(Some(folder_node(found, folder)))
    }

    fn children(&self, directory: &Node) -> Result<Listing, ReadError> {
        let path = &directory.path;
        let folder = match self.item(path)? {
            Some(Item::Folder(folder)) => folder,
            Some(Item::Leaf(_)) => return Err(ReadError::NotADirectory { path: path.clone() }),
            None => return Err(ReadError::Absent { path: path.clone() }),
        };
        let gaps: Vec<Gap> = if path.is_root() { self.index.gaps.clone() } else { Vec::new() };
        let mut listing = Listing { defects: folder.defects.clone(), gaps, nodes: Vec::new() };
        let Holds { folders, leaves } = holds(folder, path)?;
        for (name, below) in folders {
            match path.child(name) {
                Ok(child) => listing.nodes.push(folder_node(child, below)),
                Err(_) => listing.gaps.push(unnamed(path, name)),
            }
        }
        for (name, leaf) in leaves {
            match path.child(name) {
                Ok(child) => listing.nodes.push(self.leaf_node(child, leaf)),
                Err(_) => listing.gaps.push(unnamed(path, name)),
            }
        }
        listing.nodes.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listing)
    }

    fn folders(&self, directory: &Node) -> Result<Vec<Node>, ReadError> {
        let path = &directory.path;
        let Some(Item::Folder(folder)) = self.item(path)? else {
            return Err(ReadError::NotADirectory { path: path.clone() });
        };
        // A folder that cannot be named becomes a gap in the listing.
        let folders = holds(folder, path)?.folders.iter();
        let named = folders.filter_map(|(name, below)| Some(folder_node(path.child(name).ok()?, below)));
        let mut nodes: Vec<Node> = named.collect();
        nodes.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(nodes)
    }

    fn open(&self, node: &Node, stream: Option<&str>) -> Result<Box<dyn ReadAt>, ReadError> {
        let path = node.path.clone();
        if let Some(stream) = stream {
            return Err(ReadError::NoStream { path, stream: stream.to_owned() });
        }
        let leaf = match self.item(&path)? {
            Some(Item::Leaf(leaf)) => self.content(leaf),
            Some(Item::Folder(_)) => return Err(ReadError::NotAFile { path }),
            None => return Err(ReadError::Absent { path }),
        };
        match self.leaf_node(path, leaf) {
            Node { kind: NodeKind::File, path, .. } => self.reader(&path, leaf),
            Node { kind: NodeKind::Symlink { target }, path, .. } => Err(ReadError::Symlink { path, target }),
            Node { kind: NodeKind::Directory | NodeKind::Other, path, .. } => {
                Err(ReadError::NotAFile { path })
            }
        }
    }

    fn container(&self) -> &[PathBuf] {
        &self.files
    }

    fn first_bytes(&self, node: &Node) -> Option<&[u8]> {
        match self.item(&node.path).ok()? {
            Some(Item::Leaf(leaf)) => match self.content(leaf).content {
                Content::Tar { data } => self.index.heads.of(data),
                _ => None,
            },
            Some(Item::Folder(_)) | None => None,
        }
    }

    fn listing(&self) -> Option<Vec<u8>> {
        match &self.format {
            Format::Zip { free } => listing::write(&self.index, *free),
            Format::Tar(_) => listing::write(&self.index, 0),
            Format::Seven(_) => None,
        }
    }
}
