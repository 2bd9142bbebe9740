//! Transaction logs applied to a hive, in memory (sections "Format of transaction log files", "Dirty state of a
//! hive", "Multiple transaction log files").
//!
//! Two formats are supported: a bitmap of sectors (`DIRT`, up to Windows 8) and entries with hashes (`HvLE`,
//! Windows 8.1 and later).
//! Exactly those changes are applied that Windows would apply when it loads the hive; the others are reported
//! with the reason.
//! [`Replay::place`] gives the real location of bytes of the result: in the hive file, in a log, or nowhere in
//! one piece.

mod entries;
mod marvin;
mod sectors;
mod target;

use super::cells::{u32_at, u64_at};
use super::header::{self, BASE_BLOCK};
use target::Target;

/// Length of the part of the base block that logs hold a copy of, and that its checksum covers.
const COPIED: usize = 512;

/// Bytes by which logs may enlarge a hive, in addition to a multiple of their own size: growth is written to the log.
const LEAST_GROWTH: u64 = 16 << 20;

/// Windows' own limit for the bins of a hive: references have 31 bits.
const LARGEST: u64 = 1 << 31;

/// The result of applying logs to a hive.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// The hive with the changes applied and its sequence numbers equal again; `None` if nothing was applied.
    pub bytes: Option<Vec<u8>>,
    /// What was applied, in this order.
    pub applied: Vec<Applied>,
    /// What was not applied, and where reading a log ended early.
    pub left_out: Vec<LeftOut>,
    /// The log whose copy of the base block replaces the hive's own, which is damaged.
    pub base_block_from: Option<usize>,
    pieces: target::Pieces,
}

/// One applied entry of a log; for a log in the old format, the whole log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The log, by its index among those passed in.
    pub log: usize,
    /// Where the entry begins in the log.
    pub offset: u64,
    /// Its sequence number.
    pub sequence: u32,
    /// Number of pages written: of any length in the new format, of 512 bytes in the old one.
    pub pages: u32,
    /// Number of bytes written.
    pub bytes: u64,
}

/// A part of a log that was not applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The log, by its index among those passed in.
    pub log: usize,
    /// Its offset in the log.
    pub offset: u64,
    /// The reason.
    pub why: Why,
}

/// Why a log, or the rest of it, was not applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The log holds nothing but zeros.
    #[error("the log is empty")]
    Empty,
    /// Its base block is not valid.
    #[error("the log has no valid base block")]
    BaseBlock,
    /// Its base block says that it is not a log.
    #[error("file type {actual} is none of a log")]
    FileType {
        /// As stored.
        actual: u32,
    },
    /// A log of the old format does not begin with a bitmap of sectors.
    #[error("no bitmap of sectors (DIRT) follows the base block of the log")]
    Bitmap,
    /// A log of the old format was not completely written.
    #[error("the log was not written to its end (sequence numbers {primary} and {secondary})")]
    Unfinished {
        /// Primary sequence number of the log.
        primary: u32,
        /// Secondary sequence number of the log.
        secondary: u32,
    },
    /// A log of the old format belongs to another state of the hive: the times in their base blocks differ.
    #[error("the log belongs to another state of the hive: their last-written times differ")]
    OtherState,
    /// Another log is the one to apply.
    #[error("another log is the later one")]
    OtherLog,
    /// The changes are already in the hive.
    #[error("the last entry ({sequence}) comes before what the hive holds ({held})")]
    Earlier {
        /// The last sequence number read.
        sequence: u32,
        /// Secondary sequence number of the hive.
        held: u32,
    },
    /// An entry does not continue the one before it.
    #[error("sequence number should be {expected} but is {actual}")]
    Sequence {
        /// The next number.
        expected: u32,
        /// As stored.
        actual: u32,
    },
    /// The hashes of an entry do not match its bytes: it was not completely written, or was changed.
    #[error("entry {sequence} does not fit its hashes")]
    Hash {
        /// Sequence number of the entry, as stored.
        sequence: u32,
    },
    /// Fields of an entry contradict each other.
    #[error("entry {sequence} contradicts itself")]
    Entry {
        /// Sequence number of the entry.
        sequence: u32,
    },
    /// A page is outside the hive bins.
    #[error("a page at {offset:#x} lies outside the {limit} bytes of hive bins")]
    Outside {
        /// Its target offset, from the first hive bin.
        offset: u64,
        /// Size of the hive bins according to the log.
        limit: u64,
    },
    /// The hive would grow by far more than the logs hold.
    #[error("hive bins of {size} bytes are more than these logs can have made (limit {limit})")]
    TooLarge {
        /// Size of the hive bins according to the log.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// The log ends before its pages.
    #[error("the log should have {expected} bytes but has {actual}")]
    Cut {
        /// Bytes that its bitmap needs.
        expected: u64,
        /// Bytes available.
        actual: u64,
    },
}

impl Why {
    /// Checks whether this is damage; otherwise the log is in a normal state and has nothing to contribute.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Empty | Self::OtherState | Self::OtherLog | Self::Earlier { .. } => false,
            Self::BaseBlock
            | Self::FileType { .. }
            | Self::Bitmap
            | Self::Unfinished { .. }
            | Self::Sequence { .. }
            | Self::Hash { .. }
            | Self::Entry { .. }
            | Self::Outside { .. }
            | Self::TooLarge { .. }
            | Self::Cut { .. } => true,
        }
    }
}

/// The location of bytes of a replayed hive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the hive file, at the same offset.
    Hive,
    /// In a log.
    Log {
        /// The log, by its index among those passed in.
        log: usize,
        /// The offset in it.
        offset: u64,
    },
    /// Not in one piece in any file.
    Nowhere,
}

/// A log with a valid base block.
#[derive(Clone, Copy)]
struct Log<'a> {
    number: usize,
    bytes: &'a [u8],
    primary: u32,
    secondary: u32,
    written: u64,
    file_type: u32,
}

/// The base block of the hive itself.
struct Base {
    sound: bool,
    secondary: u32,
    written: u64,
}

/// Applies `logs` (in any order) to a hive whose base block requires it; a clean hive is not changed.
///
/// Memory is bounded by the sizes of the hive and the logs.
pub fn replay(hive: &[u8], logs: &[&[u8]]) -> Replay {
    let mut replay = Replay::default();
    if !is_dirty(hive) {
        return replay;
    }
    let base = Base {
        sound: is_sound(hive),
        secondary: u32_at(hive, 8).unwrap_or_default(),
        written: u64_at(hive, 12).unwrap_or_default(),
    };
    let usable = usable(logs, &mut replay.left_out);
    let written: u64 = logs.iter().map(|log| log.len() as u64).sum();
    let limit = (hive.len() as u64).saturating_add(written.saturating_mul(16)).saturating_add(LEAST_GROWTH);
    let mut target = Target::new(hive, limit.min(LARGEST));
    let (new, old): (Vec<_>, Vec<_>) = usable.into_iter().partition(|log| log.file_type == 6);
    let sequence = if new.is_empty() {
        sectors::apply(&base, &old, &mut target, &mut replay)
    } else {
        replay.left_out.extend(old.iter().map(|log| log.left_out(0, Why::OtherLog)));
        entries::apply(&base, new, &mut target, &mut replay)
    };
    if let Some(sequence) = sequence {
        let (bytes, pieces) = target.finish(sequence);
        (replay.bytes, replay.pieces) = (Some(bytes), pieces);
    }
    replay
}

impl Replay {
    /// Returns the location of bytes of the replayed hive; `hive` are the bytes of the hive file, `replayed`
    /// those of [`Replay::bytes`].
    ///
    /// Bytes that a log leaves unchanged are still located in the hive.
    pub fn place(&self, hive: &[u8], replayed: &[u8], offset: u64, length: u64) -> Place {
        match (part(hive, offset, length), part(replayed, offset, length)) {
            (Some(base), Some(replayed)) if base == replayed => Place::Hive,
            (_, Some(_)) => self.pieces.place(offset, length),
            (_, None) => Place::Nowhere,
        }
    }

    /// Returns the total number of pages written.
    pub fn pages(&self) -> u64 {
        self.applied.iter().map(|entry| u64::from(entry.pages)).sum()
    }
}

fn part(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let (start, length) = (usize::try_from(offset).ok()?, usize::try_from(length).ok()?);
    bytes.get(start..start.checked_add(length)?)
}

/// Checks whether a hive needs its logs: its sequence numbers differ, or its base block is damaged.
pub fn is_dirty(hive: &[u8]) -> bool {
    hive.len() >= BASE_BLOCK && (!is_sound(hive) || u32_at(hive, 4) != u32_at(hive, 8))
}

/// Checks whether the bytes begin with a base block whose checksum is correct.
fn is_sound(bytes: &[u8]) -> bool {
    bytes.len() >= COPIED
        && bytes.starts_with(b"regf")
        && u32_at(bytes, 0x1FC) == Some(header::checksum(bytes))
}

impl Log<'_> {
    fn left_out(&self, offset: usize, why: Why) -> LeftOut {
        LeftOut { log: self.number, offset: offset as u64, why }
    }
}

/// Returns the logs with a usable base block.
fn usable<'a>(logs: &[&'a [u8]], left_out: &mut Vec<LeftOut>) -> Vec<Log<'a>> {
    let mut usable = Vec::new();
    for (number, bytes) in logs.iter().copied().enumerate() {
        let field = |at| u32_at(bytes, at).unwrap_or_default();
        let written = u64_at(bytes, 12).unwrap_or_default();
        let log =
            Log { number, bytes, primary: field(4), secondary: field(8), written, file_type: field(0x1C) };
        let why = if bytes.iter().all(|byte| *byte == 0) {
            Why::Empty
        } else if !is_sound(bytes) {
            Why::BaseBlock
        } else if !matches!(log.file_type, 1 | 2 | 6) {
            Why::FileType { actual: log.file_type }
        } else {
            usable.push(log);
            continue;
        };
        left_out.push(log.left_out(0, why));
    }
    usable
}
