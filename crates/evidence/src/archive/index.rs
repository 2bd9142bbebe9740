//! The tree of the entries in an archive.
//!
//! Archives are lists and need not form a tree: folders may be missing, paths may be repeated, and a path may be
//! both a file and a folder.
//! Missing folders are implied. If two entries have the same path, the later one is kept, as it would be if the
//! archive were expanded; the other is reported as a defect.
//! A leaf at the path of a folder gets a name that ends in an escaped NUL. That is also a defect.

use super::listing::Kept;
use super::name::{self, Name};
use super::stamp::Stamps;
use ledger::{Defect, Gap};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The most entries that are listed.
pub(super) const MAX_ENTRIES: usize = 1_000_000;

/// The most entries and implied folders.
const MAX_ITEMS: usize = 2_000_000;

/// The most bytes of names that are read from an archive.
pub(super) const MAX_NAMES: usize = 256 << 20;

/// The most folders above an entry. A walk visits no deeper ones either.
pub(super) const MAX_PARTS: usize = crate::walk::MAX_DEPTH;

/// The most defects that are reported one by one.
const MAX_DEFECTS: usize = 10_000;

/// An entry as an archive lists it.
pub(super) struct Found {
    pub(super) name: Name,
    /// Offset of its header in the archive, if known.
    pub(super) offset: Option<u64>,
    pub(super) stamps: Stamps,
    pub(super) body: Body,
    /// Oddities other than those of its name.
    pub(super) odd: Vec<String>,
}

/// What an entry is.
pub(super) enum Body {
    Folder,
    Leaf(Leaf),
    /// A folder that also has content, which is stored next to it under another name.
    Both(Leaf),
}

/// Decides how to read an entry that is marked as `kind`, or as a folder (`None`), and has `content` bytes; also
/// returns what is odd about it.
///
/// Only files are read, and links as far as their targets are long. Anything else that has content is treated as
/// a file.
pub(super) fn unmarked(kind: Option<LeafKind>, content: u64) -> (Option<LeafKind>, Option<String>) {
    let marked = match &kind {
        None if content > 0 => "a folder",
        Some(LeafKind::Other) if content > 0 => "a device, a pipe or a socket",
        Some(LeafKind::Symlink(None)) if content > super::MAX_TARGET => "a link",
        _ => return (kind, None),
    };
    let odd = format!("it is marked as {marked} and has {content} bytes of content: it is taken for a file");
    (Some(LeafKind::File), Some(odd))
}

/// Describes the oddity of a folder with content.
pub(super) fn filled(content: u64) -> String {
    format!("it is named like a folder and has {content} bytes of content")
}

/// An entry that is not a folder.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Leaf {
    pub(super) kind: LeafKind,
    /// The declared size in bytes.
    pub(super) size: u64,
    pub(super) stamps: Stamps,
    /// Offset of its header.
    pub(super) offset: Option<u64>,
    pub(super) content: Content,
}

/// The kind of a leaf.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum LeafKind {
    File,
    /// The target as written; `None` if it is the entry's content.
    Symlink(Option<Box<str>>),
    /// The path of the entry whose content this one shares; kept only if that entry did not come before it.
    Hardlink(Box<str>),
    Other,
}

/// Where the content of a leaf is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Content {
    /// In a zip: the offset of its local header.
    Zip { header: u64, packed: u64, method: u16, crc: u32 },
    /// In a tar: the offset of its data.
    Tar { data: u64 },
    /// In a 7z: the offset within its expanded block.
    Seven { block: usize, offset: u64, crc: Option<u32> },
    /// Nowhere: it has no bytes.
    Empty,
    /// Stored in a way that is not supported.
    Unread(Unread),
    /// In bytes that another entry also claims.
    Overlapping,
}

/// A folder of the tree.
#[derive(Debug, Default)]
pub(super) struct Folder {
    pub(super) stamps: Stamps,
    pub(super) defects: Vec<Defect>,
    /// The entries found by listing; empty if `kept` has them.
    pub(super) own: Holds,
    /// The folder's part of a stored listing.
    pub(super) kept: Option<Kept>,
}

/// The content of a folder; no name belongs to both a folder and a leaf.
///
/// Both are boxed because a map with one value reserves space for eleven.
#[derive(Debug, Default)]
pub(super) struct Holds {
    pub(super) folders: BTreeMap<Box<str>, Box<Folder>>,
    pub(super) leaves: BTreeMap<Box<str>, Box<Leaf>>,
}

impl Folder {
    /// Returns the folder's content; `None` if the stored listing is damaged.
    pub(super) fn holds(&self) -> Option<&Holds> {
        self.kept.as_ref().map_or(Some(&self.own), Kept::holds)
    }
}

/// Bytes at the start of a file in a compressed tar that are kept when it is listed.
pub(super) const HEAD: usize = 32;

/// The first bytes of files in a compressed tar, by their offset in it. Reading them later would cost a pass
/// over the tar for each file.
///
/// They are not part of a stored listing.
#[derive(Debug, Default)]
pub(super) struct Heads(Vec<(u64, [u8; HEAD])>);

impl Heads {
    /// Keeps the bytes at `data`; if there are fewer than [`HEAD`], they are read again later.
    pub(super) fn keep(&mut self, data: u64, head: &[u8]) {
        if let Some(head) = head.first_chunk() {
            self.0.push((data, *head));
        }
    }

    /// Returns the first bytes of the data at `data`, if they were kept.
    pub(super) fn of(&self, data: u64) -> Option<&[u8]> {
        // They are added in tar order, so they are sorted.
        let at = self.0.binary_search_by_key(&data, |(at, _)| *at).ok()?;
        self.0.get(at).map(|(_, head)| head.as_slice())
    }
}

/// The whole tree.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) root: Folder,
    pub(super) heads: Heads,
    /// The stored listing from which the index was made.
    pub(super) listing: Option<Rc<[u8]>>,
    /// Parts of the archive as a whole that were not examined.
    pub(super) gaps: Vec<Gap>,
    items: usize,
    defects: usize,
    deep: u64,
    over: u64,
    encrypted: u64,
}

/// Why the content of an entry is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Unread {
    Encrypted,
    Sparse,
    OtherTar,
    OtherZip,
    Deflate64,
    DeflateIn7z,
    Bzip2,
    Lzma,
    Ppmd,
    Properties,
    Dictionary,
    Unknown,
}

impl Unread {
    /// Describes the entry.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Unread::Encrypted => "an encrypted entry",
            Unread::Sparse => "a sparse entry of a tar",
            Unread::OtherTar => "the rest of an entry of another tar",
            Unread::OtherZip => "an entry of another part of a zip in several files",
            Unread::Deflate64 => "an entry packed with Deflate64",
            Unread::DeflateIn7z => "an entry packed with deflate in a 7z",
            Unread::Bzip2 => "an entry packed with bzip2",
            Unread::Lzma => "an entry packed with LZMA",
            Unread::Ppmd => "an entry packed with PPMd",
            Unread::Properties => "an entry whose block has no valid properties",
            Unread::Dictionary => "an entry packed with a dictionary of more than 1 GiB",
            Unread::Unknown => "an entry packed in an unknown way",
        }
    }
}

impl Index {
    /// Adds an entry.
    pub(super) fn add(&mut self, found: Found) {
        let Found { name: Name { mut parts, odd }, offset, stamps, body, odd: mut all_odd } = found;
        all_odd.extend(odd.map(str::to_owned));
        if parts.len() > MAX_PARTS {
            self.deep += 1;
            return;
        }
        if self.items.saturating_add(parts.len()) > MAX_ITEMS {
            self.over += 1;
            return;
        }
        if let Body::Leaf(leaf) | Body::Both(leaf) = &body
            && leaf.content == Content::Unread(Unread::Encrypted)
        {
            self.encrypted += 1;
        }
        let body = match body {
            Body::Leaf(leaf) => Body::Leaf(self.linked(leaf)),
            body => body,
        };
        let last = parts.pop();
        let mut tell = Tell { at: offset, count: &mut self.defects };
        let mut folder = &mut self.root;
        let mut path = String::new();
        for part in parts {
            join(&mut path, &part);
            folder = enter(folder, part, &path, &mut tell, &mut self.items);
        }
        let name = last.unwrap_or_default();
        tell.odd(folder, &path, &name, &all_odd);
        let is_root = name.is_empty();
        if is_root && !matches!(body, Body::Folder) {
            tell.defect(folder, &path, &name::aside(""), "it has no name");
        }
        let (is_folder, leaf) = match body {
            Body::Folder => (true, None),
            Body::Leaf(leaf) => (false, Some(leaf)),
            Body::Both(leaf) => (true, Some(leaf)),
        };
        if is_folder && is_root {
            folder.stamps = stamps;
        } else if is_folder {
            let mut whole = path.clone();
            join(&mut whole, &name);
            enter(folder, name.clone(), &whole, &mut tell, &mut self.items).stamps = stamps;
        }
        if let Some(leaf) = leaf {
            let name = if is_root { name::aside("") } else { name };
            put(folder, name, leaf, &path, &mut tell, &mut self.items);
        }
    }

    /// Creates the index of a stored listing.
    pub(super) fn of(root: Folder, gaps: Vec<Gap>, listing: Rc<[u8]>) -> Index {
        Index { root, gaps, listing: Some(listing), ..Index::default() }
    }

    /// Adds damage to the archive as a whole.
    pub(super) fn damaged(&mut self, what: String) {
        self.root.defects.push(Defect { path: String::new(), offset: None, what });
    }

    /// Leaves out the leaves with this content, and the defects reported about them.
    pub(super) fn leave_out(&mut self, content: Content) {
        let mut open = vec![&mut self.root];
        while let Some(folder) = open.pop() {
            let Folder { own: Holds { folders, leaves }, defects, .. } = folder;
            defects.retain(|defect| {
                let name = defect.path.rsplit_once('/').map_or(defect.path.as_str(), |(_, name)| name);
                leaves.get(name).is_none_or(|leaf| leaf.content != content)
            });
            leaves.retain(|_, leaf| leaf.content != content);
            open.extend(folders.values_mut().map(AsMut::as_mut));
        }
    }

    /// Adds damage that ends the listing: what follows it was not examined.
    pub(super) fn cut(&mut self, what: String) {
        self.gap(format!("entries of the archive: {what}"));
        self.damaged(what);
    }

    /// Adds something that was not examined.
    pub(super) fn gap(&mut self, reason: String) {
        self.gaps.push(Gap { path: String::new(), reason });
    }

    /// Ends the listing: counters become gaps.
    pub(super) fn finish(mut self) -> Index {
        let told = [
            (self.encrypted, "are encrypted: their content is not read".to_owned()),
            (self.deep, format!("lie deeper than {MAX_PARTS} folders and are not listed")),
            (self.over, format!("are not listed: there are more than {MAX_ITEMS} entries and folders")),
        ];
        for (count, what) in told.into_iter().filter(|(count, _)| *count > 0) {
            self.gap(format!("entries of the archive: {count} {what}"));
        }
        if let Some(more) = self.defects.checked_sub(MAX_DEFECTS).filter(|more| *more > 0) {
            self.damaged(format!("{more} more defects of entries are not told one by one"));
        }
        self
    }

    /// Resolves a hard link to the current content of its target, because a later entry with the target's path
    /// is not the one that was linked to.
    ///
    /// A link that comes before its target stays a link, and is resolved when it is read.
    fn linked(&self, leaf: Leaf) -> Leaf {
        let LeafKind::Hardlink(target) = &leaf.kind else { return leaf };
        match self.leaf(target) {
            Some(Leaf { kind, size, content, .. }) => {
                Leaf { kind: kind.clone(), size: *size, content: *content, ..leaf }
            }
            None => leaf,
        }
    }

    /// Returns the leaf at exactly this written path.
    pub(super) fn leaf(&self, path: &str) -> Option<&Leaf> {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut folder = &self.root;
        for part in above.split('/').filter(|part| !part.is_empty()) {
            folder = folder.holds()?.folders.get(part)?;
        }
        folder.holds()?.leaves.get(name).map(AsRef::as_ref)
    }

    /// Visits every leaf.
    pub(super) fn leaves(&mut self, visit: &mut dyn FnMut(&mut Leaf)) {
        let mut open = vec![&mut self.root];
        while let Some(folder) = open.pop() {
            folder.own.leaves.values_mut().for_each(|leaf| visit(leaf));
            open.extend(folder.own.folders.values_mut().map(AsMut::as_mut));
        }
    }
}

/// Appends a written name to a written path.
fn join(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(name);
}

/// Reports the defects of one entry.
struct Tell<'a> {
    at: Option<u64>,
    count: &'a mut usize,
}

impl Tell<'_> {
    fn odd(&mut self, folder: &mut Folder, path: &str, name: &str, odd: &[String]) {
        for what in odd {
            self.defect(folder, path, name, what);
        }
    }

    fn defect(&mut self, folder: &mut Folder, path: &str, name: &str, what: &str) {
        *self.count += 1;
        if *self.count <= MAX_DEFECTS {
            let at = self.at.map(|at| format!("the entry at byte {at} of the archive: ")).unwrap_or_default();
            let mut whole = path.to_owned();
            join(&mut whole, name);
            folder.defects.push(Defect { path: whole, offset: None, what: format!("{at}{what}") });
        }
    }
}

/// Returns the subfolder `name` of `folder`, creating it if needed; a leaf of this name is moved to another name.
fn enter<'f>(
    folder: &'f mut Folder,
    name: String,
    path: &str,
    tell: &mut Tell<'_>,
    items: &mut usize,
) -> &'f mut Folder {
    let name = name.into_boxed_str();
    if let Some(leaf) = folder.own.leaves.remove(&name) {
        let above = path.rsplit_once('/').map_or("", |(above, _)| above);
        set_aside(folder, &name, *leaf, above, tell);
    }
    folder.own.folders.entry(name).or_insert_with(|| {
        *items += 1;
        Box::default()
    })
}

/// Adds a leaf under `name`. It replaces a leaf of that name; if a folder has that name, the leaf gets another one.
fn put(folder: &mut Folder, name: String, leaf: Leaf, path: &str, tell: &mut Tell<'_>, items: &mut usize) {
    *items += 1;
    match folder.own.folders.contains_key(name.as_str()) {
        true => set_aside(folder, &name, leaf, path, tell),
        false => replace(folder, name, leaf, path, tell),
    }
}

/// Adds a leaf under a name that no folder has, replacing an earlier leaf.
fn replace(folder: &mut Folder, name: String, leaf: Leaf, path: &str, tell: &mut Tell<'_>) {
    let Some(former) = folder.own.leaves.insert(name.clone().into_boxed_str(), Box::new(leaf)) else {
        return;
    };
    let former = former.offset.map(|at| format!(" at byte {at}")).unwrap_or_default();
    let what = format!("it replaces an earlier entry{former} of the same path, which is not read");
    tell.defect(folder, path, &name, &what);
}

/// Adds a leaf whose name is a folder's under another name, which no real entry has.
fn set_aside(folder: &mut Folder, name: &str, leaf: Leaf, path: &str, tell: &mut Tell<'_>) {
    let aside = name::aside(name);
    tell.defect(folder, path, &aside, "its path is a folder's, too: it stands under this name");
    replace(folder, aside, leaf, path, tell);
}
