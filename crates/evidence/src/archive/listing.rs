//! The stored listing of an archive: bytes that let it be opened again without reading its directory or
//! expanding a compressed tar.
//!
//! The bytes are a head, followed by the items of the root, in the wire format of postcard. The item of a folder
//! is followed by the length of its content, and then by the content.
//! So a folder can be read without its siblings, and a call that needs few folders reads few.
//! The bytes are treated as hostile: if a folder is deeper than any archive allows, or has a length beyond its
//! parent's, that folder has no listing. Content offsets are checked against the archive, like those in its own
//! directory.

use super::index::{Folder, Holds, Index, Leaf, MAX_PARTS};
use super::stamp::Stamps;
use ledger::{Defect, Gap};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

/// The version of the format: raised with every change to what follows, or to what is found in an archive.
const VERSION: u32 = 3;

#[derive(Serialize, Deserialize)]
struct Head<'a> {
    version: u32,
    /// Bytes of a zip entry to which the ratio limit does not apply.
    free: u64,
    gaps: Cow<'a, [Gap]>,
    root: FolderItem<'a>,
}

#[derive(Serialize, Deserialize)]
struct FolderItem<'a> {
    stamps: Stamps,
    defects: Cow<'a, [Defect]>,
}

#[derive(Serialize, Deserialize)]
struct Item<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    body: Body<'a>,
}

#[derive(Serialize, Deserialize)]
enum Body<'a> {
    Folder(FolderItem<'a>),
    Leaf(Cow<'a, Leaf>),
}

fn folder_item(folder: &Folder) -> FolderItem<'_> {
    FolderItem { stamps: folder.stamps, defects: Cow::Borrowed(&folder.defects) }
}

/// Bytes of the length of a folder's content.
const LENGTH: usize = 8;

/// Writes the listing of an archive.
pub(super) fn write(index: &Index, free: u64) -> Option<Vec<u8>> {
    if let Some(listing) = &index.listing {
        return Some(listing.to_vec());
    }
    let gaps = Cow::Borrowed(index.gaps.as_slice());
    let head = Head { version: VERSION, free, gaps, root: folder_item(&index.root) };
    let mut bytes = postcard::to_stdvec(&head).ok()?;
    // Folders whose content is still being written, each with the offset of its length. The root has no length:
    // its content is the rest of the bytes.
    let mut open = vec![(&index.root, index.root.own.folders.iter(), None)];
    while let Some((_, below, _)) = open.last_mut() {
        match below.next() {
            Some((name, folder)) => {
                let body = Body::Folder(folder_item(folder));
                bytes = postcard::to_extend(&Item { name: Cow::Borrowed(name), body }, bytes).ok()?;
                let at = bytes.len();
                bytes.extend([0; LENGTH]);
                open.push((folder, folder.own.folders.iter(), Some(at)));
            }
            None => {
                let (folder, _, at) = open.pop()?;
                for (name, leaf) in &folder.own.leaves {
                    let body = Body::Leaf(Cow::Borrowed(leaf.as_ref()));
                    bytes = postcard::to_extend(&Item { name: Cow::Borrowed(name), body }, bytes).ok()?;
                }
                let Some(at) = at else { continue };
                let length = (bytes.len() - at).checked_sub(LENGTH)? as u64;
                bytes.get_mut(at..at + LENGTH)?.copy_from_slice(&length.to_le_bytes());
            }
        }
    }
    Some(bytes)
}

/// Reads a listing; also returns the number of bytes of a zip entry to which the ratio limit does not apply.
/// `None` if it is not a listing.
///
/// The content of a folder is read when it is first needed.
pub(super) fn read(bytes: &[u8]) -> Option<(Index, u64)> {
    let bytes: Rc<[u8]> = Rc::from(bytes);
    let (Head { version, free, gaps, root }, rest) = postcard::take_from_bytes::<Head<'_>>(&bytes).ok()?;
    if version != VERSION {
        return None;
    }
    let span = bytes.len() - rest.len()..bytes.len();
    let root = folder(root, Kept { listing: bytes.clone(), span, depth: 0, holds: OnceCell::new() });
    Some((Index::of(root, gaps.into_owned(), bytes.clone()), free))
}

fn folder(FolderItem { stamps, defects }: FolderItem<'_>, kept: Kept) -> Folder {
    Folder { stamps, defects: defects.into_owned(), kept: Some(kept), ..Folder::default() }
}

/// A folder's content in a stored listing.
pub(super) struct Kept {
    listing: Rc<[u8]>,
    span: Range<usize>,
    /// The number of folders above it.
    depth: usize,
    /// Set when the content is first read; `None` if it is damaged.
    holds: OnceCell<Option<Holds>>,
}

impl Kept {
    /// Returns the folder's content; `None` if the listing is damaged.
    pub(super) fn holds(&self) -> Option<&Holds> {
        self.holds.get_or_init(|| self.read()).as_ref()
    }

    fn read(&self) -> Option<Holds> {
        let mut rest = self.listing.get(self.span.clone()).filter(|_| self.depth <= MAX_PARTS)?;
        // A map is built in one pass from names that are in order.
        let (mut folders, mut leaves) = (Vec::new(), Vec::new());
        while !rest.is_empty() {
            let (Item { name, body }, left) = postcard::take_from_bytes(rest).ok()?;
            rest = left;
            let name = name.into_owned().into_boxed_str();
            match body {
                Body::Folder(item) => {
                    let (length, left) = rest.split_first_chunk::<LENGTH>()?;
                    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
                    let begin = self.span.end.checked_sub(left.len())?;
                    rest = left.get(length..)?;
                    let span = begin..begin + length;
                    let depth = self.depth + 1;
                    let kept = Kept { listing: self.listing.clone(), span, depth, holds: OnceCell::new() };
                    folders.push((name, Box::new(folder(item, kept))));
                }
                Body::Leaf(leaf) => leaves.push((name, Box::new(leaf.into_owned()))),
            }
        }
        Some(Holds { folders: folders.into_iter().collect(), leaves: leaves.into_iter().collect() })
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Kept").field("span", &self.span).finish_non_exhaustive()
    }
}
