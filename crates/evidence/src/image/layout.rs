//! The partition layout of a medium: MBR with extended partitions, GPT, or none.
//!
//! Sources: UEFI specification 2.10, chapter 5 (MBR 5.2, GPT 5.3); for extended partitions the chain of boot
//! records as MS-DOS and Windows write it.

mod gpt;
mod guid;
mod mbr;
mod types;

pub use guid::Guid;
pub use types::PartitionType;

use super::container::{Container, Missing};
use super::kind::{HEAD, Kind, recognise};
use crate::error::OpenError;
use ledger::Defect;
use std::path::Path;

/// The division of a medium into regions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The kind of table from which it was read.
    pub scheme: Scheme,
    /// What the table says about the medium as a whole.
    pub disk: Disk,
    /// Regions for every byte of the medium, in order of offset. They overlap only if tables are damaged.
    pub regions: Vec<Region>,
    /// Damage to the tables; the path is empty, offsets are those of the medium.
    pub defects: Vec<Defect>,
}

/// The kind of a partition table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// None: the medium is one volume.
    None,
    /// Master boot record.
    Mbr,
    /// GUID partition table.
    Gpt,
}

/// What a partition table says about the medium as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Disk {
    /// Size of a sector in bytes, which converts the table's sector numbers to bytes; `None` without a table.
    pub sector: Option<u64>,
    /// The disk signature at byte 440 of the MBR, by which Windows identifies the disk; `None` if it is 0 or
    /// there is no MBR.
    pub signature: Option<u32>,
    /// The disk's own GUID in the header of a GPT.
    pub guid: Option<Guid>,
}

/// A part of the medium.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Number of the partition: its slot in the table, counted from 1, with logical partitions of an MBR from 5;
    /// 0 for a medium without a table; `None` for space outside all partitions.
    pub number: Option<u32>,
    /// Offset from the start of the medium, in bytes.
    pub offset: u64,
    /// Number of bytes, cut off at the end of the medium.
    pub length: u64,
    /// What the table says about the partition; `None` if it is not one.
    pub partition: Option<Partition>,
}

/// What a table says about a partition, apart from its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// The type, which says what it is for.
    pub kind: PartitionType,
    /// Its name in a GPT.
    pub name: Option<String>,
    /// Its own GUID in a GPT; `None` if it is all zeros.
    pub guid: Option<Guid>,
    /// In an MBR, whether it is marked as bootable; in a GPT, the same for computers without UEFI (attribute bit 2).
    pub active: bool,
    /// Attribute bits of a GPT.
    pub attributes: Option<u64>,
}

/// Reads the layout of the image that begins with the file `path`.
pub fn read_layout(path: &Path, label: &str) -> Result<Layout, OpenError> {
    let container = Container::open(path, label)?;
    read(&container).map(|found| found.layout).map_err(|source| OpenError::Io {
        label: label.to_owned(),
        path: path.to_owned(),
        source,
    })
}

/// The layout of a medium, and what the image does not hold of it.
pub(super) struct Found {
    pub(super) layout: Layout,
    /// What is missing, with the number of the partition if the end of the medium cuts one off.
    pub(super) missing: Vec<(Option<u32>, Missing)>,
}

/// A partition as the table gives it.
#[derive(Debug, Clone)]
struct Entry {
    number: u32,
    offset: u64,
    length: u64,
    /// The offset in the table that says so.
    at: u64,
    /// The rest of what the table says; `None` for a medium without a table.
    partition: Option<Partition>,
}

/// The content of a partition table.
#[derive(Debug, Default)]
struct Table {
    disk: Disk,
    entries: Vec<Entry>,
    defects: Vec<Defect>,
    /// Partitions that extend past the end of the medium.
    cut: Vec<(Option<u32>, Missing)>,
}

impl Table {
    fn defect(&mut self, offset: u64, what: String) {
        self.defects.push(Defect { path: String::new(), offset: Some(offset), what });
    }
}

pub(super) fn read(container: &Container) -> std::io::Result<Found> {
    let (head, unread) = match head(container, 0) {
        Ok(head) => (head, None),
        Err(error) if is_unreadable(container) => return Err(error),
        Err(error) => (Vec::new(), Some(error)),
    };
    let whole = || Entry { number: 0, offset: 0, length: container.length(), at: 0, partition: None };
    let (scheme, mut table) = match recognise(&head) {
        // The copy of a GPT at the end of the medium may still list the partitions.
        Kind::Unknown if let Some(error) = &unread => gpt::read_unprotected(container, error),
        // The boot sector of a file system also ends with the signature of an MBR.
        Kind::Ntfs | Kind::Fat | Kind::ExFat | Kind::BitLocker => (Scheme::None, Table::default()),
        Kind::Ext | Kind::Unknown => match gpt::read(container, &head)? {
            Some(table) => (Scheme::Gpt, table),
            None => match mbr::read(container, &head)? {
                table if table.entries.is_empty() => (Scheme::None, table),
                table => (Scheme::Mbr, table),
            },
        },
    };
    // If the first bytes cannot be read, nothing shows that the medium is one volume.
    if scheme == Scheme::None && unread.is_none() {
        table.entries.push(whole());
    }
    let regions = regions(container.length(), &mut table);
    let mut missing = table.cut;
    for part in container.missing() {
        let what = part.to_string();
        table.defects.push(Defect { path: String::new(), offset: Some(part.start), what });
        missing.push((None, part.clone()));
    }
    let layout = Layout { scheme, disk: table.disk, regions, defects: table.defects };
    Ok(Found { layout, missing })
}

/// Checks whether none of several places spread over the medium can be read.
fn is_unreadable(container: &Container) -> bool {
    let step = (container.length() / 16).max(1);
    let places = (1..16).map(|index| index * step).chain([container.length().saturating_sub(1)]);
    let mut places = places.filter(|at| *at < container.length());
    !places.any(|at| container.read_exact_at(at, &mut [0]).is_ok())
}

/// Returns the first bytes of the volume at `offset`; fewer if the medium ends.
pub(super) fn head(container: &Container, offset: u64) -> std::io::Result<Vec<u8>> {
    let left = container.length().saturating_sub(offset);
    let mut head = vec![0; usize::try_from(left).unwrap_or(HEAD).min(HEAD)];
    container.read_exact_at(offset, &mut head)?;
    Ok(head)
}

/// Returns the partitions within the medium, and the space between them.
fn regions(length: u64, table: &mut Table) -> Vec<Region> {
    let mut entries = std::mem::take(&mut table.entries);
    entries.sort_by_key(|entry| (entry.offset, entry.number));
    let mut regions = Vec::new();
    let mut end: u64 = 0;
    for entry in entries {
        let Entry { number, offset, length: long, at, partition } = entry;
        let stop = offset.saturating_add(long);
        if stop > length {
            table.defect(
                at,
                format!("partition {number}: expected its end within {length} bytes, found {stop}"),
            );
            let reason = format!("partition {number} ends at byte {stop}, and the medium at byte {length}");
            let missing = Missing { start: offset.max(length), end: Some(stop), reason };
            table.cut.push((Some(number), missing));
        }
        if offset < end {
            table.defect(at, format!("partition {number}: expected a start from byte {end}, found {offset}"));
        }
        if offset > end {
            regions.push(Region {
                number: None,
                offset: end,
                length: offset.min(length).saturating_sub(end),
                partition: None,
            });
        }
        let stop = stop.min(length);
        let length_within = stop.saturating_sub(offset);
        regions.push(Region { number: Some(number), offset, length: length_within, partition });
        end = end.max(stop);
    }
    if end < length {
        regions.push(Region { number: None, offset: end, length: length - end, partition: None });
    }
    regions.retain(|region| region.number.is_some() || region.length > 0);
    regions
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}
