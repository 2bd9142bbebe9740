//! `locard mcp`.

use crate::arguments::{EvidenceArguments, SealArguments};
use crate::commands::rules::over;
use crate::commands::run::{cache, level};
use crate::commands::worker;
use crate::failure::Failure;
use crate::heads;
use crate::platform::Signals;
use crate::printer::{Printer, complain};
use app::{Case, Interrupt, Progress, SystemClock, Workplace};
use ledger::Rules;
use mcp::{Answers, House, Left, Settings, open_http, serve_stdio};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

#[derive(Debug, clap::Args)]
pub(crate) struct McpArguments {
    /// Case folder, case file, or evidence (folder, archive, image)
    #[arg(long, value_name = "CASE")]
    pub(crate) case: PathBuf,
    /// Folder in which run folders are created
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// Serve over HTTP on a loopback address instead of standard input and output
    ///
    /// It prints the address, and the token that requests must carry.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:0")]
    pub(crate) http: Option<SocketAddr>,
    /// Agents whose tasks and tools a client gets by default: `lead` alone, or agents of docs/agents.md
    #[arg(long, value_name = "AGENT", value_delimiter = ',', default_value = "examiner")]
    pub(crate) agents: Vec<String>,
    /// Answer with structured content for programs instead of text for language models
    #[arg(long)]
    pub(crate) structured: bool,
    /// How many seconds a task waits for the client's next call before it ends
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) idle: u64,
    /// At the end, leave open runs unsealed, so that another server can open them again
    #[arg(long)]
    pub(crate) keep_open: bool,
    /// A TOML file with rules: budgets, gate, view, surfaces
    ///
    /// Anything it leaves out keeps its default, which suits turns with one call (docs/mcp.md).
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// Let other users read the run folders, as far as the umask allows
    #[arg(long)]
    pub(crate) shared: bool,
    /// Skip the final sweep over questions that a client left open (docs/recovery.md)
    #[arg(long)]
    pub(crate) no_sweep: bool,
    #[command(flatten)]
    pub(crate) evidence: EvidenceArguments,
    #[command(flatten)]
    pub(crate) seal: SealArguments,
    /// Run tools even where they cannot be confined; every report says so
    #[arg(long)]
    pub(crate) unconfined: bool,
}

/// How long to wait for the sealing of open runs at the end; a second signal stops at once.
const GRACE: Duration = Duration::from_secs(120);

/// Serves until the client disconnects or a signal arrives. Runs still open at that point are sealed, or left open with --keep-open.
pub(super) fn execute(arguments: &McpArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let case = app::load_case(&arguments.case).map_err(Failure::Case)?;
    app::refuse_runs_inside(&arguments.runs, &case.paths).map_err(|error| Failure::Run(Box::new(error)))?;
    let mut rules = rules(arguments.rules.as_deref())?;
    rules.sweep &= !arguments.no_sweep;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::Runtime)?;
    let signals = runtime.block_on(async { Signals::listen() })?;
    let (work, scratch) = workplace(arguments, &case, printer)?;
    let settings = Settings {
        case,
        runs: arguments.runs.clone(),
        rules,
        agents: arguments.agents.clone(),
        answers: if arguments.structured { Answers::Structured } else { Answers::Text },
        idle: Duration::from_secs(arguments.idle),
        keep_open: arguments.keep_open,
        work,
    };
    let house = House::new(settings).map_err(Failure::Mcp)?;
    let ended = runtime.block_on(served(&house, arguments.http, signals, printer));
    // A thread may still be blocked on standard input, and cannot be stopped.
    runtime.shutdown_background();
    drop(scratch);
    let Ended { served, left } = ended?;
    for folder in &left.kept {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        printer.complain(&report::terminal(&format!(
            "{name} stays open: open_run with the content of {} as key resumes it, or `locard resume` seals it",
            app::key_file(folder).display()
        )));
    }
    if left.unsealed > 0 {
        printer.complain(&format!(
            "{} open runs could not be sealed; `locard runs` lists them, and `locard resume` seals them",
            left.unsealed
        ));
    }
    served?;
    Ok(if left.unsealed > 0 { Failure::UNSEALED } else { 0 })
}

/// How serving ended, and which runs it left open or unsealed.
struct Ended {
    served: Result<(), Failure>,
    left: Left,
}

async fn served(
    house: &Arc<House>,
    http: Option<SocketAddr>,
    mut signals: Signals,
    printer: &mut Printer,
) -> Result<Ended, Failure> {
    let (tell, told) = oneshot::channel::<()>();
    let served = match http {
        Some(address) => {
            let http = open_http(Arc::clone(house), address).await.map_err(Failure::McpHttp)?;
            printer.result(&format!("{}\nAuthorization: Bearer {}", http.address(), http.token()))?;
            printer.complain(
                "anyone with this token can investigate the case and read its runs; Ctrl-C stops the server",
            );
            let serving = http.serve(async {
                // A dropped sender ends the server, too.
                let _ = told.await;
            });
            tokio::select! {
                ended = serving => ended.map_err(Failure::McpHttp),
                _ = signals.next() => Ok(()),
            }
        }
        None => tokio::select! {
            ended = serve_stdio(house, tokio::io::stdin(), tokio::io::stdout()) => {
                ended.map_err(Failure::McpStdio)
            }
            _ = signals.next() => Ok(()),
        },
    };
    drop(tell);
    let mut ending = pin!(house.end(GRACE));
    let left = tokio::select! {
        left = &mut ending => left,
        code = signals.next() => return Err(Failure::Stopped { code }),
    };
    Ok(Ended { served, left })
}

fn workplace(
    arguments: &McpArguments,
    case: &Case,
    printer: &Printer,
) -> Result<(Workplace, crate::scratch::Scratch), Failure> {
    let (worker, scratch) = worker(arguments.unconfined, &case.paths)?;
    let work = Workplace {
        integrity: level(arguments.evidence.integrity),
        worker,
        indexes: scratch.indexes().to_owned(),
        cache: cache(&arguments.evidence.kept, &case.paths, printer)?,
        recording: store::Options { shared: arguments.shared, ..store::Options::default() },
        clock: Arc::new(SystemClock),
        observe: Arc::new(|progress| tell(&progress)),
        interrupt: Interrupt::new(),
        keep: heads::keep(&arguments.seal, &case.paths, printer)?,
        memory: app::MemoryUse::None,
    };
    Ok((work, scratch))
}

/// Prints progress for the person who started the server, on standard error, because standard output may carry the protocol.
fn tell(progress: &Progress) {
    let line = match progress {
        Progress::Note(note) => note.clone(),
        Progress::Opened { folder } => format!("opened {}", folder.display()),
        Progress::Ended { agent, ended, .. } => {
            format!("{agent} ended: {} facts, {} refused claims", ended.facts, ended.rejections)
        }
        _ => return,
    };
    complain(&report::terminal(&line));
}

/// The rules from the file, or the server's defaults for whatever it leaves out.
fn rules(path: Option<&Path>) -> Result<Rules, Failure> {
    path.map_or_else(|| Ok(app::outside_rules()), |path| over(app::outside_rules(), path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_rules_file_leaves_out_keeps_the_default_of_a_server() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rules.toml");
        #[expect(clippy::disallowed_methods, reason = "a test")]
        std::fs::write(&file, "[budgets]\nrecord_turns = 5\n").unwrap();
        let mut expected = app::outside_rules();
        expected.budgets.record_turns = 5;
        assert_eq!(rules(Some(&file)).unwrap(), expected);
        assert_eq!(rules(None).unwrap(), app::outside_rules());
    }
}
