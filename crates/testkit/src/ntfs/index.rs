//! Indexes: B+trees in `$INDEX_ROOT` and `$INDEX_ALLOCATION` ("Index Record", "$INDEX_ROOT").
//!
//! Every key occurs once, in a leaf or above, as in a B-tree.

use super::attributes::{FILE_NAME, le16, le32, put};
use super::boot::INDEX_BLOCK;
use super::record::protect;

/// The name of the index of names.
pub(crate) const NAMES: &str = "$I30";

/// The content and the sort order of an index.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    /// The type of the indexed attribute; 0 if the index is not over attributes.
    pub(crate) attribute: u32,
    /// The collation rule.
    pub(crate) collation: u32,
}

/// Names, sorted by upper case.
pub(crate) const FILE_NAMES: Kind = Kind { attribute: FILE_NAME, collation: 1 };

/// An entry, independent of its position in the tree.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The first eight bytes: a file reference, or the position of the data.
    head: [u8; 8],
    key: Vec<u8>,
    data: Vec<u8>,
}

impl Entry {
    /// Creates an entry for a name of the file with this reference.
    pub(crate) fn name(reference: u64, key: Vec<u8>) -> Entry {
        Entry { head: reference.to_le_bytes(), key, data: Vec::new() }
    }

    /// Creates an entry of another kind of index.
    pub(crate) fn view(key: Vec<u8>, data: Vec<u8>) -> Entry {
        let mut head = [0; 8];
        let at = (16 + key.len()).next_multiple_of(4);
        put(&mut head, 0, &le16(at));
        put(&mut head, 2, &le16(data.len()));
        Entry { head, key, data }
    }

    fn length(&self, below: bool) -> usize {
        let data = if self.data.is_empty() {
            0
        } else {
            (16 + self.key.len()).next_multiple_of(4) - 16 - self.key.len()
        };
        (16 + self.key.len() + data + self.data.len()).next_multiple_of(8) + if below { 8 } else { 0 }
    }

    fn encode(&self, below: Option<u64>) -> Vec<u8> {
        let mut bytes = self.head.to_vec();
        bytes.extend(le16(self.length(below.is_some())));
        bytes.extend(le16(self.key.len()));
        bytes.extend(u16::from(below.is_some()).to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend(&self.key);
        if !self.data.is_empty() {
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes.extend(&self.data);
        }
        bytes.resize(self.length(false), 0);
        bytes.extend(below.map(u64::to_le_bytes).into_iter().flatten());
        bytes
    }
}

/// Encodes the entry that ends a node.
fn end(below: Option<u64>) -> Vec<u8> {
    let mut bytes = vec![0; 8];
    bytes.extend(le16(if below.is_some() { 24 } else { 16 }));
    bytes.extend([0, 0]);
    bytes.extend((2 | u16::from(below.is_some())).to_le_bytes());
    bytes.extend([0, 0]);
    bytes.extend(below.map(u64::to_le_bytes).into_iter().flatten());
    bytes
}

/// The parameters for building an index.
pub(crate) struct Shape {
    pub(crate) kind: Kind,
    /// The space for `$INDEX_ROOT` in the record, in bytes.
    pub(crate) room: usize,
    pub(crate) cluster: u64,
}

/// A built index.
pub(crate) struct Tree {
    /// The value of `$INDEX_ROOT`.
    pub(crate) root: Vec<u8>,
    /// The blocks of `$INDEX_ALLOCATION`.
    pub(crate) blocks: Vec<Vec<u8>>,
}

/// The size of `$INDEX_ROOT` before its entries, in bytes.
const ROOT_HEADER: usize = 32;

/// The offsets of a block's entries and of its index header.
const BLOCK_ENTRIES: usize = 0x40;
const BLOCK_HEADER: usize = 0x18;

/// A node: entries, each with the block of what sorts before it, and the block of what sorts after all of them.
struct Level {
    entries: Vec<(Entry, Option<u64>)>,
    last: Option<u64>,
}

/// Builds an index over sorted entries, leaving `stale` ones in the slack of its first block.
pub(crate) fn build(shape: &Shape, entries: &[Entry], stale: &[Entry]) -> Tree {
    // Limited so that there is room for entries of any length.
    let mut slack: Vec<u8> = stale.iter().flat_map(|entry| entry.encode(None)).collect();
    slack.truncate(INDEX_BLOCK / 2);
    let room = (INDEX_BLOCK - BLOCK_ENTRIES).saturating_sub(slack.len());
    let mut blocks = Vec::new();
    let mut level =
        Level { entries: entries.iter().map(|entry| (entry.clone(), None)).collect(), last: None };
    // Stale names need a block, whether or not the others do.
    while (blocks.is_empty() && !slack.is_empty())
        || (ROOT_HEADER + size(&level) > shape.room && !level.entries.is_empty())
    {
        level = split(shape, level, room, &mut blocks);
    }
    if let Some(first) = blocks.first_mut() {
        let used = BLOCK_HEADER + read32(first, BLOCK_HEADER + 4);
        put(first, used, &slack);
    }
    for block in &mut blocks {
        protect(block, 0x28);
    }
    Tree { root: root(shape, &level), blocks }
}

fn size(level: &Level) -> usize {
    let below = level.last.is_some();
    level.entries.iter().map(|(entry, _)| entry.length(below)).sum::<usize>() + end(level.last).len()
}

/// Spreads a level over blocks and returns the level above.
fn split(shape: &Shape, level: Level, room: usize, blocks: &mut Vec<Vec<u8>>) -> Level {
    let below = level.last.is_some();
    let room = room - end(level.last).len();
    let mut above = Vec::new();
    let mut node: Vec<(Entry, Option<u64>)> = Vec::new();
    let mut used = 0;
    let count = level.entries.len();
    for (index, (entry, child)) in level.entries.into_iter().enumerate() {
        used += entry.length(below);
        // The last entry never moves up: that would leave a block without entries.
        if used > room && index + 1 < count {
            let vcn = block(shape, &std::mem::take(&mut node), child, blocks);
            above.push((entry, Some(vcn)));
            used = 0;
            continue;
        }
        if used > room
            && let Some((before, last)) = node.pop()
        {
            let vcn = block(shape, &std::mem::take(&mut node), last, blocks);
            above.push((before, Some(vcn)));
            used = entry.length(below);
        }
        node.push((entry, child));
    }
    let last = block(shape, &node, level.last, blocks);
    Level { entries: above, last: Some(last) }
}

/// Writes a block and returns its number in the form that entries use.
fn block(shape: &Shape, node: &[(Entry, Option<u64>)], last: Option<u64>, blocks: &mut Vec<Vec<u8>>) -> u64 {
    let vcn = blocks.len() as u64 * vcn_step(shape.cluster);
    let mut bytes = vec![0; BLOCK_ENTRIES];
    put(&mut bytes, 0, b"INDX");
    put(&mut bytes, 4, &le16(0x28));
    put(&mut bytes, 6, &le16(INDEX_BLOCK / 512 + 1));
    put(&mut bytes, 0x10, &vcn.to_le_bytes());
    for (entry, child) in node {
        bytes.extend(entry.encode(*child));
    }
    bytes.extend(end(last));
    let used = bytes.len() - BLOCK_HEADER;
    put(&mut bytes, 0x18, &le32(BLOCK_ENTRIES - BLOCK_HEADER));
    put(&mut bytes, 0x1c, &le32(used));
    put(&mut bytes, 0x20, &le32(INDEX_BLOCK - BLOCK_HEADER));
    bytes[0x24] = u8::from(last.is_some());
    bytes.resize(INDEX_BLOCK, 0);
    blocks.push(bytes);
    vcn
}

fn root(shape: &Shape, level: &Level) -> Vec<u8> {
    let mut entries: Vec<u8> = level.entries.iter().flat_map(|(entry, child)| entry.encode(*child)).collect();
    entries.extend(end(level.last));
    let mut bytes = shape.kind.attribute.to_le_bytes().to_vec();
    bytes.extend(shape.kind.collation.to_le_bytes());
    bytes.extend(le32(INDEX_BLOCK));
    bytes.extend(le32(usize::try_from(vcn_step(shape.cluster)).unwrap_or(1)));
    bytes.extend(le32(16));
    bytes.extend(le32(16 + entries.len()));
    bytes.extend(le32(16 + entries.len()));
    bytes.extend(u32::from(level.last.is_some()).to_le_bytes());
    bytes.extend(entries);
    bytes
}

/// Returns the step from one block number to the next: in clusters, or in sectors if a cluster is larger than a block.
fn vcn_step(cluster: u64) -> u64 {
    let block = INDEX_BLOCK as u64;
    if cluster <= block { block / cluster } else { block / 512 }
}

fn read32(bytes: &[u8], at: usize) -> usize {
    let word = bytes[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
    usize::try_from(word).unwrap_or(0)
}
