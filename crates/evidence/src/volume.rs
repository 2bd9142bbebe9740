//! A volume of an image, described for examiners.

use crate::path::EvidencePath;
use ledger::Time;

/// A volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Volume {
    /// Its folder in the tree, such as `p1`.
    pub path: EvidencePath,
    /// The number of its partition; 0 if the medium has no partition table.
    pub number: u32,
    /// Offset from the start of the medium, in bytes.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
    /// The file system according to its first bytes: `NTFS`, `FAT12`, `FAT16`, `FAT32`, `exFAT`, `ext2`, `ext3`,
    /// `ext4`, `BitLocker`; `None` if they show none.
    pub file_system: Option<&'static str>,
    /// What the file system says about itself, if it can be read.
    pub facts: Option<VolumeFacts>,
    /// Why it cannot be read.
    pub unread: Option<String>,
}

/// What a file system says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VolumeFacts {
    /// Volume serial number or UUID, in the form in which its own operating system shows it.
    pub serial: Option<String>,
    /// Volume label.
    pub label: Option<String>,
    /// Version, if there are several.
    pub version: Option<String>,
    /// Size of a sector in bytes, according to the file system.
    pub sector: Option<u64>,
    /// Size of a cluster or block in bytes.
    pub cluster: Option<u64>,
    /// Number of clusters or blocks of the file system.
    pub clusters: Option<u64>,
    /// When it was created.
    pub created: Option<Time>,
    /// Whether it was not cleanly unmounted.
    pub dirty: Option<bool>,
    /// Whether the volume has a catalogue of volume shadow copies.
    pub shadow_copies: bool,
}
