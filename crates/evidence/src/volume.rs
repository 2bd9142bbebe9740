//! A volume of an image, as examiners describe it.

use crate::path::EvidencePath;
use ledger::Time;

/// A volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Volume {
    /// Its folder in the tree, such as `p1`.
    pub path: EvidencePath,
    /// The number of its partition; 0 where the medium has no partition table.
    pub number: u32,
    /// Bytes from the start of the medium.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
    /// Which file system its first bytes name: `NTFS`, `FAT12`, `FAT16`, `FAT32`, `exFAT`, `ext2`, `ext3`, `ext4`, `BitLocker`; `None` where they name none.
    pub file_system: Option<&'static str>,
    /// What the file system says of itself, where it is read.
    pub facts: Option<VolumeFacts>,
    /// Why it is not read.
    pub unread: Option<String>,
}

/// What a file system says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VolumeFacts {
    /// Volume serial number or UUID, in the form in which its own system shows it.
    pub serial: Option<String>,
    /// Volume label.
    pub label: Option<String>,
    /// Version, where there are several.
    pub version: Option<String>,
    /// Bytes of a sector, as the file system says.
    pub sector: Option<u64>,
    /// Bytes of a cluster or block.
    pub cluster: Option<u64>,
    /// Clusters or blocks of the file system.
    pub clusters: Option<u64>,
    /// When it was made.
    pub created: Option<Time>,
    /// Whether it was left without being unmounted.
    pub dirty: Option<bool>,
    /// Volume shadow copies: whether their catalogue stands in the volume.
    pub shadow_copies: bool,
}
