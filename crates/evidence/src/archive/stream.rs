//! Bytes at any offset of what can only be expanded from its start.
//!
//! Bounded memory, whatever the size: the bytes that were read last are kept, and along the stream decoders that can be copied leave points to come back to.
//! An earlier offset that neither covers costs a new start, from which on the first bytes are kept, too: what is read once from its start to its end is not held in memory beside.

use super::Expansion;
use super::damage::{ArchiveDamage, Wrong};
use super::decode::Part;
use crate::error::{Damage, ReadError};
use crate::path::EvidencePath;
use std::io;

/// Expands a stream from its start to its end.
pub(super) trait Decode {
    /// The next bytes; 0 at the end, or for an empty buffer.
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Wrong>;

    /// Goes behind up to `most` of the next bytes; how many these are, 0 at the end. `scratch` may be used for them.
    fn pass(&mut self, most: usize, scratch: &mut Vec<u8>) -> Result<usize, Wrong> {
        scratch.resize(PIECE, 0);
        self.read(scratch.get_mut(..most.min(PIECE)).unwrap_or_default())
    }

    /// Compressed bytes that were taken so far.
    fn taken(&self) -> u64;

    /// Of a decoder that has come to its end: where bytes stand behind what it takes, and these.
    fn behind(&self) -> Option<(u64, Part)> {
        None
    }

    /// A decoder in the same state, where that can be had.
    fn fork(&self) -> Option<Box<dyn Decode>> {
        None
    }
}

/// Makes the decoder of a stream, at its start.
pub(super) type Start = Box<dyn Fn() -> Result<Box<dyn Decode>, Wrong>>;

/// Bytes that are expanded at once where they are only passed.
const PIECE: usize = 64 << 10;

/// Bytes before the place that was read last that are kept: who reads in overlapping windows goes back so far each time.
const RECENT: usize = 256 << 10;

/// The most points along one stream; each holds a window of 32 KiB and its state.
const POINTS: usize = 512;

/// Bytes between points in the beginning; doubled whenever there are too many.
const SPACING: u64 = 1 << 20;

/// The highest ratio of expanded to compressed bytes, looked at after as many bytes as are free.
const MAX_RATIO: u64 = 200;

/// Bytes that one stream of an archive that is taken for a bomb is expanded to whatever its ratio.
pub(super) const FREE_OF_BOMB: u64 = 1 << 30;

/// Bytes that an archive as a whole is expanded to whatever its ratio: a page file of zeros is no bomb.
const FREE_OF_WHOLE: u64 = 16 << 30;

/// Bytes that a compressed tar is expanded to whatever its size; a larger one to [`TAR_RATIO`] times its size.
///
/// Whoever reads a file in such a tar expands all that stands before it, and calls are made by the dozen: a bound on one pass bounds a run.
const FREE_OF_TAR: u64 = 1 << 30;

/// How many times its size a compressed tar is expanded to.
///
/// Event logs and hives compress 5 to 20 to 1, a whole triage rarely beyond 30; what goes beyond 100 holds zeros and little else, as a change journal of 20 GB does that was packed with its hole.
/// Beside 200 MB of other evidence that one still is within the bound; beside less, what stands behind it is a gap.
const TAR_RATIO: u64 = 100;

/// How far a stream is expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// To so many bytes whatever its ratio, and from there on no more than [`MAX_RATIO`] to 1.
    Ratio { free: u64 },
    /// To so many bytes: it is what all of an archive of `length` bytes expands to.
    Whole { most: u64, length: u64 },
}

impl Bound {
    /// That of a compressed tar of `length` bytes.
    pub(super) fn of_tar(length: u64, expansion: Expansion) -> Bound {
        match expansion {
            Expansion::Former => Bound::Ratio { free: FREE_OF_WHOLE },
            Expansion::Bounded => {
                let most = length.saturating_mul(TAR_RATIO).max(FREE_OF_TAR);
                Bound::Whole { most, length }
            }
        }
    }

    /// Why a stream that stands at `position` is not expanded further, `taken` compressed bytes behind its start.
    fn passed(self, position: u64, taken: u64) -> Option<Wrong> {
        match self {
            Bound::Ratio { free } => {
                (position > free && position / MAX_RATIO > taken).then_some(Wrong::Ratio)
            }
            Bound::Whole { most, length } => (position > most).then_some(Wrong::Bound { length, most }),
        }
    }
}

/// The bytes that are free in each stream of an archive of `length` bytes whose streams declare `declared` bytes altogether.
///
/// No stream is read behind the size it declares, so that the sum of these sizes bounds what the archive can cost.
pub(super) fn free(declared: u64, length: u64) -> u64 {
    if declared > FREE_OF_WHOLE && declared / MAX_RATIO > length { FREE_OF_BOMB } else { u64::MAX }
}

/// A stream that is expanded as far as it is asked for.
pub(super) struct Stream {
    start: Start,
    decoder: Option<Box<dyn Decode>>,
    /// Where the decoder stands.
    position: u64,
    /// The last bytes before `position`, as far as they were read.
    recent: Vec<u8>,
    /// The first bytes, once the stream is begun a second time.
    kept: Vec<u8>,
    /// The most of the first bytes that are kept.
    keep: usize,
    /// How often it was begun at its start.
    starts: u32,
    bound: Bound,
    points: Vec<(u64, Box<dyn Decode>)>,
    spacing: u64,
    /// Where the stream cannot be expanded further.
    wrong: Option<(u64, Wrong)>,
}

impl Stream {
    /// A stream of which the first `keep` bytes are kept where it is read a second time.
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

    /// Where a stream that was read to its end leaves compressed bytes behind.
    pub(super) fn behind(&self) -> Option<(u64, Part)> {
        self.decoder.as_ref().and_then(|decoder| decoder.behind())
    }

    /// Lets the decoder go, with its window; what was kept of the beginning stays.
    pub(super) fn rest(&mut self) {
        self.decoder = None;
        self.recent = Vec::new();
    }

    /// The bytes from `offset` on that are in memory; `None` where there are none.
    fn known(&self, offset: u64) -> Option<&[u8]> {
        let recent = self.position.saturating_sub(self.recent.len() as u64);
        let from = |begin: u64, bytes| {
            let skipped = usize::try_from(offset.checked_sub(begin)?).ok()?;
            <[u8]>::get(bytes, skipped..).filter(|bytes| !bytes.is_empty())
        };
        from(0, self.kept.as_slice()).or_else(|| from(recent, self.recent.as_slice()))
    }

    /// Brings the decoder to `offset`; whether the stream goes so far.
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

    /// Goes behind up to `wanted` bytes.
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

    /// Whether the next byte is one of the first ones, which are to be kept.
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

    /// Keeps what was read last.
    fn remember(&mut self, bytes: &[u8]) {
        let bytes = bytes.get(bytes.len().saturating_sub(RECENT)..).unwrap_or_default();
        if self.recent.len().saturating_add(bytes.len()) > 2 * RECENT {
            self.recent.drain(..self.recent.len().saturating_sub(RECENT - bytes.len()));
        }
        self.recent.extend_from_slice(bytes);
    }

    /// Notes that the decoder went on by so many bytes; an error where it expands too much.
    fn went(&mut self, bytes: usize) -> Result<(), Wrong> {
        self.position = self.position.saturating_add(bytes as u64);
        let taken = self.decoder.as_ref().map_or(0, |decoder| decoder.taken());
        if let Some(wrong) = self.bound.passed(self.position, taken) {
            return Err(wrong);
        }
        self.leave_point();
        Ok(())
    }

    /// Leaves a point where the last one is far enough behind.
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

/// The error of a stream at `path`.
pub(super) fn error(path: &EvidencePath, (offset, wrong): (u64, Wrong)) -> ReadError {
    match wrong {
        Wrong::Io(kind) => ReadError::Io { path: path.clone(), source: io::Error::from(kind) },
        Wrong::Damaged | Wrong::Checksum { .. } | Wrong::Ratio | Wrong::Bound { .. } | Wrong::Stopped => {
            ReadError::Damaged { path: path.clone(), source: Damage::Archive(damage(offset, wrong)) }
        }
    }
}

/// What is wrong at `offset` of what a stream expands to.
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

    /// Zeros without end, from one byte.
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

    /// Bytes that count up to 250 and begin anew; each start is counted.
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
