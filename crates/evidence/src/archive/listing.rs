//! What an archive lists, as bytes with which it is opened again without reading its directory or, of a compressed tar, expanding all of it.
//!
//! The bytes are a head and then item by item what lies in the root, in the wire format of postcard: behind the item of a folder stand the length of what lies in it, and that.
//! So a folder is read without those beside it, and a call that looks at few reads few.
//! They are read as hostile: a depth that no archive has, or a length beyond the folder's own, is no listing of that folder. Where content stands is held against the archive, as what its own directory says is.

use super::index::{Folder, Holds, Index, Leaf, MAX_PARTS};
use super::stamp::Stamps;
use ledger::{Defect, Gap};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

/// The first bytes: raised with every change of what follows, and of what is found in an archive.
const VERSION: u32 = 3;

#[derive(Serialize, Deserialize)]
struct Head<'a> {
    version: u32,
    /// Bytes of an entry of a zip that are free of the limit of its ratio.
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

/// Bytes that say how long what lies in a folder is.
const LENGTH: usize = 8;

/// The listing of an archive.
pub(super) fn write(index: &Index, free: u64) -> Option<Vec<u8>> {
    if let Some(listing) = &index.listing {
        return Some(listing.to_vec());
    }
    let gaps = Cow::Borrowed(index.gaps.as_slice());
    let head = Head { version: VERSION, free, gaps, root: folder_item(&index.root) };
    let mut bytes = postcard::to_stdvec(&head).ok()?;
    // Folders whose content is still to be written, with where its length is to stand; that of the root is what is left.
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

/// What a listing says, and how many bytes of an entry of a zip are free; `None` where it is none.
///
/// What lies in a folder is read when somebody asks for it.
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

/// What a listing has of what lies in a folder.
pub(super) struct Kept {
    listing: Rc<[u8]>,
    span: Range<usize>,
    /// Folders above it.
    depth: usize,
    /// Once it was read; `None` where it is damaged.
    holds: OnceCell<Option<Holds>>,
}

impl Kept {
    /// What lies in the folder; `None` where the listing is damaged.
    pub(super) fn holds(&self) -> Option<&Holds> {
        self.holds.get_or_init(|| self.read()).as_ref()
    }

    fn read(&self) -> Option<Holds> {
        let mut rest = self.listing.get(self.span.clone()).filter(|_| self.depth <= MAX_PARTS)?;
        // Of names in order a map is made in one pass.
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
