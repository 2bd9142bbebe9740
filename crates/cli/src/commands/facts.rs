//! `locard facts`.

use crate::arguments::RunFolder;
use crate::commands::{print, run_folder};
use crate::failure::Failure;
use crate::printer::Printer;
use serde_json::json;

pub(super) fn execute(arguments: &RunFolder, printer: &mut Printer) -> Result<u8, Failure> {
    let folder = run_folder(&arguments.run, &arguments.runs)?;
    let run = app::load_run(&folder).map_err(Failure::Open)?;
    let facts = report::json(&run).get("facts").cloned().unwrap_or(json!([]));
    print(printer, arguments.format, || report::facts(&run), &facts)?;
    Ok(0)
}
