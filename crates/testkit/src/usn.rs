//! The `$J` stream of a change journal, as a collected file.

/// A version 2 record.
#[derive(Clone, Debug)]
pub struct Change {
    /// Index and sequence number of the file's `$MFT` entry.
    pub file: (u64, u16),
    /// Index and sequence number of its folder.
    pub parent: (u64, u16),
    /// The time, as a FILETIME.
    pub time: u64,
    /// What was done: `USN_REASON_` bits.
    pub reasons: u32,
    /// The name.
    pub name: String,
}

/// The page size: records never cross a page boundary.
const PAGE: usize = 4096;

/// Builds a journal whose first record has the number `first`, a multiple of 4,096, preceded by `zeros` bytes.
///
/// Source of the format: [MS-FSCC] 2.3.60 (USN_RECORD_V2).
pub fn journal(first: u64, zeros: usize, changes: &[Change]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for change in changes {
        let length = (0x3c + change.name.encode_utf16().count() * 2).next_multiple_of(8);
        if bytes.len() % PAGE + length > PAGE {
            bytes.resize(bytes.len().next_multiple_of(PAGE), 0);
        }
        let usn = first + bytes.len() as u64;
        bytes.extend(record(change, usn, length));
    }
    [vec![0; zeros], bytes].concat()
}

fn record(change: &Change, usn: u64, length: usize) -> Vec<u8> {
    let name: Vec<u8> = change.name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let small = |number: usize| u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes();
    let reference = |(entry, sequence): (u64, u16)| (entry | (u64::from(sequence) << 48)).to_le_bytes();
    let mut bytes = u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes().to_vec();
    bytes.extend([2, 0, 0, 0]);
    bytes.extend(reference(change.file));
    bytes.extend(reference(change.parent));
    bytes.extend(usn.to_le_bytes());
    bytes.extend(change.time.to_le_bytes());
    for field in [change.reasons, 0, 0, 0x20] {
        bytes.extend(field.to_le_bytes());
    }
    bytes.extend(small(name.len()));
    bytes.extend(small(0x3c));
    bytes.extend(name);
    bytes.resize(length, 0);
    bytes
}
