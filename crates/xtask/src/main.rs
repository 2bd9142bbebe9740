//! Chores of the workspace: `cargo xtask <chore>`.
#![expect(clippy::print_stderr, reason = "a chore talks to whoever runs it")]

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str =
    "usage: cargo xtask <chore>\n  demo    write the demo case's evidence from its description";

fn main() -> ExitCode {
    let result = match std::env::args().nth(1).as_deref() {
        Some("demo") => demo(),
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

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[expect(clippy::disallowed_methods, reason = "writing the fixture is what this chore is for")]
fn demo() -> io::Result<()> {
    let case = root().join("cases/demo");
    for file in testkit::demo::files() {
        let path = case.join(file.path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, &file.bytes)?;
        eprintln!("{} {} bytes", file.path, file.bytes.len());
    }
    Ok(())
}
