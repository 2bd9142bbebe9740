//! The base block (section "Base block").

use super::cells::{u32_at, u64_at};
use super::decode;
use super::defect::{Defect, DefectKind, HeaderField};
use super::lists::Entry;

/// Length of the base block in bytes.
pub(crate) const BASE_BLOCK: usize = 4096;

const ROOT_CELL_FIELD: usize = 0x24;
const CHECKSUM_FIELD: usize = 0x1FC;

/// A `FILETIME`: 100-ns ticks since 1601-01-01 UTC, raw; 0 means "not set".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Filetime(pub u64);

impl Filetime {
    /// Checks whether it is an instant: neither 0, "not set", nor one of the two values that mean "never" in Windows.
    pub fn is_time(self) -> bool {
        ![0, 0x7FFF_FFFF_FFFF_FFFF, u64::MAX].contains(&self.0)
    }
}

/// The fields of the base block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiveHeader {
    /// Sequence number raised before the file is written.
    pub primary_sequence: u32,
    /// Sequence number raised after the file was written.
    pub secondary_sequence: u32,
    /// When the file was last written.
    pub last_written: Filetime,
    /// Major version, 1.
    pub major: u32,
    /// Minor version: 3 in Windows NT 4.0, 5 in Windows XP and later.
    pub minor: u32,
    /// Reference of the root key, counted from the first hive bin.
    pub root_cell: u32,
    /// Size of all hive bins in bytes, as stored.
    pub hive_bins_size: u32,
    /// The end of the path under which Windows loaded the hive; a hint, not a name to trust.
    pub file_name: String,
    /// Whether the checksum is correct.
    pub checksum_ok: bool,
    /// Whether the sequence numbers agree; otherwise transaction logs have changes that are missing here.
    pub clean: bool,
}

impl HiveHeader {
    /// Returns the reference of the root key and where it is stored.
    pub(crate) fn root_entry(&self) -> Entry {
        Entry { reference: self.root_cell, at: ROOT_CELL_FIELD as u64 }
    }
}

/// Failure to open a hive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The file ends inside the base block or right after it.
    #[error("open hive: file needs more than {expected} bytes but has {actual}")]
    TooShort {
        /// Bytes needed for a base block.
        expected: u64,
        /// Bytes in the file.
        actual: u64,
    },
    /// The file does not begin with `regf`.
    #[error("open hive: signature at offset {offset} should be {expected:?} but is {actual:?}")]
    Signature {
        /// Where it should be.
        offset: u64,
        /// The signature of a hive.
        expected: [u8; 4],
        /// The bytes found.
        actual: [u8; 4],
    },
    /// The file is a transaction log: its base block says so and no hive bin follows.
    #[error(
        "open hive: file type at offset {offset} should be {expected} but is {actual} (a transaction log)"
    )]
    TransactionLog {
        /// Offset of the file type.
        offset: u64,
        /// The file type of a primary file.
        expected: u32,
        /// As stored.
        actual: u32,
    },
}

/// Reads and checks the base block.
pub(crate) fn read(bytes: &[u8]) -> Result<(HiveHeader, Vec<Defect>), OpenError> {
    let actual = bytes.first_chunk().copied().unwrap_or_default();
    if actual != *b"regf" && bytes.len() >= 4 {
        return Err(OpenError::Signature { offset: 0, expected: *b"regf", actual });
    }
    let too_short = || OpenError::TooShort { expected: BASE_BLOCK as u64, actual: bytes.len() as u64 };
    let (block, bins) = bytes.split_at_checked(BASE_BLOCK).ok_or_else(too_short)?;
    if bins.is_empty() {
        return Err(too_short());
    }
    let field = |at| u32_at(block, at).unwrap_or_default();
    if field(0x1C) != 0 && !bins.starts_with(b"hbin") {
        return Err(OpenError::TransactionLog { offset: 0x1C, expected: 0, actual: field(0x1C) });
    }
    let computed = checksum(block);
    let header = HiveHeader {
        primary_sequence: field(0x04),
        secondary_sequence: field(0x08),
        last_written: Filetime(u64_at(block, 0x0C).unwrap_or_default()),
        major: field(0x14),
        minor: field(0x18),
        root_cell: field(ROOT_CELL_FIELD),
        hive_bins_size: field(0x28),
        file_name: decode::text(block.get(0x30..0x70).unwrap_or_default()).text,
        checksum_ok: field(CHECKSUM_FIELD) == computed,
        clean: field(0x04) == field(0x08),
    };
    let mut defects = check(&header, block, computed);
    let (expected, actual) = (u64::from(header.hive_bins_size), bins.len() as u64);
    // Windows enlarges the file in advance; only a shorter one lacks something.
    if actual < expected {
        defects.push(Defect::at(0x28, DefectKind::HiveBinsSize { expected, actual }));
    }
    Ok((header, defects))
}

fn check(header: &HiveHeader, block: &[u8], computed: u32) -> Vec<Defect> {
    let mut defects = Vec::new();
    let (primary, secondary) = (header.primary_sequence, header.secondary_sequence);
    if !header.clean {
        defects.push(Defect::at(0x04, DefectKind::DirtyHive { primary, secondary }));
    }
    if !header.checksum_ok {
        let actual = u32_at(block, CHECKSUM_FIELD).unwrap_or_default();
        let what = DefectKind::Checksum { expected: computed, actual };
        defects.push(Defect::at(CHECKSUM_FIELD as u64, what));
    }
    let fixed = [
        (0x14, HeaderField::MajorVersion, 1),
        (0x1C, HeaderField::FileType, 0),
        (0x20, HeaderField::FileFormat, 1),
    ];
    for (at, field, expected) in fixed {
        let actual = u32_at(block, at).unwrap_or_default();
        if actual != expected {
            defects.push(Defect::at(at as u64, DefectKind::Header { field, expected, actual }));
        }
    }
    defects
}

/// Returns the XOR of the 127 words before the checksum, avoiding 0 and -1.
pub(crate) fn checksum(block: &[u8]) -> u32 {
    let words = (0..CHECKSUM_FIELD).step_by(4);
    match words.fold(0, |sum, at| sum ^ u32_at(block, at).unwrap_or_default()) {
        0 => 1,
        u32::MAX => u32::MAX - 1,
        other => other,
    }
}
