//! The names in a folder: its index `$I30`.

use super::entry::{BITMAP, INDEX_ALLOCATION, INDEX_ROOT, MftEntry};
use super::stream::Stream;
use super::{NtfsDamage, STRIDE, Volume, guard};
use crate::read::read_full_at;
use ntfs_core::index::{IndexEntry, IndexRoot, parse_index_buffer};

/// The name of the index over `$FILE_NAME`.
const INDEX: &str = "$I30";

/// The most bytes of an index that are read.
const MAX_INDEX: u64 = 1 << 30;

/// A file in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Child {
    pub(crate) name: String,
    pub(crate) entry: u64,
    pub(crate) sequence: u16,
}

/// What an index holds.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) children: Vec<Child>,
    /// Damaged blocks: names may be missing.
    pub(crate) damage: Vec<String>,
}

impl Volume {
    /// The names in a folder, without the short ones of DOS.
    pub(crate) fn names(&self, folder: &MftEntry) -> Result<Names, NtfsDamage> {
        let mut names = Names::default();
        let number = folder.number;
        let none = NtfsDamage::Value { entry: number, what: "$INDEX_ROOT", expected: 1, found: 0 };
        let root = folder.data(self, INDEX_ROOT, Some(INDEX))?.ok_or(none)?;
        let root = Stream::new(root, self.place.clone()).read_value(1 << 16)?;
        let root = guard(number, || IndexRoot::parse(&root))?;
        names.add(number, root.entries);
        if root.is_large
            && let Err(error) = self.blocks(folder, &mut names)
        {
            names.damage.push(error.to_string());
        }
        Ok(names)
    }

    /// Adds the names of the index blocks that are in use.
    fn blocks(&self, folder: &MftEntry, names: &mut Names) -> Result<(), NtfsDamage> {
        let number = folder.number;
        let Some(blocks) = folder.data(self, INDEX_ALLOCATION, Some(INDEX))? else { return Ok(()) };
        let used = match folder.data(self, BITMAP, Some(INDEX))? {
            Some(bitmap) => Stream::new(bitmap, self.place.clone()).read_value(MAX_INDEX >> 9)?,
            None => Vec::new(),
        };
        let (size, total) = (self.index_block, blocks.size);
        if total > MAX_INDEX {
            let what = "bytes of an index";
            return Err(NtfsDamage::Value { entry: number, what, expected: MAX_INDEX, found: total });
        }
        let mut stream = Stream::new(blocks, self.place.clone());
        let block_size = usize::try_from(size).unwrap_or(0);
        let mut buffer = vec![0; block_size];
        for block in 0..total.checked_div(size).unwrap_or(0) {
            // Blocks that are free keep the names of files that are gone.
            let byte = usize::try_from(block / 8).ok().and_then(|byte| used.get(byte));
            if byte.is_some_and(|byte| byte >> (block % 8) & 1 == 0) {
                continue;
            }
            let offset = block * size;
            let damage = match read_full_at(&mut stream, offset, &mut buffer) {
                Ok(_) => guard(number, || parse_index_buffer(&mut buffer, block_size, STRIDE))
                    .map(|entries| names.add(number, entries))
                    .map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            if let Err(what) = damage {
                names.damage.push(format!("index block at byte {offset}: {what}"));
            }
        }
        Ok(())
    }
}

impl Names {
    fn add(&mut self, folder: u64, entries: Vec<IndexEntry>) {
        for entry in entries {
            let Some(name) = entry.file_name.filter(|name| !name.is_dos_namespace()) else { continue };
            // The root holds itself as `.`.
            if entry.file_reference.record_number == folder {
                continue;
            }
            let (number, sequence) = (entry.file_reference.record_number, entry.file_reference.sequence);
            self.children.push(Child { name: name.name, entry: number, sequence });
        }
    }
}
