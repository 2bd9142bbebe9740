//! Linux, macOS and similar systems.

use super::Moment;
use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Makes `folder` and the folders above it, accessible only to the current user; existing folders stay as they are.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Makes a new file with these permissions.
pub(crate) fn create_new(path: &Path, mode: u32) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(path)
}

/// Opens a file for reading and appending; makes it, accessible only to the current user, if it does not exist.
pub(crate) fn open_to_append(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)
}

/// Returns the permissions that let everyone who can read `folder` read a file in it.
pub(crate) fn readers(folder: &Path) -> io::Result<u32> {
    Ok(folder.metadata()?.mode() & 0o444)
}

/// Sets the usual permissions for a temporary file that becomes a user's file: the umask applies.
pub(crate) fn open_to_all<'a, 'b>(
    builder: &'a mut tempfile::Builder<'b, 'b>,
) -> &'a mut tempfile::Builder<'b, 'b> {
    builder.permissions(Permissions::from_mode(0o666))
}

/// Makes the entries of the folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Returns the time of the last change of a file's contents.
pub(crate) fn modified(metadata: &Metadata) -> Moment {
    (metadata.mtime(), metadata.mtime_nsec())
}

/// Returns the time of the last change of a file's inode.
pub(crate) fn changed(metadata: &Metadata) -> Moment {
    (metadata.ctime(), metadata.ctime_nsec())
}
