//! Builder of partitioned disks: MBR with logical partitions, GPT, and data between the partitions.
//!
//! Sources: UEFI specification 2.10, chapter 5 (MBR 5.2, GPT 5.3); logical partitions follow the chain of boot records that MS-DOS
//! and Windows write.
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

/// The size of a sector in bytes.
pub const SECTOR: u64 = 512;

/// Description of a disk.
#[derive(Clone, Debug)]
pub struct DiskSpec {
    /// The number of sectors.
    pub sectors: u64,
    /// The partition table.
    pub table: Table,
    /// The partitions, ascending.
    pub parts: Vec<Part>,
    /// Byte offset and contents of data outside the partitions.
    pub gaps: Vec<(u64, Vec<u8>)>,
}

/// A partition table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// A master boot record with this signature.
    Mbr {
        /// The signature at byte 440.
        signature: u32,
    },
    /// A GUID partition table for this disk.
    Gpt {
        /// The identifier of the disk, in stored form.
        disk: [u8; 16],
    },
}

/// Description of a partition.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its first sector.
    pub first: u64,
    /// Its number of sectors.
    pub sectors: u64,
    /// Its type in an MBR; 7 is NTFS.
    pub kind: u8,
    /// Its type in a GPT, in stored form.
    pub kind_id: [u8; 16],
    /// Its name in a GPT, at most 36 UTF-16 units.
    pub name: String,
    /// Whether it is a logical partition of an MBR; its boot record is 63 sectors before it.
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

/// The reason why a description cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// A partition begins before the previous data ends.
    #[error("partition {index}: expected a start from sector {expected}, found {found}")]
    Overlap {
        /// Its index in the description.
        index: usize,
        /// The first free sector.
        expected: u64,
        /// Its first sector.
        found: u64,
    },
    /// The disk ends before its last partition, or before the backup of its table.
    #[error("disk: expected at least {expected} sectors, found {found}")]
    Size {
        /// The number of sectors needed.
        expected: u64,
        /// The number of sectors in the description.
        found: u64,
    },
    /// More partitions than the table has entries for.
    #[error("partitions: expected at most {limit}, found {found}")]
    Count {
        /// The number of entries in the table.
        limit: usize,
        /// The number of partitions in the description, including the extended one.
        found: usize,
    },
}

impl DiskSpec {
    /// Creates a disk with a master boot record.
    pub fn mbr(sectors: u64) -> Self {
        Self { sectors, table: Table::Mbr { signature: 0x4c6f_6361 }, parts: Vec::new(), gaps: Vec::new() }
    }

    /// Creates a disk with a GUID partition table.
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

    /// Builds the disk.
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

    /// Creates a partition of type NTFS, as long as its bytes.
    pub fn bytes(first: u64, bytes: &[u8]) -> Self {
        Self::new(first, (bytes.len() as u64).div_ceil(SECTOR), Content::Bytes(bytes.to_vec()))
    }

    /// Creates a partition with a built volume.
    pub fn volume(first: u64, built: &Built) -> Self {
        Self::new(first, built.size().div_ceil(SECTOR), Content::Volume(Box::new(built.clone())))
    }

    /// Creates a partition filled with zeros.
    pub fn empty(first: u64, sectors: u64) -> Self {
        Self::new(first, sectors, Content::Bytes(Vec::new()))
    }

    /// Makes it a logical partition.
    pub fn logical(self) -> Self {
        Self { logical: true, ..self }
    }

    /// Sets the MBR type.
    pub fn kind(self, kind: u8) -> Self {
        Self { kind, ..self }
    }

    /// Sets the GPT type, in stored form.
    pub fn kind_id(self, kind_id: [u8; 16]) -> Self {
        Self { kind_id, ..self }
    }

    /// Sets the GPT name.
    pub fn name(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }
}

/// A built disk.
#[derive(Clone, Debug)]
pub struct Disk {
    medium: Medium,
}

impl Disk {
    /// Returns the whole disk in memory.
    pub fn bytes(&self) -> Vec<u8> {
        self.medium.bytes()
    }

    /// Writes the disk at the current position of a file, leaving unused areas sparse.
    pub fn write_to(&self, out: &mut (impl Write + Seek)) -> io::Result<()> {
        self.medium.write_to(out)
    }
}

#[cfg(test)]
mod tests;
