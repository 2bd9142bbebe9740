//! `locard bench`.

mod gate;

use crate::failure::Failure;
use crate::help;
use crate::printer::Printer;
use clap::Subcommand;
use gate::GateArguments;

#[derive(Debug, clap::Args)]
pub(crate) struct BenchArguments {
    #[command(subcommand)]
    what: Bench,
}

#[derive(Debug, Subcommand)]
enum Bench {
    /// Seed true and false claims into runs and judge them
    #[command(after_long_help = help::BENCH_GATE)]
    Gate(GateArguments),
}

pub(super) fn execute(arguments: &BenchArguments, printer: &mut Printer) -> Result<u8, Failure> {
    match &arguments.what {
        Bench::Gate(arguments) => gate::execute(arguments, printer),
    }
}
