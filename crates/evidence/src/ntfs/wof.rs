//! Files compressed by the Windows Overlay Filter (CompactOS): a reparse point names the algorithm, the stream
//! `WofCompressedData` holds the chunks, and the main stream is one hole of the file's size.
//!
//! Format: libfsntfs, "New Technologies File System (NTFS)", "Windows Overlay Filter"; [MS-FSCC] 2.1.2.1 for the
//! tag. As in a WIM resource, the chunks are preceded by a table with the ends of all chunks except the last,
//! counted from the end of the table.

mod bits;
mod code;
mod lzx;
mod xpress;

pub use xpress::expand_xpress_huffman;

use super::NtfsDamage;
use super::bytes::{u32_at, u64_at};
use super::stream::Stream;
use crate::error::ReadError;
use crate::path::EvidencePath;
use crate::read::{Extent, ReadAt, read_full_at};
use ledger::ByteSpan;
use std::cell::RefCell;
use std::panic::catch_unwind;

/// The stream that holds the chunks.
pub(super) const STREAM: &str = "WofCompressedData";

/// Bytes of the table read at once.
const PAGE: u64 = 4096;

/// How the chunks are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Algorithm {
    /// XPRESS Huffman, in chunks of this many bytes: 4, 8 or 16 KiB.
    Xpress(u32),
    /// LZX, chunks of 32 KiB.
    Lzx,
}

impl Algorithm {
    /// Reads the algorithm from a whole reparse buffer; the error says what is not supported.
    pub(super) fn read(buffer: &[u8]) -> Result<Algorithm, &'static str> {
        let field = |at| u32_at(buffer, at).unwrap_or(u32::MAX);
        // Version and number of the provider, then version and algorithm of the FILE provider.
        match (field(8), field(12), field(16), field(20)) {
            (1, 2, 1, 0) => Ok(Algorithm::Xpress(4 << 10)),
            (1, 2, 1, 1) => Ok(Algorithm::Lzx),
            (1, 2, 1, 2) => Ok(Algorithm::Xpress(8 << 10)),
            (1, 2, 1, 3) => Ok(Algorithm::Xpress(16 << 10)),
            (1, 1, _, _) => Err("a file whose bytes stand in a WIM (Windows overlay filter)"),
            _ => Err("a file of the Windows overlay filter, of an unknown provider or algorithm"),
        }
    }

    /// Returns the size of every chunk except the last, in bytes.
    fn chunk(self) -> u64 {
        match self {
            Algorithm::Xpress(chunk) => chunk.into(),
            Algorithm::Lzx => 32 << 10,
        }
    }

    /// Expands a chunk to its `size` bytes; `None` if it is damaged.
    fn expand(self, packed: &[u8], size: usize) -> Option<Vec<u8>> {
        let expanded = catch_unwind(|| match self {
            Algorithm::Xpress(_) => xpress::expand(packed, size),
            Algorithm::Lzx => lzx::expand(packed, size),
        });
        expanded.ok().flatten().filter(|bytes| bytes.len() == size)
    }
}

/// The bytes of a compressed file; only the chunk read last is kept.
pub(crate) struct Overlay {
    algorithm: Algorithm,
    entry: u64,
    size: u64,
    path: EvidencePath,
    chunks: RefCell<Chunks>,
    expanded: Option<(u64, Vec<u8>)>,
}

impl Overlay {
    /// Creates a file of `size` bytes, whose chunks are in `stream` of the entry.
    pub(crate) fn new(algorithm: Algorithm, entry: u64, size: u64, stream: Stream) -> Overlay {
        let path = stream.path().clone();
        let chunks = Chunks::new(stream, entry, size, algorithm.chunk());
        Overlay { algorithm, entry, size, path, chunks: RefCell::new(chunks), expanded: None }
    }

    fn expand(&self, number: u64) -> Result<Vec<u8>, ReadError> {
        let mut chunks = self.chunks.borrow_mut();
        let (offset, size) = chunks.expanded(number);
        let place = chunks.place(number)?;
        let wanted = |length| usize::try_from(length).unwrap_or(0);
        let mut bytes = vec![0; wanted(place.length)];
        read_full_at(&mut chunks.stream, place.offset, &mut bytes)?;
        if place.length == size {
            return Ok(bytes);
        }
        let damaged = || {
            let source = NtfsDamage::Compression { entry: self.entry, offset };
            ReadError::Damaged { path: self.path.clone(), source: source.into() }
        };
        self.algorithm.expand(&bytes, wanted(size)).ok_or_else(damaged)
    }
}

impl ReadAt for Overlay {
    fn len(&self) -> u64 {
        self.size
    }

    fn path(&self) -> &EvidencePath {
        &self.path
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadError> {
        if offset >= self.size || buffer.is_empty() {
            return Ok(0);
        }
        let (number, within) = (offset / self.algorithm.chunk(), offset % self.algorithm.chunk());
        if self.expanded.as_ref().is_none_or(|(at, _)| *at != number) {
            self.expanded = Some((number, self.expand(number)?));
        }
        let chunk = self.expanded.as_ref().map(|(_, bytes)| bytes.as_slice()).unwrap_or_default();
        let rest = usize::try_from(within).ok().and_then(|from| chunk.get(from..)).unwrap_or_default();
        let copied = rest.len().min(buffer.len());
        for (to, byte) in buffer.iter_mut().zip(rest) {
            *to = *byte;
        }
        Ok(copied)
    }

    /// Returns the whole of every chunk that holds bytes of the span; nothing if the table cannot be read.
    fn provenance(&self, span: ByteSpan) -> Vec<Extent> {
        let end = span.end().min(self.size);
        if span.offset >= end {
            return Vec::new();
        }
        let mut chunks = self.chunks.borrow_mut();
        let chunk = self.algorithm.chunk();
        let (first, last) = (chunks.place(span.offset / chunk), chunks.place((end - 1) / chunk));
        let (Ok(first), Ok(last)) = (first, last) else { return Vec::new() };
        let length = last.end().saturating_sub(first.offset);
        chunks.stream.provenance(ByteSpan { offset: first.offset, length })
    }
}

/// The stream of the chunks with its table.
struct Chunks {
    stream: Stream,
    entry: u64,
    /// Size of the file and of a chunk in bytes, and the number of chunks.
    size: u64,
    chunk: u64,
    count: u64,
    /// Size of a table entry in bytes.
    width: u64,
    /// The page of the table read last: its start and its bytes.
    page: Option<(u64, Vec<u8>)>,
}

impl Chunks {
    fn new(stream: Stream, entry: u64, size: u64, chunk: u64) -> Chunks {
        let width = if size <= u32::MAX.into() { 4 } else { 8 };
        Chunks { stream, entry, size, chunk, count: size.div_ceil(chunk), width, page: None }
    }

    /// Returns the offset in the file of a chunk's first byte, and the chunk's expanded size.
    fn expanded(&self, number: u64) -> (u64, u64) {
        let offset = number.saturating_mul(self.chunk);
        (offset, self.size.saturating_sub(offset).min(self.chunk))
    }

    /// Returns the location of a chunk in the stream.
    fn place(&mut self, number: u64) -> Result<ByteSpan, ReadError> {
        let table = self.count.saturating_sub(1).saturating_mul(self.width);
        let total = self.stream.len();
        let start = match number.checked_sub(1) {
            Some(before) => table.saturating_add(self.end(before)?),
            None => table,
        };
        let end = match number.saturating_add(1) < self.count {
            true => table.saturating_add(self.end(number)?),
            false => total,
        };
        let (offset, size) = self.expanded(number);
        match end.checked_sub(start) {
            Some(length) if (1..=size).contains(&length) && end <= total => {
                Ok(ByteSpan { offset: start, length })
            }
            _ => {
                let source = NtfsDamage::Chunk { entry: self.entry, offset, size, start, end, total };
                Err(ReadError::Damaged { path: self.stream.path().clone(), source: source.into() })
            }
        }
    }

    /// Reads an entry of the table; an entry past the end of the stream is returned as an end past it, too.
    fn end(&mut self, index: u64) -> Result<u64, ReadError> {
        let at = index.saturating_mul(self.width);
        let start = at - at % PAGE;
        if self.page.as_ref().is_none_or(|(found, _)| *found != start) {
            let mut bytes = vec![0; usize::try_from(PAGE).unwrap_or(0)];
            let read = read_full_at(&mut self.stream, start, &mut bytes)?;
            bytes.truncate(read);
            self.page = Some((start, bytes));
        }
        let page = self.page.as_ref().map(|(_, bytes)| bytes.as_slice()).unwrap_or_default();
        let within = usize::try_from(at - start).unwrap_or(usize::MAX);
        let found = if self.width == 4 { u32_at(page, within).map(u64::from) } else { u64_at(page, within) };
        Ok(found.unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Container;
    use crate::ntfs::Place;
    use crate::ntfs::entry::{Data, Stored};
    use crate::ntfs::runs::Runs;
    use crate::window::Window;
    use ntfs_core::runlist::Run;
    use std::io::Write;
    use std::rc::Rc;

    #[test]
    fn a_file_of_four_gibibytes_has_a_table_of_eight_bytes_each() {
        // A table of 1 MiB, all of it a hole except the last cluster, whose last entry is 3; then four bytes of
        // chunks.
        let mut medium = vec![0; 1536];
        medium[510..512].copy_from_slice(&[0x55, 0xaa]);
        medium[1016] = 3;
        medium[1024..1028].copy_from_slice(b"...z");
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&medium).unwrap();
        let container = Rc::new(Container::open(file.path(), "disk").unwrap());
        let place = Rc::new(Place { window: Window::new(&container, 0, 1536), cluster: 512 });
        let mut runs = Runs::default();
        runs.add(9, 0, vec![Run { length: 2047, lcn: None }, Run { length: 2, lcn: Some(1) }]).unwrap();
        let (size, stored) = ((1 << 20) + 4, Stored::Clusters(Rc::new(runs)));
        let data =
            Data { entry: 9, size, initialised: size, allocated: 0, encrypted: false, unit: 0, stored };
        let whole = 1 << 32;
        let mut overlay = Overlay::new(Algorithm::Lzx, 9, whole + 1, Stream::new(data, place));
        let mut bytes = [0; 9];
        assert_eq!(overlay.read_at(whole, &mut bytes).unwrap(), 1);
        assert_eq!(bytes[0], b'z');
        let extents = overlay.provenance(ByteSpan { offset: whole, length: 9 });
        assert_eq!(extents.iter().map(|e| (e.offset, e.length)).collect::<Vec<_>>(), [(1027, 1)]);
        assert!(overlay.read_at(0, &mut bytes).is_err(), "its end is told as its start");
        assert_eq!(Chunks::new(overlay.chunks.into_inner().stream, 9, whole - 1, 32 << 10).width, 4);
    }

    #[test]
    fn only_what_is_known_is_read() {
        let buffer = |fields: [u32; 4]| {
            let mut bytes = vec![0x17, 0, 0, 0x80, 16, 0, 0, 0];
            bytes.extend(fields.into_iter().flat_map(u32::to_le_bytes));
            Algorithm::read(&bytes)
        };
        let chunks = [0, 1, 2, 3].map(|algorithm| buffer([1, 2, 1, algorithm]).unwrap().chunk());
        assert_eq!(chunks, [4096, 32_768, 8192, 16_384]);
        for unknown in [[1, 2, 1, 4], [1, 2, 2, 0], [2, 2, 1, 0], [1, 3, 1, 0]] {
            assert!(buffer(unknown).unwrap_err().contains("unknown"), "{unknown:?}");
        }
        assert!(buffer([1, 1, 0, 0]).unwrap_err().contains("WIM"));
        assert!(Algorithm::read(&[0x17, 0, 0, 0x80]).is_err());
    }
}
