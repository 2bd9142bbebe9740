//! Inodes ("Index Nodes").

use super::Volume;
use super::bytes::{u16_at, u32_at, wide};
use super::checksum::{crc32c, crc32c_without};
use super::superblock::Superblock;
use crate::error::Damage;
use crate::tree::MacbTimes;
use ledger::{Clock, Precision, Time, Utc};

const EXTENTS: u32 = 0x8_0000;
const INLINE: u32 = 0x1000_0000;
const ENCRYPTED: u32 = 0x800;
const COMPRESSED: u32 = 0x4;
const INDEXED: u32 = 0x1000;

/// The offset in an inode of the block map, of a short link's target, or of inline data.
pub(super) const BODY: u64 = 0x28;
/// The size of that field in bytes.
pub(super) const BODY_LENGTH: usize = 60;
/// The size of an ext2 inode in bytes; extra fields follow it.
pub(super) const OLD_LENGTH: usize = 128;

/// The type of an inode, according to its mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InodeKind {
    File,
    Directory,
    Symlink,
    /// A device, a pipe or a socket.
    Other,
}

/// An inode.
#[derive(Debug, Clone)]
pub(crate) struct Inode {
    pub(crate) number: u64,
    /// Offset of the inode from the start of the volume, in bytes.
    pub(crate) offset: u64,
    /// The declared size of the content in bytes.
    pub(crate) size: u64,
    /// `None` if the mode names no type, as in an inode that was never used.
    pub(crate) kind: Option<InodeKind>,
    pub(crate) links: u16,
    /// When it was deleted, in seconds since 1970; 0 while it is in use.
    pub(crate) deleted: u32,
    flags: u32,
    pub(super) raw: Vec<u8>,
}

impl Volume {
    /// Returns the offset of an inode.
    pub(crate) fn inode_place(&self, number: u64) -> Result<u64, Damage> {
        let superblock = &self.superblock;
        // The first field of the superblock holds the number of inodes.
        let wrong = || Damage::Field {
            what: "number of an inode",
            offset: 1024,
            expected: "one that the superblock counts and a group descriptor places",
            found: number,
        };
        let index = number.checked_sub(1).filter(|_| number <= superblock.inodes).ok_or_else(wrong)?;
        let group = usize::try_from(index / superblock.inodes_per_group).map_err(|_| wrong())?;
        let table = self.groups.get(group).and_then(Option::as_ref).ok_or_else(wrong)?.inode_table;
        let within = (index % superblock.inodes_per_group) * superblock.inode;
        let place = table.checked_mul(superblock.block).and_then(|start| start.checked_add(within));
        place.filter(|_| table > 0).ok_or_else(wrong)
    }

    /// Reads the inode with this number, whatever its state.
    pub(crate) fn inode(&self, number: u64) -> Result<Inode, Damage> {
        let offset = self.inode_place(number)?;
        let within = offset % self.superblock.block;
        let length = usize::try_from(self.superblock.inode).unwrap_or(0);
        let raw = self.table_bytes(offset - within, usize::try_from(within).unwrap_or(0), length)?;
        Ok(parse(number, offset, raw, &self.superblock))
    }
}

fn parse(number: u64, offset: u64, raw: Vec<u8>, superblock: &Superblock) -> Inode {
    let kind = match u16_at(&raw, 0) >> 12 {
        0x8 => Some(InodeKind::File),
        0x4 => Some(InodeKind::Directory),
        0xa => Some(InodeKind::Symlink),
        0x1 | 0x2 | 0x6 | 0xc => Some(InodeKind::Other),
        _ => None,
    };
    // If it is not a file, the upper half means something else.
    let is_wide = match kind {
        Some(InodeKind::File) => true,
        Some(InodeKind::Directory) => superblock.has_large_folders(),
        Some(InodeKind::Symlink | InodeKind::Other) | None => false,
    };
    let high = if is_wide { u32_at(&raw, 0x6c) } else { 0 };
    Inode {
        number,
        offset,
        size: wide(u32_at(&raw, 4), high),
        kind,
        links: u16_at(&raw, 0x1a),
        deleted: u32_at(&raw, 0x14),
        flags: u32_at(&raw, 0x20),
        raw,
    }
}

impl Inode {
    pub(crate) fn has_extents(&self) -> bool {
        self.flags & EXTENTS != 0
    }

    pub(crate) fn is_inline(&self) -> bool {
        self.flags & INLINE != 0
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.flags & ENCRYPTED != 0
    }

    /// Checks whether it was compressed by `e2compr`.
    pub(crate) fn is_compressed(&self) -> bool {
        self.flags & COMPRESSED != 0
    }

    /// Checks whether it is a folder with a hash tree.
    pub(crate) fn is_indexed(&self) -> bool {
        self.flags & INDEXED != 0
    }

    /// Returns the block map, or what is stored in its place.
    pub(crate) fn body(&self) -> [u8; BODY_LENGTH] {
        let start = self.raw.get(BODY as usize..).unwrap_or_default();
        start.first_chunk().copied().unwrap_or([0; BODY_LENGTH])
    }

    /// Checks whether a link's target is in the inode itself.
    ///
    /// `block` is the number of bytes that an attribute block adds to the inode's block count.
    pub(crate) fn is_short_link(&self, block: u64) -> bool {
        let attributes = if u32_at(&self.raw, 0x68) == 0 { 0 } else { block / 512 };
        let own = u64::from(u32_at(&self.raw, 0x1c)).saturating_sub(attributes);
        self.size < BODY_LENGTH as u64 && !self.has_extents() && !self.is_inline() && own == 0
    }

    /// Returns how many bytes after the old inode are fields; attributes follow them.
    pub(super) fn extra(&self) -> usize {
        let room = self.raw.len().saturating_sub(OLD_LENGTH);
        usize::from(u16_at(&self.raw, OLD_LENGTH)).min(room)
    }

    /// Returns the seed for the checksums of this inode and its blocks.
    pub(crate) fn seed(&self, superblock: &Superblock) -> Option<u32> {
        let number = u32::try_from(self.number).unwrap_or(u32::MAX).to_le_bytes();
        let generation = u32_at(&self.raw, 0x64).to_le_bytes();
        superblock.seed.map(|seed| crc32c(crc32c(seed, &number), &generation))
    }

    /// Checks the inode's checksum; true if there is none.
    pub(crate) fn checksum_holds(&self, superblock: &Superblock) -> bool {
        const LOW: usize = 0x7c;
        const HIGH: usize = 0x82;
        let Some(seed) = self.seed(superblock) else { return true };
        let has_high = self.extra() >= HIGH + 2 - OLD_LENGTH;
        let stored = u32::from(u16_at(&self.raw, LOW));
        let (first, second) = self.raw.split_at_checked(OLD_LENGTH).unwrap_or((&self.raw, &[]));
        let sum = crc32c_without(seed, first, LOW, 2);
        if !has_high {
            return crc32c(sum, second) & 0xffff == stored;
        }
        let sum = crc32c_without(sum, second, HIGH - OLD_LENGTH, 2);
        sum == stored | u32::from(u16_at(&self.raw, HIGH)) << 16
    }

    /// Returns the times ("Inode Timestamps").
    pub(crate) fn times(&self) -> MacbTimes {
        let born = self.has_extra(0x90).then(|| self.time(0x90, 0x94));
        MacbTimes {
            modified: Some(self.time(0x10, 0x88)),
            accessed: Some(self.time(8, 0x8c)),
            changed: Some(self.time(0xc, 0x84)),
            // Programs that do not know the time write 0.
            born: born.map(|time| match u32_at(&self.raw, 0x90) | u32_at(&self.raw, 0x94) {
                0 => Time { utc: None, ..time },
                _ => time,
            }),
        }
    }

    fn has_extra(&self, at: usize) -> bool {
        self.raw.len() > OLD_LENGTH && OLD_LENGTH + self.extra() >= at + 4
    }

    /// Reads a time: signed seconds, with two bits of epoch and the nanoseconds in the extra field.
    fn time(&self, base: usize, extra: usize) -> Time {
        let seconds = i64::from(u32_at(&self.raw, base).cast_signed());
        if !self.has_extra(extra) {
            let utc = Utc::from_unix_nanoseconds(i128::from(seconds) * 1_000_000_000);
            return Time {
                utc,
                raw: seconds.to_string(),
                clock: Clock::Host,
                precision: Precision::Second,
                zone: None,
            };
        }
        let more = u32_at(&self.raw, extra);
        let seconds = seconds + (i64::from(more & 3) << 32);
        let nanoseconds = more >> 2;
        let instant = i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
        let utc = Utc::from_unix_nanoseconds(instant).filter(|_| nanoseconds < 1_000_000_000);
        let raw = format!("{seconds}.{nanoseconds:09}");
        Time { utc, raw, clock: Clock::Host, precision: Precision::Nanosecond, zone: None }
    }
}
