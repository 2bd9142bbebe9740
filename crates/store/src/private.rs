//! Whether a run is for its owner alone, or for whoever the umask lets read.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::Path;

/// Makes `folder`, and those above it that are not there yet; it alone is private.
pub(crate) fn make_folder(folder: &Path, shared: bool) -> io::Result<()> {
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        std::fs::create_dir_all(parent).map_err(|error| match error.kind() {
            // Of the folder itself that would mean that it is there.
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

/// How a file of the run is made: it must not be there yet.
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

/// Elsewhere a folder has the permissions of the one around it.
#[cfg(not(unix))]
fn for_owner_folder(_: &mut DirBuilder) {}

#[cfg(not(unix))]
fn for_owner_file(_: &mut OpenOptions) {}
