//! Shell items: the lists (`ITEMIDLIST`) by which the shell identifies a file, folder, share or page.
//!
//! Source: Joachim Metz, "Windows Shell Item format specification" (github.com/libyal/libfwsi), whose section
//! names are used below.
//! The format is Microsoft's and undocumented: an item of another kind is kept as [`ItemKind::Unknown`], and
//! nothing is guessed.

mod fat_time;
mod file_entry;
mod named;

pub use fat_time::FatTime;
pub use file_entry::FileEntry;
pub use named::{Named, NamedKind};

use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, ansi_to_nul, bytes, guid_at, u16_at, u32_at, utf16_to_nul};

/// The most items of a list that are read; Windows paths have far fewer components.
const LIMIT: usize = 512;

/// Length of an item's size, which is also the length of the empty item that ends a list.
const SIZE: usize = 2;

/// Signature of a volume in a delegate item.
const DELEGATE_VOLUME: u32 = 0xF5A6_B710;

/// Signature of a users property view that holds a known folder.
const KNOWN_FOLDER: u32 = 0x23FE_BBEE;

/// Signatures of users property views that hold properties: they contain no folder GUID.
const PROPERTY_VIEWS: [u32; 4] = [0x1014_1981, 0x23A3_DFD5, 0x3B93_AFBB, 0xBEEB_EE00];

/// One item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Offset from the start of the data.
    pub offset: usize,
    /// Length including its size field.
    pub length: usize,
    /// The class type indicator.
    pub class: u8,
    /// The content of the item.
    pub kind: ItemKind,
}

/// The content of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A folder of the shell, by its class identifier or known-folder GUID, in braces and upper case.
    Folder {
        /// The GUID.
        guid: Located<String>,
    },
    /// A volume, such as `C:\`.
    Volume {
        /// Its name.
        name: Located<String>,
    },
    /// A file or directory.
    FileEntry(FileEntry),
    /// A workgroup, server or share.
    Network {
        /// Its name or UNC path.
        location: Located<String>,
    },
    /// An address.
    Uri {
        /// The address.
        uri: Located<String>,
    },
    /// An item of another namespace, of which only the name is read.
    Named(Named),
    /// An item of an unsupported kind.
    Unknown,
}

/// A list of items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// The items in order: each is inside the one before it.
    pub items: Vec<Item>,
    /// Offset after the end mark.
    pub end: usize,
}

impl List {
    /// Returns the path that the items form together, and whether every item's name is in it.
    ///
    /// Shell folders are represented by their GUIDs; those before a volume or share are left out.
    /// An item whose name could not be read is represented by its class in angle brackets, which no Windows name
    /// can contain.
    pub fn path(&self) -> (String, bool) {
        let (mut path, mut whole) = (String::new(), true);
        for item in &self.items {
            let unknown = format!("<{:#04x}>", item.class);
            let name = item.name().unwrap_or(&unknown);
            // A path of the file system begins with a volume or share, whatever shell folders precede it.
            if name.starts_with("\\\\") || matches!(item.kind, ItemKind::Volume { .. }) {
                path.clear();
                whole = true;
            }
            whole &= item.name().is_some();
            if !path.is_empty() && !path.ends_with('\\') {
                path.push('\\');
            }
            path.push_str(name);
        }
        (path, whole)
    }
}

impl Item {
    /// Returns the name; for a file entry the long one, if it has one. `None` for items of an unknown kind.
    pub fn name(&self) -> Option<&str> {
        match &self.kind {
            ItemKind::Folder { guid } => Some(&guid.value),
            ItemKind::Volume { name } => Some(&name.value),
            ItemKind::FileEntry(entry) => Some(&entry.name().value),
            ItemKind::Network { location } => Some(&location.value),
            ItemKind::Uri { uri } => Some(&uri.value),
            ItemKind::Named(named) => Some(&named.name.value),
            ItemKind::Unknown => None,
        }
    }

    /// Returns the kind of the item, in the terms of other forensic tools.
    pub fn kind_name(&self) -> &'static str {
        match &self.kind {
            ItemKind::Folder { .. } => "Root folder: GUID",
            ItemKind::Volume { .. } => "Drive letter",
            ItemKind::FileEntry(entry) if entry.directory => "Directory",
            ItemKind::FileEntry(_) => "File",
            ItemKind::Network { .. } => "Network location",
            ItemKind::Uri { .. } => "URI",
            ItemKind::Named(named) => named.kind.name(),
            ItemKind::Unknown => "Unknown",
        }
    }
}

/// Reads a list that begins at `at`, up to its empty item; offsets count from the start of `data`.
pub fn list(data: &[u8], at: usize) -> (List, Vec<Damage>) {
    let (mut list, mut damage) = (List { items: Vec::new(), end: at }, Vec::new());
    while let Some(size) = u16_at(data, list.end) {
        let (offset, size) = (list.end, usize::from(size));
        if size == 0 {
            list.end += SIZE;
            return (list, damage);
        }
        if list.items.len() >= LIMIT {
            damage.push(Damage::at(offset, DamageKind::TooMany { what: "shell items", limit: LIMIT }));
            return (list, damage);
        }
        let rest = data.get(offset..).unwrap_or_default();
        let whole = rest.get(..size).unwrap_or(rest);
        if size <= SIZE || whole.len() < size {
            let (available, what) = (data.len(), "shell item");
            damage.push(Damage::at(offset, DamageKind::Outside { what, length: size, available }));
        }
        if size <= SIZE {
            return (list, damage);
        }
        list.items.push(item(whole, offset, &mut damage));
        list.end += whole.len();
    }
    damage.push(Damage::at(list.end, DamageKind::Unended { what: "list of shell items" }));
    (list, damage)
}

/// Reads one item, whose bytes begin at `offset` of the data.
fn item(item: &[u8], offset: usize, damage: &mut Vec<Damage>) -> Item {
    let class = item.get(SIZE).copied().unwrap_or_default();
    let mut own = Vec::new();
    let named = |own: &mut Vec<Damage>| named::read(item, own).map(ItemKind::Named);
    let kind = named(&mut own).or_else(|| kind(item, class, &mut own)).or_else(|| named::delegate(item));
    let kind = kind.unwrap_or(ItemKind::Unknown);
    damage.extend(own.into_iter().map(|found| Damage { offset: found.offset + offset, ..found }));
    Item { offset, length: item.len(), class, kind: moved(kind, offset) }
}

/// Reads an item by its class type indicator (section "Class type indicator"), a type with flags in its lower bits.
fn kind(item: &[u8], class: u8, damage: &mut Vec<Damage>) -> Option<ItemKind> {
    if u32_at(item, 6).is_some_and(|signature| PROPERTY_VIEWS.contains(&signature)) {
        return None;
    }
    match class {
        0x00 => known_folder(item),
        0x1E | 0x1F if u32_at(item, 6) == Some(DELEGATE_VOLUME) => volume(item, 10, damage),
        0x1E | 0x1F => folder(item, 4),
        0x61 => uri(item, damage),
        0x71 => folder(item, 14),
        0x74 => file_entry::delegate(item, damage).map(ItemKind::FileEntry),
        _ => match class & 0x70 {
            0x20 if class & 1 != 0 => volume(item, 0, damage),
            0x20 => folder(item, 4),
            0x30 => file_entry::plain(item, damage).map(ItemKind::FileEntry),
            0x40 => network(item, damage),
            _ => None,
        },
    }
}

fn folder(item: &[u8], at: usize) -> Option<ItemKind> {
    guid_at(item, at).map(|guid| ItemKind::Folder { guid: Located::new(guid, at, 16) })
}

/// Reads a known folder (section "Users property view shell item"): signature at 6, sizes at 10 and 12, then the
/// GUID.
fn known_folder(item: &[u8]) -> Option<ItemKind> {
    let is_known = u32_at(item, 6)? == KNOWN_FOLDER && u16_at(item, 12)? == 16;
    if is_known { folder(item, 14) } else { None }
}

/// Reads a volume (section "Volume shell item"): a name of at most 20 bytes; `base` is the offset of the volume
/// item's size field.
fn volume(item: &[u8], base: usize, damage: &mut Vec<Damage>) -> Option<ItemKind> {
    let field = item.get(..base + 23).unwrap_or(item);
    let (name, foreign) = ansi_to_nul(field, base + 3, "volume name", damage)?;
    note_foreign(&name, foreign, "volume name", damage);
    (!name.value.is_empty()).then_some(ItemKind::Volume { name })
}

/// Reads a network location (section "Network location shell item").
fn network(item: &[u8], damage: &mut Vec<Damage>) -> Option<ItemKind> {
    let (location, foreign) = ansi_to_nul(item, 5, "network location", damage)?;
    note_foreign(&location, foreign, "network location", damage);
    (!location.value.is_empty()).then_some(ItemKind::Network { location })
}

/// Reads an address (section "URI shell item"), which follows the data, whose size is at 4, and two more bytes.
fn uri(item: &[u8], damage: &mut Vec<Damage>) -> Option<ItemKind> {
    let at = 4 + usize::from(u16_at(item, 4)?).max(SIZE) + 2;
    let uri = if item.get(3)? & 0x80 != 0 {
        utf16_to_nul(item, at, "address", damage)?
    } else {
        let (uri, foreign) = ansi_to_nul(item, at, "address", damage)?;
        note_foreign(&uri, foreign, "address", damage);
        uri
    };
    (!uri.value.is_empty()).then_some(ItemKind::Uri { uri })
}

/// Reports bytes of an unknown code page.
fn note_foreign(text: &Located<String>, count: usize, what: &'static str, damage: &mut Vec<Damage>) {
    if count > 0 {
        damage.push(Damage::at(text.offset, DamageKind::Text { what, count }));
    }
}

fn moved(kind: ItemKind, by: usize) -> ItemKind {
    match kind {
        ItemKind::Folder { guid } => ItemKind::Folder { guid: guid.moved(by) },
        ItemKind::Volume { name } => ItemKind::Volume { name: name.moved(by) },
        ItemKind::FileEntry(entry) => ItemKind::FileEntry(entry.moved(by)),
        ItemKind::Network { location } => ItemKind::Network { location: location.moved(by) },
        ItemKind::Uri { uri } => ItemKind::Uri { uri: uri.moved(by) },
        ItemKind::Named(named) => ItemKind::Named(Named { name: named.name.moved(by), ..named }),
        ItemKind::Unknown => ItemKind::Unknown,
    }
}

/// Returns the bytes of an item, for showing one of an unknown kind.
pub fn raw<'d>(data: &'d [u8], item: &Item) -> &'d [u8] {
    bytes(data, item.offset, item.length).unwrap_or_default()
}

#[cfg(test)]
mod tests;
