//! The program's own log: what it did, and when, for whoever looks into trouble (`--log`, `LOCARD_LOG`).
//!
//! **Invariant:** above `debug` nothing of the evidence stands in it: no path, no value, no word of a model or an agent.

use crate::failure::Failure;
use crate::heads::user_state;
use app::Progress;
use std::fs::{File, OpenOptions, rename};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tracing::{debug, info};
use tracing_subscriber::EnvFilter;

/// A log file that has more bytes than this is put aside, and another one begun.
const LONGEST: u64 = 8 << 20;

/// How many files are put aside, the newest as `.1`.
const KEPT: u32 = 3;

/// What is logged where `LOCARD_LOG` says nothing.
const USUAL: &str = "info";

/// Begins the log: in a file, as JSON lines where its name ends in `.json` or `.jsonl`; on standard error where `LOCARD_LOG` is set and no file is named.
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

/// Notes how a command ended.
pub(crate) fn ended(code: u8) {
    info!(target: "cli", code, "ended");
}

/// Notes what happened in a run, under the crate that did it.
pub(crate) fn progress(case: usize, event: &Progress) {
    match event {
        // It may name files of the evidence.
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

/// A file that is put aside when it has grown long.
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
            // What was not put aside yet is not there.
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
            // A log that cannot be put aside goes on where it is.
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

/// The file for more lines; a new one is its owner's alone.
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
