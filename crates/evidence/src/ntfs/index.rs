//! A node of an index: entries in the order of their keys, each with an optional child node.

use super::bytes::{Reference, index, u16_at, u32_at, u64_at};
use super::file_name::NameRecord;
use super::record::unprotect_block;
use super::{NtfsDamage, Volume};

/// Bytes before the node in the value of `$INDEX_ROOT` and in an index block.
pub(super) const ROOT_HEADER: usize = 0x10;
pub(super) const BLOCK_HEADER: usize = 0x18;

const NODE_HEADER: usize = 0x10;
const ENTRY_HEADER: usize = 0x10;
const HAS_NODE: u16 = 1;
const LAST: u16 = 2;

/// An entry of a folder's index.
pub(super) struct IndexEntry<'a> {
    pub(super) reference: Reference,
    /// Its key; `None` in the last entry of a node.
    pub(super) name: Option<NameRecord<'a>>,
    /// The child node with the entries that come before this one.
    pub(super) below: Option<u64>,
}

/// The content of a node.
pub(super) struct IndexNode<'a> {
    pub(super) entries: Vec<IndexEntry<'a>>,
    /// Whether there are blocks besides the root.
    pub(super) is_large: bool,
    /// The bytes of the node after its last entry.
    pub(super) slack: &'a [u8],
    /// Why the entries end early.
    pub(super) damage: Option<NtfsDamage>,
}

/// Reads the node that begins at byte `at`.
pub(super) fn node(folder: u64, bytes: &[u8], at: usize) -> Result<IndexNode<'_>, NtfsDamage> {
    let node = bytes.get(at..).unwrap_or_default();
    let field = |at| u32_at(node, at).map_or(0, index);
    let (first, end) = (field(0), field(4));
    let Some(stored) = node.get(first..end).filter(|_| first >= NODE_HEADER) else {
        let (what, expected) = ("end of an index node", node.len() as u64);
        return Err(NtfsDamage::Value { entry: folder, what, expected, found: end as u64 });
    };
    let mut found = IndexNode {
        entries: Vec::with_capacity(stored.len() / 96),
        is_large: field(0xc) & 1 != 0,
        slack: node.get(end..).unwrap_or_default(),
        damage: None,
    };
    let mut rest = stored;
    while rest.len() >= ENTRY_HEADER {
        let length = u16_at(rest, 8).map_or(0, usize::from);
        let Some((entry, after)) = rest.split_at_checked(length).filter(|_| length >= ENTRY_HEADER) else {
            let (what, expected) = ("bytes of an index entry", rest.len() as u64);
            let found_length = length as u64;
            found.damage = Some(NtfsDamage::Value { entry: folder, what, expected, found: found_length });
            break;
        };
        let flags = u16_at(entry, 0xc).unwrap_or(0);
        found.push(folder, entry, flags);
        if flags & LAST != 0 {
            break;
        }
        rest = after;
    }
    Ok(found)
}

impl<'a> IndexNode<'a> {
    fn push(&mut self, folder: u64, entry: &'a [u8], flags: u16) {
        let below = match flags & HAS_NODE != 0 {
            true => entry.last_chunk::<8>().copied().map(u64::from_le_bytes),
            false => None,
        };
        let reference = Reference::read(u64_at(entry, 0).unwrap_or(0));
        let key = u16_at(entry, 0xa).map_or(0, usize::from);
        let name = match flags & LAST != 0 {
            true => None,
            false => {
                let name = entry.get(ENTRY_HEADER..).and_then(|key_on| key_on.get(..key));
                let name = name.and_then(NameRecord::parse);
                if name.is_none() {
                    let (what, found) = ("name in an index entry", reference.entry);
                    self.damage = Some(NtfsDamage::Value { entry: folder, what, expected: 1, found });
                }
                name
            }
        };
        self.entries.push(IndexEntry { reference, name, below });
    }
}

impl Volume {
    /// Undoes the update sequence of a block of `$INDEX_ALLOCATION`; its node begins at [`BLOCK_HEADER`].
    pub(super) fn unprotect_index(&self, folder: u64, block: &mut [u8]) -> Result<(), NtfsDamage> {
        match block.first_chunk::<4>() {
            Some(b"INDX") => unprotect_block(folder, block),
            found => {
                let found = found.map_or(0, |found| u32::from_le_bytes(*found).into());
                let expected = u32::from_le_bytes(*b"INDX").into();
                Err(NtfsDamage::Value { entry: folder, what: "signature of an index block", expected, found })
            }
        }
    }

    /// Returns the offset in `$INDEX_ALLOCATION` of the block with this number, which counts clusters, or
    /// 512-byte units if a block is smaller than a cluster.
    pub(super) fn block_offset(&self, number: u64) -> Option<u64> {
        let unit = if self.boot.index_block < self.place.cluster { 512 } else { self.place.cluster };
        number.checked_mul(unit)
    }

    /// Returns the size of an index block in bytes.
    pub(super) fn index_block(&self) -> u64 {
        self.boot.index_block
    }
}
