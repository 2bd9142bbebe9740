//! The central directory (APPNOTE 4.3.12).

use super::cover::{Local, Span};
use super::end::End;
use super::extra::{self, Extra};
use super::le;
use crate::archive::decode::Part;
use crate::archive::index::{
    self, Body, Content, Found, Index, Leaf, LeafKind, MAX_ENTRIES, MAX_NAMES, Unread,
};
use crate::archive::name;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::rc::Rc;

/// The most characters that are quoted of a differing name.
const MAX_SHOWN: usize = 300;

/// Size of the fixed part of a record.
const FIXED: usize = 46;

/// Reads every readable record; returns the byte ranges of the entries.
pub(super) fn read(file: &Rc<File>, end: &End, index: &mut Index) -> io::Result<Vec<Span>> {
    let mut spans = Vec::new();
    let mut input = BufReader::with_capacity(64 << 10, Part::new(file, end.directory, end.stop));
    let (mut at, mut count, mut names) = (end.directory, 0, 0);
    while let Some(record) = Record::read(&mut input)? {
        if count >= MAX_ENTRIES || names > MAX_NAMES {
            index.gap(format!(
                "entries of the archive: more than {count}; those from byte {at} on are not listed"
            ));
            return Ok(spans);
        }
        (count, names) = (count + 1, names + record.name.len());
        at = at.saturating_add(record.length);
        let extra = extra::read(&record.extra, &record.fixed, &record.name);
        let header = extra.offset.saturating_add(end.front);
        let local = Local::read(file, header, record.name.len())?;
        spans.push(local.span(header, extra.packed));
        let odd = record.renamed(&local);
        let mut found = record.found(extra, header);
        found.odd.extend(odd);
        index.add(found);
    }
    let listed = if end.large { count as u64 } else { count as u64 & 0xffff };
    if at < end.stop || listed != end.entries {
        index.damaged(format!(
            "byte {at} of the archive: the central directory ends after {count} entries; it should hold {} and go on to byte {}",
            end.entries, end.stop
        ));
    }
    Ok(spans)
}

/// Returns the most packed bytes that empty content can have: many tools pack folders and empty files like
/// everything else.
const fn most_of_nothing(method: u16) -> u64 {
    match method {
        0 => 0,
        // One block without compression.
        8 => 5,
        // One frame or stream with its header and checksum.
        _ => 16,
    }
}

/// A record of the central directory.
struct Record {
    fixed: [u8; FIXED],
    name: Vec<u8>,
    extra: Vec<u8>,
    length: u64,
}

impl Record {
    /// Reads the next record; `None` if none begins or the directory ends within it.
    fn read(input: &mut impl Read) -> io::Result<Option<Record>> {
        let mut fixed = [0; FIXED];
        let whole = match input.read_exact(&mut fixed) {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
            result => result.is_ok() && fixed.starts_with(b"PK\x01\x02"),
        };
        if !whole {
            return Ok(None);
        }
        let mut take = |from: usize| -> io::Result<(Vec<u8>, bool)> {
            let wanted = fixed.get(from..from + 2).map_or(0, le);
            let mut bytes = Vec::new();
            let read = input.take(wanted).read_to_end(&mut bytes)?;
            Ok((bytes, read as u64 == wanted))
        };
        let ((name, named), (extra, extended), (comment, commented)) = (take(28)?, take(30)?, take(32)?);
        let length = (FIXED + name.len() + extra.len() + comment.len()) as u64;
        Ok((named && extended && commented).then_some(Record { fixed, name, extra, length }))
    }

    fn field(&self, from: usize, bytes: usize) -> u64 {
        self.fixed.get(from..from + bytes).map_or(0, le)
    }

    /// Reports a local header with another name. One that cannot be read is reported when the entry is read.
    fn renamed(&self, local: &Local) -> Option<String> {
        // Local headers are masked if the directory is encrypted.
        let masked = self.field(8, 2) & (1 << 13) != 0;
        let other = local.name().filter(|other| *other != self.name && !masked)?;
        let [other, own] = [other, &self.name].map(|name| name::read(name, !self.unix()).parts.join("/"));
        (other != own).then(|| {
            let shown: String = other.chars().take(MAX_SHOWN).collect();
            format!("its local header names it `{shown}`, and the central directory does not")
        })
    }

    fn found(self, extra: Extra, header: u64) -> Found {
        let (flags, method) = (self.field(8, 2), self.field(10, 2));
        let Extra { size, packed, stamps, name, aes, .. } = extra;
        let bytes = name.as_deref().unwrap_or(&self.name);
        let folder = matches!(bytes.last(), Some(b'/')) || (!self.unix() && bytes.last() == Some(&b'\\'));
        let method = u16::try_from(method).unwrap_or(u16::MAX);
        let crc = u32::try_from(self.field(16, 4)).unwrap_or_default();
        let content = match method {
            _ if flags & 1 != 0 || aes => Content::Unread(Unread::Encrypted),
            _ if !matches!(self.field(34, 2), 0 | 0xffff) => Content::Unread(Unread::OtherZip),
            0 | 8 | 93 => Content::Zip { header, packed, method, crc },
            9 => Content::Unread(Unread::Deflate64),
            12 => Content::Unread(Unread::Bzip2),
            14 => Content::Unread(Unread::Lzma),
            _ => Content::Unread(Unread::Unknown),
        };
        let name = name::read(bytes, !self.unix());
        let hidden = if size == 0 && packed > most_of_nothing(method) { packed } else { 0 };
        let filled = size.max(hidden);
        let mut odd: Vec<String> = Vec::new();
        if hidden > 0 {
            odd.push(format!("it declares a size of 0 and has {packed} packed bytes"));
        }
        let (kind, marked) = index::unmarked(self.kind(), filled);
        let leaf = |kind| Leaf { kind, size, stamps, offset: Some(header), content };
        let body = match kind {
            _ if folder && filled == 0 => Body::Folder,
            None => Body::Folder,
            Some(kind) if folder => {
                odd.push(index::filled(filled));
                Body::Both(leaf(kind))
            }
            Some(kind) => {
                odd.extend(marked);
                Body::Leaf(leaf(kind))
            }
        };
        Found { name, offset: Some(header), stamps, body, odd }
    }

    /// Checks whether it was written on a system whose names may contain backslashes: Unix or macOS.
    fn unix(&self) -> bool {
        matches!(self.field(5, 1), 3 | 19)
    }

    /// Returns the kind according to the Unix mode or the DOS attributes; `None` for a folder.
    fn kind(&self) -> Option<LeafKind> {
        let attributes = self.field(38, 4);
        match (self.unix(), (attributes >> 16) & 0xf000) {
            (true, 0x4000) => None,
            (true, 0xa000) => Some(LeafKind::Symlink(None)),
            (true, 0x1000 | 0x2000 | 0x6000 | 0xc000) => Some(LeafKind::Other),
            (true, _) => Some(LeafKind::File),
            (false, _) if attributes & 0x10 != 0 => None,
            (false, _) => Some(LeafKind::File),
        }
    }
}
