//! The boot sector of FAT12, FAT16 and FAT32 ([FATGEN] section "Boot Sector and BPB").

use super::bytes::{u8_at, u16_at, u32_at};
use super::clusters::Clusters;
use super::pieces::{Pieces, Stop};
use super::table::{Table, Width};
use super::usage::Usage;
use super::volume::{Format, Root, Volume};
use crate::error::Damage;
use crate::volume::VolumeFacts;
use crate::window::Window;

/// Size of a slot of the root folder, in bytes.
const SLOT: u64 = 32;

/// The BIOS parameter block.
struct Bpb {
    /// Bytes of a sector.
    sector: u64,
    /// Sectors per cluster.
    cluster: u64,
    /// Sectors before the first FAT.
    reserved: u64,
    /// Number of copies of the FAT.
    fats: u64,
    /// Slots of the root folder; 0 on FAT32.
    root_slots: u64,
    /// Sectors of the volume.
    sectors: u64,
    /// Sectors of one FAT.
    table: u64,
    /// Whether the fields of FAT32 follow: only FAT32 has a FAT size of 0 sectors in the 16-bit field.
    is_32: bool,
}

/// Checks whether the first sector of a volume or medium is a FAT boot sector, by its type name or by its numbers.
///
/// A boot record with partitions is not one, even if it still holds the numbers of a volume that was there before.
pub(crate) fn is_boot_sector(head: &[u8]) -> bool {
    let at = |offset: usize, text: &[u8]| head.get(offset..offset + text.len()) == Some(text);
    let named = at(54, b"FAT12   ") || at(54, b"FAT16   ") || at(54, b"FAT     ") || at(82, b"FAT32   ");
    let jumps = u8_at(head, 0) == 0xe9 || (u8_at(head, 0) == 0xeb && u8_at(head, 2) == 0x90);
    let signed = at(510, &[0x55, 0xaa]);
    let numbers = || jumps && signed && Bpb::read(head).is_ok();
    (named || numbers()) && !(signed && has_partitions(head))
}

/// Checks whether a partition table is where FAT boot code keeps its messages: whole entries, of which one lies
/// after the first sector.
fn has_partitions(head: &[u8]) -> bool {
    let slots = head.get(446..510).unwrap_or_default().chunks_exact(16);
    let (mut sound, mut used) = (true, false);
    for slot in slots {
        let (kind, start, count) = (u8_at(slot, 4), u32_at(slot, 8), u32_at(slot, 12));
        let empty = slot.iter().all(|byte| *byte == 0);
        let entry = matches!(u8_at(slot, 0), 0 | 0x80) && kind != 0 && start > 0 && count > 0;
        sound &= empty || entry;
        used |= entry;
    }
    sound && used
}

impl Bpb {
    fn read(head: &[u8]) -> Result<Bpb, Damage> {
        let wide = |low: usize, high: usize| match u16_at(head, low) {
            0 => u64::from(u32_at(head, high)),
            small => u64::from(small),
        };
        let bpb = Bpb {
            sector: u16_at(head, 11).into(),
            cluster: u8_at(head, 13).into(),
            reserved: u16_at(head, 14).into(),
            fats: u8_at(head, 16).into(),
            root_slots: u16_at(head, 17).into(),
            sectors: wide(19, 32),
            table: wide(22, 36),
            is_32: u16_at(head, 22) == 0,
        };
        bpb.check(u8_at(head, 21))?;
        Ok(bpb)
    }

    /// Refuses numbers that no volume has.
    fn check(&self, media: u8) -> Result<(), Damage> {
        let sector = self.sector.is_power_of_two() && (512..=4096).contains(&self.sector);
        let field = |sound: bool, what, offset, expected, found: u64| match sound {
            true => Ok(()),
            false => Err(Damage::from(Stop { what, offset, expected, found })),
        };
        field(sector, "bytes of a sector", 11, "512, 1024, 2048 or 4096", self.sector)?;
        let power = self.cluster.is_power_of_two();
        field(power, "sectors of a cluster", 13, "a power of two up to 128", self.cluster)?;
        field(self.reserved > 0, "reserved sectors", 14, "1 or more", self.reserved)?;
        field((1..=4).contains(&self.fats), "copies of the FAT", 16, "1 to 4", self.fats)?;
        field(media == 0xf0 || media >= 0xf8, "media", 21, "0xf0, or 0xf8 to 0xff", media.into())?;
        field(self.table > 0, "sectors of a FAT", 36, "1 or more", self.table)?;
        let rooted = self.is_32 || self.root_slots > 0;
        field(rooted, "slots of the root folder", 17, "1 or more", self.root_slots)?;
        let system = self.reserved + self.fats * self.table + self.root_sectors();
        field(self.sectors > system, "sectors of the volume", 32, "more than its tables take", self.sectors)
    }

    fn root_sectors(&self) -> u64 {
        (self.root_slots * SLOT).div_ceil(self.sector)
    }

    /// Returns the number of sectors before the first cluster.
    fn before_clusters(&self) -> u64 {
        self.reserved + self.fats * self.table + self.root_sectors()
    }

    /// Decides the type by the number of clusters; but a volume with the fields of FAT32 is FAT32, which
    /// `mkfs.fat` makes smaller than Microsoft does.
    fn format(&self, clusters: u64) -> Format {
        match clusters {
            _ if self.is_32 => Format::Fat32,
            0..4085 => Format::Fat12,
            _ => Format::Fat16,
        }
    }
}

/// Opens the volume in `window`.
pub(super) fn open(window: Window) -> Result<Volume, Damage> {
    let mut head = [0; 512];
    let unreadable = |source| Damage::Unreadable { what: "boot sector", offset: 0, source };
    window.read_exact_at(0, &mut head).map_err(unreadable)?;
    let bpb = Bpb::read(&head)?;
    let counted = (bpb.sectors - bpb.before_clusters()) / bpb.cluster;
    let format = bpb.format(counted);
    let (width, count) = entries(&bpb, format, counted);
    let table = (bpb.reserved + active(&bpb, &head) * bpb.table) * bpb.sector;
    let clusters = Clusters {
        table: Table::new(&window, table, width),
        heap: bpb.before_clusters() * bpb.sector,
        size: bpb.cluster * bpb.sector,
        count: u32::try_from(count).unwrap_or(0),
        window,
    };
    let root = match bpb.is_32 {
        true => Root::Chain { first: u32_at(&head, 44), at: 44 },
        false => {
            let offset = (bpb.reserved + bpb.fats * bpb.table) * bpb.sector;
            Root::Fixed(Pieces::one(offset, bpb.root_slots * SLOT))
        }
    };
    let facts = facts(&head, &bpb, &clusters);
    let mut volume = Volume { format, clusters, root, usage: Usage::Table, facts, defects: Vec::new() };
    let label = volume.label();
    if label.is_some() {
        volume.facts.label = label;
    }
    Ok(volume)
}

/// Returns the width of a FAT entry, and the number of clusters that have entries.
///
/// No other cluster can be in use. Some numbers are reserved for chain ends and bad clusters.
fn entries(bpb: &Bpb, format: Format, counted: u64) -> (Width, u64) {
    let (width, most) = match format {
        Format::Fat12 => (Width::Twelve, 0xff4),
        Format::Fat16 => (Width::Sixteen, 0xfff4),
        Format::Fat32 | Format::ExFat => (Width::TwentyEight, 0x0fff_fff4),
    };
    let entries = bpb.table * bpb.sector * 8 / width.bits();
    (width, counted.min(entries.saturating_sub(2)).min(most))
}

/// Returns the active copy of the FAT: the first, unless FAT32 says that the copies are not mirrored.
fn active(bpb: &Bpb, head: &[u8]) -> u64 {
    let flags = u64::from(u16_at(head, 40));
    let alone = bpb.is_32 && flags & 0x80 != 0;
    if alone { (flags & 0x0f).min(bpb.fats - 1) } else { 0 }
}

fn facts(head: &[u8], bpb: &Bpb, clusters: &Clusters) -> VolumeFacts {
    // The extended fields: drive number, flags of Windows and Linux, signature, serial number, label.
    let extended = head.get(if bpb.is_32 { 64.. } else { 36.. }).unwrap_or_default();
    let signature = u8_at(extended, 2);
    let serial = matches!(signature, 0x28 | 0x29).then(|| u32_at(extended, 3));
    let label = extended.get(7..18).filter(|_| signature == 0x29).map(<[u8]>::trim_ascii_end);
    let label = label.filter(|label| !label.is_empty() && *label != b"NO NAME");
    // Bit 15 or 27 of the second entry is cleared while the volume is mounted ([FATGEN], "FAT Data Structure").
    let clean = match clusters.table.width {
        Width::Twelve | Width::ThirtyTwo => None,
        Width::Sixteen => clusters.table.entry(1).ok().map(|entry| entry & 0x8000 != 0),
        Width::TwentyEight => clusters.table.entry(1).ok().map(|entry| entry & 0x0800_0000 != 0),
    };
    // Windows NT and Linux set bit 0 of the byte after the drive number while the volume is mounted.
    let mounted = u8_at(extended, 1) & 1 == 1;
    VolumeFacts {
        serial: serial.map(|serial| format!("{:04X}-{:04X}", serial >> 16, serial & 0xffff)),
        label: label.map(crate::path::escape_name),
        sector: Some(bpb.sector),
        cluster: Some(clusters.size),
        clusters: Some(clusters.count.into()),
        dirty: clean.map(|clean| !clean || mounted),
        ..VolumeFacts::default()
    }
}
