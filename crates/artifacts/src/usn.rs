//! The change journal of an NTFS volume, stream `$J` of `$UsnJrnl`: what was done to which file, and when.
//!
//! Source of the format: [MS-FSCC] 2.3.60 (USN_RECORD_V2, USN_RECORD_V3), and USN_RECORD_V4 of winioctl.h in the Windows SDK.
//! Records begin at multiples of 8 bytes; a page of 4,096 bytes that has no room for the next one ends with zeros.

use crate::fields::{Located, bytes, located_filetime, u16_at, u32_at, u64_at, utf16};
use crate::registry::Filetime;

/// Records begin at multiples of this number of bytes.
pub const STEP: usize = 8;

/// The longest record that is read, in bytes: a name has at most 255 units.
pub const LONGEST: usize = 1024;

/// Size of a version 2 record before its name, in bytes.
const SHORT: usize = 0x3c;

/// Size of a version 3 record before its name, in bytes.
const LONG: usize = 0x4c;

/// The shortest version 4 record, without extents.
const EXTENTS: usize = 0x40;

/// 1980-01-01 and 2107-12-31 in ticks since 1601: anything outside is not a time of a journal.
const TIMES: std::ops::Range<u64> = 119_600_064_000_000_000..159_992_928_000_000_000;

/// When a file is closed, a record with this flag repeats all changes made since it was opened.
pub const CLOSE: u32 = 0x8000_0000;
/// The file was created.
pub const FILE_CREATE: u32 = 0x100;
/// The file was deleted.
pub const FILE_DELETE: u32 = 0x200;
/// The old name of a renamed file.
pub const RENAME_OLD_NAME: u32 = 0x1000;
/// The new name of a renamed file.
pub const RENAME_NEW_NAME: u32 = 0x2000;

/// The names of reasons, as in the Windows SDK after `USN_REASON_`.
const REASONS: [(u32, &str); 24] = [
    (0x1, "DATA_OVERWRITE"),
    (0x2, "DATA_EXTEND"),
    (0x4, "DATA_TRUNCATION"),
    (0x10, "NAMED_DATA_OVERWRITE"),
    (0x20, "NAMED_DATA_EXTEND"),
    (0x40, "NAMED_DATA_TRUNCATION"),
    (FILE_CREATE, "FILE_CREATE"),
    (FILE_DELETE, "FILE_DELETE"),
    (0x400, "EA_CHANGE"),
    (0x800, "SECURITY_CHANGE"),
    (RENAME_OLD_NAME, "RENAME_OLD_NAME"),
    (RENAME_NEW_NAME, "RENAME_NEW_NAME"),
    (0x4000, "INDEXABLE_CHANGE"),
    (0x8000, "BASIC_INFO_CHANGE"),
    (0x1_0000, "HARD_LINK_CHANGE"),
    (0x2_0000, "COMPRESSION_CHANGE"),
    (0x4_0000, "ENCRYPTION_CHANGE"),
    (0x8_0000, "OBJECT_ID_CHANGE"),
    (0x10_0000, "REPARSE_POINT_CHANGE"),
    (0x20_0000, "STREAM_CHANGE"),
    (0x40_0000, "TRANSACTED_CHANGE"),
    (0x80_0000, "INTEGRITY_CHANGE"),
    (0x100_0000, "DESIRED_STORAGE_CLASS_CHANGE"),
    (CLOSE, "CLOSE"),
];

/// The names after `USN_SOURCE_`: the purpose of the change, if its program states one.
const SOURCES: [(u32, &str); 4] = [
    (0x1, "DATA_MANAGEMENT"),
    (0x2, "AUXILIARY_DATA"),
    (0x4, "REPLICATION_MANAGEMENT"),
    (0x8, "CLIENT_REPLICATION_MANAGEMENT"),
];

/// A reference to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId {
    /// Index of its `$MFT` entry in the low 48 bits, and its sequence number above.
    pub low: u64,
    /// The upper half of a version 3 reference; 0 on NTFS.
    pub high: u64,
}

impl FileId {
    /// Returns index and sequence number of the `$MFT` entry; `None` if it is not an NTFS file.
    pub fn mft(self) -> Option<(u64, u16)> {
        let [.., low, high] = self.low.to_le_bytes();
        (self.high == 0).then_some((self.low & 0xffff_ffff_ffff, u16::from_le_bytes([low, high])))
    }
}

/// A record; all offsets are those in the data that it was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsnRecord<'a> {
    data: &'a [u8],
    /// Where it begins.
    pub offset: usize,
    /// Its length in bytes.
    pub length: usize,
    /// Extra bytes of version 3 before the fields that both versions have.
    shift: usize,
    /// The file.
    pub file: FileId,
    /// The folder that holds it.
    pub parent: FileId,
    /// Update sequence number: the offset of the record in the journal, counted from the journal's creation.
    pub usn: u64,
    /// When it was written.
    pub time: Filetime,
    /// What was done since the file was opened.
    pub reasons: u32,
    /// The purpose of the change.
    pub source: u32,
    /// DOS attributes of the file.
    pub attributes: u32,
    /// Offset and length of the name.
    name: (usize, usize),
}

/// What is found at an offset of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// A record.
    Record(UsnRecord<'a>),
    /// A version 4 record, which lists the changed ranges of a file; with its length in bytes.
    Ranges(usize),
    /// Zeros, at least this many.
    Zeros(usize),
    /// Bytes that no journal contains, up to the next record or the end; with their number.
    Damage(usize),
    /// The end of the data.
    End,
}

/// Returns what is at `at`, a multiple of [`STEP`].
pub fn step(data: &[u8], at: usize) -> Step<'_> {
    let Some(rest) = data.get(at..).filter(|rest| !rest.is_empty()) else { return Step::End };
    if rest.first_chunk::<8>().is_none_or(|word| *word == [0; 8]) {
        return zeros(rest);
    }
    sound(data, at).unwrap_or_else(|| damaged(data, at))
}

fn zeros(rest: &[u8]) -> Step<'_> {
    let empty = rest.chunks(STEP).take_while(|word| word.iter().all(|byte| *byte == 0)).count();
    match empty.saturating_mul(STEP).min(rest.len()) {
        // Too short for anything but zeros.
        0 => Step::Damage(rest.len()),
        empty => Step::Zeros(empty),
    }
}

fn damaged(data: &[u8], at: usize) -> Step<'_> {
    let mut next = at.saturating_add(STEP);
    // Zeros also end the damage: a page may be lost and the next one empty.
    while next < data.len() && bytes(data, next, STEP) != Some(&[0; STEP]) && sound(data, next).is_none() {
        next = next.saturating_add(STEP);
    }
    Step::Damage(next.min(data.len()).saturating_sub(at))
}

/// Reads a record, if all its fields are plausible.
fn sound(data: &[u8], at: usize) -> Option<Step<'_>> {
    let length = u32_at(data, at)? as usize;
    if !length.is_multiple_of(STEP) || !(SHORT..=LONGEST).contains(&length) {
        return None;
    }
    let record = bytes(data, at, length)?;
    match (u16_at(record, 4)?, u16_at(record, 6)?) {
        (2, 0) => read(record, at, 0).map(Step::Record),
        (3, 0) => read(record, at, LONG - SHORT).map(Step::Record),
        (4, 0) => (length >= EXTENTS).then_some(Step::Ranges(length)),
        _ => None,
    }
}

fn read(data: &[u8], offset: usize, shift: usize) -> Option<UsnRecord<'_>> {
    let id = |at: usize, high: bool| {
        Some(FileId { low: u64_at(data, at)?, high: if high { u64_at(data, at + 8)? } else { 0 } })
    };
    let (file, parent) = (id(8, shift > 0)?, id(16 + shift / 2, shift > 0)?);
    let (length, start) = (u16_at(data, 0x38 + shift)?.into(), u16_at(data, 0x3a + shift)?.into());
    let ticks = u64_at(data, 0x20 + shift)?;
    let fits =
        length > 0 && length % 2 == 0 && start >= SHORT + shift && bytes(data, start, length).is_some();
    (fits && TIMES.contains(&ticks)).then_some(UsnRecord {
        data,
        offset,
        length: data.len(),
        shift,
        file,
        parent,
        usn: u64_at(data, 0x18 + shift)?,
        time: Filetime(ticks),
        reasons: u32_at(data, 0x28 + shift)?,
        source: u32_at(data, 0x2c + shift)?,
        attributes: u32_at(data, 0x34 + shift)?,
        name: (start, length),
    })
}

impl<'a> UsnRecord<'a> {
    /// Returns the name, without path; a unit that is not a character becomes U+FFFD.
    pub fn name(&self) -> String {
        let text = self.name_bytes();
        if text.iter().skip(1).step_by(2).all(|high| *high == 0) && text.iter().step_by(2).all(u8::is_ascii) {
            return text.iter().step_by(2).map(|byte| char::from(*byte)).collect();
        }
        utf16(text, 0, "the name", &mut Vec::new())
    }

    /// Returns the name as stored.
    pub fn name_bytes(&self) -> &'a [u8] {
        bytes(self.data, self.name.0, self.name.1).unwrap_or_default()
    }

    /// Returns the name and its place.
    pub fn located_name(&self) -> Located<String> {
        Located::new(self.name(), self.offset.saturating_add(self.name.0), self.name.1)
    }

    /// Returns the time and its place.
    pub fn located_time(&self) -> Option<Located<Filetime>> {
        located_filetime(self.data, 0x20 + self.shift).map(|found| found.moved(self.offset))
    }

    /// Returns the offset of the update sequence number.
    pub fn usn_place(&self) -> usize {
        self.offset.saturating_add(0x18 + self.shift)
    }

    /// Returns the offset of the reasons.
    pub fn reasons_place(&self) -> usize {
        self.offset.saturating_add(0x28 + self.shift)
    }

    /// Returns the offsets of the references to the file and to its folder.
    pub fn file_places(&self) -> (usize, usize) {
        (self.offset.saturating_add(8), self.offset.saturating_add(16 + self.shift / 2))
    }

    /// Returns the version of its format, 2 or 3.
    pub fn version(&self) -> u16 {
        if self.shift > 0 { 3 } else { 2 }
    }
}

/// Returns the names of the reasons that are set; unnamed bits are given in hex.
pub fn reasons(bits: u32) -> Vec<String> {
    names(bits, &REASONS)
}

/// All reasons that have a name.
pub const ALL_REASONS: u32 = 0x81ff_ff77;

/// Returns the reason of this name, without `USN_REASON_`.
pub fn reason(name: &str) -> Option<u32> {
    REASONS.iter().find(|(_, known)| *known == name).map(|(bit, _)| *bit)
}

/// Returns the names of the purposes of a change.
pub fn sources(bits: u32) -> Vec<String> {
    names(bits, &SOURCES)
}

fn names(bits: u32, known: &[(u32, &str)]) -> Vec<String> {
    let mut found: Vec<_> =
        known.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, name)| (*name).to_owned()).collect();
    let rest = known.iter().fold(bits, |rest, (bit, _)| rest & !bit);
    if rest != 0 {
        found.push(format!("{rest:#x}"));
    }
    found
}

/// Checks whether the data begins like a journal: only zeros, or zeros followed by a record.
pub fn begins(data: &[u8]) -> bool {
    match step(data, 0) {
        Step::Record(_) | Step::Ranges(_) => true,
        Step::Zeros(length) => matches!(step(data, length), Step::Record(_) | Step::Ranges(_) | Step::End),
        Step::Damage(_) | Step::End => false,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TICKS: u64 = 129_779_783_208_392_490;

    fn record(version: u16, name: &str, reasons: u32) -> Vec<u8> {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let wide: &[u8] = if version == 3 { &[0; 8] } else { &[] };
        let start: usize = if version == 3 { LONG } else { SHORT };
        let length = (start + name.len()).next_multiple_of(8);
        let mut bytes = [(length as u32).to_le_bytes(), [version as u8, 0, 0, 0]].concat();
        for reference in [0x0003_0000_0000_1234_u64, 0x0005_0000_0000_0005] {
            bytes.extend(reference.to_le_bytes());
            bytes.extend(wide);
        }
        bytes.extend(4096u64.to_le_bytes());
        bytes.extend(TICKS.to_le_bytes());
        for field in [reasons, 1, 0, 0x20] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend((start as u16).to_le_bytes());
        bytes.extend(name);
        bytes.resize(length, 0);
        bytes
    }

    #[test]
    fn both_versions_tell_file_folder_name_time_and_reasons() {
        for version in [2, 3] {
            let bytes = record(version, "plän.doc", FILE_CREATE | CLOSE);
            let Step::Record(found) = step(&bytes, 0) else { panic!("version {version}") };
            assert_eq!((found.name().as_str(), found.version()), ("plän.doc", version));
            assert_eq!((found.file.mft(), found.parent.mft()), (Some((0x1234, 3)), Some((5, 5))));
            assert_eq!((found.usn, found.located_time().unwrap().value), (4096, Filetime(TICKS)));
            assert_eq!(reasons(found.reasons), ["FILE_CREATE", "CLOSE"]);
            assert_eq!((sources(found.source), found.attributes), (vec!["DATA_MANAGEMENT".to_owned()], 0x20));
            let place = found.located_name();
            assert_eq!(utf16(&bytes[place.offset..][..place.length], 0, "", &mut Vec::new()), "plän.doc");
        }
        assert_eq!(reasons(0x0800_0002), ["DATA_EXTEND", "0x8000000"]);
    }

    #[test]
    fn damage_ends_where_the_next_record_begins() {
        let good = record(2, "a.txt", 1);
        let mut bytes = [vec![0; 16], good.clone(), good.clone(), good.clone()].concat();
        let second = 16 + good.len();
        bytes[second + 4] = 9;
        assert_eq!(step(&bytes, 0), Step::Zeros(16));
        assert!(matches!(step(&bytes, 16), Step::Record(_)));
        assert_eq!(step(&bytes, second), Step::Damage(good.len()));
        assert!(matches!(step(&bytes, second + good.len()), Step::Record(_)));
        assert_eq!(step(&bytes, bytes.len()), Step::End);
        assert!(begins(&bytes) && !begins(b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic_and_without_standing_still(
            bytes in prop::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 0..400),
            at in 0usize..200,
        ) {
            let mut bytes = bytes;
            let good = record(2, "a", 1);
            let at = at.min(bytes.len());
            bytes.splice(at..at, good);
            let mut place = 0;
            loop {
                place += match step(&bytes, place) {
                    Step::Record(found) => { let _ = found.located_name(); found.length }
                    Step::Ranges(length) | Step::Zeros(length) | Step::Damage(length) => length,
                    Step::End => break,
                };
            }
            prop_assert_eq!(place, bytes.len());
        }
    }
}
