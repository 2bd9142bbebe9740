//! The command line of Locard.
//!
//! Results go to standard output, everything else to standard error. No other crate prints or exits.

#[cfg(target_env = "musl")]
mod allocator;
mod arguments;
mod board;
mod colour;
mod commands;
mod failure;
mod heads;
mod help;
mod instant;
mod log;
mod models;
mod money;
mod platform;
mod printer;
mod scratch;
mod screen;
mod unknown;

use clap::{CommandFactory, FromArgMatches};
use failure::{Failure, describe};
use printer::Printer;
use std::io::{self, Write};
use std::process::ExitCode;

/// Runs the program: as a tool worker if the first argument says so, otherwise the command that the arguments name.
pub fn main() -> ExitCode {
    // A tool worker must not have a second thread or read anything but its pipes, so this check comes before everything else.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == sandbox::WORKER_ARGUMENT) {
        return match app::worker_main() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    let read = arguments::Arguments::command().try_get_matches().and_then(|matches| {
        let command = matches.subcommand_name().unwrap_or_default().to_owned();
        Ok((arguments::Arguments::from_arg_matches(&matches)?, command))
    });
    let (arguments, command) = match read {
        Ok(read) => read,
        Err(error) => return usage(&error),
    };
    let mut printer = Printer::coloured(arguments.colour.is_on());
    let begun = log::begin(arguments.log.as_deref(), &command);
    let code = match begun.and_then(|()| commands::execute(arguments, &mut printer)) {
        Ok(code) => code,
        Err(failure) => ended(&failure, &mut printer),
    };
    log::ended(code);
    ExitCode::from(code)
}

/// Prints help and the version as results, and any other parse error as a complaint.
fn usage(error: &clap::Error) -> ExitCode {
    let printed = error.print().and_then(|()| io::stdout().flush());
    match (error.use_stderr(), printed) {
        (true, _) => ExitCode::from(Failure::USAGE),
        (false, Ok(())) => ExitCode::SUCCESS,
        // The reader closed the pipe once it had read enough of the help.
        (false, Err(source)) if source.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        (false, Err(source)) => ExitCode::from(ended(&Failure::Output(source), &mut Printer::new())),
    }
}

fn ended(failure: &Failure, printer: &mut Printer) -> u8 {
    if !failure.is_closed_pipe() {
        printer.complain(&describe(failure));
    }
    failure.code()
}
