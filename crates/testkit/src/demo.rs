//! The evidence of the demo case, and the truth that was planted in it.
//!
//! It consists of the disk of an accountant's workstation, with ordinary activity and an intrusion that starts with a free scanner tool,
//! and a triage of the file server that the intruder reached from there.
//! Everything is invented. `cargo xtask demo` writes it to `cases/demo`, together with `truth.toml`.
//! The names, paths and times of the story are in one module, from which both the evidence and the truth are built.

mod browsers;
mod clock;
mod devices;
mod facts;
mod files;
mod logs;
mod parts;
mod sam;
mod server;
mod services;
mod shell;
mod software;
pub(crate) mod sqlite;
mod story;
mod system;
mod tasks;
mod truth;
mod users;
mod volume;

pub(crate) use browsers::CHROMIUM;
pub(crate) use parts::rot13;

use crate::hive::{HiveSpec, KeySpec};
use crate::{disk, ewf, ntfs, zip};
use thiserror::Error;

/// A file of the demo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoFile {
    /// Its path in its evidence, with `/` as separator.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The reason why the demo cannot be built.
#[derive(Debug, Error)]
pub enum DemoError {
    /// A database failed.
    #[error("build a database of the demo")]
    Sqlite(#[from] rusqlite::Error),
    /// The volume failed.
    #[error("build the volume of the demo")]
    Volume(#[from] ntfs::BuildError),
    /// The disk failed.
    #[error("build the disk of the demo")]
    Disk(#[from] disk::DiskError),
}

/// The file name of the workstation's image in `cases/demo`.
pub const IMAGE: &str = "alder-07.E01";

/// The file name of the file server's triage in `cases/demo`.
pub const ARCHIVE: &str = "alder-fs01.zip";

/// The name of the file in `cases/demo` that lists what was planted.
pub const TRUTH: &str = "truth.toml";

impl DemoFile {
    fn new(path: &str, bytes: Vec<u8>) -> Self {
        Self { path: path.to_owned(), bytes }
    }
}

/// Builds the Chromium and the Firefox history, without the contents of Chromium's write-ahead log. Fails only if SQLite fails.
pub fn browser_databases() -> rusqlite::Result<[Vec<u8>; 2]> {
    browsers::databases()
}

/// Builds the allocated files on drive C of the workstation, below `p1`. Fails only if SQLite fails.
pub fn files() -> rusqlite::Result<Vec<DemoFile>> {
    let mut files = vec![
        hive(facts::SYSTEM, "SYSTEM", system::root()),
        hive(facts::SOFTWARE, "emRoot\\System32\\Config\\SOFTWARE", software::root()),
        hive(facts::SAM, "\\SystemRoot\\System32\\Config\\SAM", sam::root()),
        hive(facts::MARA_HIVE, "\\??\\C:\\Users\\mara\\ntuser.dat", users::mara()),
        hive(facts::ADMIN_HIVE, "\\??\\C:\\Users\\it-admin\\ntuser.dat", users::it_admin()),
    ];
    files.extend(files::files());
    files.extend(browsers::files()?);
    Ok(files)
}

/// Builds the disk of the workstation, with one NTFS volume.
pub fn disk() -> Result<Vec<u8>, DemoError> {
    let volume = volume::volume(&files()?).build()?;
    let part = disk::Part::volume(story::PARTITION / disk::SECTOR, &volume);
    let mut spec = disk::DiskSpec::mbr(story::DISK / disk::SECTOR).part(part);
    spec.table = disk::Table::Mbr { signature: story::DISK_SIGNATURE };
    Ok(spec.build()?.bytes())
}

/// Builds the disk as an E01 image with one segment.
pub fn image() -> Result<Vec<u8>, DemoError> {
    let spec = ewf::EwfSpec {
        case_number: "2025-0917".to_owned(),
        evidence_number: "1".to_owned(),
        description: format!("system disk of {}", story::HOST),
        examiner: "A. Castellan".to_owned(),
        acquired: u64::from(story::ACQUIRED.unix()),
        ..ewf::EwfSpec::default()
    };
    Ok(spec.write(&disk()?).concat())
}

/// Builds the triage of the file server.
pub fn archive() -> Vec<u8> {
    let entry = |file: DemoFile| zip::ZipEntry {
        name: file.path,
        bytes: file.bytes,
        modified: story::ACQUIRED.plus(1_260).filetime(),
    };
    zip::write(&server::files().into_iter().map(entry).collect::<Vec<_>>())
}

/// Returns what was planted, as `truth.toml`.
pub fn truth() -> String {
    truth::text()
}

fn hive(path: &str, name: &str, root: KeySpec) -> DemoFile {
    let spec = HiveSpec::new(root).file_name(name).written(story::SHUTDOWN.plus_ticks(4_417_000).filetime());
    DemoFile::new(path, spec.build().bytes)
}

#[cfg(test)]
mod tests;
