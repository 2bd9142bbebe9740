//! The sections of a segment.

use super::{Chunk, EwfSpec, adler32, zlib};

/// The size of a section descriptor in bytes.
const DESCRIPTOR: usize = 76;

/// The size of the `volume` section in bytes.
const VOLUME: usize = 1052;

/// A segment under construction.
pub(super) struct Segment {
    bytes: Vec<u8>,
}

impl Segment {
    /// Starts the segment with this number, counted from 1.
    pub(super) fn new(number: usize) -> Segment {
        let mut bytes = b"EVF\x09\x0d\x0a\xff\x00\x01".to_vec();
        bytes.extend(u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes());
        bytes.extend([0, 0]);
        Segment { bytes }
    }

    fn section(&mut self, kind: &str, data: &[u8]) {
        let end = self.bytes.len() + DESCRIPTOR + data.len();
        self.descriptor(kind, end, DESCRIPTOR + data.len());
        self.bytes.extend(data);
    }

    fn descriptor(&mut self, kind: &str, next: usize, size: usize) {
        let mut head = kind.as_bytes().to_vec();
        head.resize(16, 0);
        head.extend((next as u64).to_le_bytes());
        head.extend((size as u64).to_le_bytes());
        head.resize(DESCRIPTOR - 4, 0);
        let sum = adler32(&head);
        head.extend(sum.to_le_bytes());
        self.bytes.extend(head);
    }

    /// Writes `header2` twice and `header` once.
    pub(super) fn headers(&mut self, spec: &EwfSpec) {
        let time = spec.acquired.to_string();
        let row = [
            &spec.description,
            &spec.case_number,
            &spec.evidence_number,
            &spec.examiner,
            &spec.notes,
            "7.10",
            "Linux",
            &time,
            &time,
            "",
        ]
        .join("\t");
        let text = format!("3\nmain\na\tc\tn\te\tt\tav\tov\tm\tu\tp\n{row}\n\n");
        let wide: Vec<u8> =
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        let wide = zlib(&wide);
        self.section("header2", &wide);
        self.section("header2", &wide);
        let time = civil(spec.acquired);
        let row = [
            &spec.case_number,
            &spec.evidence_number,
            &spec.description,
            &spec.examiner,
            &spec.notes,
            "7.10",
            "Linux",
            &time,
            &time,
            "0",
        ]
        .join("\t");
        let text = format!("3\r\nmain\r\nc\tn\ta\te\tt\tav\tov\tm\tu\tp\r\n{row}\r\n\r\n");
        self.section("header", &zlib(text.as_bytes()));
    }

    /// Describes the medium: `volume` in the first segment, `data` in the others.
    pub(super) fn volume(&mut self, spec: &EwfSpec, length: usize, first: bool) {
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes();
        let mut data = vec![1, 0, 0, 0];
        data.extend(number(length.div_ceil(super::CHUNK)));
        data.extend(number(super::CHUNK / 512));
        data.extend(number(512));
        data.extend((length as u64 / 512).to_le_bytes());
        data.resize(36, 0);
        // 3: an image of a physical disk.
        data.push(3);
        data.resize(52, 0);
        data.push(u8::from(spec.compressed));
        data.resize(56, 0);
        data.extend(number(super::CHUNK / 512));
        data.resize(64, 0);
        data.extend(spec.set);
        data.resize(VOLUME - 4, 0);
        let sum = adler32(&data);
        data.extend(sum.to_le_bytes());
        self.section(if first { "volume" } else { "data" }, &data);
    }

    /// Writes `sectors`, and `table` with its copy.
    pub(super) fn chunks(&mut self, chunks: &[Chunk]) {
        const COMPRESSED: u32 = 1 << 31;
        let base = self.bytes.len();
        let mut at = DESCRIPTOR;
        let mut offsets = Vec::new();
        let mut data = Vec::new();
        for chunk in chunks {
            let flag = if chunk.compressed { COMPRESSED } else { 0 };
            offsets.extend((u32::try_from(at).unwrap_or(0) | flag).to_le_bytes());
            at += chunk.bytes.len();
            data.extend(&chunk.bytes);
        }
        self.section("sectors", &data);
        let mut table = u32::try_from(chunks.len()).unwrap_or(0).to_le_bytes().to_vec();
        table.extend([0; 4]);
        table.extend((base as u64).to_le_bytes());
        table.extend([0; 4]);
        table.extend(adler32(&table).to_le_bytes());
        table.extend(&offsets);
        table.extend(adler32(&offsets).to_le_bytes());
        self.section("table", &table);
        self.section("table2", &table);
    }

    /// Writes `digest` and `hash`.
    pub(super) fn hashes(&mut self, md5: &[u8; 16], sha1: &[u8; 20]) {
        let mut digest = md5.to_vec();
        digest.extend(sha1);
        digest.resize(76, 0);
        digest.extend(adler32(&digest).to_le_bytes());
        self.section("digest", &digest);
        let mut hash = md5.to_vec();
        hash.resize(32, 0);
        hash.extend(adler32(&hash).to_le_bytes());
        self.section("hash", &hash);
    }

    /// Ends the segment; its last section names itself as the next one.
    pub(super) fn close(mut self, last: bool) -> Vec<u8> {
        let here = self.bytes.len();
        self.descriptor(if last { "done" } else { "next" }, here, DESCRIPTOR);
        self.bytes
    }
}

/// Formats year, month, day, hour, minute and second as in `header`.
///
/// Days are counted in years that begin in March (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn civil(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year} {month} {date} {} {} {}", rest / 3600, rest / 60 % 60, rest % 60)
}
