//! The one frame that a call's process sends, assembled and judged by the parent.

use crate::ending::{Ending, SetupStep};
use crate::frame_error::FrameError;
use crate::limits::Limits;
use crate::linux::frame::{self, HEADER, Reader};
use crate::linux::message::{How, PANIC_LIMIT, WORDS_LIMIT, code, reply};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// What has come from the data pipe. The process that sent it is hostile.
pub(crate) struct Received {
    header: Vec<u8>,
    payload: Payload,
}

/// Where the bytes after the header are kept.
pub(crate) enum Payload {
    Memory(Vec<u8>),
    /// An empty file, the number of bytes received, and what prevents writing them.
    File(File, u64, io::Result<()>),
}

impl Received {
    pub(crate) fn new(payload: Payload) -> Received {
        Received { header: Vec::new(), payload }
    }

    /// Returns the number of bytes so far.
    pub(crate) fn len(&self) -> u64 {
        self.header.len() as u64 + self.payload.len()
    }

    /// Adds bytes, up to `limit` in total.
    pub(crate) fn push(&mut self, bytes: &[u8], limit: u64) {
        let missing = HEADER.saturating_sub(self.header.len()).min(bytes.len());
        let (header, payload) = bytes.split_at_checked(missing).unwrap_or((bytes, &[]));
        self.header.extend_from_slice(header);
        self.make_room(limit);
        self.payload.push(payload);
    }

    /// Reserves room for everything that the header announces: a reply that doubles its buffer as it grows would need twice as much.
    fn make_room(&mut self, limit: u64) {
        if let Payload::Memory(payload) = &mut self.payload
            && payload.is_empty()
            && let Ok(header) = <[u8; HEADER]>::try_from(self.header.as_slice())
            && let Ok(header) = frame::parse_header(header, limit)
        {
            // Memory that is never written is never used.
            let _ = payload
                .try_reserve_exact(usize::try_from(header.length).unwrap_or_default() + 2 * WORDS_LIMIT);
        }
    }

    /// Cuts off the last `length` bytes: what the process was doing, then standard error, which follow the reply.
    pub(crate) fn split_tail(&mut self, length: u64) -> Vec<u8> {
        let in_payload = length.min(self.payload.len());
        let in_header = usize::try_from(length - in_payload).unwrap_or(usize::MAX).min(self.header.len());
        let mut tail = self.header.split_off(self.header.len() - in_header);
        tail.append(&mut self.payload.split_tail(in_payload));
        tail
    }

    /// Returns what prevented the file from receiving the bytes.
    pub(crate) fn kept(&mut self) -> io::Result<()> {
        match &mut self.payload {
            Payload::Memory(_) => Ok(()),
            Payload::File(_, _, written) => std::mem::replace(written, Ok(())),
        }
    }

    fn frame(self, limit: u64) -> Result<(u8, Payload), FrameError> {
        let actual = self.header.len() as u64;
        let bytes = <[u8; HEADER]>::try_from(self.header)
            .map_err(|_| FrameError::Length { expected: HEADER as u64, actual })?;
        let header = frame::parse_header(bytes, limit)?;
        let actual = self.payload.len();
        if actual != header.length {
            return Err(FrameError::Length { expected: header.length, actual });
        }
        Ok((header.kind, self.payload))
    }
}

impl Payload {
    /// Makes a payload that goes into this file and replaces its content.
    pub(crate) fn in_file(file: &File) -> io::Result<Payload> {
        let mut file = file.try_clone()?;
        file.set_len(0)?;
        file.rewind()?;
        Ok(Payload::File(file, 0, Ok(())))
    }

    fn len(&self) -> u64 {
        match self {
            Payload::Memory(bytes) => bytes.len() as u64,
            Payload::File(_, length, _) => *length,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        match self {
            Payload::Memory(memory) => memory.extend_from_slice(bytes),
            Payload::File(file, length, written) => {
                *length += bytes.len() as u64;
                if written.is_ok() {
                    *written = file.write_all(bytes);
                }
            }
        }
    }

    fn split_tail(&mut self, tail: u64) -> Vec<u8> {
        match self {
            Payload::Memory(bytes) => {
                bytes.split_off(bytes.len() - usize::try_from(tail).unwrap_or(usize::MAX).min(bytes.len()))
            }
            Payload::File(file, length, written) => {
                *length -= tail.min(*length);
                let mut bytes = Vec::new();
                if written.is_ok() {
                    let start = SeekFrom::Start(*length);
                    *written = file
                        .seek(start)
                        .and_then(|_| file.read_to_end(&mut bytes))
                        .and_then(|_| file.set_len(*length));
                }
                bytes
            }
        }
    }

    /// Returns the first bytes, wherever they are.
    fn read(self) -> Vec<u8> {
        match self {
            Payload::Memory(bytes) => bytes,
            Payload::File(mut file, ..) => {
                let mut bytes = Vec::new();
                // Unreadable bytes are left out.
                let _ = file.rewind().and_then(|()| file.take(PANIC_LIMIT as u64).read_to_end(&mut bytes));
                bytes
            }
        }
    }

    /// Returns the bytes in memory; those in a file stay there.
    fn bytes(self) -> Vec<u8> {
        match self {
            Payload::Memory(bytes) => bytes,
            Payload::File(..) => Vec::new(),
        }
    }
}

/// Determines the ending from how the process ended and what it sent.
/// A frame counts only together with its own exit code: a process that dies after half a reply has not replied.
pub(crate) fn judge(how: How, received: Received, limits: &Limits) -> Ending {
    match how {
        How::Signalled(signal) => Ending::Signalled { signal },
        How::TimedOut => Ending::TimedOut { limit: limits.wall },
        How::Cancelled => Ending::Cancelled,
        How::TooLarge => Ending::ReplyTooLarge { limit: limits.reply_bytes },
        How::DiskFull => Ending::DiskFull,
        How::Failed(step, errno) => Ending::SetupFailed { step, errno },
        How::Exited(code) => {
            // A panic message has its own limit, whatever the reply's is.
            let limit = limits.reply_bytes.max(PANIC_LIMIT as u64);
            match (code, received.frame(limit)) {
                (code::REPLIED, Ok((reply::REPLY, payload))) => Ending::Replied(payload.bytes()),
                (code::REPLIED, Ok((actual, _))) => Ending::BadReply { defect: FrameError::Kind { actual } },
                (code::REPLIED, Err(defect)) => Ending::BadReply { defect },
                (code::PANICKED, Ok((reply::PANICKED, payload))) => panicked(&payload.read()),
                (code::TOO_LARGE, Ok((reply::TOO_LARGE, _))) => {
                    Ending::ReplyTooLarge { limit: limits.reply_bytes }
                }
                (code::SETUP_FAILED, Ok((reply::SETUP_FAILED, payload))) => setup_failed(&payload.read()),
                (code, _) => Ending::Exited { code },
            }
        }
    }
}

fn panicked(payload: &[u8]) -> Ending {
    let text = payload.get(..PANIC_LIMIT).unwrap_or(payload);
    Ending::Panicked { message: String::from_utf8_lossy(text).into_owned() }
}

fn setup_failed(payload: &[u8]) -> Ending {
    let mut from = Reader(payload);
    let fields = from.u8().and_then(SetupStep::from_number).and_then(|step| Ok((step, from.i32()?)));
    match fields {
        Ok((step, errno)) => Ending::SetupFailed { step, errno },
        Err(defect) => Ending::BadReply { defect },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(bytes: &[u8]) -> Received {
        let mut received = Received::new(Payload::Memory(Vec::new()));
        // Byte by byte, because a pipe may cut anywhere.
        bytes.iter().for_each(|byte| received.push(&[*byte], 1 << 20));
        received
    }

    #[test]
    fn a_reply_counts_only_when_the_process_ended_well() {
        let limits = Limits::default();
        let frame = frame::encode(reply::REPLY, b"rows");
        let judge = |how| judge(how, received(&frame), &limits);
        assert_eq!(judge(How::Exited(0)), Ending::Replied(b"rows".to_vec()));
        assert_eq!(judge(How::Exited(1)), Ending::Exited { code: 1 });
        assert_eq!(judge(How::Signalled(11)), Ending::Signalled { signal: 11 });
    }

    #[test]
    fn standard_error_is_parted_from_a_reply_of_any_length() {
        let bytes = [b'r'; 20];
        for length in 0..=bytes.len() {
            let mut both = received(&[&bytes[..length], b"said"].concat());
            assert_eq!(both.split_tail(4), b"said");
            assert_eq!(both.len(), length as u64);
        }
    }

    #[test]
    fn a_forged_frame_is_a_bad_reply() {
        let limits = Limits { reply_bytes: 10_000, ..Limits::default() };
        let judge = |bytes: &[u8]| judge(How::Exited(0), received(bytes), &limits);
        assert_eq!(judge(b""), Ending::BadReply { defect: FrameError::Length { expected: 16, actual: 0 } });
        let long = frame::header(reply::REPLY, 20_000);
        let defect = FrameError::TooLong { actual: 20_000, limit: 10_000 };
        assert_eq!(judge(&long), Ending::BadReply { defect });
        let mut behind = frame::encode(reply::REPLY, b"rows");
        behind.push(0);
        assert_eq!(
            judge(&behind),
            Ending::BadReply { defect: FrameError::Length { expected: 4, actual: 5 } }
        );
        let panicked = frame::encode(reply::PANICKED, b"no");
        assert_eq!(
            judge(&panicked),
            Ending::BadReply { defect: FrameError::Kind { actual: reply::PANICKED } }
        );
    }
}
