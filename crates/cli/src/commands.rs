//! The commands, one file each.

mod answers;
pub(crate) mod ask;
pub(crate) mod audit;
pub(crate) mod bench;
mod borrowed;
pub(crate) mod completions;
pub(crate) mod console;
pub(crate) mod diff;
mod doctor;
pub(crate) mod export;
pub(crate) mod facts;
mod fork;
pub(crate) mod graph;
mod hunt;
pub(crate) mod init;
pub(crate) mod live;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod memory;
pub(crate) mod rejections;
pub(crate) mod replay;
mod report;
mod resume;
mod rules;
mod rules_check;
mod run;
mod runs;
pub(crate) mod score;
mod signalled;
mod sql;
mod tool;
mod verify;
pub(crate) mod view;

use crate::arguments::{Arguments, CacheArguments, Command, Format};
use crate::failure::{Failure, describe};
use crate::printer::{Printer, complain};
use crate::scratch::Scratch;
use ::graph::Run;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Executes the command and returns its exit code.
pub(crate) fn execute(arguments: Arguments, printer: &mut Printer) -> Result<u8, Failure> {
    match arguments.command {
        Command::Run(arguments) => run::execute(&arguments, printer),
        Command::Resume(arguments) => resume::execute(&arguments, printer),
        Command::Runs(arguments) => runs::execute(&arguments, printer),
        Command::Hunt(arguments) => hunt::execute(&arguments, printer),
        Command::Rules(arguments) => rules_check::execute(&arguments, printer),
        Command::Answers(arguments) => answers::execute(&arguments, printer),
        Command::Ask(arguments) => ask::execute(&arguments, printer),
        Command::Console(arguments) => console::execute(&arguments, printer),
        Command::Facts(arguments) => facts::execute(&arguments, printer),
        Command::Graph(arguments) => graph::execute(&arguments, printer),
        Command::Verify(arguments) => verify::execute(&arguments, printer),
        Command::Replay(arguments) => replay::execute(&arguments, printer),
        Command::Diff(arguments) => diff::execute(&arguments, printer),
        Command::Export(arguments) => export::execute(&arguments, printer),
        Command::Rejections(arguments) => rejections::execute(&arguments, printer),
        Command::Audit(arguments) => audit::execute(&arguments, printer),
        Command::Report(arguments) => report::execute(&arguments, printer),
        Command::View(arguments) => view::execute(&arguments, printer),
        Command::Mcp(arguments) => mcp::execute(&arguments, printer),
        Command::Tool(arguments) => tool::execute(&arguments, printer),
        Command::Sql(arguments) => sql::execute(&arguments, printer),
        Command::Score(arguments) => score::execute(&arguments, printer),
        Command::Bench(arguments) => bench::execute(&arguments, printer),
        Command::Memory(arguments) => memory::execute(&arguments, printer),
        Command::Init(arguments) => init::execute(&arguments, printer),
        Command::Completions(arguments) => completions::execute(&arguments, printer),
        Command::Man(arguments) => man::execute(&arguments),
        Command::Doctor => doctor::execute(printer),
    }
}

/// The folder of the named run; `latest` means the newest sealed run.
fn run_folder(name: &str, runs: &Path) -> Result<PathBuf, Failure> {
    let found = app::find_sealed(name, runs).map_err(Failure::Open)?;
    if let Some(told) = passed_over(&found) {
        complain(&told);
    }
    Ok(found.folder)
}

/// The same for commands that also work on unsealed runs; `latest` means the newest run, sealed or not.
fn any_run_folder(name: &str, runs: &Path) -> Result<PathBuf, Failure> {
    app::find_run(name, runs).map_err(Failure::Open)
}

/// The notice that newer, unsealed runs were skipped, if any were.
pub(crate) fn passed_over(found: &app::FoundRun) -> Option<String> {
    let name = |folder: &Path| folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let (newest, meant) = (name(found.passed_over.first()?)?, name(&found.folder)?);
    let others = match found.passed_over.len() {
        1 => String::new(),
        2 => " and another one".to_owned(),
        more => format!(" and {} others", more - 1),
    };
    Some(::report::terminal(&format!(
        "took {meant}, the last run that is sealed; passed over {newest}{others}, not sealed"
    )))
}

/// Prints a result for people or for programs.
fn print(
    printer: &mut Printer,
    format: Format,
    text: impl FnOnce() -> String,
    value: impl FnOnce() -> Value,
) -> Result<(), Failure> {
    match format {
        Format::Text => printer.result(&text()),
        Format::Json => printer.result(&::report::json_text(&value())),
    }
}

/// The final exit code: if printing the result failed as well, the higher of the two codes.
fn ended(printer: &Printer, printed: Result<(), Failure>, code: u8) -> u8 {
    match printed {
        Ok(()) => code,
        Err(failure) => {
            printer.complain(&describe(&failure));
            code.max(failure.code())
        }
    }
}

/// The notice for every run whose tools ran unconfined.
const UNCONFINED: &str = "tools ran unconfined, at the request of whoever started the run";

/// What a reader of a run's facts must know about the run, one line per condition; usually empty.
fn conditions(run: &Run) -> String {
    let mut out = String::new();
    if !run.opened.confined {
        let _ = writeln!(out, "{UNCONFINED}");
    }
    if run.sealed.is_none() {
        let _ = writeln!(out, "the run is not sealed: it broke off or was interrupted, or is under way");
    }
    out
}

/// A worker request for this program, and the fresh scratch folder it uses, which is removed when the guard is dropped.
fn worker(unconfined: bool, evidence: &[PathBuf]) -> Result<(app::WorkerRequest, Scratch), Failure> {
    sandbox::check_system().map_err(Failure::NoWorkers)?;
    if let Some(limit) = crate::platform::address_space().filter(|limit| *limit < Failure::ADDRESS_SPACE) {
        return Err(Failure::AddressSpace { limit });
    }
    let program = std::env::current_exe().map_err(Failure::Program)?;
    let scratch = Scratch::new(evidence)?;
    let request = app::WorkerRequest {
        program,
        unconfined,
        scratch: scratch.calls().to_owned(),
        limits: sandbox::Limits::default(),
        expansion: app::Expansion::default(),
    };
    Ok((request, scratch))
}

/// The tables of a case, built only as statements need them. They are in the scratch folder, which must outlive them.
fn tables(
    case: &app::Case,
    only: Option<&str>,
    (worker, scratch): (&app::WorkerRequest, &Scratch),
    kept: &CacheArguments,
    printer: &Printer,
) -> Result<app::CaseTables, Failure> {
    let folder = scratch.indexes().join("tables");
    let cache = run::cache(kept, &case.paths, printer)?;
    let request = app::TablesRequest { case, only, worker, folder, cache };
    app::case_tables(&request).map_err(Failure::Tables)
}
