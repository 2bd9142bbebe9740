//! Transaction logs that turn one state of a hive into another (section "Format of transaction log files").

use super::{BASE_BLOCK, write};

/// The length of the base block's copy at the start of a log.
const COPIED: usize = 512;

/// The length of a page in an entry.
const PAGE: usize = 4096;

/// An entry of a new-format log.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// Its sequence number.
    pub sequence: u32,
    /// The size of all hive bins.
    pub bins_size: u32,
    /// The pages, each with its offset from the first hive bin.
    pub pages: Vec<(u32, Vec<u8>)>,
}

impl LogEntry {
    /// Creates an entry with the pages that differ between two states of a hive.
    pub fn between(before: &[u8], after: &[u8], sequence: u32) -> Self {
        let bins = after.get(BASE_BLOCK..).unwrap_or_default();
        let differing = bins.chunks(PAGE).zip((0u32..).step_by(PAGE)).filter(|(page, at)| {
            let start = BASE_BLOCK + *at as usize;
            before.get(start..start + page.len()) != Some(page)
        });
        let pages = differing.map(|(page, at)| (at, page.to_vec())).collect();
        Self { sequence, bins_size: u32::try_from(bins.len()).unwrap_or(u32::MAX), pages }
    }

    /// Returns the entry in the form of a log.
    pub fn bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        for (at, page) in &self.pages {
            body.extend(at.to_le_bytes());
            body.extend(number(page.len()).to_le_bytes());
        }
        body.extend(self.pages.iter().flat_map(|(_, page)| page));
        body.resize((body.len() + 40).next_multiple_of(512) - 40, 0);
        let mut entry = b"HvLE".to_vec();
        for field in [number(body.len() + 40), 0, self.sequence, self.bins_size, number(self.pages.len())] {
            entry.extend(field.to_le_bytes());
        }
        entry.extend(marvin(&body).to_le_bytes());
        let second = marvin(&entry);
        entry.extend(second.to_le_bytes());
        entry.extend(body);
        entry
    }
}

/// Builds a new-format log for the hive `base`; its sequence number is that of its first entry.
pub fn new_log(base: &[u8], entries: &[LogEntry]) -> Vec<u8> {
    let sequence = entries.first().map_or(1, |entry| entry.sequence);
    let mut log = base_block(base, 6, sequence);
    log.extend(entries.iter().flat_map(LogEntry::bytes));
    log
}

/// Builds an old-format log that turns the hive `before` into `after`.
pub fn old_log(before: &[u8], after: &[u8], sequence: u32) -> Vec<u8> {
    let entry = LogEntry::between(before, after, sequence);
    let mut log = base_block(before, 1, sequence);
    log[0x28..0x2C].copy_from_slice(&entry.bins_size.to_le_bytes());
    write::checksum(&mut log);
    let mut bitmap = vec![0; entry.bins_size as usize / PAGE];
    for (at, _) in &entry.pages {
        bitmap[*at as usize / PAGE] = 0xFF;
    }
    log.extend(b"DIRT");
    log.extend(bitmap);
    log.resize(log.len().next_multiple_of(512), 0);
    log.extend(entry.pages.iter().flat_map(|(_, page)| page));
    log
}

fn base_block(hive: &[u8], file_type: u32, sequence: u32) -> Vec<u8> {
    let mut block = hive.get(..COPIED).unwrap_or_default().to_vec();
    block.resize(COPIED, 0);
    block[4..8].copy_from_slice(&sequence.to_le_bytes());
    block[8..12].copy_from_slice(&sequence.to_le_bytes());
    block[0x1C..0x20].copy_from_slice(&file_type.to_le_bytes());
    write::checksum(&mut block);
    block
}

/// Computes Marvin32 with the registry's seed.
fn marvin(data: &[u8]) -> u64 {
    let mut padded = data.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(4) + 4, 0);
    let [mut low, mut high] = [0x7A4E_55C5_u32, 0x82EF_4D88];
    for word in padded.chunks_exact(4) {
        low = low.wrapping_add(word.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte)));
        high ^= low;
        low = low.rotate_left(20).wrapping_add(high);
        high = high.rotate_left(9) ^ low;
        low = low.rotate_left(27).wrapping_add(high);
        high = high.rotate_left(19);
    }
    u64::from(high) << 32 | u64::from(low)
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
