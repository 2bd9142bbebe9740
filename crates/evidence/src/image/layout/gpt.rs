//! GUID partition table: header in sector 1 and in the last sector, entries where the header says (UEFI 5.3).

use super::guid::Guid;
use super::{Disk, Entry, Partition, PartitionType, Scheme, Table, u32_at, u64_at};
use crate::image::container::{Container, Missing};
use crate::path::escape_name;
use std::io;

/// The most bytes of entries that are read; a usual table has 16 KiB.
const MAX_ENTRIES: u64 = 1 << 20;

/// Reads the table; `None` if neither copy has its signature and there is no protective MBR.
pub(super) fn read(container: &Container, sector: &[u8]) -> io::Result<Option<Table>> {
    let protected =
        sector.get(510..512) == Some(&[0x55, 0xaa]) && sector.get(450).is_some_and(|kind| *kind == 0xee);
    let mut table = Table::default();
    for size in [512, 4096] {
        match copy(container, size, size, &mut table) {
            Ok(Some(entries)) => {
                table.entries = entries;
                return Ok(Some(table));
            }
            Ok(None) => {}
            Err(error) => table.defect(size, format!("the GPT cannot be read: {error}")),
        }
    }
    if !protected && table.defects.is_empty() {
        return Ok(None);
    }
    if table.defects.is_empty() {
        table.defect(512, "GPT header: expected \"EFI PART\", found none".to_owned());
    }
    // If nothing can be trusted, the defects say why.
    read_last(container, &mut table);
    Ok(Some(table))
}

/// Reads the table at the end of a medium whose first bytes cannot be read because of `error`.
pub(super) fn read_unprotected(container: &Container, error: &io::Error) -> (Scheme, Table) {
    let mut table = Table::default();
    let reason = format!("byte 0: the first sectors cannot be read: {error}");
    table.defect(0, reason.clone());
    table.cut.push((None, Missing { start: 0, end: Some(super::HEAD as u64), reason }));
    match read_last(container, &mut table) {
        true => (Scheme::Gpt, table),
        false => (Scheme::None, table),
    }
}

/// Reads the entries of the copy at the end of the medium; returns whether there is one.
fn read_last(container: &Container, table: &mut Table) -> bool {
    for size in [512, 4096] {
        let last = container.length().saturating_sub(size);
        match copy(container, last, size, table) {
            Ok(Some(entries)) => {
                table.entries = entries;
                return true;
            }
            Ok(None) => {}
            Err(error) => table.defect(last, format!("the copy of the GPT cannot be read: {error}")),
        }
    }
    false
}

/// Reads the entries of the copy at `at`; `None` and a defect if it is damaged.
fn copy(container: &Container, at: u64, sector: u64, table: &mut Table) -> io::Result<Option<Vec<Entry>>> {
    let mut header = vec![0; 512];
    if at.saturating_add(512) > container.length() {
        return Ok(None);
    }
    container.read_exact_at(at, &mut header)?;
    if !header.starts_with(b"EFI PART") {
        return Ok(None);
    }
    let Some(fields) = Fields::of(&header) else {
        table.defect(at, "GPT header: expected a size of 92 to 512 bytes, found another".to_owned());
        return Ok(None);
    };
    let mut zeroed = header.get(..fields.size).unwrap_or_default().to_vec();
    zeroed.get_mut(16..20).unwrap_or_default().fill(0);
    if !same(table, at, "GPT header", fields.checksum, crc32(&zeroed)) {
        return Ok(None);
    }
    let bytes = u64::from(fields.count) * u64::from(fields.entry);
    let start = fields.entries.saturating_mul(sector);
    if fields.entry < 128 || bytes > MAX_ENTRIES || start.saturating_add(bytes) > container.length() {
        table.defect(
            at,
            format!("GPT header: expected entries within the medium, found {bytes} bytes at {start}"),
        );
        return Ok(None);
    }
    let mut entries = vec![0; usize::try_from(bytes).unwrap_or(0)];
    container.read_exact_at(start, &mut entries)?;
    if !same(table, start, "GPT entries", fields.entries_checksum, crc32(&entries)) {
        return Ok(None);
    }
    table.disk = Disk { sector: Some(sector), signature: None, guid: fields.disk };
    let size = usize::try_from(fields.entry).unwrap_or(usize::MAX);
    let entries = (1..).zip(entries.chunks_exact(size)).filter_map(|(number, bytes)| {
        let at = start + u64::from(number - 1) * u64::from(fields.entry);
        entry(number, bytes, sector, at)
    });
    Ok(Some(entries.collect()))
}

struct Fields {
    size: usize,
    checksum: u32,
    disk: Option<Guid>,
    entries: u64,
    count: u32,
    entry: u32,
    entries_checksum: u32,
}

impl Fields {
    fn of(header: &[u8]) -> Option<Fields> {
        let size = usize::try_from(u32_at(header, 12)?).ok().filter(|size| (92..=512).contains(size))?;
        Some(Fields {
            size,
            checksum: u32_at(header, 16)?,
            disk: Guid::at(header, 56),
            entries: u64_at(header, 72)?,
            count: u32_at(header, 80)?,
            entry: u32_at(header, 84)?,
            entries_checksum: u32_at(header, 88)?,
        })
    }
}

fn same(table: &mut Table, at: u64, what: &str, expected: u32, found: u32) -> bool {
    if expected != found {
        table.defect(at, format!("{what}: expected CRC32 {expected:08x}, found {found:08x}"));
    }
    expected == found
}

/// Reads a used entry (UEFI 5.3.3); a type of all zeros means an unused one.
fn entry(number: u32, bytes: &[u8], sector: u64, at: u64) -> Option<Entry> {
    let kind = PartitionType::Gpt(Guid::at(bytes, 0)?);
    let (first, last, attributes) = (u64_at(bytes, 32)?, u64_at(bytes, 40)?, u64_at(bytes, 48)?);
    let count = last.checked_sub(first)?.saturating_add(1);
    let name = name(bytes.get(56..128)?);
    let (guid, active) = (Guid::at(bytes, 16), attributes & LEGACY_BOOTABLE != 0);
    let partition = Some(Partition { kind, name, guid, active, attributes: Some(attributes) });
    let (offset, length) = (first.saturating_mul(sector), count.saturating_mul(sector));
    Some(Entry { number, offset, length, at, partition })
}

/// Attribute bit 2 (UEFI 5.3.3, table 5.8).
const LEGACY_BOOTABLE: u64 = 1 << 2;

/// Returns the name: UTF-16LE up to its first NUL, escaped like other names; `None` if there is none.
fn name(bytes: &[u8]) -> Option<String> {
    let (pairs, _) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).take_while(|unit| *unit != 0);
    let text: String =
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    (!text.is_empty()).then(|| escape_name(text.as_bytes()))
}

/// Computes CRC-32 (ISO 3309), as UEFI 5.3.2 requires.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(super::crc32(b"123456789"), 0xcbf4_3926);
    }
}
