//! Event logs of Windows Vista and later (`.evtx`): records with the fields of their system part and their data.
//!
//! The `evtx` crate finds the records of a chunk and renders their binary XML; what it renders is read here in one pass without building a tree.
//! Everything that the crate may do with damaged bytes, a panic included, ends as [`LogDamage`] of one chunk or one record.
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

/// Bytes before the first chunk.
const HEAD: u64 = 4096;

/// Bytes of a chunk.
const CHUNK: usize = 0x1_0000;

/// Bytes of a chunk's head.
const CHUNK_HEAD: usize = 512;

/// How a log begins.
const MAGIC: &[u8; 8] = b"ElfFile\0";

/// How a chunk begins.
const CHUNK_MAGIC: &[u8; 8] = b"ElfChnk\0";

/// How a record begins.
const RECORD_MAGIC: &[u8; 4] = b"**\0\0";

/// What the head of a log says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogHead {
    /// The number that the next record will get.
    pub next_record_id: u64,
    /// How many chunks it counts.
    pub chunks: u16,
    /// Written to and not closed since: the head may be behind the chunks.
    pub dirty: bool,
    /// The log was full: old records were dropped.
    pub full: bool,
    /// Whether its checksum is that of its bytes, or it has none.
    pub intact: bool,
}

/// What is met in a log, in the order in which Windows reads it.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "made and taken apart once a record: a box would cost more")]
pub enum Found<'a> {
    /// The head of the log, first of all, where it can be read.
    Head(LogHead),
    /// A record.
    Event(Event<'a>),
    /// Damage that may hide records.
    Damage(LogDamage),
    /// A chunk whose checksum is not that of its bytes: it was changed, or not closed; its records follow.
    Checksum {
        /// Where the chunk begins in the file.
        offset: u64,
    },
}

/// One damaged place of a log.
#[derive(Debug)]
pub struct LogDamage {
    /// Bytes from the start of the file.
    pub offset: u64,
    /// The number of the record, where it is known.
    pub record_id: Option<u64>,
    /// What is wrong there.
    pub what: LogDamageKind,
}

/// What is wrong with a piece of a log.
#[derive(Debug, Error)]
pub enum LogDamageKind {
    /// The head of the log is none.
    #[error("the head of the log cannot be read: {0}")]
    Head(#[source] evtx::err::DeserializationError),
    /// A chunk does not begin as one; `tried` says that what looks like its records was read all the same.
    #[error("a chunk without its head{}", if *.tried { "; what looks like its records was read" } else { "" })]
    NoChunk {
        /// Whether there was something to read.
        tried: bool,
    },
    /// A chunk that the head counts holds nothing but zeros.
    #[error("a chunk that the head of the log counts is empty")]
    Emptied,
    /// The file has fewer chunks than its head counts.
    #[error("the head of the log counts {expected} chunks but there are {actual}")]
    Chunks {
        /// Chunks by the head.
        expected: u64,
        /// Chunks of the file.
        actual: u64,
    },
    /// The file ends within a chunk.
    #[error("a chunk of {expected} bytes ends with the file after {actual}")]
    Cut {
        /// Bytes of a chunk.
        expected: usize,
        /// Bytes of this one.
        actual: usize,
    },
    /// A chunk cannot be read.
    #[error("a chunk cannot be read: {0}")]
    Chunk(#[source] evtx::err::ChunkError),
    /// A record cannot be read.
    #[error("a record cannot be read: {0}")]
    Record(#[source] evtx::err::EvtxError),
    /// The reader of records stopped on it.
    #[error("{what} stopped the reader")]
    Panic {
        /// A chunk or a record.
        what: &'static str,
    },
    /// A record reaches beyond the end of the file.
    #[error("a record ends after the end of the file")]
    RecordCut,
    /// A record has no system part that can be read.
    #[error("a record has no {0}")]
    Lacks(&'static str),
}

/// Gives the bytes of a file at an offset: as many as there are and have room.
pub type Fetch<'f, E> = dyn FnMut(u64, &mut [u8]) -> Result<usize, E> + 'f;

/// Gives the first byte from an offset on that is stored anywhere: what stands between is a hole.
pub type Stored<'f> = dyn FnMut(u64) -> u64 + 'f;

/// Whether a file begins as an event log.
pub fn is_log(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// Reads a log of `length` bytes, which `fetch` gives piece by piece: as many bytes at an offset as there are.
///
/// Chunks are read from the one with the oldest records on, and around; those that lie in holes are not.
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
            // A chunk that was never written is all zero; pieces are compared at once, for most of a log can be empty.
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

/// The first chunk from this one on that does not lie in a hole as a whole.
fn behind_hole(slot: u64, stored: &mut Stored<'_>) -> u64 {
    let first = stored(HEAD + slot * CHUNK as u64).saturating_sub(HEAD);
    slot.max(first / CHUNK as u64)
}

/// The same for a log that is in memory.
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

/// The chunk with the oldest records: a full log writes its next chunk over that one, so it can be anywhere.
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

/// The first and the last record number in the head of a chunk.
fn ids(head: &[u8]) -> Option<Range<u64>> {
    (bytes(head, 0, 8)? == CHUNK_MAGIC).then_some(())?;
    Some(u64_at(head, 24)?..u64_at(head, 32)?)
}
