//! Random access to data that can only be expanded from its start.
//!
//! Memory is bounded, whatever the size: the bytes read last are kept, and decoders that can be copied are saved
//! along the stream as points to resume from.
//! An earlier offset that neither covers costs a restart. After a restart the first bytes are kept, too; a
//! stream that is read once from start to end is therefore not held in memory.

use super::Expansion;
use super::damage::{ArchiveDamage, Wrong};
use super::decode::Part;
use crate::error::{Damage, ReadError};
use crate::path::EvidencePath;
use std::io;

/// A decoder that expands a stream from its start to its end.
pub(super) trait Decode {
    /// Reads the next bytes; returns 0 at the end, or for an empty buffer.
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Wrong>;

    /// Skips up to `most` of the next bytes and returns how many, 0 at the end. May use `scratch` to hold them.
    fn pass(&mut self, most: usize, scratch: &mut Vec<u8>) -> Result<usize, Wrong> {
        scratch.resize(PIECE, 0);
        self.read(scratch.get_mut(..most.min(PIECE)).unwrap_or_default())
    }

    /// Returns the number of compressed bytes consumed so far.
    fn taken(&self) -> u64;

    /// Returns the offset of the input left after the decoder's end, and that input.
    fn behind(&self) -> Option<(u64, Part)> {
        None
    }

    /// Returns a decoder in the same state, if that is possible.
    fn fork(&self) -> Option<Box<dyn Decode>> {
        None
    }
}

/// Creates the decoder of a stream, at its start.
pub(super) type Start = Box<dyn Fn() -> Result<Box<dyn Decode>, Wrong>>;

/// Bytes expanded at once when they are only skipped.
const PIECE: usize = 64 << 10;

/// Bytes kept before the last read position: readers with overlapping windows go back this far each time.
const RECENT: usize = 256 << 10;

/// The most resume points along one stream; each holds a window of 32 KiB and its state.
const POINTS: usize = 512;

/// Initial distance between resume points in bytes; doubled whenever there are too many points.
const SPACING: u64 = 1 << 20;

/// The highest ratio of expanded to compressed bytes. It is checked only after the bytes to which it does not apply.
const MAX_RATIO: u64 = 200;

/// Bytes that one stream of a suspected decompression bomb may expand to, whatever its ratio.
pub(super) const FREE_OF_BOMB: u64 = 1 << 30;

/// Bytes that an archive as a whole may expand to, whatever its ratio: a page file of zeros is not a bomb.
const FREE_OF_WHOLE: u64 = 16 << 30;

/// Bytes that a compressed tar may expand to, whatever its size; a larger tar may expand to [`TAR_RATIO`] times
/// its size.
///
/// Reading a file in such a tar expands everything before it, and a run makes dozens of calls: limiting one pass
/// limits the run.
const FREE_OF_TAR: u64 = 1 << 30;

/// How many times its own size a compressed tar may expand to.
///
/// Event logs and hives compress 5 to 20 to 1, a whole triage rarely more than 30 to 1. Anything beyond 100 is
/// almost only zeros, such as a 20 GB change journal that was packed with its hole.
/// Together with 200 MB of other evidence even that one stays within the limit. With less, whatever comes after
/// it is a gap.
const TAR_RATIO: u64 = 100;

/// A limit on how far a stream is expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// Up to `free` bytes whatever the ratio, and beyond that no more than [`MAX_RATIO`] to 1.
    Ratio { free: u64 },
    /// Up to `most` bytes: the limit for a whole archive of `length` bytes.
    Whole { most: u64, length: u64 },
}

impl Bound {
    /// Returns the limit for a compressed tar of `length` bytes.
    pub(super) fn of_tar(length: u64, expansion: Expansion) -> Bound {
        match expansion {
            Expansion::Former => Bound::Ratio { free: FREE_OF_WHOLE },
            Expansion::Bounded => {
                let most = length.saturating_mul(TAR_RATIO).max(FREE_OF_TAR);
                Bound::Whole { most, length }
            }
        }
    }

    /// Returns why a stream at `position`, with `taken` compressed bytes consumed, is not expanded further.
    fn passed(self, position: u64, taken: u64) -> Option<Wrong> {
        match self {
            Bound::Ratio { free } => {
                (position > free && position / MAX_RATIO > taken).then_some(Wrong::Ratio)
            }
            Bound::Whole { most, length } => (position > most).then_some(Wrong::Bound { length, most }),
        }
    }
}

/// Returns the number of bytes of each stream to which the ratio limit does not apply, for an archive of
/// `length` bytes whose streams declare `declared` bytes in total.
///
/// No stream is read beyond its declared size, so the sum of these sizes limits the cost of the archive.
pub(super) fn free(declared: u64, length: u64) -> u64 {
    if declared > FREE_OF_WHOLE && declared / MAX_RATIO > length { FREE_OF_BOMB } else { u64::MAX }
}

/// A stream that is expanded as far as it is needed.
pub(super) struct Stream {
    start: Start,
    decoder: Option<Box<dyn Decode>>,
    /// The position of the decoder.
    position: u64,
    /// The bytes just before `position`, if they were read.
    recent: Vec<u8>,
    /// The first bytes, kept once the stream was restarted.
    kept: Vec<u8>,
    /// The most bytes to keep in `kept`.
    keep: usize,
    /// How often decoding began at the start.
    starts: u32,
    bound: Bound,
    points: Vec<(u64, Box<dyn Decode>)>,
    spacing: u64,
    /// Where and why the stream cannot be expanded further.
    wrong: Option<(u64, Wrong)>,
}

impl Stream {
    /// Creates a stream that keeps its first `keep` bytes when it is read a second time.
    pub(super) fn new(start: Start, keep: usize, bound: Bound) -> Stream {
        Stream {
            start,
            decoder: None,
            position: 0,
            recent: Vec::new(),
            kept: Vec::new(),
            keep,
            starts: 0,
            bound,
            points: Vec::new(),
            spacing: SPACING,
            wrong: None,
        }
    }

    /// Reads up to `buffer.len()` bytes; 0 only at the end or past it, or for an empty buffer.
    pub(super) fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, (u64, Wrong)> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if let Some(known) = self.known(offset) {
            let read = known.len().min(buffer.len());
            for (to, from) in buffer.iter_mut().zip(known) {
                *to = *from;
            }
            return Ok(read);
        }
        if let Some((at, wrong)) = self.wrong.as_ref().filter(|(at, _)| offset >= *at) {
            return Err((*at, wrong.clone()));
        }
        let passed = self.pass_to(offset).and_then(|there| if there { self.read(buffer) } else { Ok(0) });
        passed.map_err(|wrong| {
            self.decoder = None;
            self.wrong = Some((self.position, wrong.clone()));
            (self.position, wrong)
        })
    }

    /// Returns the offset and the rest of the compressed bytes left after the stream was read to its end.
    pub(super) fn behind(&self) -> Option<(u64, Part)> {
        self.decoder.as_ref().and_then(|decoder| decoder.behind())
    }

    /// Drops the decoder with its window; the first bytes that were kept stay.
    pub(super) fn rest(&mut self) {
        self.decoder = None;
        self.recent = Vec::new();
    }

    /// Returns the bytes in memory from `offset` on; `None` if there are none.
    fn known(&self, offset: u64) -> Option<&[u8]> {
        let recent = self.position.saturating_sub(self.recent.len() as u64);
        let from = |begin: u64, bytes| {
            let skipped = usize::try_from(offset.checked_sub(begin)?).ok()?;
            <[u8]>::get(bytes, skipped..).filter(|bytes| !bytes.is_empty())
        };
        from(0, self.kept.as_slice()).or_else(|| from(recent, self.recent.as_slice()))
    }

    /// Moves the decoder to `offset`; returns whether the stream reaches that far.
    fn pass_to(&mut self, offset: u64) -> Result<bool, Wrong> {
        let after = self.points.partition_point(|(at, _)| *at <= offset);
        let point = after.checked_sub(1).and_then(|last| self.points.get(last));
        let (here, there) = (self.decoder.is_some(), point.map_or(0, |(at, _)| *at));
        if !here || self.position > offset || self.position < there {
            let decoder = match point.and_then(|(at, point)| Some((*at, point.fork()?))) {
                Some((at, decoder)) => {
                    self.position = at;
                    decoder
                }
                None => {
                    self.position = 0;
                    self.starts = self.starts.saturating_add(1);
                    (self.start)()?
                }
            };
            self.decoder = Some(decoder);
            self.recent.clear();
        }
        let mut piece = Vec::new();
        while self.position < offset {
            let wanted = usize::try_from(offset - self.position).unwrap_or(PIECE).min(PIECE);
            if self.pass(wanted, &mut piece)? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Skips up to `wanted` bytes.
    fn pass(&mut self, wanted: usize, piece: &mut Vec<u8>) -> Result<usize, Wrong> {
        if self.keeps() {
            piece.resize(PIECE, 0);
            return self.read(piece.get_mut(..wanted).unwrap_or_default());
        }
        let Some(decoder) = &mut self.decoder else { return Ok(0) };
        let passed = decoder.pass(wanted, piece)?;
        self.recent.clear();
        self.went(passed)?;
        Ok(passed)
    }

    /// Checks whether the next byte is one of the first bytes that are to be kept.
    fn keeps(&self) -> bool {
        self.starts > 1 && self.kept.len() < self.keep && self.position == self.kept.len() as u64
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Wrong> {
        let Some(decoder) = &mut self.decoder else { return Ok(0) };
        let read = decoder.read(buffer)?;
        let bytes = buffer.get(..read).unwrap_or_default();
        if self.keeps() {
            let room = self.keep.saturating_sub(self.kept.len()).min(read);
            self.kept.extend_from_slice(bytes.get(..room).unwrap_or_default());
        }
        self.remember(bytes);
        self.went(read)?;
        Ok(read)
    }

    /// Keeps the bytes read last.
    fn remember(&mut self, bytes: &[u8]) {
        let bytes = bytes.get(bytes.len().saturating_sub(RECENT)..).unwrap_or_default();
        if self.recent.len().saturating_add(bytes.len()) > 2 * RECENT {
            self.recent.drain(..self.recent.len().saturating_sub(RECENT - bytes.len()));
        }
        self.recent.extend_from_slice(bytes);
    }

    /// Advances the position by `bytes`; an error if the stream expands too much.
    fn went(&mut self, bytes: usize) -> Result<(), Wrong> {
        self.position = self.position.saturating_add(bytes as u64);
        let taken = self.decoder.as_ref().map_or(0, |decoder| decoder.taken());
        if let Some(wrong) = self.bound.passed(self.position, taken) {
            return Err(wrong);
        }
        self.leave_point();
        Ok(())
    }

    /// Saves a resume point if the last one is far enough behind.
    fn leave_point(&mut self) {
        let last = self.points.last().map_or(0, |(at, _)| *at);
        if self.position < self.keep as u64 || self.position < last.saturating_add(self.spacing) {
            return;
        }
        let Some(point) = self.decoder.as_ref().and_then(|decoder| decoder.fork()) else { return };
        self.points.push((self.position, point));
        if self.points.len() > POINTS {
            let mut odd = false;
            self.points.retain(|_| {
                odd = !odd;
                !odd
            });
            self.spacing = self.spacing.saturating_mul(2);
        }
    }
}

/// Returns the error of the stream at `path`.
pub(super) fn error(path: &EvidencePath, (offset, wrong): (u64, Wrong)) -> ReadError {
    match wrong {
        Wrong::Io(kind) => ReadError::Io { path: path.clone(), source: io::Error::from(kind) },
        Wrong::Damaged | Wrong::Checksum { .. } | Wrong::Ratio | Wrong::Bound { .. } | Wrong::Stopped => {
            ReadError::Damaged { path: path.clone(), source: Damage::Archive(damage(offset, wrong)) }
        }
    }
}

/// Returns the damage at `offset` of an expanded stream.
pub(super) fn damage(offset: u64, wrong: Wrong) -> ArchiveDamage {
    match wrong {
        Wrong::Io(_) | Wrong::Damaged => ArchiveDamage::Compressed { offset },
        Wrong::Checksum { expected, actual } => ArchiveDamage::Checksum { offset, expected, actual },
        Wrong::Ratio => ArchiveDamage::Ratio { offset, limit: MAX_RATIO },
        Wrong::Bound { length, most } => ArchiveDamage::Bound { length, most },
        Wrong::Stopped => ArchiveDamage::Stopped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    const NONE: Bound = Bound::Ratio { free: u64::MAX };

    /// Endless zeros from one byte.
    struct Zeros;

    impl Decode for Zeros {
        fn read(&mut self, out: &mut [u8]) -> Result<usize, Wrong> {
            out.fill(0);
            Ok(out.len())
        }

        fn taken(&self) -> u64 {
            1
        }
    }

    #[test]
    fn a_stream_ends_where_it_expands_too_much_after_its_free_bytes() {
        let mut stream = Stream::new(Box::new(|| Ok(Box::new(Zeros))), 0, Bound::Ratio { free: 1 << 20 });
        assert_eq!(stream.read_at((1 << 20) - 10, &mut [1; 10]).unwrap(), 10);
        let (at, wrong) = stream.read_at(1 << 30, &mut [1; 10]).unwrap_err();
        assert!(at <= (1 << 20) + PIECE as u64 && wrong == Wrong::Ratio, "{at}");
    }

    /// Returns bytes that count up to 250 and start over; each start of the decoder is counted.
    fn counting(starts: &Rc<Cell<u32>>) -> Start {
        let starts = starts.clone();
        Box::new(move || {
            starts.set(starts.get() + 1);
            Ok(Box::new(Counting(0)))
        })
    }

    struct Counting(u64);

    impl Decode for Counting {
        fn read(&mut self, out: &mut [u8]) -> Result<usize, Wrong> {
            let read = out.len().min(1000);
            for byte in &mut out[..read] {
                *byte = (self.0 % 251) as u8;
                self.0 += 1;
            }
            Ok(read)
        }

        fn taken(&self) -> u64 {
            self.0
        }
    }

    fn read(stream: &mut Stream, offset: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        let mut filled = 0;
        while filled < length {
            filled += stream.read_at(offset + filled as u64, &mut bytes[filled..]).unwrap();
        }
        bytes
    }

    fn expected(offset: u64, length: usize) -> Vec<u8> {
        (offset..).take(length).map(|at| (at % 251) as u8).collect()
    }

    #[test]
    fn overlapping_windows_are_read_in_one_pass() {
        let starts = Rc::default();
        let mut stream = Stream::new(counting(&starts), 0, NONE);
        let window = 3 * RECENT;
        for number in 0..20 {
            let offset = number * (window - RECENT) as u64;
            assert!(read(&mut stream, offset, window) == expected(offset, window), "{number}");
        }
        assert_eq!(starts.get(), 1);
    }

    #[test]
    fn the_first_bytes_are_kept_from_a_second_start_on() {
        let starts = Rc::default();
        let keep = 4 * RECENT;
        let mut stream = Stream::new(counting(&starts), keep, NONE);
        assert!(read(&mut stream, 0, 2 * keep) == expected(0, 2 * keep));
        assert!(stream.kept.is_empty());
        for offset in [10, 5, keep as u64 - 100, 0] {
            assert!(read(&mut stream, offset, 100) == expected(offset, 100), "{offset}");
        }
        assert_eq!((starts.get(), stream.kept.len()), (2, keep));
        let offset = 3 * keep as u64;
        assert!(read(&mut stream, offset, 100) == expected(offset, 100));
        assert_eq!(starts.get(), 2);
    }

    #[test]
    fn a_tar_ends_at_its_bound_however_little_it_took() {
        let bound = Bound::Whole { most: 1 << 20, length: 5 };
        let mut stream = Stream::new(Box::new(|| Ok(Box::new(Zeros))), 0, bound);
        assert_eq!(stream.read_at((1 << 20) - 10, &mut [1; 10]).unwrap(), 10);
        let (at, wrong) = stream.read_at(1 << 30, &mut [1; 10]).unwrap_err();
        assert!(at <= (1 << 20) + PIECE as u64, "{at}");
        assert_eq!(wrong, Wrong::Bound { length: 5, most: 1 << 20 });
    }

    #[test]
    fn a_tar_is_expanded_to_so_many_times_its_size_and_a_small_one_to_so_many_bytes() {
        let most = |length| match Bound::of_tar(length, Expansion::Bounded) {
            Bound::Whole { most, .. } => most,
            Bound::Ratio { .. } => panic!("a ratio"),
        };
        assert_eq!(most(1000), FREE_OF_TAR);
        assert_eq!(most(1 << 30), TAR_RATIO << 30);
        assert_eq!(most(u64::MAX), u64::MAX);
        assert_eq!(Bound::of_tar(1000, Expansion::Former), Bound::Ratio { free: FREE_OF_WHOLE });
    }

    #[test]
    fn an_archive_is_taken_for_a_bomb_where_size_and_ratio_both_say_so() {
        assert_eq!(free(FREE_OF_WHOLE, 1), u64::MAX);
        assert_eq!(free(1 << 40, (1 << 40) / MAX_RATIO), u64::MAX);
        assert_eq!(free(1 << 40, 1 << 30), FREE_OF_BOMB);
    }
}
