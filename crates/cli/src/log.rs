//! The program's own log, for troubleshooting: what it did, and when (`--log`, `LOCARD_LOG`).
//!
//! **Invariant:** above `debug`, the log has nothing from the evidence: no path, no value, no text of a model or an agent.

use crate::failure::Failure;
use crate::heads::user_state;
use app::Progress;
use std::fs::{File, OpenOptions, rename};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tracing::{debug, info};
use tracing_subscriber::EnvFilter;

/// Once a log file has more bytes than this, it is renamed and a new one is started.
const LONGEST: u64 = 8 << 20;

/// How many renamed files are kept; the newest is `.1`.
const KEPT: u32 = 3;

/// The log level if `LOCARD_LOG` is unset.
const USUAL: &str = "info";

/// Starts the log. It goes to the file, as JSON lines if the name ends in `.json` or `.jsonl`.
/// With no file, it goes to standard error if `LOCARD_LOG` is set, and nowhere otherwise.
pub(crate) fn begin(file: Option<&Path>, command: &str) -> Result<(), Failure> {
    #[expect(clippy::disallowed_methods, reason = "this crate alone reads the environment")]
    let wanted = std::env::var_os("LOCARD_LOG").filter(|value| !value.is_empty());
    if file.is_none() && wanted.is_none() {
        return Ok(());
    }
    let wanted = wanted.map_or_else(|| USUAL.to_owned(), |value| value.to_string_lossy().into_owned());
    let filter = EnvFilter::try_new(&wanted)
        .map_err(|source| Failure::LogFilter { wanted: wanted.clone(), source })?;
    match file {
        None => {
            tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(io::stderr).init()
        }
        Some(path) => {
            write_to(path, filter).map_err(|source| Failure::LogFile { path: path.to_owned(), source })?
        }
    }
    started(command);
    Ok(())
}

/// Begins the log of a command that always keeps one, in the user's state folder, unless the user has asked for a log already.
///
/// # Errors
///
/// The file that cannot be opened, and why. The command can go on without a log.
pub(crate) fn begin_kept(command: &str, evidence: &[PathBuf]) -> Result<(), (PathBuf, io::Error)> {
    let outside = |folder: &PathBuf| app::refuse_runs_inside(folder, evidence).is_ok();
    let Some(folder) = user_state().filter(outside) else { return Ok(()) };
    if tracing::dispatcher::has_been_set() {
        return Ok(());
    }
    let path = folder.join(command).with_extension("log");
    let kept = std::fs::create_dir_all(&folder).and_then(|()| write_to(&path, EnvFilter::new(USUAL)));
    kept.map_err(|source| (path, source))?;
    started(command);
    Ok(())
}

/// Sends the log to a file; as JSON lines if its name says so.
fn write_to(path: &Path, filter: EnvFilter) -> io::Result<()> {
    let written = Mutex::new(Rotating::open(path, LONGEST)?);
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(written);
    match path.extension().and_then(|it| it.to_str()) {
        Some("json" | "jsonl") => lines.json().flatten_event(true).init(),
        _ => lines.init(),
    }
    Ok(())
}

fn started(command: &str) {
    let (version, process) = (env!("CARGO_PKG_VERSION"), std::process::id());
    info!(target: "cli", version, process, command, "started");
}

/// Logs how a command ended.
pub(crate) fn ended(code: u8) {
    info!(target: "cli", code, "ended");
}

/// Logs an event of a run, under the name of the crate that caused it.
pub(crate) fn progress(case: usize, event: &Progress) {
    match event {
        // A note may name files of the evidence.
        Progress::Note(note) => debug!(target: "app", case, note, "note"),
        Progress::Opened { folder } => {
            info!(target: "app", case, "run opened");
            debug!(target: "app", case, folder = %folder.display(), "run folder");
        }
        Progress::Assigned { task, agent, sequence, by, objectives, met } => {
            let by = by.map(|by| by.to_string());
            info!(target: "engine", case, %task, agent, sequence, by, objectives, met, "task assigned");
        }
        Progress::GoesOn { task, so_far } => {
            debug!(target: "engine", case, %task, ?so_far, "task goes on");
        }
        Progress::Turn { task, agent, turn } => {
            info!(target: "engine", case, %task, agent, turn, "turn");
        }
        Progress::Tool { task, agent, invocation, tool, objective } => {
            info!(target: "engine", case, %task, agent, %invocation, tool, "call");
            debug!(target: "engine", case, %invocation, objective, "call is towards");
        }
        Progress::Recorded { task, agent, facts } => {
            info!(target: "engine", case, %task, agent, facts, "facts recorded");
        }
        Progress::Answered { task, agent, objective, met } => {
            info!(target: "engine", case, %task, agent, met, "objective answered");
            debug!(target: "engine", case, %task, objective, "objective");
        }
        Progress::Refused { task, agent, code, objective } => {
            info!(target: "engine", case, %task, agent, code, "refused");
            debug!(target: "engine", case, %task, objective, "refusal missed");
        }
        Progress::Recovering { task, agent, attempt, strategy, objective } => {
            info!(target: "engine", case, %task, agent, attempt, strategy, "recovering");
            debug!(target: "engine", case, %task, objective, "recovery is for");
        }
        Progress::Reported { task, accepted } => {
            info!(target: "engine", case, %task, accepted, "task reported");
        }
        Progress::Learned { run, task, agent, lessons } => {
            info!(target: "memory", case, run, %task, agent, lessons, "lessons written");
        }
        Progress::Ended { task, agent, ended } => {
            let status = ended.status;
            info!(target: "engine", case, %task, agent, ?status, "task ended");
        }
    }
}

/// A log file that is renamed once it has grown long.
#[derive(Debug)]
struct Rotating {
    path: PathBuf,
    file: File,
    written: u64,
    longest: u64,
}

impl Rotating {
    fn open(path: &Path, longest: u64) -> io::Result<Rotating> {
        let file = appended(path)?;
        let written = file.metadata()?.len();
        Ok(Rotating { path: path.to_owned(), file, written, longest })
    }

    fn rotate(&mut self) -> io::Result<()> {
        for number in (1..KEPT).rev() {
            // Files that do not exist yet cannot be renamed.
            let _ = rename(aside(&self.path, number), aside(&self.path, number + 1));
        }
        rename(&self.path, aside(&self.path, 1))?;
        self.file = appended(&self.path)?;
        self.written = 0;
        Ok(())
    }
}

impl Write for Rotating {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written > self.longest {
            // If the log cannot be renamed, it continues in the same file.
            let _ = self.rotate();
        }
        let written = self.file.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Opens a file for appending; only its owner can read a newly created one.
fn appended(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn aside(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_has_grown_long_is_put_aside_and_the_oldest_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        let mut log = Rotating::open(&path, 10).unwrap();
        for line in ["first line\n", "second line\n", "third line\n", "fourth line\n", "fifth line\n"] {
            log.write_all(line.as_bytes()).unwrap();
        }
        let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(text("a.log"), "fifth line\n");
        assert_eq!(
            [text("a.log.1"), text("a.log.2"), text("a.log.3")],
            ["fourth line\n", "third line\n", "second line\n"]
        );
        assert!(!folder.path().join("a.log.4").exists());
    }
}
