//! Checks against the bitmaps whether the clusters of a deleted inode can still be its own ("Block and Inode
//! Bitmaps").

use super::content::{Content, content};
use super::inode::{Inode, InodeKind};
use super::map::Map;
use super::{Volume, unreadable};
use crate::deleted::Recovery;
use crate::error::Damage;
use std::cell::RefCell;
use std::rc::Rc;

/// The most runs of a deleted inode that are examined: no system writes a map with more.
const MAX_RUNS: u64 = 1 << 22;

/// The bitmap block read last, with its number.
#[derive(Default)]
pub(crate) struct Bitmaps(RefCell<(u64, Vec<u8>)>);

impl Bitmaps {
    fn bit(&self, volume: &Volume, bitmap: u64, index: u64) -> Result<bool, Damage> {
        let mut kept = self.0.borrow_mut();
        if kept.0 != bitmap || kept.1.is_empty() {
            *kept = (bitmap, volume.block(bitmap, "bitmap")?);
        }
        let byte = usize::try_from(index / 8).ok().and_then(|at| kept.1.get(at));
        Ok(byte.is_some_and(|byte| byte >> (index % 8) & 1 == 1))
    }

    /// Checks whether an inode is in use.
    pub(crate) fn inode(&self, volume: &Volume, number: u64) -> Result<bool, Damage> {
        let per = volume.superblock.inodes_per_group;
        let index = number.saturating_sub(1);
        let group = usize::try_from(index / per).ok().and_then(|group| volume.groups.get(group)?.as_ref());
        match group {
            Some(group) if !group.no_inodes => self.bit(volume, group.inode_bitmap, index % per),
            Some(_) | None => Ok(false),
        }
    }

    /// Checks whether the cluster of a block is in use.
    fn block(&self, volume: &Volume, number: u64) -> Result<bool, Damage> {
        let superblock = &volume.superblock;
        let index = number.saturating_sub(superblock.first_block);
        let group = usize::try_from(index / superblock.blocks_per_group).ok();
        let within = (index % superblock.blocks_per_group) / superblock.ratio;
        match group.and_then(|group| volume.groups.get(group)?.as_ref()) {
            Some(group) if !group.no_blocks => self.bit(volume, group.block_bitmap, within),
            Some(_) => Ok(false),
            None => Err(unreadable(
                "group descriptor of a block",
                number.saturating_mul(superblock.block),
                std::io::ErrorKind::NotFound.into(),
            )),
        }
    }

    /// Decides whether the bytes of a deleted inode can still be its own; also returns what could not be checked.
    ///
    /// On ext3, ext4 and nowadays ext2, Linux clears the block map when it deletes a file: no cluster is known then.
    pub(crate) fn recovery(&self, volume: &Rc<Volume>, inode: &Inode) -> (Recovery, Option<Damage>) {
        match inode.kind {
            Some(InodeKind::File) => {}
            Some(InodeKind::Directory | InodeKind::Symlink | InodeKind::Other) | None => {
                return (Recovery::Nothing, None);
            }
        }
        let map = match content(volume, inode) {
            Ok(Content::Inline(_)) if inode.size > 0 => return (Recovery::Whole, None),
            Ok(Content::Inline(_)) => return (Recovery::Lost, None),
            Ok(Content::Blocks(map)) => map,
            Err(damage) => return (Recovery::Lost, Some(damage)),
        };
        // An inode that was deleted while open still owns its clusters.
        let is_open = self.inode(volume, inode.number).unwrap_or(false);
        let blocks = inode.size.div_ceil(volume.superblock.block);
        let mut count = Count::default();
        let damage = self.count(volume, &map, blocks, &mut count).err();
        let rest = match damage {
            Some(_) => blocks.saturating_sub(count.logical).div_ceil(volume.superblock.ratio),
            None => 0,
        };
        let (reused, clusters) = (if is_open { 0 } else { count.reused }, count.clusters);
        let recovery = match (reused + rest, clusters + rest) {
            (reused, clusters) if reused >= clusters => Recovery::Lost,
            (0, _) => Recovery::Whole,
            (reused, clusters) => Recovery::Partial { reused, clusters },
        };
        (recovery, damage)
    }

    fn count(&self, volume: &Volume, map: &Map, blocks: u64, count: &mut Count) -> Result<(), Damage> {
        let ratio = volume.superblock.ratio;
        let mut last = None;
        for _ in 0..MAX_RUNS {
            if count.logical >= blocks {
                return Ok(());
            }
            let run = map.at(count.logical)?;
            let length = run.length.min(blocks - count.logical);
            if let Some(first) = run.block.filter(|_| run.is_written) {
                let (from, to) = (first / ratio, (first + length - 1) / ratio);
                let is_counted = last.replace(to) == Some(from);
                for cluster in from + u64::from(is_counted)..=to {
                    count.clusters += 1;
                    // The first cluster of a volume can begin with a block that is not covered by any of its bits.
                    let block = (cluster * ratio).max(volume.superblock.first_block);
                    count.reused += u64::from(self.block(volume, block)?);
                }
            }
            if count.clusters > volume.superblock.blocks {
                break;
            }
            count.logical += length;
        }
        let (what, expected) = ("block of a deleted file", "a map of blocks of its own");
        Err(Damage::Field { what, offset: 0, expected, found: count.logical })
    }
}

#[derive(Default)]
struct Count {
    /// Blocks of the file that were examined.
    logical: u64,
    clusters: u64,
    reused: u64,
}
