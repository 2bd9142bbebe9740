//! Bytes at any offset of what can only be expanded from its start.
//!
//! Bounded memory, whatever the size: the first bytes are kept as they are expanded, and along the rest decoders that can be copied leave points to come back to.
//! An earlier offset that neither covers costs a new start.

use super::damage::{ArchiveDamage, Wrong};
use super::decode::Part;
use crate::error::{Damage, ReadError};
use crate::path::EvidencePath;
use std::io;

/// Expands a stream from its start to its end.
pub(super) trait Decode {
    /// The next bytes; 0 at the end, or for an empty buffer.
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Wrong>;

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

/// The most points along one stream; each holds a window of 32 KiB and its state.
const POINTS: usize = 512;

/// Bytes between points in the beginning; doubled whenever there are too many.
const SPACING: u64 = 1 << 20;

/// The highest ratio of expanded to compressed bytes, looked at after as many bytes as are free.
const MAX_RATIO: u64 = 200;

/// Bytes that one stream of an archive that is taken for a bomb is expanded to whatever its ratio.
pub(super) const FREE_OF_BOMB: u64 = 1 << 30;

/// Bytes that an archive as a whole is expanded to whatever its ratio: a page file of zeros is no bomb.
pub(super) const FREE_OF_WHOLE: u64 = 16 << 30;

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
    kept: Vec<u8>,
    /// The most bytes that are kept.
    keep: usize,
    /// Bytes that it is expanded to whatever its ratio.
    free: u64,
    points: Vec<(u64, Box<dyn Decode>)>,
    spacing: u64,
    /// Where the stream cannot be expanded further.
    wrong: Option<(u64, Wrong)>,
}

impl Stream {
    /// A stream of which the first `keep` bytes are kept, and which may be expanded to `free` bytes whatever its ratio.
    pub(super) fn new(start: Start, keep: usize, free: u64) -> Stream {
        Stream {
            start,
            decoder: None,
            position: 0,
            kept: Vec::new(),
            keep,
            free,
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
        if let Some(kept) = usize::try_from(offset).ok().and_then(|offset| self.kept.get(offset..))
            && !kept.is_empty()
        {
            let read = kept.len().min(buffer.len());
            for (to, from) in buffer.iter_mut().zip(kept) {
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

    /// Lets the decoder go, with its window; what was kept stays.
    pub(super) fn rest(&mut self) {
        self.decoder = None;
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
                    (self.start)()?
                }
            };
            self.decoder = Some(decoder);
        }
        let mut piece = Vec::new();
        while self.position < offset {
            piece.resize(PIECE, 0);
            let wanted = usize::try_from(offset - self.position).unwrap_or(PIECE).min(PIECE);
            if self.read(piece.get_mut(..wanted).unwrap_or_default())? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Wrong> {
        let Some(decoder) = &mut self.decoder else { return Ok(0) };
        let read = decoder.read(buffer)?;
        let from = usize::try_from(self.position).ok().filter(|from| *from == self.kept.len());
        if let (Some(from), Some(bytes)) = (from, buffer.get(..read)) {
            let room = self.keep.saturating_sub(from).min(read);
            self.kept.extend_from_slice(bytes.get(..room).unwrap_or_default());
        }
        self.position = self.position.saturating_add(read as u64);
        let taken = decoder.taken();
        if self.position > self.free && self.position / MAX_RATIO > taken {
            return Err(Wrong::Ratio);
        }
        self.leave_point();
        Ok(read)
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
        Wrong::Damaged | Wrong::Checksum { .. } | Wrong::Ratio | Wrong::Stopped => {
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
        Wrong::Stopped => ArchiveDamage::Stopped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut stream = Stream::new(Box::new(|| Ok(Box::new(Zeros))), 0, 1 << 20);
        assert_eq!(stream.read_at((1 << 20) - 10, &mut [1; 10]).unwrap(), 10);
        let (at, wrong) = stream.read_at(1 << 30, &mut [1; 10]).unwrap_err();
        assert!(at <= (1 << 20) + PIECE as u64 && wrong == Wrong::Ratio, "{at}");
    }

    #[test]
    fn an_archive_is_taken_for_a_bomb_where_size_and_ratio_both_say_so() {
        assert_eq!(free(FREE_OF_WHOLE, 1), u64::MAX);
        assert_eq!(free(1 << 40, (1 << 40) / MAX_RATIO), u64::MAX);
        assert_eq!(free(1 << 40, 1 << 30), FREE_OF_BOMB);
    }
}
