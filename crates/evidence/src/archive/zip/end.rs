//! The end of the central directory: where it is and what it must hold (APPNOTE 4.3.14 to 4.3.16).

use super::le;
use crate::archive::decode::Part;
use std::fs::File;
use std::io;
use std::rc::Rc;

/// The location of the central directory.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct End {
    /// Where the directory begins in the file.
    pub(super) directory: u64,
    /// Where the directory ends.
    pub(super) stop: u64,
    /// Number of bytes before the archive; offsets in the archive are counted from their end.
    pub(super) front: u64,
    /// Where the end record begins.
    pub(super) record: u64,
    /// Where the end record ends, including its comment.
    pub(super) last: u64,
    /// The declared number of entries; modulo 65,536 without zip64.
    pub(super) entries: u64,
    /// Whether the end record is in zip64 form.
    pub(super) large: bool,
}

/// Size of the fixed part of the end record.
const END: usize = 22;

/// The longest comment.
const COMMENT: u64 = 0xffff;

/// Finds the record at the end of the file; `None` if there is none.
pub(super) fn find(file: &Rc<File>, length: u64) -> io::Result<Option<End>> {
    let begin = length.saturating_sub(END as u64 + COMMENT + 1);
    let tail = read(file, begin, length - begin)?;
    let mut records = tail.windows(END).enumerate().rev();
    let record = records.find(|(_, record)| record.starts_with(b"PK\x05\x06"));
    let Some((at, fixed)) = record else { return Ok(None) };
    let at = begin.saturating_add(at as u64);
    let field = |from: usize, bytes: usize| fixed.get(from..from + bytes).map_or(0, le);
    let last = at.saturating_add(END as u64).saturating_add(field(20, 2));
    let small = (field(10, 2), field(12, 4), field(16, 4));
    let (stop, (entries, size, offset), large) = match zip64(file, at, length)? {
        Some((stop, large)) => (stop, large, true),
        None => (at, small, false),
    };
    // The directory ends where the end record begins. Offsets do not count bytes before the archive.
    let directory = stop.saturating_sub(size);
    let counted = read(file, offset, 4)? == b"PK\x01\x02" || size == 0;
    let standing = read(file, directory, 4)? == b"PK\x01\x02";
    let (directory, front) = match counted || !standing {
        true => (offset, 0),
        false => (directory, directory.saturating_sub(offset)),
    };
    let stop = directory.saturating_add(size).min(length);
    Ok(Some(End { directory, stop, front, record: at, last, entries, large }))
}

/// Number of entries, size and offset of the directory.
type Directory = (u64, u64, u64);

/// Finds the zip64 end record that belongs to the end record at `at`; returns its offset and content.
fn zip64(file: &Rc<File>, at: u64, length: u64) -> io::Result<Option<(u64, Directory)>> {
    let locator = match at.checked_sub(20) {
        Some(locator) => read(file, locator, 20)?,
        None => return Ok(None),
    };
    if !locator.starts_with(b"PK\x06\x07") {
        return Ok(None);
    }
    // If there are bytes before the archive, the record is right before its locator.
    let told = locator.get(8..16).map_or(0, le);
    for place in [Some(told), at.checked_sub(20 + 56)].into_iter().flatten().filter(|place| *place < length) {
        let record = read(file, place, 56)?;
        if record.starts_with(b"PK\x06\x06") && record.len() == 56 {
            let field = |from: usize| record.get(from..from + 8).map_or(0, le);
            return Ok(Some((place, (field(32), field(40), field(48)))));
        }
    }
    Ok(None)
}

/// Reads up to `wanted` bytes at `offset`.
fn read(file: &Rc<File>, offset: u64, wanted: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut Part::new(file, offset, offset.saturating_add(wanted)), &mut bytes)?;
    Ok(bytes)
}
