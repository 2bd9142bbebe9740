//! Which file system a volume holds, by its first bytes.

/// A type of file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileSystem {
    /// OEM name `NTFS` in the boot sector.
    Ntfs,
    /// FAT12, FAT16 or FAT32: their names in the extended BPB ([FATGEN] section 3.1).
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

impl FileSystem {
    /// For a gap and an error: what was found.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            FileSystem::Ntfs => "an NTFS file system",
            FileSystem::Fat => "a FAT file system",
            FileSystem::ExFat => "an exFAT file system",
            FileSystem::Ext => "an ext2, ext3 or ext4 file system",
            FileSystem::BitLocker => "a volume encrypted with BitLocker",
            FileSystem::Unknown => "a volume of an unknown type",
        }
    }
}

/// Bytes that [`recognise`] looks at.
pub(crate) const HEAD: usize = 2048;

/// The type of the volume that begins with `head`.
pub(crate) fn recognise(head: &[u8]) -> FileSystem {
    let at = |offset: usize, text: &[u8]| head.get(offset..offset + text.len()) == Some(text);
    if at(3, b"NTFS    ") {
        FileSystem::Ntfs
    } else if at(3, b"-FVE-FS-") {
        FileSystem::BitLocker
    } else if at(3, b"EXFAT   ") {
        FileSystem::ExFat
    } else if at(54, b"FAT12   ") || at(54, b"FAT16   ") || at(54, b"FAT     ") || at(82, b"FAT32   ") {
        FileSystem::Fat
    } else if at(1080, &[0x53, 0xef]) {
        FileSystem::Ext
    } else {
        FileSystem::Unknown
    }
}
