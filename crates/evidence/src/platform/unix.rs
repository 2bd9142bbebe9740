//! Linux, macOS and their like.

use super::{FileFacts, Moment};
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
pub use std::os::unix::fs::FileExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Keeps the access time of what is opened; macOS has no such flag, so reading there may leave a new one.
#[cfg(target_os = "linux")]
const UNTOUCHED: libc::c_int = libc::O_NOATIME;
#[cfg(not(target_os = "linux"))]
const UNTOUCHED: libc::c_int = 0;

/// The bytes of a name, exactly as the system has them.
pub fn name_bytes(name: &OsStr) -> &[u8] {
    name.as_bytes()
}

/// The name with these bytes.
pub fn from_name_bytes(bytes: Vec<u8>) -> io::Result<OsString> {
    Ok(OsString::from_vec(bytes))
}

/// When the bytes of a file last changed.
pub fn modified(metadata: &Metadata) -> Moment {
    (metadata.mtime(), metadata.mtime_nsec())
}

/// All that is said of an entry.
pub(crate) fn facts(metadata: &Metadata) -> FileFacts {
    FileFacts {
        modified: Some(modified(metadata)),
        accessed: Some((metadata.atime(), metadata.atime_nsec())),
        changed: Some((metadata.ctime(), metadata.ctime_nsec())),
        links: Some(metadata.nlink()),
        inode: Some(metadata.ino()),
    }
}

/// Opens without leaving a new access time where the system lets us.
pub(crate) fn open_untouched(path: &Path) -> io::Result<File> {
    open(path, 0)
}

/// The same, and a link is refused instead of followed.
pub(crate) fn open_itself(path: &Path) -> io::Result<File> {
    open(path, libc::O_NOFOLLOW)
}

/// The first byte from `offset` on that a file system stores of a file of `length` bytes: what stands before it is a hole.
///
/// `offset` itself where that cannot be told, `length` where only a hole is left.
#[cfg(any(target_os = "linux", target_vendor = "apple", target_os = "freebsd"))]
pub(crate) fn stored_from(file: &File, offset: u64, length: u64) -> u64 {
    use rustix::fs::{SeekFrom, seek};
    match seek(file, SeekFrom::Data(offset)) {
        Ok(stored) => stored.clamp(offset, length.max(offset)),
        // No data from there on.
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
        // Only the owner may ask for O_NOATIME.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => with(flags),
        result => result,
    }
}
