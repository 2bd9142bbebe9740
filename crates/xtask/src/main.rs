//! Chores of the workspace: `cargo xtask <chore>`.
#![expect(clippy::print_stderr, reason = "a chore talks to whoever runs it")]

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod compare;
mod compare_ese;

const USAGE: &str = "usage: cargo xtask <chore>\n  \
    demo              write the demo case's evidence and truth from their description\n  \
    compare IMAGE...  compare what we read of disk images with what sleuthkit reads\n  \
    compare-ese FILE...  compare what we read of ESE databases with what esedbexport reads";

fn main() -> ExitCode {
    let result = match std::env::args().nth(1).as_deref() {
        Some("demo") => demo(),
        Some("compare") => compare_all(),
        Some("compare-ese") => compare_databases(),
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

/// Fails when anything differs.
fn compare_databases() -> io::Result<()> {
    let mut different = 0;
    for path in std::env::args_os().skip(2) {
        let path = PathBuf::from(path);
        different +=
            compare_ese::compare(&path, &mut |line| eprintln!("{line}")).map_err(io::Error::other)?;
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
    let image = testkit::demo::image().map_err(io::Error::other)?;
    let (archive, truth) = (testkit::demo::archive(), testkit::demo::truth().into_bytes());
    for (name, bytes) in
        [(testkit::demo::IMAGE, image), (testkit::demo::ARCHIVE, archive), (testkit::demo::TRUTH, truth)]
    {
        std::fs::write(case.join(name), &bytes)?;
        eprintln!("{name} {} bytes", bytes.len());
    }
    Ok(())
}
