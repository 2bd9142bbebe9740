//! Keys (section "Key node").

use nt_hive::NtHiveNameString;

use super::cells::{Cell, Cells, NONE, u64_at};
use super::decode;
use super::defect::{Defect, DefectKind, Signature};
use super::header::Filetime;
use super::library::{self, Node};
use super::lists::{self, Budget, Entry};
use super::{Hive, MAX_DEPTH};

/// Length of a key record before its name.
const FIXED: usize = 0x4C;
/// Maximum length of a key name in bytes: 256 UTF-16 units.
const LONGEST_NAME: usize = 512;
const NAME_IS_LATIN: u16 = 0x20;

/// A key of a hive.
#[derive(Clone)]
pub struct Key<'h> {
    /// Path from the root, with `\` between the names; the root's is `""`.
    pub path: String,
    /// The name as stored; the root's own name is not part of any path.
    pub name: String,
    /// The class name, if there is one.
    pub class: Option<String>,
    /// When the key was last written.
    pub last_written: Filetime,
    /// The location of the record in the file: the offset of its signature `nk`.
    pub offset: u64,
    /// Offset in the file of its last-written time, 8 bytes.
    pub last_written_offset: u64,
    /// Number of subkeys, as stored.
    pub subkey_count: u32,
    /// Number of values, as stored.
    pub value_count: u32,
    /// Levels below the root, whose depth is 0.
    pub depth: u32,
    pub(crate) reference: u32,
    /// Whether the key names the key that lists it as its parent.
    pub(crate) parent_agrees: bool,
    pub(crate) subkey_list: u32,
    pub(crate) value_list: u32,
    /// The key in nt-hive, if nt-hive could reach it.
    pub(crate) node: Option<Node<'h>>,
}

impl<'h> Key<'h> {
    /// Reads the root key of a hive.
    pub(crate) fn root(
        cells: Cells<'_>,
        cell: Cell<'h>,
        record: &Record<'h>,
        node: Option<Node<'h>>,
    ) -> Self {
        let mut ignored = Vec::new();
        let name = decode::name(&record.name, cell.at, &mut ignored);
        let class = class(cells, &cell, record, &mut ignored);
        Self { class, ..Self::new(cell, record, name, node) }
    }

    fn new(cell: Cell<'h>, record: &Record<'h>, name: String, node: Option<Node<'h>>) -> Self {
        Self {
            path: String::new(),
            name,
            class: None,
            last_written: record.last_written,
            offset: cell.at,
            last_written_offset: cell.at + 4,
            subkey_count: record.subkey_count,
            value_count: record.value_count,
            depth: 0,
            reference: cell.reference,
            parent_agrees: true,
            subkey_list: record.subkey_list,
            value_list: record.value_list,
            node,
        }
    }

    pub(crate) fn subkey_count_at(&self) -> u64 {
        self.offset + 0x14
    }

    pub(crate) fn subkey_list_at(&self) -> u64 {
        self.offset + 0x1C
    }

    pub(crate) fn value_count_at(&self) -> u64 {
        self.offset + 0x24
    }

    pub(crate) fn value_list_at(&self) -> u64 {
        self.offset + 0x28
    }

    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() {
            return name.to_owned();
        }
        let mut path = String::with_capacity(self.path.len() + 1 + name.len());
        path.push_str(&self.path);
        path.push('\\');
        path.push_str(name);
        path
    }
}

impl std::fmt::Debug for Key<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Key")
            .field("path", &self.path)
            .field("class", &self.class)
            .field("last_written", &self.last_written)
            .field("offset", &self.offset)
            .field("subkey_count", &self.subkey_count)
            .field("value_count", &self.value_count)
            .finish_non_exhaustive()
    }
}

/// The fields of a key record that are used here.
pub(crate) struct Record<'a> {
    last_written: Filetime,
    parent: u32,
    subkey_count: u32,
    subkey_list: u32,
    value_count: u32,
    value_list: u32,
    class_cell: u32,
    class_length: u16,
    name: NtHiveNameString<'a>,
}

/// Reads the key record in the cell that an entry refers to.
pub(crate) fn record<'a>(
    cells: Cells<'a>,
    entry: Entry,
    defects: &mut Vec<Defect>,
) -> Result<(Cell<'a>, Record<'a>), Defect> {
    let cell = cells.get(entry.reference, entry.at, defects)?;
    let actual = cell.signature();
    if actual != *b"nk" {
        let what = DefectKind::Signature { expected: Signature::KeyNode, actual };
        return Err(Defect::at(cell.at, what));
    }
    let cut = || {
        let (expected, actual) = (FIXED as u64, cell.data.len() as u64);
        Defect::at(cell.at, DefectKind::RecordCut { expected, actual })
    };
    let record = fields(&cell, defects).ok_or_else(cut)?;
    Ok((cell, record))
}

fn fields<'a>(cell: &Cell<'a>, defects: &mut Vec<Defect>) -> Option<Record<'a>> {
    let length = cell.u16(0x48)?;
    let class_length = cell.u16(0x4A)?;
    let name = cell.up_to(FIXED, usize::from(length).min(LONGEST_NAME));
    if name.len() < usize::from(length) {
        let (expected, actual) = (u32::from(length), u32::try_from(name.len()).unwrap_or(u32::MAX));
        defects.push(Defect::at(cell.at + 0x48, DefectKind::NameCut { expected, actual }));
    }
    let latin = cell.u16(2)? & NAME_IS_LATIN != 0;
    Some(Record {
        last_written: Filetime(u64_at(cell.data, 4)?),
        parent: cell.u32(0x10)?,
        subkey_count: cell.u32(0x14)?,
        subkey_list: cell.u32(0x1C)?,
        value_count: cell.u32(0x24)?,
        value_list: cell.u32(0x28)?,
        class_cell: cell.u32(0x30)?,
        class_length,
        name: if latin { NtHiveNameString::Latin1(name) } else { NtHiveNameString::Utf16LE(name) },
    })
}

/// Reads the class name, which is in a separate cell as UTF-16LE.
fn class(
    cells: Cells<'_>,
    cell: &Cell<'_>,
    record: &Record<'_>,
    defects: &mut Vec<Defect>,
) -> Option<String> {
    let length = usize::from(record.class_length);
    if length == 0 || record.class_cell == NONE {
        return None;
    }
    let place = match cells.get(record.class_cell, cell.at + 0x30, defects) {
        Ok(place) => place,
        Err(defect) => {
            defects.push(defect);
            return None;
        }
    };
    let bytes = place.up_to(0, length);
    if bytes.len() < length {
        let (expected, actual) = (length as u64, bytes.len() as u64);
        defects.push(Defect::at(place.at, DefectKind::DataCut { expected, actual }));
    }
    let (text, unpaired) = decode::utf16(bytes);
    decode::note(place.at, unpaired, bytes.len(), defects);
    Some(text)
}

/// Returns the subkeys of a key, or only those of one name.
pub(crate) fn children<'h>(
    hive: &'h Hive<'_>,
    key: &Key<'h>,
    only: Option<&str>,
    budget: &mut Budget,
) -> (Vec<Key<'h>>, Vec<Defect>) {
    let (mut found, mut defects) = (Vec::new(), Vec::new());
    if key.depth >= MAX_DEPTH && key.subkey_count > 0 {
        defects.push(Defect::at(key.offset, DefectKind::TooDeep { limit: MAX_DEPTH }));
        return (found, defects);
    }
    let list = lists::subkeys(hive.cells, key, &mut defects);
    let mut nodes = library::subkeys(key.node.as_ref().filter(|_| list.sound));
    if only.is_none() {
        found.reserve_exact(list.entries.len());
    }
    for entry in list.entries {
        match child(hive, key, entry, nodes.next(), only, &mut defects) {
            Ok(None) => (),
            Ok(Some(child)) => {
                if let Err(defect) = budget.take(1, child.path.len()) {
                    defects.push(defect);
                    break;
                }
                found.push(child);
            }
            Err(defect) => defects.push(defect),
        }
    }
    (found, defects)
}

fn child<'h>(
    hive: &'h Hive<'_>,
    parent: &Key<'h>,
    entry: Entry,
    node: Option<Node<'h>>,
    only: Option<&str>,
    defects: &mut Vec<Defect>,
) -> Result<Option<Key<'h>>, Defect> {
    let (cell, record) = record(hive.cells, entry, defects)?;
    let node = node.filter(|node| lies_at(hive, node, cell.at));
    let name = decode::name(&record.name, cell.at + FIXED as u64, defects);
    if only.is_some_and(|only| !decode::same_name(&name, only)) {
        return Ok(None);
    }
    let (expected, actual) = (parent.reference, record.parent);
    let parent_agrees = expected == actual;
    if !parent_agrees {
        defects.push(Defect::at(cell.at + 0x10, DefectKind::ParentMismatch { expected, actual }));
    }
    let class = class(hive.cells, &cell, &record, defects);
    let path = parent.path_of(&name);
    let depth = parent.depth + 1;
    Ok(Some(Key { path, class, depth, parent_agrees, ..Key::new(cell, &record, name, node) }))
}

/// Checks whether nt-hive's key is the record at this place in the file, by the place of its name.
fn lies_at(hive: &Hive<'_>, node: &Node<'_>, at: u64) -> bool {
    let name_at = node.name().ok().and_then(|name| {
        let bytes = library::stored(&name);
        library::offset_in(hive.cells.bytes(), bytes)
    });
    name_at == at.checked_add(FIXED as u64)
}
