//! File permissions of a run: for its owner alone, or for everyone the umask lets read.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::Path;

/// Creates `folder`, and missing folders above it; only `folder` itself is private.
pub(crate) fn make_folder(folder: &Path, shared: bool) -> io::Result<()> {
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        std::fs::create_dir_all(parent).map_err(|error| match error.kind() {
            // For the folder itself that error would mean that it exists.
            io::ErrorKind::AlreadyExists => io::ErrorKind::NotADirectory.into(),
            _ => error,
        })?;
    }
    let mut builder = DirBuilder::new();
    if !shared {
        for_owner_folder(&mut builder);
    }
    match builder.create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        made => made,
    }
}

/// Returns the options for creating a file of the run, which must not exist yet.
pub(crate) fn new_file(shared: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    if !shared {
        for_owner_file(&mut options);
    }
    options
}

#[cfg(unix)]
fn for_owner_folder(builder: &mut DirBuilder) {
    use std::os::unix::fs::DirBuilderExt;
    builder.mode(0o700);
}

#[cfg(unix)]
fn for_owner_file(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

/// On other systems a folder inherits the permissions of its parent.
#[cfg(not(unix))]
fn for_owner_folder(_: &mut DirBuilder) {}

#[cfg(not(unix))]
fn for_owner_file(_: &mut OpenOptions) {}
