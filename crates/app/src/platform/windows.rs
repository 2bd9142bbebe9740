//! Windows.

use super::Moment;
use jiff::Timestamp;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// Makes `folder`, and those above it; one that is there stays as it is.
///
/// Weaker than elsewhere: who may look into it is what it inherits, in a profile its owner and administrators.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)
}

/// Makes a file that is not there yet.
///
/// Weaker than elsewhere: there is no mode, and a read-only file could not be replaced later.
pub(crate) fn create_new(path: &Path, _mode: u32) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// Opens a file to read and to write behind its end, and makes it where it is not there.
///
/// Weaker than elsewhere: who may read it is what it inherits.
pub(crate) fn open_to_append(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).open(path)
}

/// Nothing that is asked for when a file is made: it inherits who may read it.
pub(crate) fn readers(_folder: &Path) -> io::Result<u32> {
    Ok(0o444)
}

/// The permissions of a temporary file that becomes somebody's: what it inherits from its folder.
pub(crate) fn open_to_all<'a, 'b>(
    builder: &'a mut tempfile::Builder<'b, 'b>,
) -> &'a mut tempfile::Builder<'b, 'b> {
    builder
}

/// Does nothing: the standard library cannot sync a folder here.
///
/// Weaker than elsewhere: after a loss of power a file that was just written, bytes and all, may not be in its folder.
pub(crate) fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// When the bytes of a file last changed; in steps of 100 ns.
pub(crate) fn modified(metadata: &Metadata) -> Moment {
    moment(metadata.modified())
}

/// When the file was made.
///
/// Weaker than elsewhere: the standard library does not tell when the file's record last changed, so a file that was written and given its old time of modification back is not noticed; one that was put in its place is.
pub(crate) fn changed(metadata: &Metadata) -> Moment {
    moment(metadata.created())
}

/// A time that cannot be had is the same each time.
fn moment(time: io::Result<SystemTime>) -> Moment {
    let time = time.ok().and_then(|time| Timestamp::try_from(time).ok());
    time.map_or((0, 0), |time| (time.as_second(), i64::from(time.subsec_nanosecond())))
}
