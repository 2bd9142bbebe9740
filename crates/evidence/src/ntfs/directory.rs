//! The names in a folder: its index `$I30`.

use super::bytes::Reference;
use super::entry::{BITMAP, INDEX_ALLOCATION, INDEX_ROOT, MftEntry};
use super::file_name::NameRecord;
use super::index::{BLOCK_HEADER, IndexNode, ROOT_HEADER, node};
use super::stream::Stream;
use super::{NtfsDamage, Volume};
use crate::read::read_full_at;

/// The name of the index over `$FILE_NAME`.
const INDEX: &str = "$I30";

/// The most bytes of an index that are read, and the most that are read at once.
const MAX_INDEX: u64 = 1 << 30;
const PIECE: u64 = 32 << 10;

/// A file in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Child {
    /// The bytes of its name.
    pub(crate) name: Vec<u8>,
    pub(crate) reference: Reference,
}

/// The content of an index.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) children: Vec<Child>,
    /// Damaged blocks, in which names may be lost.
    pub(crate) damage: Vec<String>,
}

/// The blocks of an index.
pub(super) struct Blocks {
    folder: u64,
    stream: Stream,
    /// Size of all blocks in bytes.
    total: u64,
    /// One bit per block, set if it is in use.
    used: Vec<u8>,
}

impl Volume {
    /// Returns the names in a folder, without the short DOS names.
    pub(crate) fn names(&self, folder: &MftEntry) -> Result<Names, NtfsDamage> {
        let mut names = Names::default();
        let root = self.index_root(folder)?;
        let root = node(folder.number, &root, ROOT_HEADER)?;
        names.add(folder.number, &root);
        if root.is_large
            && let Err(error) = self.add_blocks(folder, &mut names)
        {
            names.damage.push(error.to_string());
        }
        Ok(names)
    }

    /// Returns the value of `$INDEX_ROOT`.
    pub(super) fn index_root(&self, folder: &MftEntry) -> Result<Vec<u8>, NtfsDamage> {
        let none = NtfsDamage::Value { entry: folder.number, what: "$INDEX_ROOT", expected: 1, found: 0 };
        let root = folder.data(self, INDEX_ROOT, Some(INDEX))?.ok_or(none)?;
        Stream::new(root, self.place.clone()).read_value(1 << 16)
    }

    /// Returns the blocks of a folder's index; `None` if it has none.
    pub(super) fn blocks(&self, folder: &MftEntry) -> Result<Option<Blocks>, NtfsDamage> {
        let number = folder.number;
        let Some(blocks) = folder.data(self, INDEX_ALLOCATION, Some(INDEX))? else { return Ok(None) };
        let used = match folder.data(self, BITMAP, Some(INDEX))? {
            Some(bitmap) => Stream::new(bitmap, self.place.clone()).read_value(MAX_INDEX >> 9)?,
            None => Vec::new(),
        };
        let total = blocks.size;
        if total > MAX_INDEX {
            let what = "bytes of an index";
            return Err(NtfsDamage::Value { entry: number, what, expected: MAX_INDEX, found: total });
        }
        let stream = Stream::new(blocks, self.place.clone());
        Ok(Some(Blocks { folder: number, stream, total, used }))
    }

    fn add_blocks(&self, folder: &MftEntry, names: &mut Names) -> Result<(), NtfsDamage> {
        let Some(mut blocks) = self.blocks(folder)? else { return Ok(()) };
        let mut damage = Vec::new();
        blocks.each(self, &mut damage, |used, bytes| {
            // Free blocks hold the names of deleted files.
            if used {
                names.add(folder.number, &node(folder.number, bytes, BLOCK_HEADER)?);
            }
            Ok(())
        });
        names.damage.append(&mut damage);
        Ok(())
    }
}

impl Blocks {
    /// Shows every block and whether it is in use; a block that is in use but damaged is reported as damage.
    pub(super) fn each(
        &mut self,
        volume: &Volume,
        damage: &mut Vec<String>,
        mut show: impl FnMut(bool, &[u8]) -> Result<(), NtfsDamage>,
    ) {
        let size = volume.index_block().max(1);
        let piece = PIECE.max(size) / size * size;
        let mut buffer = Vec::new();
        let mut start = 0;
        while start < self.total {
            buffer.resize(usize::try_from(piece.min(self.total - start)).unwrap_or(0), 0);
            let read = read_full_at(&mut self.stream, start, &mut buffer);
            let blocks = buffer.chunks_exact_mut(usize::try_from(size).unwrap_or(usize::MAX));
            for (offset, block) in (start..).step_by(usize::try_from(size).unwrap_or(usize::MAX)).zip(blocks)
            {
                let used = self.is_used(offset / size);
                let again = match &read {
                    Ok(_) => Ok(()),
                    // One block of the piece cannot be read; the others can.
                    Err(_) => read_full_at(&mut self.stream, offset, block).map(drop),
                };
                let shown = match again {
                    Ok(()) => volume
                        .unprotect_index(self.folder, block)
                        .and_then(|()| show(used, block))
                        .map_err(|error| error.to_string()),
                    Err(error) => Err(error.to_string()),
                };
                if let (Err(what), true) = (shown, used) {
                    damage.push(format!("index block at byte {offset}: {what}"));
                }
            }
            start += piece;
        }
    }

    /// Returns the block with this number, in the index's own numbering; `None` past the end.
    pub(super) fn block(&mut self, volume: &Volume, number: u64) -> Result<Option<Vec<u8>>, NtfsDamage> {
        let size = volume.index_block();
        let offset = volume.block_offset(number).filter(|at| at.saturating_add(size) <= self.total);
        let Some(offset) = offset else { return Ok(None) };
        let mut block = vec![0; usize::try_from(size).unwrap_or(0)];
        match read_full_at(&mut self.stream, offset, &mut block) {
            Ok(_) => volume.unprotect_index(self.folder, &mut block).map(|()| Some(block)),
            Err(_) => Ok(None),
        }
    }

    /// Checks whether a block is in use; blocks without a bit count as in use.
    fn is_used(&self, block: u64) -> bool {
        let byte = usize::try_from(block / 8).ok().and_then(|byte| self.used.get(byte));
        byte.is_none_or(|byte| byte >> (block % 8) & 1 != 0)
    }
}

impl Names {
    fn add(&mut self, folder: u64, node: &IndexNode<'_>) {
        self.damage.extend(node.damage.as_ref().map(ToString::to_string));
        let listed = node.entries.iter().filter_map(|entry| Some((entry.reference, entry.name?)));
        self.children.extend(listed.filter_map(|(reference, name)| child(folder, reference, &name)));
    }
}

/// Returns the child that a folder lists under this key. Short DOS names are left out, and so is the root's own
/// entry `.`.
pub(super) fn child(folder: u64, reference: Reference, name: &NameRecord<'_>) -> Option<Child> {
    let listed = !name.is_dos() && reference.entry != folder;
    listed.then(|| Child { name: name.name(), reference })
}
