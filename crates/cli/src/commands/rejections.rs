//! `locard rejections`.

use crate::arguments::RunFolder;
use crate::commands::{print, run_folder};
use crate::failure::Failure;
use crate::printer::Printer;
use serde_json::json;

pub(super) fn execute(arguments: &RunFolder, printer: &mut Printer) -> Result<u8, Failure> {
    let folder = run_folder(&arguments.run, &arguments.runs)?;
    let run = app::load_run(&folder).map_err(Failure::Open)?;
    let refused = graph::refused_claims(&run);
    let value = || json!({"locard_rejections": 1, "rejections": refused});
    print(printer, arguments.format, || report::rejections(&run, &refused), value)?;
    Ok(0)
}
