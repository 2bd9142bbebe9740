//! `index.dat` of Internet Explorer 5 to 9: cache, cookies and history of WinINet ("Client UrlCache MMF Ver 5.2").
//!
//! The header and an allocation bitmap are followed by blocks of 128 bytes. A record begins at a block and has a
//! signature and its number of blocks.
//! Records in free blocks are removed entries, as far as they were not overwritten.
//! Source of the format: Joachim Metz, libmsiecf, "MSIE Cache File (index.dat) format specification".

use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, ansi_to_nul, bytes, located_filetime, located_u32, u32_at};
use crate::registry::Filetime;

const SIGNATURE: &[u8] = b"Client UrlCache MMF Ver 5.2\0";
const BLOCK: usize = 128;
/// Offset of the block bitmap, and of the blocks.
const BITMAP: usize = 0x250;
const BLOCKS: usize = 0x4000;
/// The most defects that are reported.
const MOST_DAMAGE: usize = 100;

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// `URL `: an address and, in a cache, its file.
    Url,
    /// `LEAK`: an address whose file could not be deleted.
    Leak,
    /// `REDR`: an address that redirected to another one.
    Redirect,
}

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// Offset of its record in the file.
    pub offset: usize,
    /// Length of its record in bytes.
    pub length: usize,
    /// What record it is.
    pub kind: IndexKind,
    /// The address, with the prefix of the history or the cookies.
    pub location: Located<String>,
    /// The primary time: when the address was last used.
    pub accessed: Option<Located<Filetime>>,
    /// The secondary time: in a cache, when the page was last changed; in the daily history, in the computer's
    /// own time zone.
    pub modified: Option<Located<Filetime>>,
    /// How often the address was used.
    pub hits: Option<Located<u32>>,
    /// Name of the cached file.
    pub file_name: Option<Located<String>>,
    /// Whether its blocks are in use; those of removed entries are not.
    pub in_use: bool,
    /// The damage found in it.
    pub damage: Vec<Damage>,
}

/// Checks whether a file begins like an `index.dat` of this version.
pub fn is_index(head: &[u8]) -> bool {
    head.starts_with(SIGNATURE)
}

/// Returns the entries in block order; `None` if the data is not an `index.dat` of this version.
pub fn read(data: &[u8]) -> Option<(Vec<IndexEntry>, Vec<Damage>)> {
    if !is_index(data) {
        return None;
    }
    let (mut entries, mut damage) = (Vec::new(), Vec::new());
    let told = u32_at(data, 28).unwrap_or(0) as usize;
    if told != data.len() {
        damage.push(Damage::at(28, DamageKind::Length { expected: told, actual: data.len() }));
    }
    let mut block = 0;
    while let Some(head) = bytes(data, BLOCKS + block * BLOCK, 8) {
        let offset = BLOCKS + block * BLOCK;
        block += 1;
        let Some(kind) = kind(head) else { continue };
        let count = u32_at(head, 4).unwrap_or(0) as usize;
        let in_use = in_use(data, block - 1);
        let record = count.checked_mul(BLOCK).filter(|length| *length > 0);
        let entry = record.and_then(|length| bytes(data, offset, length)).and_then(|record| {
            let whole = entry(record, kind, in_use)?;
            Some(moved(whole, offset))
        });
        match entry {
            Some(entry) => {
                // Blocks in use are not searched for removed entries.
                block += if in_use { count.saturating_sub(1) } else { 0 };
                entries.push(entry);
            }
            // A removed entry may be half overwritten.
            None if in_use && damage.len() < MOST_DAMAGE => {
                let (length, available) = (count.saturating_mul(BLOCK), data.len() - offset);
                damage.push(Damage::at(offset, DamageKind::Outside { what: "a record", length, available }));
            }
            None => {}
        }
    }
    Some((entries, damage))
}

fn kind(head: &[u8]) -> Option<IndexKind> {
    match head.get(..4)? {
        b"URL " => Some(IndexKind::Url),
        b"LEAK" => Some(IndexKind::Leak),
        b"REDR" => Some(IndexKind::Redirect),
        _ => None,
    }
}

fn in_use(data: &[u8], block: usize) -> bool {
    let place = BITMAP + block / 8;
    place < BLOCKS && data.get(place).is_some_and(|bits| bits >> (block % 8) & 1 != 0)
}

/// Returns the entry of a record; offsets are relative to the record.
fn entry(record: &[u8], kind: IndexKind, in_use: bool) -> Option<IndexEntry> {
    let mut damage = Vec::new();
    let is_redirect = kind == IndexKind::Redirect;
    let at = if is_redirect { 16 } else { u32_at(record, 52)? as usize };
    let location = text(record, at, "an address", &mut damage)?;
    let own = |at| if is_redirect { None } else { located_filetime(record, at) };
    let name = match u32_at(record, 60) {
        Some(at) if at > 0 && !is_redirect => text(record, at as usize, "the name of a file", &mut damage),
        _ => None,
    };
    Some(IndexEntry {
        offset: 0,
        length: record.len(),
        kind,
        location,
        accessed: own(16),
        modified: own(8),
        hits: located_u32(record, 84).filter(|_| !is_redirect),
        file_name: name,
        in_use,
        damage,
    })
}

fn text(record: &[u8], at: usize, what: &'static str, damage: &mut Vec<Damage>) -> Option<Located<String>> {
    let (text, foreign) = ansi_to_nul(record, at, what, damage)?;
    if foreign > 0 {
        damage.push(Damage::at(at, DamageKind::Text { what, count: foreign }));
    }
    (!text.value.is_empty()).then_some(text)
}

/// Moves the entry to its offset in the file.
fn moved(entry: IndexEntry, by: usize) -> IndexEntry {
    let damage = entry.damage.into_iter().map(|one| Damage { offset: one.offset + by, ..one });
    IndexEntry {
        offset: by,
        location: entry.location.moved(by),
        accessed: entry.accessed.map(|time| time.moved(by)),
        modified: entry.modified.map(|time| time.moved(by)),
        hits: entry.hits.map(|hits| hits.moved(by)),
        file_name: entry.file_name.map(|name| name.moved(by)),
        damage: damage.collect(),
        ..entry
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn index() -> Vec<u8> {
        testkit::index_dat::index(&[
            testkit::index_dat::Entry::used("Visited: ann@https://docs.example/", 7),
            testkit::index_dat::Entry {
                removed: true,
                ..testkit::index_dat::Entry::used("https://old.example/", 5)
            },
        ])
    }

    #[test]
    fn entries_are_told_with_those_that_were_removed() {
        let (entries, damage) = read(&index()).unwrap();
        assert_eq!(damage, []);
        let told: Vec<_> =
            entries.iter().map(|entry| (entry.location.value.as_str(), entry.in_use)).collect();
        assert_eq!(told, [("Visited: ann@https://docs.example/", true), ("https://old.example/", false)]);
        assert_eq!(entries[0].accessed.as_ref().unwrap().value, Filetime(7));
        assert_eq!(entries[0].hits.as_ref().unwrap().value, 3);
        assert_eq!(entries[0].file_name, None);
    }

    #[test]
    fn a_record_that_is_cut_is_damage() {
        let whole = index();
        let (entries, damage) = read(&whole[..BLOCKS + BLOCK]).unwrap();
        assert_eq!(entries, []);
        assert_eq!(damage.len(), 2);
        assert_eq!(read(&whole[1..]), None);
    }

    proptest! {
        #[test]
        fn any_blocks_are_read_without_panic(blocks: Vec<u8>, words in prop::collection::vec(0u32..300, 0..32)) {
            let mut data = index();
            let words: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
            for (place, byte) in (BLOCKS + 4..).zip(words.iter().chain(&blocks)) {
                if let Some(slot) = data.get_mut(place) {
                    *slot = *byte;
                }
            }
            let (entries, _) = read(&data).unwrap();
            prop_assert!(entries.iter().all(|entry| entry.offset + entry.length <= data.len()));
        }
    }
}
