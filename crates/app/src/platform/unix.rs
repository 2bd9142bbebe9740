//! Linux, macOS and their like.

use super::Moment;
use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Makes `folder`, and those above it, for nobody but us; one that is there stays as it is.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Makes a file that is not there yet, with these permissions.
pub(crate) fn create_new(path: &Path, mode: u32) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(path)
}

/// Opens a file to read and to write behind its end, and makes it where it is not there, for nobody but us.
pub(crate) fn open_to_append(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)
}

/// The permissions with which whoever may read `folder` may read a file in it.
pub(crate) fn readers(folder: &Path) -> io::Result<u32> {
    Ok(folder.metadata()?.mode() & 0o444)
}

/// The permissions of a temporary file that becomes somebody's: what the umask leaves.
pub(crate) fn open_to_all<'a, 'b>(
    builder: &'a mut tempfile::Builder<'b, 'b>,
) -> &'a mut tempfile::Builder<'b, 'b> {
    builder.permissions(Permissions::from_mode(0o666))
}

/// Makes the folder's list of names durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// When the bytes of a file last changed.
pub(crate) fn modified(metadata: &Metadata) -> Moment {
    (metadata.mtime(), metadata.mtime_nsec())
}

/// When its inode last changed.
pub(crate) fn changed(metadata: &Metadata) -> Moment {
    (metadata.ctime(), metadata.ctime_nsec())
}
