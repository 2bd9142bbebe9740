//! Builder of partitioned disks: MBR with logical partitions, GPT, and what lies between the partitions.
//!
//! Sources: UEFI specification 2.10, chapter 5 (MBR 5.2, GPT 5.3); for logical partitions the chain of boot records that MS-DOS and Windows write.
//!
//! ```
//! use testkit::disk::{DiskSpec, Part};
//!
//! let disk = DiskSpec::gpt(40_960).part(Part::empty(2048, 4096)).gap(20_000 * 512, b"between").build()?;
//! assert_eq!(&disk.bytes()[512..520], b"EFI PART");
//! # Ok::<(), testkit::disk::DiskError>(())
//! ```

mod gpt;
mod mbr;

use crate::medium::Medium;
use crate::ntfs::Built;
use std::io::{self, Seek, Write};

/// Bytes of a sector.
pub const SECTOR: u64 = 512;

/// Description of a disk.
#[derive(Clone, Debug)]
pub struct DiskSpec {
    /// Sectors of the disk.
    pub sectors: u64,
    /// The partition table.
    pub table: Table,
    /// The partitions, ascending.
    pub parts: Vec<Part>,
    /// Byte offset and bytes of what lies in no partition.
    pub gaps: Vec<(u64, Vec<u8>)>,
}

/// A partition table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Master boot record with this signature.
    Mbr {
        /// At byte 440.
        signature: u32,
    },
    /// GUID partition table of this disk.
    Gpt {
        /// Identifier of the disk, as it is stored.
        disk: [u8; 16],
    },
}

/// Description of a partition.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its first sector.
    pub first: u64,
    /// Its sectors.
    pub sectors: u64,
    /// Type in an MBR; 7 is NTFS.
    pub kind: u8,
    /// Type in a GPT, as it is stored.
    pub kind_id: [u8; 16],
    /// Name in a GPT, at most 36 UTF-16 units.
    pub name: String,
    /// Whether it is a logical one of an MBR; its boot record stands 63 sectors before it.
    pub logical: bool,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Bytes(Vec<u8>),
    Volume(Box<Built>),
}

/// Basic data (ebd0a0a2-b9e5-4433-87c0-68b6b72699c7).
pub const BASIC_DATA: [u8; 16] =
    [0xa2, 0xa0, 0xd0, 0xeb, 0xe5, 0xb9, 0x33, 0x44, 0x87, 0xc0, 0x68, 0xb6, 0xb7, 0x26, 0x99, 0xc7];

/// A description that no disk can hold.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// A partition begins before what lies before it ends.
    #[error("partition {index}: expected a start from sector {expected}, found {found}")]
    Overlap {
        /// Its place in the description, from 0.
        index: usize,
        /// The first sector that is free.
        expected: u64,
        /// Its first sector.
        found: u64,
    },
    /// The disk ends before its last partition, or the copy of its table, does.
    #[error("disk: expected at least {expected} sectors, found {found}")]
    Size {
        /// Sectors needed.
        expected: u64,
        /// Sectors of the description.
        found: u64,
    },
    /// More partitions than the table has entries for.
    #[error("partitions: expected at most {limit}, found {found}")]
    Count {
        /// Entries of the table.
        limit: usize,
        /// Partitions of the description, the extended one among them.
        found: usize,
    },
}

impl DiskSpec {
    /// A disk with a master boot record.
    pub fn mbr(sectors: u64) -> Self {
        Self { sectors, table: Table::Mbr { signature: 0x4c6f_6361 }, parts: Vec::new(), gaps: Vec::new() }
    }

    /// A disk with a GUID partition table.
    pub fn gpt(sectors: u64) -> Self {
        Self { table: Table::Gpt { disk: *b"Locard built it." }, ..Self::mbr(sectors) }
    }

    /// Adds a partition.
    pub fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// Adds bytes outside the partitions.
    pub fn gap(mut self, offset: u64, bytes: &[u8]) -> Self {
        self.gaps.push((offset, bytes.to_vec()));
        self
    }

    /// Writes the disk.
    pub fn build(&self) -> Result<Disk, DiskError> {
        self.check()?;
        let mut medium = Medium::new(self.sectors * SECTOR);
        for (offset, bytes) in &self.gaps {
            medium.put(*offset, bytes.clone());
        }
        match self.table {
            Table::Mbr { signature } => mbr::write(self, signature, &mut medium)?,
            Table::Gpt { disk } => gpt::write(self, disk, &mut medium)?,
        }
        for part in &self.parts {
            match &part.content {
                Content::Bytes(bytes) => medium.put(part.first * SECTOR, bytes.clone()),
                Content::Volume(built) => medium.put_medium(part.first * SECTOR, built.medium()),
            }
        }
        Ok(Disk { medium })
    }

    fn check(&self) -> Result<(), DiskError> {
        let (mut expected, after) = match self.table {
            Table::Mbr { .. } => (1, 0),
            Table::Gpt { .. } => (gpt::BEFORE, gpt::AFTER),
        };
        for (index, part) in self.parts.iter().enumerate() {
            let before = if part.logical { mbr::BEFORE_LOGICAL } else { 0 };
            let found = part.first.saturating_sub(before);
            if found < expected {
                return Err(DiskError::Overlap { index, expected, found });
            }
            expected = part.first + part.sectors;
        }
        if expected + after > self.sectors {
            return Err(DiskError::Size { expected: expected + after, found: self.sectors });
        }
        Ok(())
    }
}

impl Part {
    fn new(first: u64, sectors: u64, content: Content) -> Self {
        let (kind, kind_id) = (7, BASIC_DATA);
        Self { first, sectors, kind, kind_id, name: String::new(), logical: false, content }
    }

    /// A partition of NTFS type, as long as its bytes.
    pub fn bytes(first: u64, bytes: &[u8]) -> Self {
        Self::new(first, (bytes.len() as u64).div_ceil(SECTOR), Content::Bytes(bytes.to_vec()))
    }

    /// A partition that holds a built volume.
    pub fn volume(first: u64, built: &Built) -> Self {
        Self::new(first, built.size().div_ceil(SECTOR), Content::Volume(Box::new(built.clone())))
    }

    /// A partition of zeros.
    pub fn empty(first: u64, sectors: u64) -> Self {
        Self::new(first, sectors, Content::Bytes(Vec::new()))
    }

    /// Makes it a logical partition.
    pub fn logical(self) -> Self {
        Self { logical: true, ..self }
    }

    /// Sets the type in an MBR.
    pub fn kind(self, kind: u8) -> Self {
        Self { kind, ..self }
    }

    /// Sets the type in a GPT, as it is stored.
    pub fn kind_id(self, kind_id: [u8; 16]) -> Self {
        Self { kind_id, ..self }
    }

    /// Sets the name in a GPT.
    pub fn name(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }
}

/// A written disk.
#[derive(Clone, Debug)]
pub struct Disk {
    medium: Medium,
}

impl Disk {
    /// The whole disk in memory.
    pub fn bytes(&self) -> Vec<u8> {
        self.medium.bytes()
    }

    /// Writes the disk at the present position of a file, which stays sparse where nothing stands.
    pub fn write_to(&self, out: &mut (impl Write + Seek)) -> io::Result<()> {
        self.medium.write_to(out)
    }
}

#[cfg(test)]
mod tests;
