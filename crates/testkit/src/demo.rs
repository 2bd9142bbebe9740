//! The evidence of the demo case, and what was planted in it.
//!
//! A workstation of an accountant: ordinary life, and an intrusion that begins with a free scanner tool.
//! Everything here is invented; `cargo xtask demo` writes it to `cases/demo`, with `truth.toml` beside it.
//! The names, paths and times of the story stand in one module, which the evidence and the truth are both built from.

mod browsers;
mod clock;
mod devices;
mod facts;
mod files;
mod parts;
mod sam;
mod services;
mod shell;
mod software;
mod sqlite;
mod story;
mod system;
mod tasks;
mod truth;
mod users;

use crate::hive::{HiveSpec, KeySpec};

/// A file of the demo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoFile {
    /// Its path under [`EVIDENCE`], separated by `/`.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The folder of the evidence under `cases/demo`.
pub const EVIDENCE: &str = "evidence";

/// The name of the file under `cases/demo` that says what was planted.
pub const TRUTH: &str = "truth.toml";

impl DemoFile {
    fn new(path: &str, bytes: Vec<u8>) -> Self {
        Self { path: path.to_owned(), bytes }
    }
}

/// Every file of the demo's evidence; fails only where SQLite does.
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

/// What was planted, as `truth.toml`.
pub fn truth() -> String {
    truth::text()
}

fn hive(path: &str, name: &str, root: KeySpec) -> DemoFile {
    let spec = HiveSpec::new(root).file_name(name).written(story::SHUTDOWN.plus_ticks(4_417_000).filetime());
    DemoFile::new(path, spec.build().bytes)
}

#[cfg(test)]
mod tests;
