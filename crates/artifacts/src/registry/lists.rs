//! Lists of subkeys and of values (sections "Subkeys list", "Key values list").

use std::collections::BTreeSet;

use super::cells::{Cell, Cells, NONE};
use super::defect::{Defect, DefectKind, Signature};
use super::key::Key;

/// The smallest cell that can hold a key, in bytes.
const SMALLEST_KEY_CELL: usize = 80;

/// The entries of a list, and whether it is undamaged: then nt-hive reads the same entries in the same order.
#[derive(Default)]
pub(crate) struct List {
    pub(crate) entries: Vec<Entry>,
    pub(crate) sound: bool,
}

/// One entry of a list.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// The cell it refers to.
    pub(crate) reference: u32,
    /// Offset of the reference in the file.
    pub(crate) at: u64,
}

/// What may still be read: hostile files make a few bytes represent many records.
pub(crate) struct Budget {
    records: u64,
    bytes: u64,
    limit: u64,
}

impl Budget {
    /// Returns more than an honest hive of this size can need: each record takes an entry of 4 bytes,
    /// and paths and decoded text are a small multiple of what is stored.
    pub(crate) fn of(cells: Cells<'_>) -> Self {
        let limit = cells.size();
        Self { records: limit / 4 + 1024, bytes: limit * 8 + (16 << 20), limit }
    }

    /// Uses up a part; exceeding the budget is a defect.
    pub(crate) fn take(&mut self, records: usize, bytes: usize) -> Result<(), Defect> {
        let left = (self.records.checked_sub(records as u64), self.bytes.checked_sub(bytes as u64));
        let (Some(records), Some(bytes)) = left else {
            self.records = 0;
            return Err(Defect { offset: None, what: DefectKind::TooMuch { limit: self.limit } });
        };
        (self.records, self.bytes) = (records, bytes);
        Ok(())
    }

    pub(crate) fn spent(&self) -> bool {
        self.records == 0
    }
}

/// Returns the subkeys that a key lists.
pub(crate) fn subkeys(cells: Cells<'_>, key: &Key<'_>, defects: &mut Vec<Defect>) -> List {
    if key.subkey_list == NONE && key.subkey_count == 0 {
        return List::default();
    }
    let mut found = Vec::new();
    let mut list = match subkey_list(cells, key, &mut found) {
        Ok(list) => list,
        Err(defect) => {
            found.push(defect);
            List::default()
        }
    };
    let actual = u32::try_from(list.entries.len()).unwrap_or(u32::MAX);
    if key.subkey_count == 0 && actual == 0 {
        // Nothing is counted, and a stale reference points nowhere.
        return List::default();
    }
    if key.subkey_count != actual {
        let what = DefectKind::SubkeyCount { expected: key.subkey_count, actual };
        found.push(Defect::at(key.subkey_count_at(), what));
    }
    if key.subkey_count == 0 {
        // Windows shows none either; the list may have belonged to another key for a long time.
        defects.extend(found.pop());
        return List::default();
    }
    drop_repeated(&mut list.entries, &mut found);
    list.sound &= found.is_empty() && all_refer(&list.entries);
    defects.append(&mut found);
    list
}

fn subkey_list(cells: Cells<'_>, key: &Key<'_>, defects: &mut Vec<Defect>) -> Result<List, Defect> {
    let cell = cells.get(key.subkey_list, key.subkey_list_at(), defects)?;
    let mut list = List { entries: Vec::new(), sound: true };
    if cell.signature() != *b"ri" {
        leaf(&cell, Signature::SubkeyList, &mut list, defects)?;
        return Ok(list);
    }
    let most = usize::try_from(cells.size()).unwrap_or(usize::MAX) / SMALLEST_KEY_CELL + 1;
    let mut seen = BTreeSet::from([cell.reference]);
    for entry in entries(&cell, 4, defects) {
        if !seen.insert(entry.reference) {
            defects.push(Defect::at(entry.at, DefectKind::VisitedBefore { reference: entry.reference }));
            continue;
        }
        let read = cells
            .get(entry.reference, entry.at, defects)
            .and_then(|cell| leaf(&cell, Signature::SubkeyLeaf, &mut list, defects));
        defects.extend(read.err());
        if list.entries.len() > most {
            return Err(Defect { offset: None, what: DefectKind::TooMuch { limit: cells.size() } });
        }
    }
    Ok(list)
}

fn leaf(cell: &Cell<'_>, role: Signature, list: &mut List, defects: &mut Vec<Defect>) -> Result<(), Defect> {
    let width = match &cell.signature() {
        b"lf" | b"lh" => 8,
        b"li" => 4,
        actual => {
            let what = DefectKind::Signature { expected: role, actual: *actual };
            return Err(Defect::at(cell.at, what));
        }
    };
    let before = list.entries.len();
    list.entries.extend(entries(cell, width, defects));
    // nt-hive refuses an empty leaf under an index root.
    list.sound &= list.entries.len() > before;
    Ok(())
}

/// Returns the entries after the signature and the count of a list.
fn entries<'a>(
    cell: &Cell<'a>,
    width: usize,
    defects: &mut Vec<Defect>,
) -> impl Iterator<Item = Entry> + use<'a> {
    let count = usize::from(cell.u16(2).unwrap_or_default());
    let bytes = cell.up_to(4, count * width);
    if bytes.len() < count * width {
        let (expected, actual) = ((count * width) as u64 + 4, cell.data.len() as u64);
        defects.push(Defect::at(cell.at, DefectKind::RecordCut { expected, actual }));
    }
    let first = cell.at + 4;
    let part = bytes.chunks_exact(width).zip((first..).step_by(width));
    part.filter_map(|(entry, at)| entry.first_chunk().map(|bytes| (u32::from_le_bytes(*bytes), at)))
        .map(|(reference, at)| Entry { reference, at })
}

/// Keeps the first of several entries that refer to the same cell.
fn drop_repeated(entries: &mut Vec<Entry>, defects: &mut Vec<Defect>) {
    let mut sorted: Vec<u32> = entries.iter().map(|entry| entry.reference).collect();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() == entries.len() {
        return;
    }
    let mut seen = BTreeSet::new();
    entries.retain(|entry| {
        let new = seen.insert(entry.reference);
        if !new {
            defects.push(Defect::at(entry.at, DefectKind::VisitedBefore { reference: entry.reference }));
        }
        new
    });
}

/// Returns the values that a key lists.
pub(crate) fn values(cells: Cells<'_>, key: &Key<'_>, defects: &mut Vec<Defect>) -> List {
    if key.value_count == 0 {
        return List::default();
    }
    let already = defects.len();
    let cell = match cells.get(key.value_list, key.value_list_at(), defects) {
        Ok(cell) => cell,
        Err(defect) => {
            defects.push(defect);
            return List::default();
        }
    };
    let expected = key.value_count;
    let bytes = cell.up_to(0, (expected as usize).saturating_mul(4));
    let words = bytes.as_chunks().0;
    let actual = u32::try_from(words.len()).unwrap_or(u32::MAX);
    if actual < expected {
        defects.push(Defect::at(key.value_count_at(), DefectKind::ValueCount { expected, actual }));
    }
    let references = words.iter().map(|word| u32::from_le_bytes(*word));
    let entries = references.zip((cell.at..).step_by(4)).map(|(reference, at)| Entry { reference, at });
    let entries: Vec<Entry> = entries.collect();
    let sound = defects.len() == already && all_refer(&entries);
    List { entries, sound }
}

/// Checks that no entry means "none", which nt-hive asserts.
fn all_refer(entries: &[Entry]) -> bool {
    entries.iter().all(|entry| entry.reference != NONE)
}
