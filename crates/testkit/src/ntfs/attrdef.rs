//! `$AttrDef`: the attribute types that a volume knows.

use super::attributes::{le_units, utf16};

/// The size of the table in bytes.
const SIZE: usize = 2560;

/// The name, type, flags (0x02 indexable, 0x40 resident only, 0x80 may be in clusters), and minimum and maximum size in bytes.
const KINDS: [(&str, u32, u32, u64, u64); 15] = [
    ("$STANDARD_INFORMATION", 0x10, 0x40, 0x30, 0x48),
    ("$ATTRIBUTE_LIST", 0x20, 0x80, 0, u64::MAX),
    ("$FILE_NAME", 0x30, 0x42, 0x44, 0x242),
    ("$OBJECT_ID", 0x40, 0x40, 0, 0x100),
    ("$SECURITY_DESCRIPTOR", 0x50, 0x80, 0, u64::MAX),
    ("$VOLUME_NAME", 0x60, 0x40, 2, 0x100),
    ("$VOLUME_INFORMATION", 0x70, 0x40, 12, 12),
    ("$DATA", 0x80, 0, 0, u64::MAX),
    ("$INDEX_ROOT", 0x90, 0x40, 0, u64::MAX),
    ("$INDEX_ALLOCATION", 0xa0, 0x80, 0, u64::MAX),
    ("$BITMAP", 0xb0, 0x80, 0, u64::MAX),
    ("$REPARSE_POINT", 0xc0, 0x80, 0, 0x4000),
    ("$EA_INFORMATION", 0xd0, 0x40, 8, 8),
    ("$EA", 0xe0, 0, 0, 0x10000),
    ("$LOGGED_UTILITY_STREAM", 0x100, 0x80, 0, 0x10000),
];

/// Returns the table of NTFS 3.1.
pub(crate) fn bytes() -> Vec<u8> {
    let mut table = Vec::with_capacity(SIZE);
    for (name, kind, flags, least, most) in KINDS {
        let mut entry = le_units(&utf16(name));
        entry.resize(128, 0);
        entry.extend(kind.to_le_bytes());
        entry.extend([0; 8]);
        entry.extend(flags.to_le_bytes());
        entry.extend(least.to_le_bytes());
        entry.extend(most.to_le_bytes());
        table.extend(entry);
    }
    table.resize(SIZE, 0);
    table
}
