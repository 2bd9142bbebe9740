//! Writes an archive in the format `ustar` (POSIX.1-2017, pax, "ustar Interchange
//! Format"): headers of 512 bytes, and contents padded to multiples of 512.
//!
//! Owner, group and time of every entry are 0, so that an archive depends only on names, permissions and contents.

use std::io::{self, Read, Write};
use thiserror::Error;

/// The longest name of the one folder: the size of the field `prefix`.
pub(super) const LONGEST_FOLDER: usize = 155;

const BLOCK: usize = 512;

/// The number of bytes to copy at a time.
const PIECE: usize = 64 << 10;

/// Why an entry could not be written.
#[derive(Debug, Error)]
pub(super) enum EntryError {
    /// Its content could not be read, or is shorter than declared.
    #[error("read its content")]
    Input(#[source] io::Error),
    /// The archive could not be written.
    #[error("write the archive")]
    Output(#[source] io::Error),
}

/// An archive of one folder, while it is written.
pub(super) struct Archive<'o> {
    out: &'o mut dyn Write,
    folder: &'o str,
    written: u64,
}

impl<'o> Archive<'o> {
    /// Starts an archive with all entries in `folder`, a name of at most [`LONGEST_FOLDER`] bytes.
    pub(super) fn new(out: &'o mut dyn Write, folder: &'o str) -> Archive<'o> {
        Archive { out, folder, written: 0 }
    }

    /// Adds a file of `length` bytes.
    pub(super) fn entry(
        &mut self,
        name: &str,
        mode: u32,
        length: u64,
        content: &mut dyn Read,
    ) -> Result<(), EntryError> {
        self.put(&header(self.folder, name, mode, length)).map_err(EntryError::Output)?;
        let mut left = length;
        let mut piece = vec![0; PIECE];
        while left > 0 {
            let wanted = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
            let part = piece.get_mut(..wanted).unwrap_or_default();
            // This is not `read_exact`, because that continues after an interruption.
            let read = content.read(part).map_err(EntryError::Input)?;
            let part = part.get(..read).filter(|part| !part.is_empty());
            let part = part.ok_or(EntryError::Input(io::ErrorKind::UnexpectedEof.into()))?;
            self.put(part).map_err(EntryError::Output)?;
            left -= part.len() as u64;
        }
        let padding = (length.next_multiple_of(BLOCK as u64) - length) as usize;
        self.put([0; BLOCK].get(..padding).unwrap_or_default()).map_err(EntryError::Output)
    }

    /// Ends the archive with two empty blocks; returns its size in bytes.
    pub(super) fn end(mut self) -> io::Result<u64> {
        self.put(&[0; 2 * BLOCK])?;
        self.out.flush()?;
        Ok(self.written)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

/// The position of each field of a header: first byte and length.
const NAME: (usize, usize) = (0, 100);
const MODE: (usize, usize) = (100, 8);
const OWNER: (usize, usize) = (108, 8);
const GROUP: (usize, usize) = (116, 8);
const SIZE: (usize, usize) = (124, 12);
const MODIFIED: (usize, usize) = (136, 12);
const CHECKSUM: (usize, usize) = (148, 8);
const KIND: (usize, usize) = (156, 1);
const MAGIC: (usize, usize) = (257, 8);
const DEVICE_MAJOR: (usize, usize) = (329, 8);
const DEVICE_MINOR: (usize, usize) = (337, 8);
const PREFIX: (usize, usize) = (345, LONGEST_FOLDER);

fn header(folder: &str, name: &str, mode: u32, length: u64) -> [u8; BLOCK] {
    let mut header = [0; BLOCK];
    let mut put = |(start, length): (usize, usize), text: &[u8]| {
        for (byte, value) in header.iter_mut().skip(start).take(length).zip(text) {
            *byte = *value;
        }
    };
    put(NAME, name.as_bytes());
    put(MODE, octal(mode.into(), 7).as_bytes());
    put(OWNER, octal(0, 7).as_bytes());
    put(GROUP, octal(0, 7).as_bytes());
    put(SIZE, &size(length));
    put(MODIFIED, octal(0, 11).as_bytes());
    // The checksum is computed with its own field filled with blanks.
    put(CHECKSUM, b"        ");
    put(KIND, b"0");
    put(MAGIC, b"ustar\x0000");
    put(DEVICE_MAJOR, octal(0, 7).as_bytes());
    put(DEVICE_MINOR, octal(0, 7).as_bytes());
    put(PREFIX, folder.as_bytes());
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    let sum = format!("{}\0 ", octal(sum.into(), 6));
    for (byte, value) in header.iter_mut().skip(CHECKSUM.0).zip(sum.bytes()) {
        *byte = value;
    }
    header
}

fn octal(number: u64, digits: usize) -> String {
    format!("{number:0digits$o}")
}

/// Returns eleven octal digits; for 8 GiB and more, a binary number after a byte with
/// its highest bit set, the extension of GNU tar that all readers support.
fn size(length: u64) -> Vec<u8> {
    match length < 1 << 33 {
        true => octal(length, 11).into_bytes(),
        false => [&[0x80, 0, 0, 0], length.to_be_bytes().as_slice()].concat(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_that_of_the_format() {
        let header = header("run", "run.db", 0o444, 0o1234);
        let text = |(start, length): (usize, usize)| {
            String::from_utf8_lossy(&header[start..start + length]).trim_end_matches('\0').to_owned()
        };
        assert_eq!([NAME, MODE, SIZE, PREFIX].map(text), ["run.db", "0000444", "00000001234", "run"]);
        assert_eq!(&header[257..265], b"ustar\x0000");
        let mut blank = header;
        blank[148..156].fill(b' ');
        let sum: u32 = blank.iter().map(|byte| u32::from(*byte)).sum();
        assert_eq!(text(CHECKSUM), format!("{sum:06o}\0 "));
    }

    #[test]
    fn sizes_beyond_eight_gibibytes_are_binary() {
        assert_eq!(size((1 << 33) - 1), b"77777777777");
        assert_eq!(size(1 << 33), [0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0]);
    }

    #[test]
    fn an_archive_is_padded_and_ended_and_content_that_falls_short_is_an_error() {
        let mut out = Vec::new();
        let mut archive = Archive::new(&mut out, "run");
        archive.entry("a", 0o444, 3, &mut b"abc".as_slice()).unwrap();
        archive.entry("b", 0o444, 512, &mut [7; 512].as_slice()).unwrap();
        assert_eq!(archive.end().unwrap(), 6 * 512);
        assert_eq!(out.len(), 6 * 512);
        assert_eq!(&out[512..516], b"abc\0");
        let mut archive = Archive::new(&mut out, "run");
        let short = archive.entry("a", 0o444, 4, &mut b"abc".as_slice());
        assert!(matches!(short, Err(EntryError::Input(_))));
    }
}
