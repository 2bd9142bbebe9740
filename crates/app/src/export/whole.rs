//! A file that stands in its place whole or not at all, and never in place of another.

use super::{ExportError, UNFINISHED};
use crate::platform::{open_to_all, sync_folder};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use tempfile::TempDir;

/// The folder that a file is to stand in.
fn beside(to: &Path) -> &Path {
    match to.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A folder for unfinished files beside `to`, which must not exist.
pub(super) fn unfinished_beside(to: &Path) -> Result<TempDir, ExportError> {
    if to.symlink_metadata().is_ok() {
        return Err(ExportError::Exists { path: to.to_owned() });
    }
    let made = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(beside(to));
    made.map_err(|source| ExportError::Write { path: to.to_owned(), source })
}

/// Fills a file in `unfinished` and puts it at `to`; once this returns it survives a loss of power.
pub(super) fn keep<T>(
    to: &Path,
    unfinished: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, ExportError>,
) -> Result<T, ExportError> {
    let failed = |source| ExportError::Write { path: to.to_owned(), source };
    let file = open_to_all(&mut tempfile::Builder::new()).tempfile_in(unfinished);
    let mut file = file.map_err(failed)?;
    let mut out = BufWriter::new(file.as_file_mut());
    let told = fill(&mut out).map_err(|error| match error {
        ExportError::Output(source) => failed(source),
        error => error,
    })?;
    out.flush().map_err(failed)?;
    drop(out);
    file.as_file().sync_all().map_err(failed)?;
    let kept = file.persist_noclobber(to).map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => ExportError::Exists { path: to.to_owned() },
        _ => failed(error.error),
    });
    drop(kept?);
    sync_folder(beside(to)).map_err(failed)?;
    Ok(told)
}
