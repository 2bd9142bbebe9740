//! The group descriptors ("Block Group Descriptors"): the locations of a group's inodes and bitmaps.

use super::bytes::{u16_at, u32_at, wide};
use super::checksum::{crc32c, crc32c_without};
use super::superblock::Superblock;
use super::unreadable;
use crate::window::Window;
use std::io;

/// The most groups that are read: 256 TiB in blocks of 4 KiB.
const MAX_GROUPS: u64 = 1 << 21;

/// The most damaged descriptors that are reported one by one.
const MAX_TOLD: u64 = 8;

/// A group.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    /// The block of its bitmap of used clusters.
    pub(crate) block_bitmap: u64,
    /// The block of its bitmap of used inodes.
    pub(crate) inode_bitmap: u64,
    /// The first block of its inodes.
    pub(crate) inode_table: u64,
    /// Number of inodes at the end of the table that were never used.
    pub(crate) unused: u64,
    /// Whether none of its inodes was ever used.
    pub(crate) no_inodes: bool,
    /// Whether the cluster bitmap was never written: only metadata is in use.
    pub(crate) no_blocks: bool,
}

/// Reads the descriptors, as far as they are readable.
pub(super) fn read(
    window: &Window,
    superblock: &Superblock,
    defects: &mut Vec<String>,
) -> Vec<Option<Group>> {
    let total = superblock.groups();
    if total > MAX_GROUPS {
        defects.push(format!("{total} groups are more than the {MAX_GROUPS} that are read"));
    }
    let total = total.min(MAX_GROUPS);
    let per_block = (superblock.block / superblock.descriptor).max(1);
    let (mut groups, mut wrong) = (Vec::new(), 0u64);
    for index in 0..total.div_ceil(per_block) {
        let offset = superblock.descriptor_block(index).saturating_mul(superblock.block);
        let mut bytes = vec![0; usize::try_from(superblock.block).unwrap_or(0)];
        let count = per_block.min(total - index * per_block);
        if let Err(source) = window.read_exact_at(offset, &mut bytes) {
            let ends = source.kind() == io::ErrorKind::UnexpectedEof;
            defects.push(unreadable("group descriptors", offset, source).to_string());
            if ends {
                break;
            }
            groups.extend((0..count).map(|_| None));
            continue;
        }
        let size = usize::try_from(superblock.descriptor).unwrap_or(usize::MAX);
        let place = (offset..).step_by(size);
        for ((raw, at), group) in bytes.chunks_exact(size).zip(place).zip(index * per_block..total) {
            if !checksum_holds(raw, group, superblock) {
                wrong += 1;
                if wrong <= MAX_TOLD {
                    let what = "the checksum of a group descriptor is not its own";
                    defects.push(format!("byte {at} of the volume: group {group}: {what}"));
                }
            }
            groups.push(Some(parse(raw, superblock)));
        }
    }
    if wrong > MAX_TOLD {
        defects.push(format!(
            "{} more group descriptors have a checksum that is not their own",
            wrong - MAX_TOLD
        ));
    }
    groups
}

fn parse(raw: &[u8], superblock: &Superblock) -> Group {
    const NO_INODES: u16 = 1;
    const NO_BLOCKS: u16 = 2;
    // In a descriptor of 32 bytes, everything past its end reads as 0.
    let place = |low, high| wide(u32_at(raw, low), u32_at(raw, high));
    let flags = if superblock.has_unused_counts() { u16_at(raw, 0x12) } else { 0 };
    let unused = wide_count(u16_at(raw, 0x1c), u16_at(raw, 0x32));
    Group {
        block_bitmap: place(0, 0x20),
        inode_bitmap: place(4, 0x24),
        inode_table: place(8, 0x28),
        unused: if superblock.has_unused_counts() { unused } else { 0 },
        no_inodes: flags & NO_INODES != 0,
        no_blocks: flags & NO_BLOCKS != 0,
    }
}

fn wide_count(low: u16, high: u16) -> u64 {
    u64::from(low) | u64::from(high) << 16
}

fn checksum_holds(raw: &[u8], group: u64, superblock: &Superblock) -> bool {
    const CHECKSUM: usize = 0x1e;
    let Some(seed) = superblock.seed else { return true };
    let number = u32::try_from(group).unwrap_or(u32::MAX).to_le_bytes();
    let sum = crc32c_without(crc32c(seed, &number), raw, CHECKSUM, 2);
    sum & 0xffff == u32::from(u16_at(raw, CHECKSUM))
}
