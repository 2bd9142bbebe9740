//! `locard report`.

use crate::arguments::{ReportArguments, ReportFormat};
use crate::commands::run_folder;
use crate::failure::Failure;
use crate::printer::Printer;

pub(super) fn execute(arguments: &ReportArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let folder = run_folder(&arguments.run, &arguments.runs)?;
    let run = app::load_run(&folder).map_err(Failure::Open)?;
    let text = match arguments.format {
        ReportFormat::Markdown => report::markdown(&run),
        ReportFormat::Json => report::json_text(&report::json(&run)),
    };
    printer.result(&text)?;
    Ok(0)
}
