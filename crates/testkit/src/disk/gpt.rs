//! GUID partition table: a protective MBR, and headers and entries at both ends of the disk.

use super::{DiskError, DiskSpec, Part, SECTOR, mbr};
use crate::medium::Medium;

/// The number of entries in the table, each 128 bytes.
const ENTRIES: usize = 128;

/// The number of sectors of the entries.
const TABLE: u64 = 32;

/// The number of sectors reserved at the start and at the end of the disk.
pub(super) const BEFORE: u64 = 2 + TABLE;
pub(super) const AFTER: u64 = 1 + TABLE;

pub(super) fn write(spec: &DiskSpec, disk: [u8; 16], medium: &mut Medium) -> Result<(), DiskError> {
    if spec.parts.len() > ENTRIES {
        return Err(DiskError::Count { limit: ENTRIES, found: spec.parts.len() });
    }
    let mut entries: Vec<u8> =
        (1..).zip(&spec.parts).flat_map(|(number, part)| entry(part, &disk, number)).collect();
    entries.resize(ENTRIES * 128, 0);
    medium.put(0, mbr::record(&[(0xee, 1, spec.sectors - 1)]));
    let last = spec.sectors - 1;
    for (here, other, table) in [(1, last, 2), (last, 1, last - TABLE)] {
        medium.put(table * SECTOR, entries.clone());
        medium.put(here * SECTOR, header([here, other, BEFORE, last - AFTER], &disk, table, &entries));
    }
    Ok(())
}

fn entry(part: &Part, disk: &[u8; 16], number: u8) -> Vec<u8> {
    let mut bytes = part.kind_id.to_vec();
    // A partition's identifier consists of the disk's and its number.
    bytes.extend(&disk[..15]);
    bytes.push(number);
    bytes.extend(part.first.to_le_bytes());
    bytes.extend((part.first + part.sectors - 1).to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(part.name.encode_utf16().take(36).flat_map(u16::to_le_bytes));
    bytes.resize(128, 0);
    bytes
}

/// Builds a header; `places` are the sectors of this header and of the other one, and the first and last sector for partitions.
fn header(places: [u64; 4], disk: &[u8; 16], table: u64, entries: &[u8]) -> Vec<u8> {
    let mut bytes = b"EFI PART".to_vec();
    for number in [0x0001_0000, 92, 0, 0u32] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(places.iter().flat_map(|place| place.to_le_bytes()));
    bytes.extend(disk);
    bytes.extend(table.to_le_bytes());
    for number in [128, 128, checksum(entries)] {
        bytes.extend(number.to_le_bytes());
    }
    let sum = checksum(&bytes);
    bytes[16..20].copy_from_slice(&sum.to_le_bytes());
    bytes.resize(512, 0);
    bytes
}

fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}
