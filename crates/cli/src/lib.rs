//! The command line of Locard.
//!
//! Results go to standard output, everything else to standard error; nothing else in the house prints or exits.

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
mod models;
mod money;
mod platform;
mod printer;
mod scratch;
mod screen;
mod unknown;

use clap::Parser;
use failure::{Failure, describe};
use printer::Printer;
use std::io::{self, Write};
use std::process::ExitCode;

/// Runs the program that was started: a tool worker where the first argument says so, else the command the arguments name.
pub fn main() -> ExitCode {
    // A tool worker must not own a second thread, nor read anything but its pipes: it is served before all else.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == sandbox::WORKER_ARGUMENT) {
        return match app::worker_main() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    let arguments = match arguments::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    let mut printer = Printer::coloured(arguments.colour.is_on());
    match commands::execute(arguments, &mut printer) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => ended(&failure, &mut printer),
    }
}

/// Help and version are results; anything else that the arguments lack is a complaint.
fn usage(error: &clap::Error) -> ExitCode {
    let printed = error.print().and_then(|()| io::stdout().flush());
    match (error.use_stderr(), printed) {
        (true, _) => ExitCode::from(Failure::USAGE),
        (false, Ok(())) => ExitCode::SUCCESS,
        // Whoever has read enough of the help closes it.
        (false, Err(source)) if source.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        (false, Err(source)) => ended(&Failure::Output(source), &mut Printer::new()),
    }
}

fn ended(failure: &Failure, printer: &mut Printer) -> ExitCode {
    if !failure.is_closed_pipe() {
        printer.complain(&describe(failure));
    }
    ExitCode::from(failure.code())
}
