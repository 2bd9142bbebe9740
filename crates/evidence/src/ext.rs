//! ext2, ext3 and ext4 volumes, read lazily by our own code: memory does not grow with a file, and every byte
//! has a known place.
//!
//! Structures: "ext4 Data Structures and Algorithms" of the kernel documentation (sections are named where they
//! are read), and "The Second Extended File System" by D. Poirier.
//! The journal is not replayed.
//! Extended attributes are not streams and are left out, except for the one that continues inline data.
//! A deletion time shows only that there was a deletion: a node has no field for it.

mod bytes;
mod checksum;
mod content;
mod deleted;
mod directory;
mod files;
mod groups;
mod inode;
mod map;
mod recovery;
mod stream;
mod superblock;

pub(crate) use files::ExtFiles;

use crate::error::Damage;
use crate::window::Window;
use groups::Group;
use std::cell::RefCell;
use std::io;
use superblock::Superblock;

/// The inode of the root folder ("Special inodes").
pub(crate) const ROOT: u64 = 2;

/// An opened volume.
pub(crate) struct Volume {
    pub(crate) window: Window,
    pub(crate) superblock: Superblock,
    /// One descriptor per group; `None` if it cannot be read. There are fewer than groups if the table is truncated.
    pub(crate) groups: Vec<Option<Group>>,
    /// Damage to the volume as a whole.
    pub(crate) defects: Vec<String>,
    /// The inode table block read last, with its offset.
    table: RefCell<(u64, Vec<u8>)>,
}

impl Volume {
    /// Opens the volume in `window`.
    pub(crate) fn open(window: Window) -> Result<Volume, Damage> {
        let mut defects = Vec::new();
        let superblock = superblock::open(&window, &mut defects)?;
        let end = superblock.blocks.saturating_mul(superblock.block);
        if let Err(source) = window.read_exact_at(end.saturating_sub(1), &mut [0]) {
            let damage = unreadable("last block of the file system", end.saturating_sub(1), source);
            defects.push(damage.to_string());
        }
        let groups = groups::read(&window, &superblock, &mut defects);
        Ok(Volume { window, superblock, groups, defects, table: RefCell::default() })
    }

    /// Reads a whole block.
    pub(crate) fn block(&self, number: u64, what: &'static str) -> Result<Vec<u8>, Damage> {
        let offset = number.saturating_mul(self.superblock.block);
        let mut bytes = vec![0; usize::try_from(self.superblock.block).unwrap_or(0)];
        self.window.read_exact_at(offset, &mut bytes).map_err(|source| unreadable(what, offset, source))?;
        Ok(bytes)
    }

    /// Reads `length` bytes of the inode table block at `start`, from byte `within` on.
    fn table_bytes(&self, start: u64, within: usize, length: usize) -> Result<Vec<u8>, Damage> {
        let mut table = self.table.borrow_mut();
        if table.0 != start || table.1.is_empty() {
            let number = start / self.superblock.block;
            *table = (start, self.block(number, "block of an inode table")?);
        }
        let bytes = table.1.get(within..).and_then(|rest| rest.get(..length)).unwrap_or_default();
        Ok(bytes.to_vec())
    }

    /// Checks whether `count` blocks from `first` on are blocks that files can have.
    pub(crate) fn holds(&self, first: u64, count: u64) -> bool {
        let end = first.checked_add(count);
        first > 0 && end.is_some_and(|end| end <= self.superblock.blocks)
    }
}

/// Returns the damage for a structure that the medium cannot provide.
fn unreadable(what: &'static str, offset: u64, source: io::Error) -> Damage {
    Damage::Unreadable { what, offset, source }
}
