//! Writer of zip archives (PKWARE APPNOTE 6.3.10): deflated or stored entries with NTFS times, as triage tools write them.

/// The number of days from 0000-03-01 to 1601-01-01, where FILETIME begins.
const DAYS_TO_1601: u64 = 584_694;

/// An entry to write.
#[derive(Clone, Debug)]
pub struct ZipEntry {
    /// Its name in the archive; a folder ends in `/`.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// When it was last written, in 100-ns ticks since 1601 UTC. The extra field 0x000a stores it exactly; the header stores it to two seconds,
    /// as if local clocks showed UTC.
    pub modified: u64,
}

/// Writes an archive with these entries in this order; an entry that does not shrink is stored.
pub fn write(entries: &[ZipEntry]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let deflated = miniz_oxide::deflate::compress_to_vec(&entry.bytes, 6);
        let (method, packed) = match deflated.len() < entry.bytes.len() {
            true => (8, deflated),
            false => (0, entry.bytes.clone()),
        };
        let offset = archive.len() as u32;
        let fields = fields(entry, method, packed.len() as u32);
        let extra = times(entry.modified);
        archive.extend(0x0403_4b50_u32.to_le_bytes());
        archive.extend(&fields);
        archive.extend((extra.len() as u16).to_le_bytes());
        archive.extend(entry.name.bytes());
        archive.extend(&extra);
        archive.extend(&packed);
        directory.extend(0x0201_4b50_u32.to_le_bytes());
        // Written by version 2.0 on NTFS.
        directory.extend([20, 10]);
        directory.extend(&fields);
        directory.extend((extra.len() as u16).to_le_bytes());
        // Comment, disk and attributes.
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(entry.name.bytes());
        directory.extend(&extra);
    }
    let (start, count) = (archive.len() as u32, entries.len() as u16);
    archive.extend(&directory);
    archive.extend(0x0605_4b50_u32.to_le_bytes());
    archive.extend([0; 4]);
    archive.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    archive.extend((directory.len() as u32).to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0; 2]);
    archive
}

/// Returns the fields that local and central headers share, from the version needed to the length of the name.
fn fields(entry: &ZipEntry, method: u16, packed: u32) -> Vec<u8> {
    // The names are UTF-8.
    const UTF8: u16 = 1 << 11;
    let (date, time) = dos(entry.modified);
    let halves = |values: &[u16]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
    let mut bytes = halves(&[20, UTF8, method, time, date]);
    for value in [crc32fast::hash(&entry.bytes), packed, entry.bytes.len() as u32] {
        bytes.extend(value.to_le_bytes());
    }
    bytes.extend((entry.name.len() as u16).to_le_bytes());
    bytes
}

/// Returns the NTFS extra field: the same time three times (APPNOTE 4.5.5).
fn times(modified: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in [0x000a_u16, 32, 0, 0, 1, 24] {
        bytes.extend(value.to_le_bytes());
    }
    for _ in 0..3 {
        bytes.extend(modified.to_le_bytes());
    }
    bytes
}

/// Converts to MS-DOS date and time, which begin in 1980.
fn dos(ticks: u64) -> (u16, u16) {
    let seconds = ticks / 10_000_000;
    let (days, second) = (seconds / 86_400 + DAYS_TO_1601, seconds % 86_400);
    // Years begin in March, so that the leap day is the last one (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let date = (year.saturating_sub(1980) << 9) | month << 5 | (day - (153 * shifted + 2) / 5 + 1);
    let time = (second / 3600) << 11 | (second / 60 % 60) << 5 | (second % 60 / 2);
    (date as u16, time as u16)
}

#[cfg(test)]
mod tests {
    use super::dos;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // 2024-02-29T23:59:58Z and 2025-01-01T00:00:00Z.
        assert_eq!(dos(133_537_247_980_000_000), (44 << 9 | 2 << 5 | 29, 23 << 11 | 59 << 5 | 29));
        assert_eq!(dos(133_801_632_000_000_000), (45 << 9 | 1 << 5 | 1, 0));
    }
}
