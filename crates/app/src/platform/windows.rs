//! Windows.

use super::Moment;
use jiff::Timestamp;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// Makes `folder` and the folders above it; existing folders stay as they are.
///
/// This is weaker than on other systems: the folder inherits its access
/// rights, within a profile those of the owner and of administrators.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)
}

/// Makes a new file.
///
/// This is weaker than on other systems: there is no mode, and a read-only file could not be replaced later.
pub(crate) fn create_new(path: &Path, _mode: u32) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// Opens a file for reading and appending; makes it if it does not exist.
///
/// This is weaker than on other systems: the file inherits its access rights.
pub(crate) fn open_to_append(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).open(path)
}

/// Returns a value that has no effect here: a new file inherits its access rights.
pub(crate) fn readers(_folder: &Path) -> io::Result<u32> {
    Ok(0o444)
}

/// Leaves the permissions of a temporary file that becomes a user's file to its folder.
pub(crate) fn open_to_all<'a, 'b>(
    builder: &'a mut tempfile::Builder<'b, 'b>,
) -> &'a mut tempfile::Builder<'b, 'b> {
    builder
}

/// Does nothing: the standard library cannot sync a folder here.
///
/// This is weaker than on other systems: after a loss of power, a newly written
/// file may be missing from its folder although its contents were synced.
pub(crate) fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns the time of the last change of a file's contents, in steps of 100 ns.
pub(crate) fn modified(metadata: &Metadata) -> Moment {
    moment(metadata.modified())
}

/// Returns the time when the file was created.
///
/// This is weaker than on other systems: the standard library does not provide the time of the last change of the file's record. A file
/// that was written and then got its old modification time back goes unnoticed; a file that was replaced is noticed.
pub(crate) fn changed(metadata: &Metadata) -> Moment {
    moment(metadata.created())
}

/// An unavailable time always has the same value.
fn moment(time: io::Result<SystemTime>) -> Moment {
    let time = time.ok().and_then(|time| Timestamp::try_from(time).ok());
    time.map_or((0, 0), |time| (time.as_second(), i64::from(time.subsec_nanosecond())))
}
