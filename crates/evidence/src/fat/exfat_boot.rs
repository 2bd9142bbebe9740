//! The boot sector of exFAT ([exFAT] section 3.1), and what the root folder says about the volume (sections 7.1
//! and 7.3).

use super::bytes::{u8_at, u16_at, u32_at, u64_at};
use super::clusters::{Clusters, Reach};
use super::entry::Found;
use super::pieces::{Pieces, Stop};
use super::table::{Table, Width};
use super::usage::Usage;
use super::volume::{Format, Root, Volume};
use crate::error::Damage;
use crate::volume::VolumeFacts;
use crate::window::Window;
use ledger::Defect;

/// Sectors that the checksum of the boot region covers; the next sector repeats the checksum.
const CHECKED: u64 = 11;

/// Opens the volume in `window`.
pub(super) fn open(window: Window) -> Result<Volume, Damage> {
    let mut head = [0; 512];
    let unreadable = |source| Damage::Unreadable { what: "boot sector", offset: 0, source };
    window.read_exact_at(0, &mut head).map_err(unreadable)?;
    let (sector_shift, cluster_shift) = (u8_at(&head, 108), u8_at(&head, 109));
    field((9..=12).contains(&sector_shift), "shift of a sector", 108, "9 to 12", sector_shift.into())?;
    let fits = cluster_shift <= 25 - sector_shift;
    field(fits, "shift of a cluster", 109, "clusters of up to 32 MiB", cluster_shift.into())?;
    let sector = 1u64 << sector_shift;
    let (fat, length) = (u64::from(u32_at(&head, 80)), u64::from(u32_at(&head, 84)));
    let (heap, count) = (u64::from(u32_at(&head, 88)), u32_at(&head, 92));
    let flags = u16_at(&head, 106);
    let second = flags & 1 == 1 && u8_at(&head, 110) == 2;
    field(fat > 0 && length > 0, "sectors of the FAT", 84, "1 or more behind the boot sector", length)?;
    field(heap >= fat + length, "start of the clusters", 88, "a sector behind the FAT", heap)?;
    let table = (fat + if second { length } else { 0 }) * sector;
    let entries = (length * sector / 4).saturating_sub(2);
    let clusters = Clusters {
        table: Table::new(&window, table, Width::ThirtyTwo),
        heap: heap * sector,
        size: sector << cluster_shift,
        count: u32::try_from(entries).unwrap_or(u32::MAX).min(count),
        window: window.clone(),
    };
    field(clusters.count > 0, "clusters", 92, "1 or more", count.into())?;
    let facts = facts(&head, sector, &clusters);
    let root = Root::Chain { first: u32_at(&head, 96), at: 96 };
    let usage = Usage::bitmap(&window, Pieces::default());
    let defects = checksum(&window, sector);
    let mut volume = Volume { format: Format::ExFat, clusters, root, usage, facts, defects };
    volume.facts.label = volume.label();
    bitmap(&mut volume, second);
    field_of_length(&mut volume, u64_at(&head, 72), sector);
    Ok(volume)
}

fn field(
    sound: bool,
    what: &'static str,
    offset: u64,
    expected: &'static str,
    found: u64,
) -> Result<(), Damage> {
    if sound { Ok(()) } else { Err(Stop { what, offset, expected, found }.into()) }
}

fn facts(head: &[u8], sector: u64, clusters: &Clusters) -> VolumeFacts {
    let (serial, revision) = (u32_at(head, 100), u16_at(head, 104));
    VolumeFacts {
        serial: Some(format!("{:04X}-{:04X}", serial >> 16, serial & 0xffff)),
        version: Some(format!("{}.{:02}", revision >> 8, revision & 0xff)),
        sector: Some(sector),
        cluster: Some(clusters.size),
        clusters: Some(clusters.count.into()),
        dirty: Some(u16_at(head, 106) & 2 != 0),
        ..VolumeFacts::default()
    }
}

/// Reports clusters past the end of the volume as damage; they are no reason to read nothing.
fn field_of_length(volume: &mut Volume, sectors: u64, sector: u64) {
    let clusters = &volume.clusters;
    let end = u64::from(clusters.count).saturating_mul(clusters.size).saturating_add(clusters.heap);
    if end > sectors.saturating_mul(sector) {
        let (what, expected) = ("sectors of the volume", "as many as its clusters take");
        volume.defect(Stop { what, offset: 72, expected, found: sectors });
    }
}

/// Checks the boot region against its checksum ([exFAT] section 3.4).
fn checksum(window: &Window, sector: u64) -> Vec<Defect> {
    let mut bytes = vec![0; usize::try_from((CHECKED + 1) * sector).unwrap_or(0)];
    let checked = usize::try_from(CHECKED * sector).unwrap_or(0);
    let mut sum: u32 = 0;
    let read = window.read_exact_at(0, &mut bytes);
    for (index, byte) in bytes.iter().take(checked).enumerate() {
        // The flags and the percentage in use change without updating the checksum.
        if !matches!(index, 106 | 107 | 112) {
            sum = sum.rotate_right(1).wrapping_add(u32::from(*byte));
        }
    }
    let found = u32_at(&bytes, checked);
    if read.is_ok() && found == sum {
        return Vec::new();
    }
    let (what, expected) = ("checksum of the boot region", "that of its bytes");
    let stop = Stop { what, offset: CHECKED * sector, expected, found: found.into() };
    vec![Defect { path: String::new(), offset: None, what: Damage::from(stop).to_string() }]
}

/// Finds the bitmap of clusters in use.
fn bitmap(volume: &mut Volume, of_second: bool) {
    let pieces = volume.root_pieces();
    let found = volume.entries(&pieces).find_map(|found| match found {
        Found::Bitmap { second, first, size, offset } if second == of_second => Some((first, size, offset)),
        Found::Bitmap { .. } | Found::Entry(_) | Found::Label(_) | Found::Damage(_) => None,
    });
    let clusters = &volume.clusters;
    let needed = u64::from(clusters.count).div_ceil(8);
    let stop = match found {
        Some((first, size, offset)) => {
            let pieces = clusters.chain(first, Reach::Exactly(size.min(needed)), offset);
            let short = Stop {
                what: "bytes of the bitmap",
                offset: offset.saturating_add(24),
                expected: "one bit a cluster",
                found: size,
            };
            let stop = pieces.stop.or((size < needed).then_some(short));
            volume.usage = Usage::bitmap(&clusters.window, pieces);
            stop
        }
        None => {
            let (what, expected) = ("entry of the bitmap", "one in the root folder");
            Some(Stop { what, offset: 96, expected, found: 0 })
        }
    };
    if let Some(stop) = stop {
        volume.defect(stop);
    }
}
