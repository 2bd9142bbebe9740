//! The content of one entry of an NTFS `$MFT`, and a summary of a whole `$MFT`.

use crate::path::EvidencePath;
use crate::read::Extent;
use crate::tree::{MacbTimes, StreamInfo};

/// One entry of the `$MFT`, with all its attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MftDescription {
    /// Its index.
    pub entry: u64,
    /// How often the index was given to a new file.
    pub sequence: u16,
    /// Whether it is in use.
    pub in_use: bool,
    /// Whether it is a folder.
    pub directory: bool,
    /// The entry that this one extends: index and sequence; `None` for a base record.
    pub base: Option<(u64, u16)>,
    /// Number of names that lead to it.
    pub links: u16,
    /// `$LogFile` sequence number of its last change.
    pub log_sequence: u64,
    /// Its path; for a deleted entry the one below [`DELETED`](crate::DELETED).
    pub path: Option<EvidencePath>,
    /// `$STANDARD_INFORMATION`.
    pub standard_information: Option<StandardInformation>,
    /// Every `$FILE_NAME`, in the order of the attributes.
    pub names: Vec<FileName>,
    /// Every attribute, in record order.
    pub attributes: Vec<AttributeInfo>,
    /// Where its record is on the medium.
    pub place: Vec<Extent>,
    /// The damage found in it.
    pub damage: Vec<String>,
}

/// `$STANDARD_INFORMATION`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandardInformation {
    /// Its four times.
    pub times: MacbTimes,
    /// DOS attributes.
    pub attributes: u32,
    /// Number of the owner's security descriptor in `$Secure`; 0 in the short form.
    pub security: u32,
    /// Update sequence number in the change journal; 0 for none.
    pub usn: u64,
}

/// A `$FILE_NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileName {
    /// The name, escaped as in paths.
    pub name: String,
    /// `posix`, `win32`, `dos` or `win32_and_dos`.
    pub namespace: &'static str,
    /// Index and sequence of the folder that held it when the name was written.
    pub parent: (u64, u16),
    /// Its four times.
    pub times: MacbTimes,
}

/// An attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeInfo {
    /// Its type, such as 0x80.
    pub code: u32,
    /// The type's name, such as `$DATA`.
    pub kind: String,
    /// Its own name.
    pub name: Option<String>,
    /// Whether its value is in the record.
    pub resident: bool,
    /// Size of its value in bytes.
    pub size: u64,
    /// Bytes allocated to it.
    pub allocated: u64,
    /// Compressed, encrypted, sparse.
    pub flags: Vec<&'static str>,
    /// Its runs according to this record: first cluster (`None` for a hole) and number of clusters; at most the
    /// first 1,000.
    pub runs: Vec<(Option<u64>, u64)>,
}

/// A file or folder of an `$MFT` that was read without its volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MftFileEntry {
    /// The content of its records, without its path.
    pub description: MftDescription,
    /// Its names, except short ones that have a long one; never empty.
    pub names: Vec<MftName>,
    /// Size of its main stream in bytes; `None` if it has none.
    pub size: Option<u64>,
    /// Whether those bytes are in the record itself.
    pub resident: bool,
    /// Its named streams.
    pub streams: Vec<StreamInfo>,
    /// The tag of its reparse point, and a link's target, if it is in the record.
    pub reparse: Option<(u32, Option<String>)>,
}

/// A name in an `$MFT`, with its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MftName {
    /// The path from the root of the volume; if the folder is no longer known, `$Orphan` and the name.
    pub path: String,
    /// The path of the folder, if every folder above it is known.
    pub folder: Option<String>,
    /// Whether every folder above is known.
    pub known: bool,
    /// The name, escaped as in paths.
    pub name: String,
    /// `posix`, `win32`, `dos` or `win32_and_dos`.
    pub namespace: &'static str,
    /// Index and sequence of its folder.
    pub parent: (u64, u16),
    /// The times of `$FILE_NAME`.
    pub times: MacbTimes,
}

/// Totals over the records of an `$MFT`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MftSummary {
    /// Number of records with a valid signature.
    pub records: u64,
    /// Records in use.
    pub in_use: u64,
    /// Records not in use, including those that never were a file.
    pub not_in_use: u64,
    /// Folders in use.
    pub directories: u64,
    /// Records that extend another one.
    pub extensions: u64,
    /// Base records without a name.
    pub nameless: u64,
    /// Named `$DATA` streams of all files except the file system's own: those below number 24 and in `$Extend`.
    pub streams: u64,
    /// Record slots that hold only zeros.
    pub unused: u64,
    /// Record slots that are neither empty nor an undamaged record.
    pub unread: u64,
    /// Bytes after the last whole record.
    pub cut: u64,
    /// The earliest time of `$STANDARD_INFORMATION` in a record with a name, in FILETIME ticks.
    pub first: Option<u64>,
    /// The latest of these times.
    pub last: Option<u64>,
    /// The first damaged record: its number, and what is wrong.
    pub damage: Option<(u64, String)>,
}
