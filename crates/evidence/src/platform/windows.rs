//! Windows.

use super::{FileFacts, Moment};
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::{FileExt as _, OpenOptionsExt};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Opens a link itself and not its target (`FILE_FLAG_OPEN_REPARSE_POINT`).
const THE_LINK: u32 = 0x0020_0000;

/// Reading at an offset, with the names used on Unix.
///
/// It moves the file's own position, which Unix does not; nothing here reads at that position.
pub trait FileExt {
    /// Reads up to `buffer.len()` bytes at `offset`; 0 at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Fills `buffer` from `offset` on, or fails.
    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match self.read_at(buffer, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    buffer = buffer.get_mut(read..).unwrap_or_default();
                    offset = offset.saturating_add(read as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl FileExt for File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.seek_read(buffer, offset)
    }
}

/// Returns the bytes of a name: UTF-8, with an unpaired surrogate as the three bytes that it would have.
pub fn name_bytes(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

/// Returns the name with these bytes.
///
/// A name that is not UTF-8 is refused, so a name with an unpaired surrogate is listed but cannot be opened. A
/// name that no entry can have and that would lead out of its folder is also refused.
pub fn from_name_bytes(bytes: Vec<u8>) -> io::Result<OsString> {
    let wrong = |why: Box<dyn Error + Send + Sync>| io::Error::new(io::ErrorKind::InvalidFilename, why);
    let name = String::from_utf8(bytes).map_err(|error| wrong(error.into()))?;
    match name.contains(['/', '\\', ':']) {
        true => Err(wrong("the name holds a separator".into())),
        false => Ok(OsString::from(name)),
    }
}

/// Returns when the bytes of a file last changed; in steps of 100 ns.
pub fn modified(metadata: &Metadata) -> Moment {
    moment(metadata.modified()).unwrap_or_default()
}

/// Returns what is known about an entry; the standard library provides neither the time of change, nor links,
/// nor the file's number.
pub(crate) fn facts(metadata: &Metadata) -> FileFacts {
    FileFacts {
        modified: moment(metadata.modified()),
        accessed: moment(metadata.accessed()),
        changed: None,
        links: None,
        inode: None,
    }
}

fn moment(time: io::Result<SystemTime>) -> Option<Moment> {
    let time = time.ok()?;
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => Some((i64::try_from(since.as_secs()).ok()?, i64::from(since.subsec_nanos()))),
        Err(before) => {
            // Seconds are rounded down to the previous full second; nanoseconds always count up.
            let before = before.duration();
            let seconds = i64::try_from(before.as_secs()).ok()?.checked_neg()?;
            match i64::from(before.subsec_nanos()) {
                0 => Some((seconds, 0)),
                nanoseconds => Some((seconds.checked_sub(1)?, 1_000_000_000 - nanoseconds)),
            }
        }
    }
}

/// Opens for reading. Windows has no flag that keeps the access time; by default volumes do not record it.
pub(crate) fn open_untouched(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// The same, but refuses a link instead of following it.
pub(crate) fn open_itself(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(THE_LINK).open(path)?;
    match file.metadata()?.is_symlink() {
        true => Err(io::Error::other("the file is a link")),
        false => Ok(file),
    }
}

/// Returns the first byte from `offset` on that is stored: `offset`, because holes are not looked up on Windows.
pub(crate) fn stored_from(_: &File, offset: u64, _: u64) -> u64 {
    offset
}
