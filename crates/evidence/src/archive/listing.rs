//! What an archive lists, as bytes with which it is opened again without reading its directory or, of a compressed tar, expanding all of it.
//!
//! The bytes are a head and then item by item what lies in the archive, each folder before what lies in it, in the wire format of postcard.
//! They are read as hostile: a depth that no archive has, or an item in no folder, is no listing. Where content stands is held against the archive, as what its own directory says is.

use super::index::{Folder, Index, Leaf, MAX_PARTS};
use super::stamp::Stamps;
use ledger::{Defect, Gap};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The first bytes: raised with every change of what follows, and of what is found in an archive.
const VERSION: u32 = 2;

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
    /// Folders above it, the root among them.
    depth: u32,
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

/// The listing of an archive.
pub(super) fn write(index: &Index, free: u64) -> Option<Vec<u8>> {
    let gaps = Cow::Borrowed(index.gaps.as_slice());
    let head = Head { version: VERSION, free, gaps, root: folder_item(&index.root) };
    let mut bytes = postcard::to_stdvec(&head).ok()?;
    // Folders whose content is still to be written, with their depth.
    let mut open = vec![(&index.root, index.root.folders.iter())];
    while let Some((_, below)) = open.last_mut() {
        let next = below.next();
        let depth = u32::try_from(open.len()).ok()?;
        match next {
            Some((name, folder)) => {
                let body = Body::Folder(folder_item(folder));
                bytes = postcard::to_extend(&Item { depth, name: Cow::Borrowed(name), body }, bytes).ok()?;
                open.push((folder, folder.folders.iter()));
            }
            None => {
                let (folder, _) = open.pop()?;
                for (name, leaf) in &folder.leaves {
                    let body = Body::Leaf(Cow::Borrowed(leaf.as_ref()));
                    bytes =
                        postcard::to_extend(&Item { depth, name: Cow::Borrowed(name), body }, bytes).ok()?;
                }
            }
        }
    }
    Some(bytes)
}

/// What a listing says, and how many bytes of an entry of a zip are free; `None` where it is none.
pub(super) fn read(bytes: &[u8]) -> Option<(Index, u64)> {
    let (Head { version, free, gaps, root }, mut rest) = postcard::take_from_bytes(bytes).ok()?;
    if version != VERSION {
        return None;
    }
    let mut open = Open { root: Opened::of(root), below: Vec::new() };
    while !rest.is_empty() {
        let (Item { depth, name, body }, left) = postcard::take_from_bytes(rest).ok()?;
        rest = left;
        let above = usize::try_from(depth).ok()?.checked_sub(1).filter(|above| *above <= MAX_PARTS)?;
        open.close(above);
        if open.below.len() != above {
            return None;
        }
        let name = name.into_owned().into_boxed_str();
        match body {
            Body::Folder(item) => open.below.push((name, Opened::of(item))),
            Body::Leaf(leaf) => open.last().leaves.push((name, Box::new(leaf.into_owned()))),
        }
    }
    open.close(0);
    Some((Index::of(open.root.closed(), gaps.into_owned()), free))
}

/// A folder whose content is being read. Its maps are made at its end: of names in order they are made in one pass.
struct Opened {
    folder: Folder,
    folders: Vec<(Box<str>, Box<Folder>)>,
    leaves: Vec<(Box<str>, Box<Leaf>)>,
}

impl Opened {
    fn of(FolderItem { stamps, defects }: FolderItem<'_>) -> Opened {
        let folder = Folder { stamps, defects: defects.into_owned(), ..Folder::default() };
        Opened { folder, folders: Vec::new(), leaves: Vec::new() }
    }

    fn closed(self) -> Folder {
        let Opened { folder, folders, leaves } = self;
        Folder { folders: folders.into_iter().collect(), leaves: leaves.into_iter().collect(), ..folder }
    }
}

/// The folders from the root to the one whose content comes next.
struct Open {
    root: Opened,
    below: Vec<(Box<str>, Opened)>,
}

impl Open {
    fn last(&mut self) -> &mut Opened {
        self.below.last_mut().map_or(&mut self.root, |(_, opened)| opened)
    }

    /// Ends the folders below so many.
    fn close(&mut self, depth: usize) {
        while self.below.len() > depth {
            if let Some((name, opened)) = self.below.pop() {
                self.last().folders.push((name, Box::new(opened.closed())));
            }
        }
    }
}
