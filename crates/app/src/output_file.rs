//! Output files that the user names: written completely or not at all, and never over an existing file unless requested.

use crate::platform::{open_to_all, sync_folder};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Whether an existing file is overwritten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Overwrite {
    /// The existing file stays, and nothing is written.
    #[default]
    Never,
    /// The existing file is replaced once the new one is complete.
    Asked,
}

/// Why a file cannot be written.
#[derive(Debug, Error)]
pub enum OutputFileError {
    /// The file exists, and must not be overwritten.
    #[error("write {}: the file exists", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The path is a folder, a link or a device; these are never overwritten.
    #[error("write {}: what is there is no regular file", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// The existing file is part of a run, which is never overwritten.
    #[error("write {}: it is a file of a run", path.display())]
    OfRun {
        /// The path.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
}

/// Checks whether a file may be written at this path.
///
/// # Errors
///
/// Fails if something exists there that may not be overwritten.
pub fn room_for(to: &Path, overwrite: Overwrite) -> Result<(), OutputFileError> {
    let Ok(there) = to.symlink_metadata() else { return Ok(()) };
    let path = || to.to_owned();
    match overwrite {
        Overwrite::Never => Err(OutputFileError::Exists { path: path() }),
        Overwrite::Asked if !there.is_file() => Err(OutputFileError::NoFile { path: path() }),
        Overwrite::Asked if beside(to).join(store::FILE_NAME).symlink_metadata().is_ok() => {
            Err(OutputFileError::OfRun { path: path() })
        }
        Overwrite::Asked => Ok(()),
    }
}

/// Writes a file; once this returns, it survives a loss of power.
///
/// # Errors
///
/// Fails if the file may not be overwritten, or cannot be written.
pub fn write_output(to: &Path, overwrite: Overwrite, bytes: &[u8]) -> Result<(), OutputFileError> {
    room_for(to, overwrite)?;
    let folder = beside(to);
    fill_output(to, overwrite, folder, |out| {
        out.write_all(bytes).map_err(|source| OutputFileError::Write { path: to.to_owned(), source })
    })
}

/// Fills a file in `unfinished` and moves it to `to`; once this returns, it survives a loss of power.
pub(crate) fn fill_output<T, E: From<OutputFileError>>(
    to: &Path,
    overwrite: Overwrite,
    unfinished: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    let failed = |source| OutputFileError::Write { path: to.to_owned(), source };
    let file = open_to_all(tempfile::Builder::new().prefix(UNFINISHED)).tempfile_in(unfinished);
    let mut file = file.map_err(failed)?;
    let mut out = BufWriter::new(file.as_file_mut());
    let told = fill(&mut out)?;
    out.flush().map_err(failed)?;
    drop(out);
    file.as_file().sync_all().map_err(failed)?;
    let kept = match overwrite {
        Overwrite::Never => file.persist_noclobber(to),
        Overwrite::Asked => file.persist(to),
    };
    kept.map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => OutputFileError::Exists { path: to.to_owned() },
        _ => failed(error.error),
    })?;
    sync_folder(beside(to)).map_err(failed)?;
    Ok(told)
}

/// The prefix of unfinished files.
pub(crate) const UNFINISHED: &str = ".locard-unfinished-";

/// Returns the folder that contains a file.
pub(crate) fn beside(to: &Path) -> &Path {
    match to.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#[expect(clippy::disallowed_methods, reason = "a test writes its files")]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_is_no_runs_is_written_over_and_only_where_that_is_asked() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        write_output(&at("a"), Overwrite::Never, b"one").unwrap();
        let refused = write_output(&at("a"), Overwrite::Never, b"two");
        assert!(matches!(refused, Err(OutputFileError::Exists { .. })), "{refused:?}");
        assert_eq!(std::fs::read(at("a")).unwrap(), b"one");
        write_output(&at("a"), Overwrite::Asked, b"two").unwrap();
        write_output(&at("b"), Overwrite::Asked, b"two").unwrap();
        assert_eq!([at("a"), at("b")].map(|file| std::fs::read(file).unwrap()), [b"two", b"two"]);
        let refused = write_output(place.path(), Overwrite::Asked, b"x");
        assert!(matches!(refused, Err(OutputFileError::NoFile { .. })), "{refused:?}");
        std::fs::write(at(store::FILE_NAME), b"log").unwrap();
        let refused = write_output(&at("a"), Overwrite::Asked, b"x");
        assert!(matches!(refused, Err(OutputFileError::OfRun { .. })), "{refused:?}");
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 3, "nothing unfinished is left");
    }
}
