//! `locard console`: questions in words, one after another, over one case or run.

mod desk;
mod editor;
mod history;
mod input;
mod slash;
mod stage;
mod talk;

use crate::arguments::{EvidenceArguments, MemoryArguments, SealArguments};
use crate::commands::ask::{AnswererArguments, Answerers};
use crate::failure::Failure;
use crate::platform::{Signals, Terminal};
use crate::printer::Printer;
use desk::Desk;
use input::{Input, Typed};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use talk::Talk;

#[derive(Debug, clap::Args)]
pub(crate) struct ConsoleArguments {
    /// A case, evidence, or a run (its folder, the beginning of its name, latest)
    #[arg(value_name = "CASE|RUN")]
    pub(crate) of: PathBuf,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// Where the run's evidence is now: a case, evidence, or LABEL=PATH
    ///
    /// By default, where the run found it.
    #[arg(long, value_name = "EVIDENCE", hide_short_help = true)]
    pub(crate) evidence: Vec<PathBuf>,
    /// Let other users read the run folder, as far as the umask allows
    #[arg(long, hide_short_help = true)]
    pub(crate) shared: bool,
    /// The language of the sentences about facts: en or de
    #[arg(long, value_name = "LANGUAGE", default_value_t)]
    pub(crate) lang: report::Language,
    /// Keep no history of what is typed
    ///
    /// By default it is kept in locard/console in $XDG_STATE_HOME, or in ~/.local/state,
    /// readable by its owner alone. It may hold names and values of a case.
    #[arg(long, hide_short_help = true)]
    pub(crate) no_history: bool,
    #[command(flatten)]
    pub(crate) answerer: AnswererArguments,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
    #[command(flatten)]
    pub(crate) checked: EvidenceArguments,
    #[command(flatten)]
    pub(crate) seal: SealArguments,
    /// Run tools even where they cannot be confined; every report says so
    #[arg(long)]
    pub(crate) unconfined: bool,
}

/// The prompt.
const PROMPT: &str = "locard> ";

pub(super) fn execute(arguments: &ConsoleArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::Runtime)?;
    let signals = runtime.block_on(async { Signals::listen() })?;
    let terminal = (io::stdin().is_terminal() && io::stdout().is_terminal()).then(Terminal::keep).flatten();
    let answerers = Arc::new(Answerers::new(&arguments.answerer, &arguments.runs)?);
    let desk = Desk::open(arguments, &arguments.of, answerers, terminal.is_some(), printer)?;
    if let Err((path, source)) = crate::log::begin_kept("console", desk.paths()) {
        let told = format!("note: no log is kept: {}: {source}", path.display());
        printer.complain(&report::terminal(&told));
    }
    let input = Input::begin(arguments, desk.paths(), terminal);
    let mut talk = Talk::new(arguments, desk, input, runtime, signals);
    let ended = greeted(&mut talk, printer).and_then(|()| listened(&mut talk, printer));
    talk.leave(ended, printer)
}

fn greeted(talk: &mut Talk<'_>, printer: &mut Printer) -> Result<(), Failure> {
    let told = talk.begin(printer)?;
    printer.result(&told)
}

/// Hears and answers until somebody leaves; gives the exit code.
fn listened(talk: &mut Talk<'_>, printer: &mut Printer) -> Result<u8, Failure> {
    let mut was_interrupted = false;
    loop {
        let typed = talk.hear(PROMPT);
        let is_second = std::mem::take(&mut was_interrupted);
        match typed {
            Typed::Line(line) if line.trim().is_empty() => {}
            Typed::Line(line) => {
                if !talk.answer(&line, printer)? {
                    return Ok(0);
                }
            }
            Typed::Interrupted if is_second => return Ok(0),
            Typed::Interrupted => {
                was_interrupted = true;
                printer.result("(Ctrl-C again, Ctrl-D or /quit leaves)")?;
            }
            Typed::End => return Ok(0),
            Typed::Failed(source) => return Err(Failure::Input(source)),
            Typed::Signal(code) => return Ok(code),
        }
    }
}
