//! What a folder entry says about a file.

use super::pieces::Stop;
use super::time::Stamps;

/// A file or a folder, as its entry describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Offset of the entry itself, after the parts of a long name, from the start of the volume, in bytes.
    pub(crate) offset: u64,
    /// The bytes of its name: UTF-8, with an unpaired surrogate as its three bytes; a short name as stored.
    pub(crate) name: Vec<u8>,
    pub(crate) directory: bool,
    pub(crate) deleted: bool,
    /// The first cluster; 0 for none.
    pub(crate) first: u32,
    /// Whether the clusters are contiguous, whatever the FAT says (exFAT).
    pub(crate) contiguous: bool,
    /// Size of the content in bytes; 0 for a FAT folder.
    pub(crate) size: u64,
    /// Bytes that were written; the rest reads as zeros (exFAT).
    pub(crate) written: u64,
    pub(crate) stamps: Stamps,
}

/// An item in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    Entry(Entry),
    /// The label of the volume.
    Label(Vec<u8>),
    /// The bitmap of clusters in use, for the first or the second FAT: its first cluster, its size in bytes, and
    /// the offset that gives them.
    Bitmap {
        second: bool,
        first: u32,
        size: u64,
        offset: u64,
    },
    Damage(Stop),
}

/// Encodes a UTF-16 name as bytes; an unpaired surrogate keeps its value as three bytes that are not valid UTF-8.
pub(crate) fn utf8(units: impl IntoIterator<Item = u16>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for character in char::decode_utf16(units) {
        match character {
            Ok(character) => bytes.extend(character.encode_utf8(&mut [0; 4]).bytes()),
            Err(half) => {
                let [high, low] = half.unpaired_surrogate().to_be_bytes();
                bytes.extend([0xe0 | high >> 4, 0x80 | (high & 0x0f) << 2 | low >> 6, 0x80 | low & 0x3f]);
            }
        }
    }
    bytes
}
