//! Linux, macOS and other Unix systems.

use super::{FileFacts, Moment};
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
pub use std::os::unix::fs::FileExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Keeps the access time of an opened file; macOS has no such flag, so reading there may change it.
#[cfg(target_os = "linux")]
const UNTOUCHED: libc::c_int = libc::O_NOATIME;
#[cfg(not(target_os = "linux"))]
const UNTOUCHED: libc::c_int = 0;

/// Returns the bytes of a name, exactly as the system has them.
pub fn name_bytes(name: &OsStr) -> &[u8] {
    name.as_bytes()
}

/// Returns the name with these bytes.
pub fn from_name_bytes(bytes: Vec<u8>) -> io::Result<OsString> {
    Ok(OsString::from_vec(bytes))
}

/// Returns when the bytes of a file last changed.
pub fn modified(metadata: &Metadata) -> Moment {
    (metadata.mtime(), metadata.mtime_nsec())
}

/// Returns all facts about an entry.
pub(crate) fn facts(metadata: &Metadata) -> FileFacts {
    FileFacts {
        modified: Some(modified(metadata)),
        accessed: Some((metadata.atime(), metadata.atime_nsec())),
        changed: Some((metadata.ctime(), metadata.ctime_nsec())),
        links: Some(metadata.nlink()),
        inode: Some(metadata.ino()),
    }
}

/// Opens a file without changing its access time, if the system lets us.
pub(crate) fn open_untouched(path: &Path) -> io::Result<File> {
    open(path, 0)
}

/// The same, but refuses a link instead of following it.
pub(crate) fn open_itself(path: &Path) -> io::Result<File> {
    open(path, libc::O_NOFOLLOW)
}

/// Returns the first byte from `offset` on that the file system stores, for a file of `length` bytes: anything
/// before it is a hole.
///
/// Returns `offset` itself if that is unknown, and `length` if only a hole is left.
#[cfg(any(target_os = "linux", target_vendor = "apple", target_os = "freebsd"))]
pub(crate) fn stored_from(file: &File, offset: u64, length: u64) -> u64 {
    use rustix::fs::{SeekFrom, seek};
    match seek(file, SeekFrom::Data(offset)) {
        Ok(stored) => stored.clamp(offset, length.max(offset)),
        // There is no data from there on.
        Err(rustix::io::Errno::NXIO) => length.max(offset),
        Err(_) => offset,
    }
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple", target_os = "freebsd")))]
pub(crate) fn stored_from(_: &File, offset: u64, _: u64) -> u64 {
    offset
}

fn open(path: &Path, flags: libc::c_int) -> io::Result<File> {
    let with = |flags| OpenOptions::new().read(true).custom_flags(flags).open(path);
    match with(flags | UNTOUCHED) {
        // Only the owner may use O_NOATIME.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => with(flags),
        result => result,
    }
}
