//! `locard completions`.

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::printer::Printer;
use clap::CommandFactory;
use clap_complete::Shell;

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArguments {
    /// The shell whose completions are printed
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

pub(super) fn execute(arguments: &CompletionsArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "locard", &mut script);
    printer.result(&String::from_utf8_lossy(&script))?;
    Ok(0)
}
