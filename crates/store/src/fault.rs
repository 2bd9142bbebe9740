//! Errors of the disk, the file system or SQLite, distinguished as far as a person can act on them.

use rusqlite::{ErrorCode, ffi};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file could not be read or written.
#[derive(Debug, Error)]
pub enum Fault {
    /// No space is left.
    #[error("{path}: the disk is full", path = path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// The system does not write any more of it.
    #[error("{path}: the system refuses to write more: the disk fails, or a quota or a limit on the size of files (ulimit -f) is reached", path = path.display())]
    Refused {
        /// The file.
        path: PathBuf,
    },
    /// The file or its folder does not allow writing.
    #[error("{path}: the file or its folder is read-only", path = path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// Another process holds the file.
    #[error("{path}: another process holds the file", path = path.display())]
    Held {
        /// The file.
        path: PathBuf,
    },
    /// The file's structure is damaged.
    #[error("{path}: the file is damaged", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The error from SQLite.
        #[source]
        source: rusqlite::Error,
    },
    /// Any other error from SQLite.
    #[error("{path}: SQLite reports an error", path = path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// The error from SQLite.
        #[source]
        source: rusqlite::Error,
    },
    /// Any other error from the operating system.
    #[error("{path}: the operating system reports an error", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error from the operating system.
        #[source]
        source: io::Error,
    },
}

impl Fault {
    /// Classifies an error from SQLite about `path`.
    pub(crate) fn sqlite(path: &Path, source: rusqlite::Error) -> Fault {
        let path = path.to_owned();
        // SQLite distinguishes these only in its extended codes: it could not extend the index of its log, or
        // not write.
        match source.sqlite_error().map(|error| error.extended_code) {
            Some(ffi::SQLITE_IOERR_SHMSIZE) => return Fault::DiskFull { path },
            Some(ffi::SQLITE_IOERR_WRITE) => return Fault::Refused { path },
            Some(_) | None => {}
        }
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Fault::DiskFull { path },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Fault::ReadOnly { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Fault::Held { path },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Fault::Damaged { path, source },
            Some(_) | None => Fault::Sqlite { path, source },
        }
    }

    /// Classifies an error from the operating system about `path`.
    pub(crate) fn io(path: &Path, source: io::Error) -> Fault {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Fault::DiskFull { path },
            io::ErrorKind::FileTooLarge => Fault::Refused { path },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Fault::ReadOnly { path },
            _ => Fault::Io { path, source },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(code: i32) -> Fault {
        Fault::sqlite(Path::new("run.db"), rusqlite::Error::SqliteFailure(ffi::Error::new(code), None))
    }

    #[test]
    fn what_a_person_can_act_on_has_a_variant_of_its_own() {
        assert!(matches!(sorted(ffi::SQLITE_FULL), Fault::DiskFull { .. }));
        assert!(matches!(sorted(ffi::SQLITE_IOERR_SHMSIZE), Fault::DiskFull { .. }));
        assert!(matches!(sorted(ffi::SQLITE_IOERR_WRITE), Fault::Refused { .. }));
        assert!(matches!(sorted(ffi::SQLITE_READONLY), Fault::ReadOnly { .. }));
        assert!(matches!(sorted(ffi::SQLITE_BUSY), Fault::Held { .. }));
        assert!(matches!(sorted(ffi::SQLITE_CORRUPT), Fault::Damaged { .. }));
        assert!(matches!(sorted(ffi::SQLITE_IOERR), Fault::Sqlite { .. }));
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        assert!(matches!(Fault::io(Path::new("runs"), denied), Fault::ReadOnly { .. }));
    }
}
