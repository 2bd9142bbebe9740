//! Keeps the heads of the runs that were sealed here in a file outside the run folders.
//!
//! Someone who later changes a run's folder, and can write only there, cannot change this file (decision 0044).
//! Lines are appended and never changed. A line that cannot be parsed is skipped, because the end of the file may have been cut off.

use crate::platform::{make_private, open_to_append};
use crate::regular::read_regular;
use ledger::{Digest, RunId};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The most bytes that are read: enough for some hundred thousand runs.
const LARGEST: u64 = 64 << 20;

/// The file that heads are noted in.
#[derive(Debug, Clone)]
pub struct HeadLog {
    file: PathBuf,
}

/// The head of a run, noted when the run was sealed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedHead {
    /// The run.
    pub run: RunId,
    /// The last link of the run's chain.
    pub head: Digest,
    /// When the head was noted, RFC 3339 in UTC.
    pub at: String,
    /// The name of the run's folder.
    pub folder: String,
}

/// Why a head cannot be noted or looked up.
#[derive(Debug, Error)]
pub enum HeadLogError {
    /// The file cannot be written.
    #[error("note the head in {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The file cannot be read.
    #[error("read the noted heads {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
}

impl HeadLog {
    /// Uses `file` as the head log; it need not exist yet.
    pub fn new(file: PathBuf) -> HeadLog {
        HeadLog { file }
    }

    /// Returns the path of the file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Appends a head; once this returns, the head survives a loss of power.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn note(&self, head: &NotedHead) -> Result<(), HeadLogError> {
        self.append(head).map_err(|source| HeadLogError::Write { path: self.file.clone(), source })
    }

    fn append(&self, head: &NotedHead) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            make_private(folder)?;
        }
        let line = serde_json::to_string(head)?;
        let mut file = open_to_append(&self.file)?;
        // Several processes may seal runs at the same time. Closing the file releases the lock.
        file.lock()?;
        let before = if ends_within_a_line(&mut file)? { "\n" } else { "" };
        file.write_all(format!("{before}{line}\n").as_bytes())?;
        file.sync_all()
    }

    /// Returns the heads that were noted for this run or for a folder of this name, oldest first; empty if the file does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn noted(&self, run: Option<&RunId>, folder: &str) -> Result<Vec<NotedHead>, HeadLogError> {
        let bytes = match read_regular(&self.file, LARGEST) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(HeadLogError::Read { path: self.file.clone(), source }),
        };
        let lines = bytes.split(|byte| *byte == b'\n');
        let noted = lines.filter_map(|line| serde_json::from_slice::<NotedHead>(line).ok());
        // Someone who renames a run may leave its folder's name unchanged, or the other way round.
        Ok(noted.filter(|noted| Some(&noted.run) == run || noted.folder == folder).collect())
    }
}

/// Whether the last line of a file lacks its line break; an empty file has no line.
fn ends_within_a_line(file: &mut File) -> io::Result<bool> {
    let mut last = [0];
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test writes its file")]
mod tests {
    use super::*;

    fn head(run: &str, of: &[u8]) -> NotedHead {
        let run = RunId::new(run).unwrap();
        NotedHead { folder: run.to_string(), run, head: Digest::of(of), at: "2026-01-01T00:00:00Z".into() }
    }

    #[test]
    fn heads_are_appended_and_found_by_run_and_by_folder() {
        let home = tempfile::tempdir().unwrap();
        let log = HeadLog::new(home.path().join("state/locard/heads"));
        let (one, other) = (head("one", b"1"), head("other", b"2"));
        assert_eq!(log.noted(Some(&one.run), "one").unwrap(), []);
        log.note(&one).unwrap();
        log.note(&other).unwrap();
        assert_eq!(log.noted(Some(&one.run), "copy").unwrap(), std::slice::from_ref(&one));
        assert_eq!(log.noted(None, "other").unwrap(), std::slice::from_ref(&other));
        assert_eq!(log.noted(Some(&other.run), "one").unwrap(), [one, other]);
    }

    #[test]
    fn a_line_that_was_cut_off_costs_no_other() {
        let home = tempfile::tempdir().unwrap();
        let log = HeadLog::new(home.path().join("heads"));
        std::fs::write(log.file(), b"{\"run\":\"lo").unwrap();
        let one = head("one", b"1");
        log.note(&one).unwrap();
        assert_eq!(log.noted(Some(&one.run), "").unwrap(), [one]);
        let text = std::fs::read_to_string(log.file()).unwrap();
        assert_eq!(text.lines().count(), 2, "{text}");
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_reads_it_and_a_file_in_its_way_is_an_error() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let log = HeadLog::new(home.path().join("state/heads"));
        log.note(&head("one", b"1")).unwrap();
        let mode = log.file().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let within = HeadLog::new(log.file().join("heads"));
        assert!(matches!(within.note(&head("one", b"1")), Err(HeadLogError::Write { .. })));
        let folder = HeadLog::new(home.path().to_owned());
        assert!(matches!(folder.noted(None, "one"), Err(HeadLogError::Read { .. })));
    }
}
