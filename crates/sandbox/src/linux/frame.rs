//! Frames: the format of messages in a pipe.
//!
//! A frame is a header of 16 bytes and a payload.
//! The header has the magic `LKWF`, version (1 byte), kind (1 byte), two zero bytes, and the length of the payload (8 bytes, little-endian).
//! The length is checked against a limit before anything is allocated.
//! The format is private to one program talking to itself: it may change with any release.

use crate::frame_error::{FrameError, VERSION};
use std::io::{self, Read};

/// Length of a header in bytes.
pub(crate) const HEADER: usize = 16;

const MAGIC: [u8; 4] = *b"LKWF";

/// A frame's header: what the payload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The kind of the payload.
    pub(crate) kind: u8,
    /// The length of the payload in bytes, within the given limit.
    pub(crate) length: u64,
}

/// Makes the header of a payload of `length` bytes.
pub(crate) fn header(kind: u8, length: u64) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    let (magic, rest) = bytes.split_at_mut(4);
    magic.copy_from_slice(&MAGIC);
    let (tags, size) = rest.split_at_mut(4);
    tags.copy_from_slice(&[VERSION, kind, 0, 0]);
    size.copy_from_slice(&length.to_le_bytes());
    bytes
}

/// Reads a header, and refuses a payload of more than `limit` bytes.
pub(crate) fn parse_header(bytes: [u8; HEADER], limit: u64) -> Result<Header, FrameError> {
    let [a, b, c, d, version, kind, _, _, size @ ..] = bytes;
    let actual = [a, b, c, d];
    if actual != MAGIC {
        return Err(FrameError::Magic { actual });
    }
    if version != VERSION {
        return Err(FrameError::Version { actual: version });
    }
    let length = u64::from_le_bytes(size);
    if length > limit {
        return Err(FrameError::TooLong { actual: length, limit });
    }
    Ok(Header { kind, length })
}

/// Encodes a whole frame in one piece.
pub(crate) fn encode(kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.extend_from_slice(&header(kind, payload.len() as u64));
    bytes.extend_from_slice(payload);
    bytes
}

/// Reads one frame from a blocking pipe; `None` if the pipe ends before its first byte.
pub(crate) fn read(from: &mut impl Read, limit: u64) -> Result<Option<(u8, Vec<u8>)>, FrameError> {
    let mut bytes = [0; HEADER];
    let got = read_up_to(from, &mut bytes)?;
    if got == 0 {
        return Ok(None);
    }
    if got < HEADER {
        return Err(FrameError::Length { expected: HEADER as u64, actual: got as u64 });
    }
    let header = parse_header(bytes, limit)?;
    let mut payload = Vec::new();
    from.take(header.length).read_to_end(&mut payload).map_err(|error| pipe(&error))?;
    if payload.len() as u64 != header.length {
        return Err(FrameError::Length { expected: header.length, actual: payload.len() as u64 });
    }
    Ok(Some((header.kind, payload)))
}

fn read_up_to(from: &mut impl Read, into: &mut [u8]) -> Result<usize, FrameError> {
    let mut got = 0;
    while let Some(rest) = into.get_mut(got..).filter(|rest| !rest.is_empty()) {
        match from.read(rest) {
            Ok(0) => break,
            Ok(count) => got += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(pipe(&error)),
        }
    }
    Ok(got)
}

fn pipe(error: &io::Error) -> FrameError {
    FrameError::Pipe { errno: error.raw_os_error().unwrap_or(0) }
}

/// A writer for the fields of a payload.
#[derive(Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    /// Adds one byte.
    pub(crate) fn u8(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    /// Adds four bytes.
    pub(crate) fn i32(mut self, value: i32) -> Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Adds eight bytes.
    pub(crate) fn u64(mut self, value: u64) -> Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Adds a length (eight bytes) and that many bytes.
    pub(crate) fn bytes(self, value: &[u8]) -> Self {
        let mut this = self.u64(value.len() as u64);
        this.0.extend_from_slice(value);
        this
    }

    /// Returns the finished frame.
    pub(crate) fn frame(self, kind: u8) -> Vec<u8> {
        encode(kind, &self.0)
    }
}

/// A reader of the fields of a payload.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], FrameError> {
        let short = FrameError::Length { expected: N as u64, actual: self.0.len() as u64 };
        let (first, rest) = self.0.split_first_chunk::<N>().ok_or(short)?;
        self.0 = rest;
        Ok(*first)
    }

    /// Takes one byte.
    pub(crate) fn u8(&mut self) -> Result<u8, FrameError> {
        self.array().map(u8::from_le_bytes)
    }

    /// Takes four bytes.
    pub(crate) fn i32(&mut self) -> Result<i32, FrameError> {
        self.array().map(i32::from_le_bytes)
    }

    /// Takes eight bytes.
    pub(crate) fn u64(&mut self) -> Result<u64, FrameError> {
        self.array().map(u64::from_le_bytes)
    }

    /// Takes a length and that many bytes.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], FrameError> {
        let length = self.u64()?;
        let short = FrameError::Length { expected: length, actual: self.0.len() as u64 };
        let split = usize::try_from(length).ok().and_then(|length| self.0.split_at_checked(length));
        let (first, rest) = split.ok_or(short)?;
        self.0 = rest;
        Ok(first)
    }

    /// Refuses bytes after the last field.
    pub(crate) fn end(self) -> Result<(), FrameError> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(FrameError::Length { expected: 0, actual: self.0.len() as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_survives_the_pipe() {
        let bytes = encode(7, b"payload");
        assert_eq!(read(&mut bytes.as_slice(), 7), Ok(Some((7, b"payload".to_vec()))));
        assert_eq!(read(&mut [].as_slice(), 7), Ok(None));
    }

    #[test]
    fn an_announced_length_above_the_limit_is_refused_before_the_payload_is_read() {
        let bytes = header(1, u64::MAX);
        let refused = FrameError::TooLong { actual: u64::MAX, limit: 10 };
        assert_eq!(read(&mut bytes.as_slice(), 10), Err(refused));
    }

    #[test]
    fn foreign_bytes_and_cut_frames_are_refused() {
        assert_eq!(
            read(&mut b"hello, world, this is text".as_slice(), 10),
            Err(FrameError::Magic { actual: *b"hell" })
        );
        let bytes = encode(1, b"abc");
        for length in 1..bytes.len() {
            let cut = read(&mut bytes.get(..length).unwrap_or_default(), 10);
            assert!(matches!(cut, Err(FrameError::Length { .. })), "{length}: {cut:?}");
        }
    }

    #[test]
    fn a_field_longer_than_the_payload_is_refused() {
        let payload = u64::MAX.to_le_bytes();
        assert_eq!(Reader(&payload).bytes(), Err(FrameError::Length { expected: u64::MAX, actual: 0 }));
    }
}
