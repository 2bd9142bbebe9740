//! `locard man`: writes the manual pages, for packagers of the program.

use crate::arguments::Arguments;
use crate::failure::Failure;
use clap::builder::{Resettable, StyledStr};
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct ManArguments {
    /// An existing folder; it gets a page for the program and one for each command
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}

pub(super) fn execute(arguments: &ManArguments) -> Result<u8, Failure> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let failed = |source| Failure::Man { path: arguments.folder.clone(), source };
    write(command, &arguments.folder).map_err(failed)?;
    Ok(0)
}

/// Writes the manual page of a command, and those of its subcommands.
fn write(command: Command, folder: &Path) -> io::Result<()> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        write(inner.clone(), folder)?;
    }
    let after = command.get_after_long_help().map(ToString::to_string);
    let man = Man::new(command.after_long_help(Resettable::<StyledStr>::Reset));
    let mut file = File::create(folder.join(man.get_filename()))?;
    man.render(&mut file)?;
    after.map_or(Ok(()), |after| examples(&after).to_writer(&mut file))
}

/// For commands whose help has no exit codes.
const EXIT_CODES: &str = "Exit codes: 0 done; 1 a bug in this program; 2 usage or configuration;\n3 standard output was closed; 31 a recording is unreadable or was tampered with.\nlocard(1) has all of them.";

/// The section after the options, with its line breaks kept, because examples and exit codes are tables.
fn examples(text: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXAMPLES AND EXIT CODES"]).control("nf", []);
    for line in text.lines() {
        roff.text([roman(line)]);
    }
    if !text.contains("Exit codes") {
        for line in ["", EXIT_CODES] {
            roff.text([roman(line)]);
        }
    }
    roff.control("fi", []);
    roff
}
