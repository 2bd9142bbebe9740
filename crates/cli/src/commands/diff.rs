//! `locard diff`.

use crate::arguments::Format;
use crate::commands::{conditions, ended, print, run_folder};
use crate::failure::Failure;
use crate::printer::Printer;
use graph::Run;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct DiffArguments {
    /// A run folder, the beginning of its name, latest, or latest:CASE
    pub(crate) before: String,
    /// The run to compare it with
    pub(crate) after: String,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// List every difference, not just the first ten of each kind
    #[arg(long)]
    pub(crate) all: bool,
    /// Exit with 15 if the runs recorded different things
    #[arg(long)]
    pub(crate) exit_code: bool,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// The exit code if the two runs recorded different things.
const DIFFERENT: u8 = 15;

pub(super) fn execute(arguments: &DiffArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let load = |name: &str| app::load_run(&run_folder(name, &arguments.runs)?).map_err(Failure::Open);
    let (before, after) = (load(&arguments.before)?, load(&arguments.after)?);
    let diff = graph::diff(&before, &after);
    let text = || format!("{}{}", report::diff_text(&diff, arguments.all), said_of([&before, &after]));
    let printed = print(printer, arguments.format, text, || report::diff_json(&diff));
    let different = arguments.exit_code && !diff.recorded_the_same();
    Ok(ended(printer, printed, if different { DIFFERENT } else { 0 }))
}

/// What a reader must know about either run.
fn said_of(runs: [&Run; 2]) -> String {
    let of = |run: &Run| {
        let name = report::terminal(run.name());
        conditions(run).lines().map(|line| format!("{name}: {line}\n")).collect::<String>()
    };
    runs.into_iter().map(of).collect()
}
