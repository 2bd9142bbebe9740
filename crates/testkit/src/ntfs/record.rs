//! Records of the `$MFT` and update sequences ("FILE Record", "Fixup").

use super::attributes::{Attribute, le16, le32, put};

/// The size of a record in bytes.
pub(crate) const RECORD: usize = 1024;

/// The offset of the attributes.
const ATTRIBUTES: usize = 0x38;

/// The space for attributes in a record, in bytes: the end marker takes eight.
pub(crate) const CAPACITY: usize = RECORD - ATTRIBUTES - 8;

/// Record flags.
pub(crate) const IN_USE: u16 = 1;
pub(crate) const DIRECTORY: u16 = 2;
/// The file is in `$Extend`.
pub(crate) const EXTENDED: u16 = 4;
/// The file has an index that is not over names.
pub(crate) const VIEW_INDEX: u16 = 8;

/// The header of a record.
pub(crate) struct Header {
    pub(crate) number: u64,
    pub(crate) sequence: u16,
    pub(crate) links: u16,
    pub(crate) flags: u16,
    /// The reference of the base record; 0 in a base record itself.
    pub(crate) base: u64,
}

/// Encodes a record with its update sequence applied; attributes are numbered in order.
pub(crate) fn encode(header: &Header, attributes: &[Attribute]) -> Vec<u8> {
    let mut bytes = vec![0; ATTRIBUTES];
    put(&mut bytes, 0, b"FILE");
    put(&mut bytes, 4, &le16(0x30));
    put(&mut bytes, 6, &le16(RECORD / STRIDE + 1));
    put(&mut bytes, 0x10, &header.sequence.to_le_bytes());
    put(&mut bytes, 0x12, &header.links.to_le_bytes());
    put(&mut bytes, 0x14, &le16(ATTRIBUTES));
    put(&mut bytes, 0x16, &header.flags.to_le_bytes());
    put(&mut bytes, 0x1c, &le32(RECORD));
    put(&mut bytes, 0x20, &header.base.to_le_bytes());
    put(&mut bytes, 0x28, &le16(attributes.len()));
    put(&mut bytes, 0x2c, &u32::try_from(header.number).unwrap_or(u32::MAX).to_le_bytes());
    for (id, attribute) in (0..).zip(attributes) {
        bytes.extend(attribute.encode(id));
    }
    bytes.extend([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
    let used = le32(bytes.len());
    put(&mut bytes, 0x18, &used);
    bytes.resize(RECORD, 0);
    protect(&mut bytes, 0x30);
    bytes
}

/// Encodes a record that was never used.
pub(crate) fn unused(number: u64) -> Vec<u8> {
    encode(&Header { number, sequence: 1, links: 0, flags: 0, base: 0 }, &[])
}

/// The number of bytes that one entry of an update sequence protects.
pub(crate) const STRIDE: usize = 512;

/// Moves the last two bytes of every 512 into the update sequence at `at`, and puts the update sequence number in their place.
pub(crate) fn protect(bytes: &mut [u8], at: usize) {
    const NUMBER: [u8; 2] = [1, 0];
    put(bytes, at, &NUMBER);
    for block in 0..bytes.len() / STRIDE {
        let last = (block + 1) * STRIDE - 2;
        let saved = [bytes[last], bytes[last + 1]];
        put(bytes, at + 2 + 2 * block, &saved);
        put(bytes, last, &NUMBER);
    }
}
