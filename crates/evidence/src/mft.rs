//! What an entry of an NTFS `$MFT` says of itself.

use crate::path::EvidencePath;
use crate::read::Extent;
use crate::tree::MacbTimes;

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
    /// How many names lead to it.
    pub links: u16,
    /// `$LogFile` sequence number of its last change.
    pub log_sequence: u64,
    /// Its path, of a deleted entry the one below [`DELETED`](crate::DELETED).
    pub path: Option<EvidencePath>,
    /// `$STANDARD_INFORMATION`.
    pub standard_information: Option<StandardInformation>,
    /// Every `$FILE_NAME`, in the order of the attributes.
    pub names: Vec<FileName>,
    /// Every attribute, in the order in which the records hold them.
    pub attributes: Vec<AttributeInfo>,
    /// Where its record stands on the medium.
    pub place: Vec<Extent>,
    /// What is damaged in it.
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
    /// The name, as it is written in paths.
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
    /// Whether its value stands in the record.
    pub resident: bool,
    /// Bytes of its value.
    pub size: u64,
    /// Bytes that are allocated to it.
    pub allocated: u64,
    /// Compressed, encrypted, sparse.
    pub flags: Vec<&'static str>,
    /// Its runs, as far as this record says: first cluster (`None` for a hole) and number of clusters; at most the first 1,000.
    pub runs: Vec<(Option<u64>, u64)>,
}
