//! `locard audit`.

use crate::commands::run_folder;
use crate::failure::Failure;
use crate::instant::since;
use crate::printer::Printer;
use app::{AuditOf, AuditState};
use clap::ValueEnum;
use ledger::Utc;
use report::audit::Detail;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct AuditArguments {
    /// Runs, or folders that contain runs; by default all runs under --runs
    #[arg(value_name = "RUN")]
    pub(crate) what: Vec<String>,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// Show all rows instead of the overview
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) by: Option<ByArgument>,
    /// Only runs of cases with this name; * matches any characters, ? one
    #[arg(long, value_name = "CASE")]
    pub(crate) case: Option<String>,
    /// Only runs that began at or after this time, such as 2026-01-31
    ///
    /// Or an instant, 2026-01-31T09:44:12Z; without a zone it is taken as UTC.
    #[arg(long, value_name = "TIME", value_parser = since)]
    pub(crate) since: Option<Utc>,
    /// Compare confidences with the ground truth of a case (docs/scoring.md)
    #[arg(long, value_name = "FILE")]
    pub(crate) truth: Vec<PathBuf>,
    /// File that keeps what was counted, so that the next audit is faster
    ///
    /// By default audit.json in locard in $XDG_STATE_HOME, or in ~/.local/state.
    /// It can be deleted at any time; the result is the same without it.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) state: Option<PathBuf>,
    /// Read every run anew, and keep nothing
    #[arg(long, conflicts_with = "state", hide_short_help = true)]
    pub(crate) no_state: bool,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: AuditFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ByArgument {
    /// What each agent did
    Agent,
    /// What each model did
    Model,
    /// What calls of each tool returned, and what became of claims that cite them
    Tool,
    /// How often claims and calls were refused with each code
    Code,
    /// One row for each run, and what of a run is unlike others of its kind
    Run,
    /// Versions of program, rules, prompts and models, with what their runs came to
    Version,
    /// Figures that rise or fall over the runs
    Trend,
}

impl From<ByArgument> for Detail {
    fn from(by: ByArgument) -> Detail {
        match by {
            ByArgument::Agent => Detail::Agent,
            ByArgument::Model => Detail::Model,
            ByArgument::Tool => Detail::Tool,
            ByArgument::Code => Detail::Code,
            ByArgument::Run => Detail::Run,
            ByArgument::Version => Detail::Version,
            ByArgument::Trend => Detail::Trend,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuditFormat {
    /// For people
    Text,
    /// For programs: everything that is counted
    Json,
    /// One page for a browser, with charts; needs no network and no script
    Html,
}

pub(super) fn execute(arguments: &AuditArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let folders = folders(&arguments.what, &arguments.runs)?;
    let of = AuditOf { case: arguments.case.clone(), since: arguments.since };
    let truths = arguments.truth.iter().map(|file| app::load_truth(file).map_err(Failure::Truth));
    let truths = truths.collect::<Result<Vec<_>, _>>()?;
    let state = state(arguments)?;
    let app::Audited { audit, remarks } = app::audit_runs(&folders, &of, state.as_ref(), &truths);
    for remark in &remarks {
        printer.complain(&report::terminal(&format!("note: {remark}")));
    }
    let text = match (arguments.format, arguments.by) {
        (AuditFormat::Json, _) => report::json_text(&report::audit::json(&audit)),
        (AuditFormat::Html, _) => report::audit_page(&audit),
        (AuditFormat::Text, Some(by)) => report::audit::detail(&audit, by.into()),
        (AuditFormat::Text, None) => report::audit::overview(&audit),
    };
    // The result lists the runs that could not be read, too.
    let code = if audit.unread.is_empty() { 0 } else { Failure::TAMPERED };
    let printed = printer.result(&text);
    Ok(super::ended(printer, printed, code))
}

/// The given state file, or the user's own; `None` with --no-state, or if the user's folders are unknown.
fn state(arguments: &AuditArguments) -> Result<Option<AuditState>, Failure> {
    let own = || crate::heads::user_state().map(|folder| folder.join("audit.json"));
    let file = arguments.state.clone().or_else(own).filter(|_| !arguments.no_state);
    file.map(AuditState::new).transpose().map_err(Failure::AuditState)
}

/// The folders of the named runs; the name of a folder of runs means all runs in it.
fn folders(what: &[String], runs: &Path) -> Result<Vec<PathBuf>, Failure> {
    if what.is_empty() {
        let listed = app::run_folders(runs).map_err(Failure::List)?;
        return Ok(app::folders_of_runs(runs).unwrap_or(listed));
    }
    let mut folders = Vec::new();
    for name in what {
        match app::folders_of_runs(Path::new(name)) {
            Some(found) => folders.extend(found),
            None => folders.push(run_folder(name, runs)?),
        }
    }
    Ok(folders)
}
