//! The superblock ("Super Block"): the geometry of the volume and the features it uses.

use super::bytes::{u8_at, u16_at, u32_at, wide};
use super::checksum::crc32c;
use super::unreadable;
use crate::error::Damage;
use crate::window::Window;
use std::io;

/// Offset of the primary superblock.
const PRIMARY: u64 = 1024;
const LENGTH: usize = 1024;
const MAGIC: u16 = 0xef53;

const COMPAT_JOURNAL: u32 = 0x4;
const COMPAT_SPARSE_SUPER2: u32 = 0x200;
const INCOMPAT_FILETYPE: u32 = 0x2;
const INCOMPAT_RECOVER: u32 = 0x4;
const INCOMPAT_META_BG: u32 = 0x10;
const INCOMPAT_64BIT: u32 = 0x80;
const INCOMPAT_CSUM_SEED: u32 = 0x2000;
const INCOMPAT_LARGEDIR: u32 = 0x4000;
/// The features that are supported: file types, recovery, meta groups, extents, 64 bits, mount protection,
/// flexible groups, attributes in inodes, checksum seed, large folders, inline data, encryption (for file
/// names), letter case.
const INCOMPAT_KNOWN: u32 =
    0x2 | 0x4 | 0x10 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x2000 | 0x4000 | 0x8000 | 0x10000 | 0x20000;
/// Features that ext3 does not have: all except file types, recovery and meta groups; and all except sparse
/// superblocks, large files and B-trees.
const INCOMPAT_EXT4: u32 = !(0x2 | 0x4 | 0x10);
const RO_EXT4: u32 = !0x7;
const RO_SPARSE_SUPER: u32 = 0x1;
const RO_GDT_CHECKSUM: u32 = 0x10;
const RO_BIGALLOC: u32 = 0x200;
const RO_CHECKSUM: u32 = 0x400;

/// The required fields of a superblock.
#[derive(Debug, Clone)]
pub(crate) struct Superblock {
    /// Its 1024 bytes.
    pub(crate) raw: Vec<u8>,
    /// Bytes of a block.
    pub(crate) block: u64,
    /// Blocks per cluster; 1 without `bigalloc`.
    pub(crate) ratio: u64,
    pub(crate) blocks: u64,
    pub(crate) inodes: u64,
    /// The first block of the first group.
    pub(crate) first_block: u64,
    pub(crate) blocks_per_group: u64,
    pub(crate) inodes_per_group: u64,
    /// Bytes of an inode.
    pub(crate) inode: u64,
    /// Bytes of a group descriptor.
    pub(crate) descriptor: u64,
    /// The first inode that is not reserved.
    pub(crate) first_inode: u64,
    /// The seed of every metadata checksum; `None` if there are no checksums.
    pub(crate) seed: Option<u32>,
    /// Whether this is a copy: its information about mounts and the journal is older than the volume.
    pub(crate) is_backup: bool,
}

impl Superblock {
    fn compat(&self) -> u32 {
        u32_at(&self.raw, 0x5c)
    }

    fn incompat(&self) -> u32 {
        u32_at(&self.raw, 0x60)
    }

    fn read_only(&self) -> u32 {
        u32_at(&self.raw, 0x64)
    }

    /// Checks whether folder entries carry a type.
    pub(crate) fn has_file_type(&self) -> bool {
        self.incompat() & INCOMPAT_FILETYPE != 0
    }

    /// Checks whether folders have 64-bit sizes.
    pub(crate) fn has_large_folders(&self) -> bool {
        self.incompat() & INCOMPAT_LARGEDIR != 0
    }

    /// Checks whether descriptors say which inodes were never used.
    pub(crate) fn has_unused_counts(&self) -> bool {
        self.read_only() & (RO_GDT_CHECKSUM | RO_CHECKSUM) != 0
    }

    /// Checks whether changes are waiting in the journal; unknown for a backup.
    pub(crate) fn needs_recovery(&self) -> Option<bool> {
        (!self.is_backup).then(|| self.incompat() & INCOMPAT_RECOVER != 0)
    }

    /// Checks whether the volume was left mounted, with errors, or with a journal to replay; unknown for a backup.
    pub(crate) fn is_dirty(&self) -> Option<bool> {
        const CLEAN: u16 = 1;
        const ERRORS: u16 = 2;
        let state = u16_at(&self.raw, 0x3a);
        Some(self.needs_recovery()? || state & CLEAN == 0 || state & ERRORS != 0)
    }

    /// Returns the file system type, decided by features as in blkid: anything that no ext3 driver can read is ext4.
    pub(crate) fn name(&self) -> &'static str {
        if self.incompat() & INCOMPAT_EXT4 != 0 || self.read_only() & RO_EXT4 != 0 {
            "ext4"
        } else if self.compat() & COMPAT_JOURNAL != 0 {
            "ext3"
        } else {
            "ext2"
        }
    }

    /// Returns the number of groups.
    pub(crate) fn groups(&self) -> u64 {
        self.blocks.saturating_sub(self.first_block).div_ceil(self.blocks_per_group)
    }

    /// Returns the first block of a group.
    pub(crate) fn group_start(&self, group: u64) -> u64 {
        self.first_block.saturating_add(group.saturating_mul(self.blocks_per_group))
    }

    /// Returns where the block of descriptors with this index is ("Meta Block Groups").
    pub(crate) fn descriptor_block(&self, index: u64) -> u64 {
        let home = match self.is_backup {
            true => self.group_start(1),
            false => PRIMARY / self.block,
        };
        let meta = self.incompat() & INCOMPAT_META_BG != 0;
        if !meta || index < u64::from(u32_at(&self.raw, 0x104)) {
            return home.saturating_add(index).saturating_add(1);
        }
        let group = index.saturating_mul(self.block / self.descriptor);
        let mut place = self.group_start(group).saturating_add(u64::from(self.has_superblock(group)));
        if group == 0 && self.block == PRIMARY && self.first_block == 0 {
            // The boot sector takes the first block, the superblock the second.
            place = place.saturating_add(1);
        }
        place
    }

    /// Checks whether a group begins with a superblock.
    fn has_superblock(&self, group: u64) -> bool {
        if self.compat() & COMPAT_SPARSE_SUPER2 != 0 {
            let backups = [u32_at(&self.raw, 0x24c), u32_at(&self.raw, 0x250)];
            return group == 0 || backups.map(u64::from).contains(&group);
        }
        let power_of = |base: u64| {
            let mut power = base;
            while power < group {
                power = power.saturating_mul(base);
            }
            power == group
        };
        self.read_only() & RO_SPARSE_SUPER == 0 || group <= 1 || [3, 5, 7].into_iter().any(power_of)
    }

    /// Returns the values that never change during the life of a volume.
    fn geometry(&self) -> [u64; 9] {
        [
            self.block,
            self.ratio,
            self.blocks,
            self.inodes,
            self.first_block,
            self.blocks_per_group,
            self.inodes_per_group,
            self.inode,
            self.descriptor,
        ]
    }

    fn checksum_holds(&self) -> bool {
        let sum = crc32c(u32::MAX, self.raw.get(..0x3fc).unwrap_or_default());
        self.seed.is_none() || sum == u32_at(&self.raw, 0x3fc)
    }
}

/// Returns the superblock to use: the primary one, or the copy in group 1 if the primary cannot be right.
pub(super) fn open(window: &Window, defects: &mut Vec<String>) -> Result<Superblock, Damage> {
    match at(window, PRIMARY) {
        Ok(primary) if primary.checksum_holds() => Ok(primary),
        Ok(primary) => {
            let what = format!("byte {PRIMARY} of the volume: the checksum of the superblock is not its own");
            defects.push(what);
            let backup = backup(window).filter(|copy| copy.0.geometry() != primary.geometry());
            Ok(backup.map_or(primary, |copy| take(copy, defects)))
        }
        // The copy has the same unsupported features.
        Err(damage) => match backup(window) {
            Some(copy) => {
                defects.push(damage.to_string());
                Ok(take(copy, defects))
            }
            None => Err(damage),
        },
    }
}

fn take((copy, offset): (Superblock, u64), defects: &mut Vec<String>) -> Superblock {
    defects.push(format!("the volume is read by the copy of its superblock at byte {offset}"));
    copy
}

/// Finds the copy in group 1, trying the offset for each block size; also returns the offset.
fn backup(window: &Window) -> Option<(Superblock, u64)> {
    (10..=16).find_map(|power| {
        let block = 1u64 << power;
        let first = u64::from(block == PRIMARY);
        let offset = (8 * block + first) * block;
        let copy = at(window, offset).ok()?;
        let group = u16_at(&copy.raw, 0x5a);
        let is_copy = group == 1 && copy.block == block && copy.checksum_holds();
        is_copy.then_some((Superblock { is_backup: true, ..copy }, offset))
    })
}

/// Reads the superblock at `offset`, and checks enough of it that no read based on it is unbounded.
fn at(window: &Window, offset: u64) -> Result<Superblock, Damage> {
    let mut raw = vec![0; LENGTH];
    window.read_exact_at(offset, &mut raw).map_err(|source| unreadable("superblock", offset, source))?;
    let wrong = |what, at: u64, expected, found: u64| {
        Err(Damage::Field { what, offset: offset + at, expected, found })
    };
    let magic = u16_at(&raw, 0x38);
    if magic != MAGIC {
        return wrong("magic of the superblock", 0x38, "61267 (0xef53)", magic.into());
    }
    let (power, cluster) = (u32_at(&raw, 0x18), u32_at(&raw, 0x1c));
    if power > 6 {
        return wrong("size of a block", 0x18, "a power of two from 2^10 to 2^16, less 10", power.into());
    }
    let superblock = parse(raw, power, cluster);
    supported(&superblock, offset)?;
    let found = superblock.ratio;
    if found == 0 || cluster > 20 {
        return wrong("size of a cluster", 0x1c, "no less than a block, and at most 2^30", cluster.into());
    }
    let limit = superblock.block * 8;
    let group = superblock.blocks_per_group;
    if !(8..=limit.saturating_mul(found)).contains(&group) {
        return wrong("blocks of a group", 0x20, "8 to 8 for each byte of a block", group);
    }
    let inodes = superblock.inodes_per_group;
    if !(1..=limit).contains(&inodes) {
        return wrong("inodes of a group", 0x28, "1 to 8 for each byte of a block", inodes);
    }
    let inode = superblock.inode;
    if inode < 128 || !inode.is_power_of_two() || inode > superblock.block {
        return wrong("size of an inode", 0x58, "a power of two from 128 to a block", inode);
    }
    let descriptor = superblock.descriptor;
    if descriptor < 32 || !descriptor.is_power_of_two() || descriptor > 1024 {
        return wrong("size of a group descriptor", 0xfe, "a power of two from 32 to 1024", descriptor);
    }
    if superblock.blocks <= superblock.first_block || superblock.first_block > 1 {
        return wrong("first block of the first group", 0x14, "0 or 1", superblock.first_block);
    }
    Ok(superblock)
}

fn parse(raw: Vec<u8>, power: u32, cluster: u32) -> Superblock {
    let number = |at| u64::from(u32_at(&raw, at));
    let (incompat, read_only) = (u32_at(&raw, 0x60), u32_at(&raw, 0x64));
    // Revision 0 has fixed sizes and no features.
    let dynamic = u32_at(&raw, 0x4c) > 0;
    let wide_descriptors = incompat & INCOMPAT_64BIT != 0;
    let high = if wide_descriptors { u32_at(&raw, 0x150) } else { 0 };
    let has_clusters = read_only & RO_BIGALLOC != 0;
    let seed = (read_only & RO_CHECKSUM != 0).then(|| match incompat & INCOMPAT_CSUM_SEED != 0 {
        true => u32_at(&raw, 0x270),
        false => crc32c(u32::MAX, raw.get(0x68..0x78).unwrap_or_default()),
    });
    Superblock {
        block: 1024 << power,
        ratio: match has_clusters {
            // 0 if a cluster is smaller than a block.
            true => cluster.checked_sub(power).map_or(0, |by| 1u64.checked_shl(by).unwrap_or(0)),
            false => 1,
        },
        blocks: wide(u32_at(&raw, 4), high),
        inodes: number(0),
        first_block: number(0x14),
        blocks_per_group: number(0x20),
        inodes_per_group: number(0x28),
        inode: if dynamic { u16_at(&raw, 0x58).into() } else { 128 },
        descriptor: if wide_descriptors { u16_at(&raw, 0xfe).into() } else { 32 },
        first_inode: if dynamic { number(0x54).max(11) } else { 11 },
        seed,
        is_backup: false,
        raw,
    }
}

/// Refuses a volume with features that would make us read it wrongly.
fn supported(superblock: &Superblock, offset: u64) -> Result<(), Damage> {
    let unknown = superblock.incompat() & !INCOMPAT_KNOWN;
    if unknown == 0 {
        return Ok(());
    }
    let names = [(0x1, "compression"), (0x8, "an external journal"), (0x1000, "data in folders")];
    let named: Vec<_> = names.iter().filter(|(bit, _)| unknown & bit != 0).map(|(_, name)| *name).collect();
    let named = if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) };
    let source =
        io::Error::new(io::ErrorKind::Unsupported, format!("features 0x{unknown:x}{named} are not read"));
    Err(unreadable("incompatible features", offset + 0x60, source))
}

impl Superblock {
    /// Returns the UUID as Linux writes it.
    pub(crate) fn uuid(&self) -> String {
        let hex = ledger::digest::hex(self.raw.get(0x68..0x78).unwrap_or_default());
        let part = |from, to| hex.get(from..to).unwrap_or_default();
        let parts = [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)];
        parts.join("-")
    }

    /// Returns the label, up to the first NUL.
    pub(crate) fn label(&self) -> &[u8] {
        let field = self.raw.get(0x78..0x88).unwrap_or_default();
        field.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// Returns when the file system was created, in seconds since 1970; 0 if not recorded.
    pub(crate) fn made(&self) -> u64 {
        wide(u32_at(&self.raw, 0x108), u8_at(&self.raw, 0x275).into())
    }
}
