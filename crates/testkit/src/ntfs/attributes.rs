//! Attributes of a record, and the values of the common ones.

use super::runs::{self, Run};
use super::spec::FileTimes;
use super::upcase;

pub(crate) const STANDARD_INFORMATION: u32 = 0x10;
pub(crate) const ATTRIBUTE_LIST: u32 = 0x20;
pub(crate) const FILE_NAME: u32 = 0x30;
pub(crate) const VOLUME_NAME: u32 = 0x60;
pub(crate) const VOLUME_INFORMATION: u32 = 0x70;
pub(crate) const DATA: u32 = 0x80;
pub(crate) const INDEX_ROOT: u32 = 0x90;
pub(crate) const INDEX_ALLOCATION: u32 = 0xa0;
pub(crate) const BITMAP: u32 = 0xb0;
pub(crate) const REPARSE_POINT: u32 = 0xc0;

/// Attribute flags.
pub(crate) const COMPRESSED: u16 = 0x0001;
pub(crate) const SPARSE: u16 = 0x8000;

/// An attribute, not yet placed in a record.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) kind: u32,
    pub(crate) name: Vec<u16>,
    pub(crate) body: Body,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// The value; a name that is in an index is marked as such.
    Resident {
        value: Vec<u8>,
        indexed: bool,
    },
    Clusters(Mapped),
}

/// A value in clusters, or a piece of one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mapped {
    pub(crate) runs: Vec<Run>,
    pub(crate) first_vcn: u64,
    pub(crate) allocated: u64,
    pub(crate) size: u64,
    pub(crate) initialised: u64,
    /// The size of its allocated clusters in bytes, without holes.
    pub(crate) stored: u64,
    pub(crate) flags: u16,
    /// The binary logarithm of the clusters in a compression unit.
    pub(crate) unit: u8,
}

impl Mapped {
    /// Creates a plain value of `size` bytes.
    pub(crate) fn plain(runs: Vec<Run>, cluster: u64, size: u64) -> Mapped {
        let allocated = runs::clusters(&runs) * cluster;
        Mapped { runs, allocated, size, initialised: size, stored: allocated, ..Mapped::default() }
    }
}

impl Attribute {
    pub(crate) fn resident(kind: u32, name: &str, value: Vec<u8>) -> Attribute {
        Attribute { kind, name: utf16(name), body: Body::Resident { value, indexed: false } }
    }

    pub(crate) fn clusters(kind: u32, name: &str, mapped: Mapped) -> Attribute {
        Attribute { kind, name: utf16(name), body: Body::Clusters(mapped) }
    }

    pub(crate) fn file_name(value: Vec<u8>) -> Attribute {
        Attribute { kind: FILE_NAME, name: Vec::new(), body: Body::Resident { value, indexed: true } }
    }

    /// Returns the first cluster of this piece.
    pub(crate) fn first_vcn(&self) -> u64 {
        match &self.body {
            Body::Resident { .. } => 0,
            Body::Clusters(mapped) => mapped.first_vcn,
        }
    }

    /// Returns its sort key: type, upper-case name, first cluster.
    pub(crate) fn order(&self) -> (u32, Vec<u16>, u64) {
        (self.kind, upcase::folded(&self.name), self.first_vcn())
    }

    /// Returns the allocated and the real size.
    pub(crate) fn sizes(&self) -> (u64, u64) {
        match &self.body {
            Body::Resident { value, .. } => (value.len().next_multiple_of(8) as u64, value.len() as u64),
            Body::Clusters(mapped) if mapped.flags != 0 => (mapped.stored, mapped.size),
            Body::Clusters(mapped) => (mapped.allocated, mapped.size),
        }
    }

    /// Returns its size in a record, in bytes.
    pub(crate) fn length(&self) -> usize {
        self.encode(0).len()
    }

    /// Encodes it for a record, with this identifier.
    pub(crate) fn encode(&self, id: u16) -> Vec<u8> {
        let mut bytes = match &self.body {
            Body::Resident { value, indexed } => self.encode_resident(value, *indexed),
            Body::Clusters(mapped) => self.encode_clusters(mapped),
        };
        let length = bytes.len().next_multiple_of(8);
        bytes.resize(length, 0);
        put(&mut bytes, 0, &self.kind.to_le_bytes());
        put(&mut bytes, 4, &le32(length));
        bytes[9] = u8::try_from(self.name.len()).unwrap_or(u8::MAX);
        put(&mut bytes, 14, &id.to_le_bytes());
        bytes
    }

    fn encode_resident(&self, value: &[u8], indexed: bool) -> Vec<u8> {
        let mut bytes = vec![0; 24];
        put(&mut bytes, 10, &le16(24));
        bytes.extend(le_units(&self.name));
        let at = bytes.len().next_multiple_of(8);
        bytes.resize(at, 0);
        put(&mut bytes, 16, &le32(value.len()));
        put(&mut bytes, 20, &le16(at));
        bytes[22] = u8::from(indexed);
        bytes.extend(value);
        bytes
    }

    fn encode_clusters(&self, mapped: &Mapped) -> Vec<u8> {
        // Only the first piece of a stream with holes states how much is stored.
        let holes = mapped.flags != 0;
        let header = if holes { 72 } else { 64 };
        let mut bytes = vec![0; header];
        bytes[8] = 1;
        put(&mut bytes, 10, &le16(header));
        put(&mut bytes, 12, &mapped.flags.to_le_bytes());
        put(&mut bytes, 16, &mapped.first_vcn.to_le_bytes());
        let end = mapped.first_vcn + runs::clusters(&mapped.runs);
        put(&mut bytes, 24, &end.wrapping_sub(1).to_le_bytes());
        bytes[34] = mapped.unit;
        if mapped.first_vcn == 0 {
            put(&mut bytes, 40, &mapped.allocated.to_le_bytes());
            put(&mut bytes, 48, &mapped.size.to_le_bytes());
            put(&mut bytes, 56, &mapped.initialised.to_le_bytes());
            if holes {
                put(&mut bytes, 64, &mapped.stored.to_le_bytes());
            }
        }
        bytes.extend(le_units(&self.name));
        let at = bytes.len().next_multiple_of(8);
        bytes.resize(at, 0);
        put(&mut bytes, 32, &le16(at));
        bytes.extend(runs::encode(&mapped.runs));
        bytes
    }
}

/// Encodes `$STANDARD_INFORMATION` of NTFS 3.x: 72 bytes.
pub(crate) fn standard_information(times: &FileTimes, flags: u32, security: u32, usn: u64) -> Vec<u8> {
    let mut value = four(times);
    value.extend(flags.to_le_bytes());
    value.extend([0; 16]);
    value.extend(security.to_le_bytes());
    value.extend([0; 8]);
    value.extend(usn.to_le_bytes());
    value
}

/// The contents of `$FILE_NAME`, apart from the name itself.
pub(crate) struct NameFacts {
    pub(crate) parent: u64,
    pub(crate) times: FileTimes,
    pub(crate) allocated: u64,
    pub(crate) size: u64,
    pub(crate) flags: u32,
    pub(crate) reparse_tag: u32,
}

/// Encodes `$FILE_NAME`.
pub(crate) fn file_name(facts: &NameFacts, namespace: u8, name: &[u16]) -> Vec<u8> {
    let mut value = facts.parent.to_le_bytes().to_vec();
    value.extend(four(&facts.times));
    value.extend(facts.allocated.to_le_bytes());
    value.extend(facts.size.to_le_bytes());
    value.extend(facts.flags.to_le_bytes());
    value.extend(facts.reparse_tag.to_le_bytes());
    value.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
    value.push(namespace);
    value.extend(le_units(name));
    value
}

/// Returns a file reference: the record number, with the sequence number in the upper bits.
pub(crate) fn reference(record: u64, sequence: u16) -> u64 {
    record | u64::from(sequence) << 48
}

fn four(times: &FileTimes) -> Vec<u8> {
    [times.born, times.modified, times.changed, times.accessed]
        .iter()
        .flat_map(|time| time.to_le_bytes())
        .collect()
}

pub(crate) fn utf16(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

pub(crate) fn le_units(units: &[u16]) -> Vec<u8> {
    units.iter().flat_map(|unit| unit.to_le_bytes()).collect()
}

pub(crate) fn le16(value: usize) -> [u8; 2] {
    u16::try_from(value).unwrap_or(u16::MAX).to_le_bytes()
}

pub(crate) fn le32(value: usize) -> [u8; 4] {
    u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes()
}

pub(crate) fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}
