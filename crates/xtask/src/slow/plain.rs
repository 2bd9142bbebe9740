//! Zips and tars written byte by byte, because no library would write their contents.

use std::io::{self, Write};

/// The headers of a zip entry.
pub(super) struct Listed {
    pub(super) name: String,
    /// The offset of its local header.
    pub(super) at: u64,
    pub(super) crc: u32,
    pub(super) packed: u64,
    pub(super) size: u64,
    /// 0: stored; 8: deflated.
    pub(super) method: u16,
}

impl Listed {
    fn fields(&self) -> Vec<u8> {
        // Zip 4.5; UTF-8 names; 2024-02-29.
        let mut fields = Vec::new();
        for value in [45, 1 << 11, self.method, 0, 44 << 9 | 2 << 5 | 29] {
            fields.extend(value.to_le_bytes());
        }
        for value in [self.crc, short(self.packed), short(self.size)] {
            fields.extend(value.to_le_bytes());
        }
        fields.extend((self.name.len() as u16).to_le_bytes());
        fields
    }

    /// Returns what precedes its bytes.
    pub(super) fn local(&self) -> Vec<u8> {
        [b"PK\x03\x04".as_slice(), &self.fields(), &[0; 2], self.name.as_bytes()].concat()
    }

    fn central(&self) -> Vec<u8> {
        let long = [self.size, self.packed, self.at].map(u64::to_le_bytes).concat();
        let extra = [[1, 0, 24, 0].as_slice(), &long].concat();
        let mut record = [b"PK\x01\x02\x2d\x00".as_slice(), &self.fields()].concat();
        // All three are forced into the Zip64 extra field.
        record.splice(20..28, [0xff; 8]);
        record.extend((extra.len() as u16).to_le_bytes());
        record.extend([0; 10]);
        record.extend([0xff; 4]);
        record.extend(self.name.as_bytes());
        record.extend(extra);
        record
    }
}

fn short(long: u64) -> u32 {
    u32::try_from(long).unwrap_or(u32::MAX)
}

/// Writes the central directory for the entries in the first `at` bytes, and its end record.
pub(super) fn directory(out: &mut impl Write, at: u64, entries: &[Listed]) -> io::Result<()> {
    let mut length = 0;
    for entry in entries {
        let record = entry.central();
        out.write_all(&record)?;
        length += record.len() as u64;
    }
    let (end, count) = (at + length, entries.len() as u64);
    let mut tail = [b"PK\x06\x06".as_slice(), &44_u64.to_le_bytes(), &[45, 0, 45, 0], &[0; 8]].concat();
    for value in [count, count, length, at] {
        tail.extend(value.to_le_bytes());
    }
    tail.extend([b"PK\x06\x07".as_slice(), &[0; 4], &end.to_le_bytes(), &[1, 0, 0, 0]].concat());
    tail.extend([b"PK\x05\x06".as_slice(), &[0; 4], &[0xff; 12], &[0; 2]].concat());
    out.write_all(&tail)
}

/// Returns the header of a file in a tar.
pub(super) fn tar_header(name: &str, size: u64) -> Vec<u8> {
    let mut block = [name.as_bytes(), &vec![0; 100 - name.len()]].concat();
    block.extend(format!("0000644\x000000000\x000000000\x00{size:011o}\x0014565705400\x00        0").bytes());
    block.resize(257, 0);
    block.extend(b"ustar\x0000");
    block.resize(512, 0);
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block.splice(148..156, format!("{sum:06o}\0 ").bytes());
    block
}
