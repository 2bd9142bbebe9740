//! The `locard` program; the library in this crate does all the work.

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
