//! Master boot record and extended boot records: four entries of 16 bytes from byte 446, signature 55 AA at 510.

use super::{Disk, Entry, Partition, PartitionType, Table, u32_at};
use crate::image::container::Container;
use std::collections::BTreeSet;
use std::io;

const SECTOR: u64 = 512;

/// Offset of the Windows disk signature.
const SIGNATURE: usize = 440;

/// The most logical partitions that are followed.
const MAX_LOGICAL: usize = 128;

/// One used entry of a boot record, in sectors.
#[derive(Clone, Copy)]
struct Slot {
    index: u32,
    active: bool,
    kind: u8,
    first: u32,
    count: u32,
}

impl Slot {
    /// Checks for extended partitions: CHS, LBA, and that of Linux.
    fn is_extended(self) -> bool {
        matches!(self.kind, 0x05 | 0x0f | 0x85)
    }

    fn partition(self) -> Option<Partition> {
        let kind = PartitionType::Mbr(self.kind);
        Some(Partition { kind, name: None, guid: None, active: self.active, attributes: None })
    }
}

/// Reads the MBR in `sector`; empty if there is none.
pub(super) fn read(container: &Container, sector: &[u8]) -> io::Result<Table> {
    let mut table = Table::default();
    let Some(slots) = slots(sector) else { return Ok(table) };
    let signature = u32_at(sector, SIGNATURE).filter(|signature| *signature != 0);
    table.disk = Disk { sector: Some(SECTOR), signature, guid: None };
    let mut number = 5;
    for slot in slots {
        let offset = u64::from(slot.first) * SECTOR;
        if slot.is_extended() {
            logical(container, offset, &mut number, &mut table)?;
        } else {
            let at = 446 + 16 * u64::from(slot.index);
            let length = u64::from(slot.count) * SECTOR;
            let partition = slot.partition();
            table.entries.push(Entry { number: slot.index + 1, offset, length, at, partition });
        }
    }
    Ok(table)
}

/// Returns the used entries; `None` if the sector is not a boot record.
fn slots(sector: &[u8]) -> Option<Vec<Slot>> {
    if sector.get(510..512) != Some(&[0x55, 0xaa]) {
        return None;
    }
    let mut slots = Vec::new();
    for index in 0..4 {
        let entry = sector.get(446 + 16 * index as usize..)?;
        let (status, kind) = (*entry.first()?, *entry.get(4)?);
        let (first, count) = (u32_at(entry, 8)?, u32_at(entry, 12)?);
        // A status that is neither active nor inactive is boot code, not a table.
        if status & 0x7f != 0 {
            return None;
        }
        if kind != 0 && count != 0 {
            slots.push(Slot { index, active: status & 0x80 != 0, kind, first, count });
        }
    }
    Some(slots)
}

/// Follows the chain of extended boot records from `base`: each has one partition, relative to itself, and the
/// next record, relative to `base`.
fn logical(container: &Container, base: u64, number: &mut u32, table: &mut Table) -> io::Result<()> {
    let mut seen = BTreeSet::new();
    let mut next = Some(base);
    while let Some(at) = next.take() {
        if !seen.insert(at) || seen.len() > MAX_LOGICAL {
            table.defect(at, "extended boot record: expected the end of the chain, found a loop".to_owned());
            return Ok(());
        }
        let sector = match super::head(container, at) {
            Ok(sector) => sector,
            Err(error) => {
                table.defect(at, format!("extended boot record: it cannot be read: {error}"));
                return Ok(());
            }
        };
        let Some(slots) = slots(&sector) else {
            table.defect(at, "extended boot record: expected the signature 55 AA, found none".to_owned());
            return Ok(());
        };
        for slot in slots {
            if slot.is_extended() {
                next = Some(base.saturating_add(u64::from(slot.first) * SECTOR));
            } else {
                let offset = at.saturating_add(u64::from(slot.first) * SECTOR);
                let length = u64::from(slot.count) * SECTOR;
                let partition = slot.partition();
                table.entries.push(Entry { number: *number, offset, length, at, partition });
                *number += 1;
            }
        }
    }
    Ok(())
}
