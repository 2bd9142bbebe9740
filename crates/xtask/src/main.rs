//! Chores of the workspace: `cargo xtask <chore>`.
#![expect(clippy::print_stderr, reason = "a chore talks to whoever runs it")]

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod compare;

const USAGE: &str = "usage: cargo xtask <chore>\n  \
    demo              write the demo case's evidence and truth from their description\n  \
    compare IMAGE...  compare what we read of disk images with what sleuthkit reads";

fn main() -> ExitCode {
    let result = match std::env::args().nth(1).as_deref() {
        Some("demo") => demo(),
        Some("compare") => compare_all(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Fails when anything differs.
fn compare_all() -> io::Result<()> {
    let mut different = 0;
    for image in std::env::args_os().skip(2) {
        let image = PathBuf::from(image);
        different += compare::compare(&image, &mut |line| eprintln!("{line}")).map_err(io::Error::other)?;
    }
    if different == 0 { Ok(()) } else { Err(io::Error::other(format!("{different} differences"))) }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[expect(clippy::disallowed_methods, reason = "writing the fixture is what this chore is for")]
fn demo() -> io::Result<()> {
    let case = root().join("cases/demo");
    let evidence = case.join(testkit::demo::EVIDENCE);
    let files = testkit::demo::files().map_err(io::Error::other)?;
    for file in &files {
        let path = evidence.join(&file.path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, &file.bytes)?;
        eprintln!("{} {} bytes", file.path, file.bytes.len());
    }
    std::fs::write(case.join(testkit::demo::TRUTH), testkit::demo::truth())?;
    let built: BTreeSet<PathBuf> = files.iter().map(|file| evidence.join(&file.path)).collect();
    remove_stale(&evidence, &built)
}

/// Removes what is not built any more, and folders that this leaves empty; a link is removed, never followed.
fn remove_stale(folder: &Path, built: &BTreeSet<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            remove_stale(&path, built)?;
            if std::fs::read_dir(&path)?.next().is_none() {
                std::fs::remove_dir(&path)?;
            }
        } else if !built.contains(&path) {
            std::fs::remove_file(&path)?;
            eprintln!("{} removed", path.display());
        }
    }
    Ok(())
}
