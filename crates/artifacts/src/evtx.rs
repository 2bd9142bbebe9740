//! Event logs of Windows Vista and later (`.evtx`): records with the fields of their system part and their data.
//!
//! The `evtx` crate finds the records of a chunk and renders their binary XML. The rendered text is read here in
//! one pass without building a tree.
//! Whatever the crate does with damaged bytes, including a panic, becomes [`LogDamage`] of one chunk or one record.
//! Sources of the format: [MS-EVEN6] 2.2 (BinXml); Joachim Metz, libevtx, "Windows XML Event Log (EVTX) format".

mod chunk;
mod computers;
pub(crate) mod event;
mod instant;
pub(crate) mod xml;

pub use computers::{Writer, computers};
pub use event::{Event, System};
pub use instant::filetime;

use crate::fields::{bytes, u64_at};
use evtx::{EvtxFileHeader, HeaderFlags};
use std::ops::{ControlFlow, Range};
use thiserror::Error;

/// Size of the file header before the first chunk, in bytes.
const HEAD: u64 = 4096;

/// Size of a chunk in bytes.
const CHUNK: usize = 0x1_0000;

/// Size of a chunk header in bytes.
const CHUNK_HEAD: usize = 512;

/// The first bytes of a log.
const MAGIC: &[u8; 8] = b"ElfFile\0";

/// The first bytes of a chunk.
const CHUNK_MAGIC: &[u8; 8] = b"ElfChnk\0";

/// The first bytes of a record.
const RECORD_MAGIC: &[u8; 4] = b"**\0\0";

/// The header of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogHead {
    /// The number that the next record will get.
    pub next_record_id: u64,
    /// The declared number of chunks.
    pub chunks: u16,
    /// Whether it was written to and not closed since: the header may be older than the chunks.
    pub dirty: bool,
    /// Whether the log was full: old records were dropped.
    pub full: bool,
    /// Whether its checksum is correct, or it has none.
    pub intact: bool,
}

/// An item found in a log, in the order in which Windows reads it.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "made and taken apart once a record: a box would cost more")]
pub enum Found<'a> {
    /// The header of the log, before anything else, if it can be read.
    Head(LogHead),
    /// A record.
    Event(Event<'a>),
    /// Damage that may hide records.
    Damage(LogDamage),
    /// A chunk with a wrong checksum: it was changed, or not closed. Its records follow.
    Checksum {
        /// Where the chunk begins in the file.
        offset: u64,
    },
}

/// One damaged place of a log.
#[derive(Debug)]
pub struct LogDamage {
    /// Offset from the start of the file, in bytes.
    pub offset: u64,
    /// The number of the record, if known.
    pub record_id: Option<u64>,
    /// What is wrong there.
    pub what: LogDamageKind,
}

/// What is wrong with a piece of a log.
#[derive(Debug, Error)]
pub enum LogDamageKind {
    /// The header of the log is not valid.
    #[error("the head of the log cannot be read: {0}")]
    Head(#[source] evtx::err::DeserializationError),
    /// A chunk does not begin like one; `tried` says that bytes that look like its records were read anyway.
    #[error("a chunk without its head{}", if *.tried { "; what looks like its records was read" } else { "" })]
    NoChunk {
        /// Whether there was something to read.
        tried: bool,
    },
    /// A chunk that the header counts holds nothing but zeros.
    #[error("a chunk that the head of the log counts is empty")]
    Emptied,
    /// The file has fewer chunks than its header counts.
    #[error("the head of the log counts {expected} chunks but there are {actual}")]
    Chunks {
        /// Number of chunks according to the header.
        expected: u64,
        /// Number of chunks in the file.
        actual: u64,
    },
    /// The file ends within a chunk.
    #[error("a chunk of {expected} bytes ends with the file after {actual}")]
    Cut {
        /// Size of a chunk in bytes.
        expected: usize,
        /// Size of this one in bytes.
        actual: usize,
    },
    /// A chunk cannot be read.
    #[error("a chunk cannot be read: {0}")]
    Chunk(#[source] evtx::err::ChunkError),
    /// A record cannot be read.
    #[error("a record cannot be read: {0}")]
    Record(#[source] evtx::err::EvtxError),
    /// The reader of records panicked on it.
    #[error("{what} stopped the reader")]
    Panic {
        /// Either a chunk or a record.
        what: &'static str,
    },
    /// A record extends beyond the end of the file.
    #[error("a record ends after the end of the file")]
    RecordCut,
    /// A record has no readable system part.
    #[error("a record has no {0}")]
    Lacks(&'static str),
}

/// Returns the bytes of a file at an offset: as many as there are and fit.
pub type Fetch<'f, E> = dyn FnMut(u64, &mut [u8]) -> Result<usize, E> + 'f;

/// Returns the first stored byte from an offset on: anything before it is a hole.
pub type Stored<'f> = dyn FnMut(u64) -> u64 + 'f;

/// Checks whether a file begins like an event log.
pub fn is_log(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// Reads a log of `length` bytes, which `fetch` returns piece by piece: as many bytes at an offset as there are.
///
/// Chunks are read from the one with the oldest records on, wrapping around; those in holes are skipped.
pub fn read<E>(
    length: u64,
    fetch: &mut Fetch<'_, E>,
    stored: &mut Stored<'_>,
    visit: &mut dyn FnMut(Found<'_>) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, E> {
    let mut head = vec![0; HEAD as usize];
    let got = fetch(0, &mut head)?;
    let damage = |offset, what| Found::Damage(LogDamage { offset, record_id: None, what });
    let slots = length.saturating_sub(HEAD).div_ceil(CHUNK as u64);
    let (found, counted) = match EvtxFileHeader::from_bytes(head.get(..got).unwrap_or_default()) {
        Ok(head) => (Found::Head(log_head(&head)), u64::from(head.chunk_count)),
        Err(error) => (damage(0, LogDamageKind::Head(error)), 0),
    };
    let short =
        (counted > slots).then(|| damage(length, LogDamageKind::Chunks { expected: counted, actual: slots }));
    for found in [Some(found), short].into_iter().flatten() {
        if visit(found).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    let oldest = oldest(slots, fetch, stored)?;
    for range in [oldest..slots, 0..oldest] {
        let mut slot = range.start;
        while slot < range.end {
            let offset = HEAD + slot * CHUNK as u64;
            let next = behind_hole(slot, stored);
            let counted_in_hole = slot..next.min(range.end).min(counted);
            for slot in counted_in_hole {
                let emptied = damage(HEAD + slot * CHUNK as u64, LogDamageKind::Emptied);
                if visit(emptied).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            if next > slot {
                slot = next;
                continue;
            }
            let mut data = vec![0; CHUNK];
            let got = fetch(offset, &mut data)?;
            // A chunk that was never written is all zeros; whole pieces are compared because most of a log can
            // be empty.
            let empty = data.as_chunks::<64>().0.iter().all(|piece| *piece == [0; 64]);
            let flow = match empty {
                true if slot < counted => visit(damage(offset, LogDamageKind::Emptied)),
                true => ControlFlow::Continue(()),
                false => chunk::read(data, got, offset, visit),
            };
            if flow.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            slot += 1;
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Returns the first chunk from this one on that is not entirely in a hole.
fn behind_hole(slot: u64, stored: &mut Stored<'_>) -> u64 {
    let first = stored(HEAD + slot * CHUNK as u64).saturating_sub(HEAD);
    slot.max(first / CHUNK as u64)
}

/// The same for a log in memory.
pub fn read_bytes(log: &[u8], visit: &mut dyn FnMut(Found<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut fetch = |offset: u64, buffer: &mut [u8]| {
        let rest = usize::try_from(offset).ok().and_then(|at| log.get(at..)).unwrap_or_default();
        let length = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..length), rest.get(..length)) {
            to.copy_from_slice(from);
        }
        Ok::<_, std::convert::Infallible>(length)
    };
    read(log.len() as u64, &mut fetch, &mut |offset| offset, visit).unwrap_or(ControlFlow::Continue(()))
}

fn log_head(head: &EvtxFileHeader) -> LogHead {
    LogHead {
        next_record_id: head.next_record_id,
        chunks: head.chunk_count,
        dirty: head.flags.contains(HeaderFlags::DIRTY),
        full: head.flags.contains(HeaderFlags::FULL),
        intact: head.validate_checksum(),
    }
}

/// Finds the chunk with the oldest records: a full log overwrites it with its next chunk, so it can be anywhere.
fn oldest<E>(slots: u64, fetch: &mut Fetch<'_, E>, stored: &mut Stored<'_>) -> Result<u64, E> {
    let mut oldest = (u64::MAX, 0);
    let mut next = 0;
    while next < slots {
        let slot = behind_hole(next, stored);
        next = slot + 1;
        if slot >= slots {
            break;
        }
        let mut head = [0; CHUNK_HEAD];
        let got = fetch(HEAD + slot * CHUNK as u64, &mut head)?;
        if let Some(ids) = head.get(..got).and_then(ids)
            && ids.start <= ids.end
            && ids.start < oldest.0
        {
            oldest = (ids.start, slot);
        }
    }
    Ok(oldest.1)
}

/// Returns the first and the last record number in the header of a chunk.
fn ids(head: &[u8]) -> Option<Range<u64>> {
    (bytes(head, 0, 8)? == CHUNK_MAGIC).then_some(())?;
    Some(u64_at(head, 24)?..u64_at(head, 32)?)
}
