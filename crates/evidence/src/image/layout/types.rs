//! The purpose of partitions, by their types.
//!
//! Sources: UEFI 5.3.3 and Microsoft's documentation of `PARTITION_INFORMATION_GPT` and of MBR partition types;
//! Discoverable Partitions Specification (UAPI group) for Linux.

use super::guid::Guid;

/// The type of a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartitionType {
    /// The type byte of an MBR.
    Mbr(u8),
    /// The type GUID of a GPT.
    Gpt(Guid),
}

impl PartitionType {
    /// Returns the purpose of partitions of this type; `None` if the type is not known here.
    pub fn name(self) -> Option<&'static str> {
        match self {
            PartitionType::Mbr(code) => mbr_type_name(code),
            PartitionType::Gpt(guid) => gpt_type_name(guid),
        }
    }
}

/// Returns the usual meaning of an MBR type byte; no authority assigns them.
fn mbr_type_name(code: u8) -> Option<&'static str> {
    Some(match code {
        0x01 => "FAT12",
        0x04 => "FAT16 below 32 MiB",
        0x05 => "extended",
        0x06 => "FAT16",
        0x07 => "NTFS or exFAT",
        0x0b => "FAT32",
        0x0c => "FAT32 with LBA",
        0x0e => "FAT16 with LBA",
        0x0f => "extended with LBA",
        0x11 => "hidden FAT12",
        0x14 => "hidden FAT16 below 32 MiB",
        0x16 => "hidden FAT16",
        0x17 => "hidden NTFS or exFAT",
        0x1b => "hidden FAT32",
        0x1c => "hidden FAT32 with LBA",
        0x1e => "hidden FAT16 with LBA",
        0x27 => "Windows recovery",
        0x42 => "Windows dynamic disk",
        0x82 => "Linux swap",
        0x83 => "Linux",
        0x85 => "Linux extended",
        0x8e => "Linux LVM",
        0xa5 => "FreeBSD",
        0xa8 => "Apple UFS",
        0xaf => "Apple HFS or HFS+",
        0xee => "GPT protective",
        0xef => "EFI system",
        0xfd => "Linux RAID",
        _ => return None,
    })
}

/// Returns the meaning of a GPT type GUID.
fn gpt_type_name(guid: Guid) -> Option<&'static str> {
    Some(match guid.to_string().as_str() {
        "C12A7328-F81F-11D2-BA4B-00A0C93EC93B" => "EFI system",
        "024DEE41-33E7-11D3-9D69-0008C781F39F" => "MBR scheme",
        "21686148-6449-6E6F-744E-656564454649" => "BIOS boot",
        "E3C9E316-0B5C-4DB8-817D-F92DF00215AE" => "Microsoft reserved",
        "EBD0A0A2-B9E5-4433-87C0-68B6B72699C7" => "basic data",
        "5808C8AA-7E8F-42E0-85D2-E1E90434CFB3" => "Windows dynamic disk metadata",
        "AF9B60A0-1431-4F62-BC68-3311714A69AD" => "Windows dynamic disk data",
        "DE94BBA4-06D1-4D40-A16A-BFD50179D6AC" => "Windows recovery",
        "E75CAF8F-F680-4CEE-AFA3-B001E56EFC2D" => "Windows storage spaces",
        "0FC63DAF-8483-4772-8E79-3D69D8477DE4" => "Linux file system",
        "0657FD6D-A4AB-43C4-84E5-0933C84B4F4F" => "Linux swap",
        "A19D880F-05FC-4D3B-A006-743F0F84911E" => "Linux RAID",
        "E6D6D379-F507-44C2-A23C-238F2A3DF928" => "Linux LVM",
        "4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709" => "Linux root (x86-64)",
        "933AC7E1-2EB4-4F13-B844-0E14E2AEF915" => "Linux home",
        "48465300-0000-11AA-AA11-00306543ECAC" => "Apple HFS or HFS+",
        "7C3457EF-0000-11AA-AA11-00306543ECAC" => "Apple APFS",
        _ => return None,
    })
}
