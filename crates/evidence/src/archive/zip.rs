//! Zip, read from its central directory.
//!
//! Source: PKWARE APPNOTE.TXT 6.3.10 (4.3 the structures, 4.4 their fields, 4.5 extra fields).
//! The parser is our own: a library that keys entries by name loses the earlier of two, and would lose them all
//! over one damaged record.

mod cover;
mod directory;
mod end;
mod extra;

use super::Expansion;
use super::damage::ArchiveDamage;
use super::decode::{Inflate, Part, Stored, Zstd};
use super::index::{Content, Index};
use super::stream::{self, Bound, Decode, Start, Stream};
use crate::error::{Damage, ReadError};
use crate::path::EvidencePath;
use std::fs::File;
use std::io::{self, Read};
use std::rc::Rc;

/// Bytes of a large entry kept in memory; a smaller one is kept whole.
const KEEP: usize = 64 << 20;

/// Lists the zip; also returns the number of bytes of an entry to which the ratio limit does not apply. `None`
/// if it has no central directory.
pub(super) fn read(file: &Rc<File>, length: u64, expansion: Expansion) -> io::Result<Option<(Index, u64)>> {
    let Some(end) = end::find(file, length)? else { return Ok(None) };
    let mut index = Index::default();
    let spans = directory::read(file, &end, &mut index)?;
    cover::tell(file, length, &end, spans, &mut index)?;
    refuse_overlaps(&mut index, expansion);
    let mut declared: u64 = 0;
    index.leaves(&mut |leaf| {
        if let Content::Zip { .. } = leaf.content {
            declared = declared.saturating_add(leaf.size);
        }
    });
    Ok(Some((index.finish(), stream::free(declared, length))))
}

/// Size of the fixed part of a local header.
const LOCAL: u64 = 30;

/// The most overlapping entries that are listed by name: each is a gap in every call that looks for such files.
const MAX_OVERLAPPING: u64 = 1000;

/// Refuses entries that share bytes with another: a few bytes shared by hundreds of entries would expand to more
/// than any disk holds.
fn refuse_overlaps(index: &mut Index, expansion: Expansion) {
    let mut spans: Vec<(u64, u64)> = Vec::new();
    index.leaves(&mut |leaf| {
        if let Content::Zip { header, packed, .. } = leaf.content {
            spans.push((header, header.saturating_add(LOCAL).saturating_add(packed)));
        }
    });
    spans.sort_unstable();
    let mut shared: Vec<u64> = Vec::new();
    let mut widest: Option<(u64, u64)> = None;
    for (start, end) in spans {
        if let Some((other, _)) = widest.filter(|(_, stop)| start < *stop) {
            shared.extend([other, start]);
        }
        if widest.is_none_or(|(_, stop)| end > stop) {
            widest = Some((start, end));
        }
    }
    shared.sort_unstable();
    shared.dedup();
    let mut count: u64 = 0;
    index.leaves(&mut |leaf| {
        if let Content::Zip { header, .. } = leaf.content
            && shared.binary_search(&header).is_ok()
        {
            leaf.content = Content::Overlapping;
            count += 1;
        }
    });
    let Some(first) = shared.first() else { return };
    index.damaged(format!(
        "{count} entries share bytes of the archive, the first at byte {first}: they are not read"
    ));
    if count > MAX_OVERLAPPING && expansion == Expansion::Bounded {
        index.leave_out(Content::Overlapping);
        index.gap(format!(
            "entries of the archive: {count} share bytes of the archive, the first at byte {first}: of more than {MAX_OVERLAPPING} not even the names are listed"
        ));
    }
}

/// Opens the content of an entry: its offset in the archive if it is stored without compression, and its bytes.
pub(super) fn open(
    file: &Rc<File>,
    length: u64,
    free: u64,
    content: Content,
    path: &EvidencePath,
) -> Result<(Option<u64>, Stream), ReadError> {
    let Content::Zip { header, packed, method, .. } = content else {
        return Err(ReadError::NotAFile { path: path.clone() });
    };
    let damaged = |offset, expected| ReadError::Damaged {
        path: path.clone(),
        source: Damage::Archive(ArchiveDamage::Structure { offset, expected }),
    };
    let mut fixed = [0; LOCAL as usize];
    match Part::new(file, header, length).read_exact(&mut fixed) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(damaged(header, "a local header, found the end of the archive"));
        }
        Err(source) => return Err(ReadError::Io { path: path.clone(), source }),
    }
    if !fixed.starts_with(b"PK\x03\x04") {
        return Err(damaged(header, "a local header"));
    }
    let lengths = [fixed.get(26..28), fixed.get(28..30)];
    let named: u64 = lengths.iter().flatten().map(|field| le(field)).sum();
    let data = header.saturating_add(LOCAL).saturating_add(named);
    let end = data.saturating_add(packed);
    if end > length {
        return Err(damaged(data, "as many bytes as the entry has"));
    }
    let part = Part::new(file, data, end);
    let start: Start = match method {
        0 => Box::new(move || Ok(Box::new(Stored(part.clone())) as Box<dyn Decode>)),
        8 => Box::new(move || Ok(Box::new(Inflate::new(part.clone())))),
        _ => Box::new(move || Ok(Box::new(Zstd::new(part.clone())?))),
    };
    let keep = if method == 0 { 0 } else { KEEP };
    Ok(((method == 0).then_some(data), Stream::new(start, keep, Bound::Ratio { free })))
}

/// Reads a little-endian number of up to eight bytes.
fn le(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte))
}
