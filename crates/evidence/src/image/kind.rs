//! Recognises the file system of a volume by its first bytes.

use crate::fat::is_boot_sector;

/// A type of file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// OEM name `NTFS` in the boot sector.
    Ntfs,
    /// FAT12, FAT16 or FAT32: their names in the extended BPB, or a BPB that can be one ([FATGEN] section "Boot Sector and BPB").
    Fat,
    /// OEM name `EXFAT` ([exFAT] section 3.1).
    ExFat,
    /// Magic 0xEF53 in the superblock at byte 1024.
    Ext,
    /// OEM name `-FVE-FS-`.
    BitLocker,
    /// None of these.
    Unknown,
}

impl Kind {
    /// Describes what was found, for a gap or an error.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Kind::Ntfs => "an NTFS file system",
            Kind::Fat => "a FAT file system",
            Kind::ExFat => "an exFAT file system",
            Kind::Ext => "an ext2, ext3 or ext4 file system",
            Kind::BitLocker => "a volume encrypted with BitLocker",
            Kind::Unknown => "a volume of an unknown type",
        }
    }
}

impl Kind {
    /// Returns its name, if the first bytes are enough to know it; the readers of FAT and ext decide which
    /// variant it is.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Kind::Ntfs => Some("NTFS"),
            Kind::Fat => Some("FAT"),
            Kind::ExFat => Some("exFAT"),
            Kind::Ext => Some("ext"),
            Kind::BitLocker => Some("BitLocker"),
            Kind::Unknown => None,
        }
    }
}

/// Bytes that [`recognise`] needs.
pub(crate) const HEAD: usize = 2048;

/// Returns the type of the volume that begins with `head`.
pub(crate) fn recognise(head: &[u8]) -> Kind {
    let at = |offset: usize, text: &[u8]| head.get(offset..offset + text.len()) == Some(text);
    if at(3, b"NTFS    ") {
        Kind::Ntfs
    } else if at(3, b"-FVE-FS-") {
        Kind::BitLocker
    } else if at(3, b"EXFAT   ") {
        Kind::ExFat
    } else if is_boot_sector(head) {
        Kind::Fat
    } else if at(1080, &[0x53, 0xef]) {
        Kind::Ext
    } else {
        Kind::Unknown
    }
}
