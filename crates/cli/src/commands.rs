//! The commands, a file each.

mod doctor;
mod facts;
mod rejections;
mod report;
mod run;
mod tool;
mod verify;

use crate::arguments::{Arguments, Command, Format};
use crate::failure::Failure;
use crate::printer::Printer;
use std::path::PathBuf;

/// Does what the arguments ask; gives the exit code.
pub(crate) fn execute(arguments: Arguments, printer: &mut Printer) -> Result<u8, Failure> {
    match arguments.command {
        Command::Run(arguments) => run::execute(arguments, printer),
        Command::Facts(arguments) => facts::execute(&arguments, printer),
        Command::Verify(arguments) => verify::execute(&arguments, printer),
        Command::Rejections(arguments) => rejections::execute(&arguments, printer),
        Command::Report(arguments) => report::execute(&arguments, printer),
        Command::Tool(arguments) => tool::execute(&arguments, printer),
        Command::Doctor => doctor::execute(printer),
    }
}

/// The folder of the run that is meant.
fn run_folder(name: &str, runs: &std::path::Path) -> Result<PathBuf, Failure> {
    app::find_run(name, runs).map_err(Failure::Open)
}

/// A result for people or for programs.
fn print<T: serde::Serialize>(
    printer: &mut Printer,
    format: Format,
    text: impl FnOnce() -> String,
    value: &T,
) -> Result<(), Failure> {
    match format {
        Format::Text => printer.result(&text()),
        Format::Json => printer.result(&serde_json::to_string(value).map_err(Failure::Json)?),
    }
}

/// A worker request for this program and a scratch folder of its own, which goes with the guard.
fn worker(unconfined: bool) -> Result<(app::WorkerRequest, Scratch), Failure> {
    let program = std::env::current_exe().map_err(Failure::Program)?;
    let scratch = Scratch::new()?;
    let request = app::WorkerRequest {
        program,
        unconfined,
        scratch: scratch.path.clone(),
        limits: sandbox::Limits::default(),
    };
    Ok((request, scratch))
}

/// A folder that is removed when it is no longer needed.
struct Scratch {
    path: PathBuf,
}

impl Scratch {
    fn new() -> Result<Scratch, Failure> {
        let path = std::env::temp_dir().join(format!("locard-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|source| Failure::Scratch { path: path.clone(), source })?;
        Ok(Scratch { path })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is left in the temporary folder, where systems clean up.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
