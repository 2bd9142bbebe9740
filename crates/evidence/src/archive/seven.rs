//! 7z: `sevenz-rust2` reads the header, `lzma-rust2` expands the blocks.
//!
//! A block is one stream of many files. To reach a file in a solid block, the files before it are expanded.
//! Chains of COPY, LZMA, LZMA2, the branch filters and delta are expanded as they are read. BCJ2, which mixes
//! four streams, is expanded in windows, each of which costs a pass over the block.

mod block;

use super::damage::ArchiveDamage;
use super::decode::Part;
use super::index::{self, Body, Content, Found, Index, Leaf, LeafKind, MAX_ENTRIES};
use super::name;
use super::stamp::{Stamp, Stamps};
use super::stream::{self, Bound, Stream};
use sevenz_rust2::{Archive, ArchiveEntry, Error, Password};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// Bytes of a block kept in memory.
const KEEP: usize = 128 << 20;

/// The number of blocks whose bytes are kept.
const BLOCKS: usize = 4;

/// An opened 7z.
pub(super) struct Seven {
    file: Rc<File>,
    length: u64,
    archive: Rc<Archive>,
    /// Bytes of a block to which the ratio limit does not apply.
    free: u64,
    /// The blocks read most recently, latest first.
    open: RefCell<VecDeque<(usize, Rc<RefCell<Stream>>)>>,
}

/// Why a 7z cannot be listed.
pub(super) enum Refused {
    Damaged(ArchiveDamage),
    Encrypted,
}

/// A file with a position, as the header reader needs it.
pub(super) struct Source {
    part: Part,
    at: u64,
    length: u64,
}

impl Source {
    pub(super) fn new(file: &Rc<File>, length: u64) -> Source {
        Source { part: Part::new(file, 0, length), at: 0, length }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.part.read_at(self.at, buffer)?;
        self.at = self.at.saturating_add(read as u64);
        Ok(read)
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(std::io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// Lists the 7z.
pub(super) fn read(file: &Rc<File>, length: u64) -> Result<(Seven, Index), Refused> {
    let mut source = Source::new(file, length);
    if is_cut(&mut source) {
        let expected = "as many bytes as the 7z declares: it is cut, or one part of several";
        return Err(Refused::Damaged(ArchiveDamage::Structure { offset: length, expected }));
    }
    let read = catch_unwind(AssertUnwindSafe(|| Archive::read(&mut source, &Password::empty())));
    let archive = match read {
        Ok(Ok(archive)) => archive,
        Ok(Err(Error::PasswordRequired)) => return Err(Refused::Encrypted),
        Ok(Err(Error::UnsupportedCompressionMethod(name))) if name.contains("AES") => {
            return Err(Refused::Encrypted);
        }
        Ok(Err(error)) => return Err(Refused::Damaged(ArchiveDamage::Header { expected: expected(&error) })),
        Err(_) => return Err(Refused::Damaged(ArchiveDamage::Stopped)),
    };
    let index = index(&archive);
    let open = RefCell::default();
    let declared =
        archive.blocks.iter().fold(0, |sum: u64, block| sum.saturating_add(block.get_unpack_size()));
    let free = stream::free(declared, length);
    Ok((Seven { file: file.clone(), length, archive: Rc::new(archive), free, open }, index))
}

/// Checks whether the header lies past the end of the file (7zFormat.txt, `SignatureHeader`): it comes last, and
/// its offset is at byte 12.
fn is_cut(source: &mut Source) -> bool {
    let mut start = [0; 32];
    if source.part.clone().read_exact(&mut start).is_err() {
        return true;
    }
    let field = |from: usize, bytes: usize| {
        let field = start.get(from..from + bytes).unwrap_or_default();
        field.iter().rev().fold(0_u64, |number, byte| (number << 8) | u64::from(*byte))
    };
    let (offset, size) = (field(12, 8), field(20, 8));
    // Without a valid checksum, the offset means nothing.
    field(8, 4) == u64::from(crc32fast::hash(start.get(12..).unwrap_or_default()))
        && offset.saturating_add(size).saturating_add(32) > source.length
}

/// Says what the header should have been, for an `error` of the reader, in our own words.
fn expected(error: &Error) -> &'static str {
    match error {
        Error::BadSignature(_) => "the signature of a 7z",
        Error::UnsupportedVersion { .. } => "a version that is known",
        Error::ChecksumVerificationFailed | Error::NextHeaderCrcMismatch => "what its CRC-32 says",
        Error::Io(..) | Error::FileOpen(..) | Error::FileNotFound => "as many bytes as it declares",
        Error::BadTerminatedStreamsInfo(_)
        | Error::BadTerminatedUnpackInfo
        | Error::BadTerminatedPackInfo(_)
        | Error::BadTerminatedSubStreamsInfo
        | Error::BadTerminatedHeader(_) => "lists that end where they say",
        Error::ExternalUnsupported | Error::Unsupported(_) | Error::UnsupportedCompressionMethod(_) => {
            "a form that is read here"
        }
        Error::MaxMemLimited { .. } => "one that fits into memory",
        Error::PasswordRequired | Error::MaybeBadPassword(_) => "one that is not encrypted",
        Error::Other(_) => "values that agree with each other and with the file",
    }
}

fn index(archive: &Archive) -> Index {
    let mut index = Index::default();
    let unread: Vec<_> = archive.blocks.iter().map(block::unread).collect();
    let mut place: (Option<usize>, u64) = (None, 0);
    for (number, entry) in archive.files.iter().enumerate().take(MAX_ENTRIES) {
        let block = archive.stream_map.file_block_index.get(number).copied().flatten();
        let has_data = entry.has_stream && block.is_some();
        if has_data && place.0 != block {
            place = (block, 0);
        }
        let content = match block.filter(|_| has_data) {
            None => Content::Empty,
            Some(block) => match unread.get(block).copied().flatten() {
                Some(found) => Content::Unread(found),
                None => Content::Seven { block, offset: place.1, crc: crc(entry) },
            },
        };
        index.add(found(entry, content));
        if has_data {
            place.1 = place.1.saturating_add(entry.size);
        }
    }
    if let Some(more) = archive.files.len().checked_sub(MAX_ENTRIES).filter(|more| *more > 0) {
        index.gap(format!("entries of the archive: {more} after the first {MAX_ENTRIES} are not listed"));
    }
    index.finish()
}

fn crc(entry: &ArchiveEntry) -> Option<u32> {
    entry.has_crc.then(|| u32::try_from(entry.crc).ok()).flatten()
}

fn found(entry: &ArchiveEntry, content: Content) -> Found {
    let time = |has: bool, time: sevenz_rust2::NtTime| {
        if has { Stamp::Filetime(time.into()) } else { Stamp::None }
    };
    let stamps = Stamps {
        modified: time(entry.has_last_modified_date, entry.last_modified_date),
        accessed: time(entry.has_access_date, entry.access_date),
        born: time(entry.has_creation_date, entry.creation_date),
    };
    // p7zip keeps the Unix mode in the upper half, and marks that with 0x8000.
    let mode = (entry.windows_attributes & 0x8000 != 0).then_some(entry.windows_attributes >> 16);
    let kind = match mode.map(|mode| mode & 0xf000) {
        Some(0xa000) => LeafKind::Symlink(None),
        Some(0x1000 | 0x2000 | 0x6000 | 0xc000) => LeafKind::Other,
        Some(_) | None => LeafKind::File,
    };
    let name = name::read(entry.name.as_bytes(), false);
    // The size counts only if the entry has a stream.
    let size = if content == Content::Empty { 0 } else { entry.size };
    let (kind, odd) = index::unmarked((!entry.is_directory).then_some(kind), size);
    let leaf = |kind| Leaf { kind, size: entry.size, stamps, offset: None, content };
    let body = kind.map_or(Body::Folder, |kind| Body::Leaf(leaf(kind)));
    Found { name, offset: None, stamps, body, odd: odd.into_iter().collect() }
}

impl Seven {
    /// Returns the stream of an expanded block.
    pub(super) fn block(&self, number: usize) -> Rc<RefCell<Stream>> {
        let mut open = self.open.borrow_mut();
        if let Some(place) = open.iter().position(|(block, _)| *block == number)
            && let Some(found) = open.remove(place)
        {
            open.push_front(found);
        } else {
            // Only one dictionary may be as large as memory allows.
            open.iter().for_each(|(_, stream)| stream.borrow_mut().rest());
            open.push_front((number, Rc::new(RefCell::new(self.stream(number)))));
            open.truncate(BLOCKS);
        }
        let found = open.front().map(|(_, stream)| stream.clone());
        found.unwrap_or_else(|| Rc::new(RefCell::new(self.stream(number))))
    }

    fn stream(&self, number: usize) -> Stream {
        let in_passes = self.archive.blocks.get(number).is_some_and(block::is_in_passes);
        // Expanding it again for each window costs the square of its size.
        let free = if in_passes { stream::FREE_OF_BOMB } else { self.free };
        Stream::new(block::start(&self.file, self.length, &self.archive, number), KEEP, Bound::Ratio { free })
    }
}
