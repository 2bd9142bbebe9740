//! `locard view`.

use crate::commands::any_run_folder;
use crate::failure::Failure;
use crate::platform::{OPENER, Signals};
use crate::printer::Printer;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::Stdio;
use std::time::Duration;
use tempfile::NamedTempFile;
use tokio::sync::oneshot;
use view::{View, ViewError, Which};

#[derive(Debug, clap::Args)]
pub(crate) struct ViewArguments {
    /// Runs: folders, beginnings of their names, latest, or latest:CASE
    ///
    /// By default all runs in the folder, including those added later.
    #[arg(value_name = "RUN")]
    pub(crate) names: Vec<String>,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// The port on 127.0.0.1 to listen on; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// Open the address with xdg-open (macOS: open, Windows: explorer)
    #[arg(long)]
    pub(crate) open: bool,
}

/// Serves until a signal arrives, which is the normal way to end it.
pub(super) fn execute(arguments: &ViewArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let which = which(&arguments.names, &arguments.runs)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::Runtime)?;
    let signals = runtime.block_on(async { Signals::listen() })?;
    let view = runtime.block_on(view::open(which, arguments.port)).map_err(Failure::View)?;
    printer.result(&view.address())?;
    printer.complain("anyone with this address can read the runs; Ctrl-C stops the server");
    // Dropping this deletes the page when the program ends.
    let _page = if arguments.open { open(&view, printer) } else { None };
    let served = runtime.block_on(until_signal(view, signals));
    // Do not wait for a page that is still being built.
    runtime.shutdown_background();
    served.map_err(Failure::View).map(|()| 0)
}

/// How long to wait for unfinished responses after a signal.
const PATIENCE: Duration = Duration::from_secs(2);

async fn until_signal(view: View, mut signals: Signals) -> Result<(), ViewError> {
    let (tell, told) = oneshot::channel();
    let mut served = pin!(view.serve(async {
        // A dropped sender ends the server, too.
        let _ = told.await;
    }));
    tokio::select! {
        ended = &mut served => return ended,
        _ = signals.next() => {}
    }
    let _ = tell.send(());
    tokio::select! {
        ended = &mut served => ended,
        _ = signals.next() => Ok(()),
        () = tokio::time::sleep(PATIENCE) => Ok(()),
    }
}

/// The named runs, or all runs in the folder if none is named.
fn which(names: &[String], runs: &Path) -> Result<Which, Failure> {
    if names.is_empty() {
        app::run_folders(runs).map_err(Failure::List)?;
        return Ok(Which::All(runs.to_owned()));
    }
    let mut folders: Vec<PathBuf> = Vec::new();
    for name in names {
        let folder = any_run_folder(name, runs)?;
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    Ok(Which::These(folders))
}

/// Opens the address in a browser; on failure, the person still has the address.
fn open(view: &View, printer: &Printer) -> Option<NamedTempFile> {
    match try_to_open(&view.address()) {
        Ok(page) => Some(page),
        Err(error) => {
            printer.complain(&format!("{OPENER} did not open it: {error}"));
            None
        }
    }
}

/// Opens a temporary page that redirects to the address. Only this user can read the file,
/// whereas all users of a machine can read a program's arguments.
fn try_to_open(address: &str) -> std::io::Result<NamedTempFile> {
    let mut page = tempfile::Builder::new().prefix("locard-view-").suffix(".html").tempfile()?;
    write!(
        page,
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Locard</title>\n\
         <meta http-equiv=\"refresh\" content=\"0;url={address}\">\n<a href=\"{address}\">Locard</a>\n"
    )?;
    page.flush()?;
    #[expect(clippy::disallowed_methods, reason = "the person asks for their browser, which is no tool")]
    let mut command = std::process::Command::new(OPENER);
    command.arg(page.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn()?;
    Ok(page)
}
