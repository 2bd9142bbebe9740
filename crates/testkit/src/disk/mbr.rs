//! Master boot record and the chain of extended boot records.

use super::{DiskError, DiskSpec, Part, SECTOR};
use crate::medium::Medium;

/// The number of sectors from an extended boot record to its partition.
pub(super) const BEFORE_LOGICAL: u64 = 63;

const EXTENDED: u8 = 0x0f;

/// The type, first sector and number of sectors of a partition.
type Slot = (u8, u64, u64);

pub(super) fn write(spec: &DiskSpec, signature: u32, medium: &mut Medium) -> Result<(), DiskError> {
    let (logical, primary): (Vec<&Part>, Vec<&Part>) = spec.parts.iter().partition(|part| part.logical);
    let mut slots: Vec<Slot> = primary.iter().map(|part| (part.kind, part.first, part.sectors)).collect();
    if let (Some(first), Some(last)) = (logical.first(), logical.last()) {
        let start = first.first - BEFORE_LOGICAL;
        slots.push((EXTENDED, start, last.first + last.sectors - start));
        chain(&logical, start, medium);
    }
    if slots.len() > 4 {
        return Err(DiskError::Count { limit: 4, found: slots.len() });
    }
    let mut sector = record(&slots);
    sector[440..444].copy_from_slice(&signature.to_le_bytes());
    medium.put(0, sector);
    Ok(())
}

/// Writes the chain: each record names its partition, relative to itself, and the next record, relative to the first one.
fn chain(logical: &[&Part], start: u64, medium: &mut Medium) {
    for (index, part) in logical.iter().enumerate() {
        let mut slots = vec![(part.kind, BEFORE_LOGICAL, part.sectors)];
        if let Some(next) = logical.get(index + 1) {
            slots.push((EXTENDED, next.first - BEFORE_LOGICAL - start, next.sectors + BEFORE_LOGICAL));
        }
        medium.put((part.first - BEFORE_LOGICAL) * SECTOR, record(&slots));
    }
}

/// Builds a boot record. It gives positions in sectors; cylinders and heads are beyond their range.
pub(super) fn record(slots: &[Slot]) -> Vec<u8> {
    const BEYOND: [u8; 3] = [0xfe, 0xff, 0xff];
    let mut bytes = vec![0; 446];
    for (kind, first, sectors) in slots {
        bytes.push(0);
        bytes.extend(BEYOND);
        bytes.push(*kind);
        bytes.extend(BEYOND);
        for number in [first, sectors] {
            bytes.extend(u32::try_from(*number).unwrap_or(u32::MAX).to_le_bytes());
        }
    }
    bytes.resize(510, 0);
    bytes.extend([0x55, 0xaa]);
    bytes
}
