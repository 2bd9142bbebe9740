//! What is left of a deleted FAT folder, whose size is not recorded: its first cluster, and the following
//! clusters that continue it like a folder.

use super::bytes::{u8_at, u16_at, u32_at};
use super::pieces::{Pieces, Stop};
use super::slots::{SLOT, Slot, Slots};
use super::volume::{Format, Volume};

/// The maximum size of a folder in bytes ([FATGEN] section "FAT Directory Structure": 65,536 slots).
const LARGEST: u64 = 2 << 20;

/// Returns the clusters of the folder that began in the free cluster `first`; `None` if no folder begins there.
///
/// The folder continues in the next cluster if it did not end before, and if that cluster is free and holds
/// nothing but folder slots.
pub(super) fn remains(volume: &Volume, first: u32) -> Option<Pieces> {
    let clusters = &volume.clusters;
    let place = |cluster| clusters.offset(cluster).map(|offset| Pieces::one(offset, clusters.size));
    let begun = place(first)?;
    if !begins_folder(volume, &begun, first) {
        return None;
    }
    let (mut pieces, mut last, mut open) = (begun.clone(), first, !look(volume, &begun).ended);
    while open && pieces.length() < LARGEST {
        let next = last.saturating_add(1);
        let Some(behind) = place(next) else { break };
        if volume.usage.is_used(clusters, next).unwrap_or(true) {
            break;
        }
        let seen = look(volume, &behind);
        let Some((offset, length)) = behind.at(0).filter(|_| seen.sound && seen.slots > 0) else { break };
        pieces.push(offset, length);
        (last, open) = (next, !seen.ended);
    }
    Some(pieces)
}

/// Checks whether the first slot is the `.` entry of a folder, naming its own cluster.
fn begins_folder(volume: &Volume, begun: &Pieces, cluster: u32) -> bool {
    let slot = Slots::new(&volume.clusters.window, begun.clone()).next();
    let Some(Ok(Slot { bytes, .. })) = slot else { return false };
    bytes.starts_with(b".          ") && first_cluster(volume, &bytes) == cluster
}

fn first_cluster(volume: &Volume, slot: &[u8; SLOT]) -> u32 {
    let high = if volume.format == Format::Fat32 { u32::from(u16_at(slot, 20)) << 16 } else { 0 };
    high | u32::from(u16_at(slot, 26))
}

/// What the slots of a cluster look like.
#[derive(Debug, Default)]
struct Seen {
    /// Slots before the end.
    slots: usize,
    /// Whether the folder ends here.
    ended: bool,
    /// Whether each of them can be a folder slot.
    sound: bool,
}

fn look(volume: &Volume, pieces: &Pieces) -> Seen {
    let mut seen = Seen { sound: true, ..Seen::default() };
    for slot in Slots::new(&volume.clusters.window, pieces.clone()) {
        match slot {
            Ok(slot) if slot.bytes[0] == 0 => {
                seen.ended = true;
                break;
            }
            Ok(slot) => {
                seen.slots += 1;
                seen.sound &= is_slot(volume, &slot.bytes);
            }
            Err(Stop { .. }) => seen.sound = false,
        }
    }
    seen
}

/// Checks whether the bytes can be a part of a long name or an entry other than `.` and `..`: fields that must
/// be zero, a date, a cluster.
fn is_slot(volume: &Volume, slot: &[u8; SLOT]) -> bool {
    let attributes = u8_at(slot, 11);
    if attributes == 0x0f {
        return u8_at(slot, 12) == 0 && u16_at(slot, 26) == 0;
    }
    let (day, month) = (u16_at(slot, 24) & 0x1f, u16_at(slot, 24) >> 5 & 0x0f);
    let first = first_cluster(volume, slot);
    let content = first == 0 && u32_at(slot, 28) == 0 || volume.clusters.offset(first).is_some();
    let name = slot.get(1..11).unwrap_or_default().iter().all(|byte| *byte >= b' ');
    let dated = (1..=12).contains(&month) && (1..=31).contains(&day);
    u8_at(slot, 0) != b'.' && attributes & 0xc8 == 0 && dated && content && name
}
