//! The decoders: stored, deflate, gzip (any number of members), zstd.

use super::damage::Wrong;
use super::stream::Decode;
use crate::platform::FileExt;
use crc32fast::Hasher;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::rc::Rc;

/// Bytes read from the archive at once.
const INPUT: usize = 32 << 10;

/// A range of bytes of the archive, read from its start.
#[derive(Clone)]
pub(super) struct Part {
    file: Rc<File>,
    begin: u64,
    at: u64,
    end: u64,
}

impl Part {
    /// Creates a part with the bytes from `begin` to `end`.
    pub(super) fn new(file: &Rc<File>, begin: u64, end: u64) -> Part {
        Part { file: file.clone(), begin, at: begin, end }
    }

    /// Returns the number of bytes read so far.
    fn taken(&self) -> u64 {
        self.at.saturating_sub(self.begin)
    }

    /// Returns the current offset and the rest of the part, if it is not at its end.
    fn behind(&self) -> Option<(u64, Part)> {
        (self.at < self.end).then(|| (self.at, Part::new(&self.file, self.at, self.end)))
    }

    /// Returns the number of bytes of the part.
    pub(super) fn length(&self) -> u64 {
        self.end.saturating_sub(self.begin)
    }

    /// Reads bytes at an offset of the part, regardless of the current position.
    pub(super) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut part = self.clone();
        part.at = self.begin.saturating_add(offset);
        part.read(buffer)
    }
}

impl Read for Part {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let wanted = left.min(buffer.len());
        let buffer = buffer.get_mut(..wanted).unwrap_or_default();
        loop {
            match self.file.read_at(buffer, self.at) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(read) => {
                    self.at = self.at.saturating_add(read as u64);
                    return Ok(read);
                }
            }
        }
    }
}

/// Bytes stored without compression.
pub(super) struct Stored(pub(super) Part);

impl Decode for Stored {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Wrong> {
        Ok(self.0.read(out)?)
    }

    fn taken(&self) -> u64 {
        self.0.taken()
    }

    fn fork(&self) -> Option<Box<dyn Decode>> {
        Some(Box::new(Stored(self.0.clone())))
    }
}

/// How far deflate may refer back, in bytes.
const HISTORY: usize = 32 << 10;

/// Bytes that deflate expands at once.
const FRESH: usize = 64 << 10;

/// Raw deflate (RFC 1951).
///
/// It expands into its own window, which never wraps around: only there does the library write a run of equal
/// bytes in one go.
pub(super) struct Inflate {
    part: Part,
    input: Vec<u8>,
    /// Bytes of `input` that the decoder consumed.
    used: usize,
    state: Box<DecompressorOxide>,
    /// The bytes expanded last: those that may still be referred back to, and those not yet returned. At the beginning, zeros come
    /// before the first byte.
    window: Vec<u8>,
    /// Bytes of `window` that were already returned.
    given: usize,
    /// Bytes of `window` that were expanded.
    filled: usize,
    end: Option<End>,
}

/// Why nothing more is expanded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Done,
    Damaged,
}

impl Inflate {
    pub(super) fn new(part: Part) -> Inflate {
        let (state, window) = (Box::default(), vec![0; HISTORY]);
        Inflate {
            part,
            input: Vec::new(),
            used: 0,
            state,
            window,
            given: HISTORY,
            filled: HISTORY,
            end: None,
        }
    }

    /// Returns the part positioned after the consumed bytes, as if no more had been read.
    fn part(&self) -> Part {
        let ahead = self.input.len().saturating_sub(self.used) as u64;
        Part { at: self.part.at.saturating_sub(ahead), ..self.part.clone() }
    }

    /// Reads more input if needed; returns whether there is any.
    fn fill(&mut self) -> io::Result<bool> {
        if self.used < self.input.len() {
            return Ok(true);
        }
        self.input.resize(INPUT, 0);
        let read = self.part.read(&mut self.input)?;
        self.input.truncate(read);
        self.used = 0;
        Ok(read > 0)
    }

    /// Returns up to `most` of the next expanded bytes, and counts them as returned; none at the end.
    fn next(&mut self, most: usize) -> Result<&[u8], Wrong> {
        while self.given == self.filled {
            match self.end {
                None => self.expand()?,
                Some(End::Done) => break,
                Some(End::Damaged) => return Err(Wrong::Damaged),
            }
        }
        let begin = self.given;
        self.given = self.filled.min(begin.saturating_add(most));
        Ok(self.window.get(begin..self.given).unwrap_or_default())
    }

    /// Returns the last `length` bytes that were returned.
    fn last(&self, length: usize) -> &[u8] {
        self.window.get(self.given.saturating_sub(length)..self.given).unwrap_or_default()
    }

    /// Expands more, once all expanded bytes were returned.
    fn expand(&mut self) -> Result<(), Wrong> {
        const FLAGS: u32 = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF | TINFL_FLAG_HAS_MORE_INPUT;
        self.window.resize(HISTORY + FRESH, 0);
        if self.filled == self.window.len() {
            self.window.copy_within(FRESH.., 0);
            (self.given, self.filled) = (HISTORY, HISTORY);
        }
        let more = self.fill()?;
        let input = self.input.get(self.used..).unwrap_or_default();
        let (status, taken, written) =
            decompress(&mut self.state, input, &mut self.window, self.filled, FLAGS);
        self.used = self.used.saturating_add(taken);
        self.filled = self.filled.saturating_add(written);
        match status {
            TINFLStatus::Done => self.end = Some(End::Done),
            TINFLStatus::NeedsMoreInput if !more && written == 0 => return Err(Wrong::Damaged),
            TINFLStatus::NeedsMoreInput | TINFLStatus::HasMoreOutput => {}
            _ => self.end = Some(End::Damaged),
        }
        Ok(())
    }

    /// Returns a copy that holds only as much of the window as it needs.
    fn copy(&self) -> Inflate {
        let (part, state, end) = (self.part(), self.state.clone(), self.end);
        let begin = self.given.saturating_sub(HISTORY);
        let window = self.window.get(begin..self.filled).unwrap_or_default().to_vec();
        let (given, filled) = (self.given.saturating_sub(begin), window.len());
        Inflate { part, input: Vec::new(), used: 0, state, window, given, filled, end }
    }
}

/// Copies the decoder's bytes, which are never longer than `out`, and returns their number.
fn copied(next: &[u8], out: &mut [u8]) -> usize {
    if let Some(out) = out.get_mut(..next.len()) {
        out.copy_from_slice(next);
    }
    next.len()
}

impl Decode for Inflate {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Wrong> {
        self.next(out.len()).map(|next| copied(next, out))
    }

    fn pass(&mut self, most: usize, _: &mut Vec<u8>) -> Result<usize, Wrong> {
        self.next(most).map(<[u8]>::len)
    }

    fn taken(&self) -> u64 {
        self.part().taken()
    }

    fn behind(&self) -> Option<(u64, Part)> {
        let is_done = self.end == Some(End::Done) && self.given == self.filled;
        is_done.then(|| self.part().behind()).flatten()
    }

    fn fork(&self) -> Option<Box<dyn Decode>> {
        Some(Box::new(self.copy()))
    }
}

/// Members of a gzip file (RFC 1952), one after the other. Bytes after the last member that do not begin like a
/// member are ignored.
pub(super) struct Gzip {
    /// Positioned at a member's header while there is no body.
    part: Part,
    body: Option<Inflate>,
    crc: Hasher,
}

impl Gzip {
    pub(super) fn new(part: Part) -> Gzip {
        Gzip { part, body: None, crc: Hasher::new() }
    }

    /// Skips a member's header and returns whether there was one. Without one, the position stays at the end of
    /// the last member.
    fn header(&mut self) -> Result<bool, Wrong> {
        let first = self.part.taken() == 0;
        let begin = self.part.at;
        let found = self.fixed(first);
        if let Ok(false) = found {
            // Bytes after the last member do not count as consumed.
            self.part.at = begin;
        }
        found
    }

    fn fixed(&mut self, first: bool) -> Result<bool, Wrong> {
        let mut fixed = [0; 10];
        let [one, two, method, flags, ..] = match self.part.read_exact(&mut fixed) {
            Ok(()) => fixed,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && !first => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(Wrong::Damaged),
            Err(error) => return Err(error.into()),
        };
        match ([one, two, method], first) {
            ([0x1f, 0x8b, 8], _) => {}
            (_, true) => return Err(Wrong::Damaged),
            (_, false) => return Ok(false),
        }
        if flags & 4 != 0 {
            let mut length = [0; 2];
            self.part.read_exact(&mut length).map_err(cut)?;
            self.part.at = self.part.at.saturating_add(u64::from(u16::from_le_bytes(length)));
        }
        // The file name, then the comment.
        for _ in [8, 16].into_iter().filter(|flag| flags & flag != 0) {
            self.skip_text()?;
        }
        if flags & 2 != 0 {
            self.part.at = self.part.at.saturating_add(2);
        }
        self.body = Some(Inflate::new(self.part.clone()));
        self.crc = Hasher::new();
        Ok(true)
    }

    /// Skips a NUL-terminated text; one longer than any name is damage.
    fn skip_text(&mut self) -> Result<(), Wrong> {
        for _ in 0..INPUT {
            let mut byte = [0; 1];
            self.part.read_exact(&mut byte).map_err(cut)?;
            if byte == [0] {
                return Ok(());
            }
        }
        Err(Wrong::Damaged)
    }

    /// Skips the trailer of a member whose body has ended.
    fn trailer(&mut self, body: &Inflate) -> Result<(), Wrong> {
        self.part = body.part();
        let mut trailer = [0; 8];
        self.part.read_exact(&mut trailer).map_err(cut)?;
        let [a, b, c, d, ..] = trailer;
        let (expected, actual) = (u32::from_le_bytes([a, b, c, d]), self.crc.clone().finalize());
        if expected == actual { Ok(()) } else { Err(Wrong::Checksum { expected, actual }) }
    }
}

/// Treats an end of input inside a structure as damage.
fn cut(error: io::Error) -> Wrong {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Wrong::Damaged,
        kind => Wrong::Io(kind),
    }
}

impl Gzip {
    /// Returns up to `most` of the next expanded bytes; none at the end.
    fn next(&mut self, most: usize) -> Result<&[u8], Wrong> {
        if most == 0 {
            return Ok(&[]);
        }
        loop {
            let Some(mut body) = self.body.take() else {
                if self.header()? {
                    continue;
                }
                return Ok(&[]);
            };
            let next = body.next(most)?;
            if next.is_empty() {
                self.trailer(&body)?;
                continue;
            }
            self.crc.update(next);
            let length = next.len();
            return Ok(self.body.insert(body).last(length));
        }
    }
}

impl Decode for Gzip {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Wrong> {
        self.next(out.len()).map(|next| copied(next, out))
    }

    fn pass(&mut self, most: usize, _: &mut Vec<u8>) -> Result<usize, Wrong> {
        self.next(most).map(<[u8]>::len)
    }

    fn taken(&self) -> u64 {
        self.body.as_ref().map_or_else(|| self.part.taken(), |body| body.part().at - self.part.begin)
    }

    fn behind(&self) -> Option<(u64, Part)> {
        self.body.is_none().then(|| self.part.behind()).flatten()
    }

    fn fork(&self) -> Option<Box<dyn Decode>> {
        let body = self.body.as_ref().map(Inflate::copy);
        Some(Box::new(Gzip { part: self.part.clone(), body, crc: self.crc.clone() }))
    }
}

/// Frames of zstd (RFC 8878), one after the other; windows of up to 128 MiB.
pub(super) struct Zstd {
    decoder: zstd::Decoder<'static, BufReader<Part>>,
    begin: u64,
}

impl Zstd {
    pub(super) fn new(part: Part) -> Result<Zstd, Wrong> {
        let begin = part.begin;
        Ok(Zstd { decoder: zstd::Decoder::new(part)?, begin })
    }
}

impl Decode for Zstd {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Wrong> {
        // An error that the library itself raises has no OS error number.
        self.decoder.read(out).map_err(|error| match error.raw_os_error() {
            Some(_) => Wrong::Io(error.kind()),
            None => Wrong::Damaged,
        })
    }

    fn taken(&self) -> u64 {
        self.decoder.get_ref().get_ref().at.saturating_sub(self.begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// Writes deflated bytes to a file.
    fn part(packed: &[u8]) -> Part {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(packed).unwrap();
        Part::new(&Rc::new(file), 0, packed.len() as u64)
    }

    /// Returns runs of one byte, alternating with unpredictable bytes.
    fn mixed(length: usize) -> Vec<u8> {
        let mut state: u32 = 1;
        let mut next = |at: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if (at / 50_000).is_multiple_of(2) { 7 } else { (state >> 24) as u8 }
        };
        (0..length).map(&mut next).collect()
    }

    fn deflated(bytes: &[u8]) -> Vec<u8> {
        miniz_oxide::deflate::compress_to_vec(bytes, 6)
    }

    fn rest(decoder: &mut dyn Decode, piece: usize) -> Vec<u8> {
        let (mut all, mut buffer) = (Vec::new(), vec![0; piece]);
        loop {
            match decoder.read(&mut buffer).unwrap() {
                0 => return all,
                read => all.extend_from_slice(&buffer[..read]),
            }
        }
    }

    #[test]
    fn deflate_is_expanded_alike_in_pieces_of_any_size_and_from_any_copy() {
        let bytes = mixed(700_000);
        let packed = deflated(&bytes);
        for piece in [1000, 4096, FRESH, 1 << 20] {
            assert!(rest(&mut Inflate::new(part(&packed)), piece) == bytes, "{piece}");
        }
        let mut decoder = Inflate::new(part(&packed));
        let mut at = 0;
        loop {
            let mut copy = decoder.fork().unwrap();
            assert!(rest(copy.as_mut(), 30_000) == bytes[at..], "{at}");
            match decoder.pass(70_001, &mut Vec::new()).unwrap() {
                0 => break,
                passed => at += passed,
            }
        }
        assert_eq!(at, bytes.len());
        assert_eq!(decoder.taken(), packed.len() as u64);
    }

    #[test]
    fn damaged_deflate_gives_what_stands_before_the_damage() {
        let bytes = mixed(300_000);
        let mut packed = deflated(&bytes);
        packed.truncate(packed.len() / 2);
        let mut decoder = Inflate::new(part(&packed));
        let (mut all, mut buffer) = (Vec::new(), vec![0; 10_000]);
        let wrong = loop {
            match decoder.read(&mut buffer) {
                Ok(read) => all.extend_from_slice(&buffer[..read]),
                Err(wrong) => break wrong,
            }
        };
        assert!(wrong == Wrong::Damaged && all.len() > 50_000 && bytes.starts_with(&all), "{}", all.len());
    }
}
