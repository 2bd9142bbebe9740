//! Damage found in a hive, as data.

use super::value::ValueKind;

/// One damaged place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Offset in the file of the damaged field or record, if there is one.
    pub offset: Option<u64>,
    /// What is wrong there.
    pub what: DefectKind,
}

impl Defect {
    pub(crate) fn at(offset: u64, what: DefectKind) -> Self {
        Self { offset: Some(offset), what }
    }
}

/// What is wrong; sizes and lengths are in bytes, `reference` is a cell offset as stored (from the first hive bin).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefectKind {
    /// The sequence numbers differ: the last changes are in transaction logs that were not applied.
    #[error("hive is dirty and its logs are not applied (sequence numbers {primary} and {secondary})")]
    DirtyHive {
        /// Primary sequence number.
        primary: u32,
        /// Secondary sequence number.
        secondary: u32,
    },
    /// The checksum of the base block is wrong.
    #[error("checksum of the base block is {expected:#010x} but stored is {actual:#010x}")]
    Checksum {
        /// As computed.
        expected: u32,
        /// As stored.
        actual: u32,
    },
    /// The file ends before the hive bins that the base block counts.
    #[error("hive bins should have {expected} bytes but the file has {actual}")]
    HiveBinsSize {
        /// As stored in the base block.
        expected: u64,
        /// Bytes in the file after its base block.
        actual: u64,
    },
    /// A field of the base block has a value that no known hive has.
    #[error("{field} in the base block should be {expected} but is {actual}")]
    Header {
        /// Which field.
        field: HeaderField,
        /// The usual value.
        expected: u32,
        /// As stored.
        actual: u32,
    },
    /// A record refers to a cell that lies outside the file.
    #[error("cell {reference:#010x} lies outside the {limit} bytes of hive bins")]
    CellOutside {
        /// The reference as stored.
        reference: u32,
        /// Bytes of hive bins in the file.
        limit: u64,
    },
    /// A record refers to a cell that is marked free.
    #[error("cell {reference:#010x} is free ({size} bytes)")]
    CellFree {
        /// The reference as stored.
        reference: u32,
        /// Size of the free cell.
        size: u32,
    },
    /// The size of a cell is zero, not a multiple of 8, or extends beyond the file; the available part was read.
    #[error("cell {reference:#010x} has size {actual} but there is room for {available}")]
    CellSize {
        /// The reference as stored.
        reference: u32,
        /// As stored, without its sign.
        actual: u32,
        /// Bytes from the cell to the end of the file.
        available: u64,
    },
    /// A record does not begin with its signature.
    #[error("record should be a {expected} but begins with {actual:?}")]
    Signature {
        /// The record that should be there.
        expected: Signature,
        /// The bytes found.
        actual: [u8; 2],
    },
    /// A record is longer than its cell; the available part was read if that is enough.
    #[error("record needs {expected} bytes but its cell has {actual}")]
    RecordCut {
        /// Bytes needed.
        expected: u64,
        /// Bytes available.
        actual: u64,
    },
    /// A name extends beyond its cell or is longer than Windows allows; the valid part was kept.
    #[error("name should have {expected} bytes but {actual} were kept")]
    NameCut {
        /// Length as stored.
        expected: u32,
        /// Length kept.
        actual: u32,
    },
    /// The number of subkeys in the key and in its list differ.
    #[error("key counts {expected} subkeys but its list holds {actual}")]
    SubkeyCount {
        /// As stored in the key.
        expected: u32,
        /// As listed.
        actual: u32,
    },
    /// The list of values is shorter than the key says.
    #[error("key counts {expected} values but its list has room for {actual}")]
    ValueCount {
        /// As stored in the key.
        expected: u32,
        /// As listed.
        actual: u32,
    },
    /// A subkey names another key as its parent.
    #[error("parent should be {expected:#010x} but is {actual:#010x}")]
    ParentMismatch {
        /// Reference of the key that lists the subkey.
        expected: u32,
        /// As stored in the subkey.
        actual: u32,
    },
    /// A list, key or list of values is referred to a second time; it was read once. In a tree this is a cycle.
    #[error("cell {reference:#010x} was visited before")]
    VisitedBefore {
        /// The reference as stored.
        reference: u32,
    },
    /// Keys are deeper than the limit; they were not read.
    #[error("subkeys lie deeper than {limit} levels")]
    TooDeep {
        /// The limit.
        limit: u32,
    },
    /// UTF-16 text contains unpaired surrogates; each became U+FFFD.
    #[error("text holds {count} unpaired surrogates")]
    UnpairedSurrogates {
        /// Number of unpaired surrogates.
        count: u32,
    },
    /// UTF-16 text has an odd number of bytes; the last one was left out of the text.
    #[error("text has an odd length of {actual} bytes")]
    OddText {
        /// Length of the text.
        actual: u64,
    },
    /// The data of a number does not have the length of its type; it was kept as bytes.
    #[error("data of {kind} should have {expected} bytes but has {actual}")]
    NumberLength {
        /// The type of the value.
        kind: ValueKind,
        /// Length of the type.
        expected: u64,
        /// Length of the data.
        actual: u64,
    },
    /// Less data was found than the value declares; the available part was kept.
    #[error("data should have {expected} bytes but {actual} were found")]
    DataCut {
        /// As stored in the value.
        expected: u64,
        /// As found.
        actual: u64,
    },
    /// Reading produced more than an honest file of this size can hold, and was stopped.
    #[error("reading gave more than a hive of {limit} bytes can hold")]
    TooMuch {
        /// Size of the file.
        limit: u64,
    },
}

impl DefectKind {
    /// Checks whether there may be keys or values that were not read because of this.
    pub fn hides_records(&self) -> bool {
        match self {
            Self::DirtyHive { .. }
            | Self::HiveBinsSize { .. }
            | Self::CellOutside { .. }
            | Self::CellFree { .. }
            | Self::CellSize { .. }
            | Self::Signature { .. }
            | Self::RecordCut { .. }
            | Self::NameCut { .. }
            | Self::SubkeyCount { .. }
            | Self::ValueCount { .. }
            | Self::TooDeep { .. }
            | Self::UnpairedSurrogates { .. }
            | Self::TooMuch { .. } => true,
            Self::Checksum { .. }
            | Self::Header { .. }
            | Self::ParentMismatch { .. }
            | Self::VisitedBefore { .. }
            | Self::OddText { .. }
            | Self::NumberLength { .. }
            | Self::DataCut { .. } => false,
        }
    }
}

/// A field of the base block (section "Base block").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderField {
    /// Major version, always 1.
    MajorVersion,
    /// File type, 0 for a primary file.
    FileType,
    /// File format, 1 for direct memory load.
    FileFormat,
}

impl std::fmt::Display for HeaderField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::MajorVersion => "major version",
            Self::FileType => "file type",
            Self::FileFormat => "file format",
        })
    }
}

/// A record of a hive, named by its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// `nk`
    KeyNode,
    /// `vk`
    KeyValue,
    /// `lf`, `lh`, `li` or `ri`
    SubkeyList,
    /// `lf`, `lh` or `li`
    SubkeyLeaf,
    /// `db`
    BigData,
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::KeyNode => "key (nk)",
            Self::KeyValue => "value (vk)",
            Self::SubkeyList => "subkey list (lf, lh, li, ri)",
            Self::SubkeyLeaf => "subkey leaf (lf, lh, li)",
            Self::BigData => "big-data record (db)",
        })
    }
}
