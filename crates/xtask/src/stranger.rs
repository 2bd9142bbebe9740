//! A run with an untrusted model: the program is run like a user would, and everything is checked that must hold for any run.

mod figures;
mod raw;

pub(crate) use figures::Figures;

use crate::program;
use ledger::Event;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Instant;
use store::Reader;

/// The exit code of a run whose model could not be reached.
const UNREACHABLE: i32 = 50;
/// The maximum number of refused claims that are listed.
const TOLD: usize = 20;
/// The maximum length of each, in characters.
const LONGEST: usize = 240;

/// The parameters of a trial.
pub(crate) struct Trial<'a> {
    /// The `locard` program.
    pub(crate) locard: &'a Path,
    /// The case to investigate.
    pub(crate) case: &'a Path,
    /// Where the run folder is created; it contains nothing else.
    pub(crate) runs: &'a Path,
    /// The model's name.
    pub(crate) model: String,
    /// Further arguments of `locard run`.
    pub(crate) arguments: &'a [&'a str],
    /// The rules.
    pub(crate) rules: &'a Path,
    /// Called before a run whose model could not be reached is resumed.
    pub(crate) mend: &'a dyn Fn() -> io::Result<()>,
}

/// The result of a trial.
#[derive(Debug)]
pub(crate) struct Tried {
    /// The run.
    pub(crate) run: PathBuf,
    /// The checks that failed; empty if none did.
    pub(crate) broken: Vec<String>,
    /// The figures of the run.
    pub(crate) figures: Figures,
}

/// Runs a trial: starts a run, resumes it if the model could not be reached, and checks the sealed result.
///
/// A run that is not sealed in the end is an error, because there is nothing to check.
pub(crate) fn tried(trial: &Trial<'_>, tell: &mut dyn FnMut(String)) -> io::Result<Tried> {
    std::fs::create_dir_all(trial.runs)?;
    let begun = now();
    let mut ended = trial.run()?;
    told(&format!("{}: run", trial.model), &ended, tell);
    let run = std::fs::read_dir(trial.runs)?.next().transpose()?.map(|entry| entry.path());
    let run = run.ok_or_else(|| io::Error::other("there is no run folder"))?;
    let mut events = events(&run)?;
    if ended.status.code() == Some(UNREACHABLE) && !is_sealed(&events) {
        (trial.mend)()?;
        ended = trial.locard(&["resume".as_ref(), run.as_os_str(), "--quiet".as_ref()])?;
        told("    resume", &ended, tell);
        events = self::events(&run)?;
    }
    let seconds = begun.elapsed().as_secs();
    let mut figures = Figures::of(&events);
    figures.seconds = seconds;
    let broken = trial.broken(&run, &events, &ended, &figures)?;
    tell(indented(&figures.text()));
    for refused in figures::refused_calls(&events).iter().take(TOLD) {
        tell(format!("    refused call: {}", short(refused)));
    }
    for refused in figures::refused(&events).iter().take(TOLD) {
        tell(format!("    refused: {}", short(refused)));
    }
    broken.iter().for_each(|broken| tell(format!("  BROKEN: {broken}")));
    Ok(Tried { run, broken, figures })
}

impl Trial<'_> {
    fn run(&self) -> io::Result<Output> {
        let arguments = ["run".as_ref(), self.case.as_os_str(), "--model".as_ref(), self.model.as_ref()];
        let rules = ["--rules".as_ref(), self.rules.as_os_str(), "--quiet".as_ref()];
        let runs = ["--runs".as_ref(), self.runs.as_os_str()];
        let more = self.arguments.iter().map(OsStr::new);
        let all = arguments.into_iter().chain(rules).chain(runs).chain(more);
        self.locard(&all.collect::<Vec<_>>())
    }

    /// Returns everything that does not hold.
    fn broken(
        &self,
        run: &Path,
        events: &[Event],
        ended: &Output,
        figures: &Figures,
    ) -> io::Result<Vec<String>> {
        let mut broken = figures::over_budget(events, figures);
        // A model may fail, and a budget may run out before anything is recorded: both are normal ends of a run.
        if !matches!(ended.status.code(), Some(0 | 50 | 60)) {
            broken.push(format!("run ended with {}", ended.status));
        }
        if !is_sealed(events) {
            broken.push("the run is not sealed".to_owned());
        }
        let over = ["--evidence".as_ref(), self.case.as_os_str()];
        let commands: [(&str, &[&OsStr]); 5] =
            [("verify", &[]), ("verify", &over), ("replay", &[]), ("rejections", &[]), ("report", &[])];
        for (command, more) in commands {
            let output = self.locard(&[&[command.as_ref(), run.as_os_str()], more].concat())?;
            if !output.status.success() {
                let told = String::from_utf8_lossy(&output.stderr).into_owned();
                broken.push(format!("{command} {more:?} ended with {}: {}", output.status, short(&told)));
            }
        }
        let reader = Reader::open(run).map_err(io::Error::other)?;
        broken.extend(raw::ungrounded(events, &mut |digest| reader.payload(digest).ok().flatten()));
        Ok(broken)
    }

    /// Runs the program without the user's API keys: an untrusted server gets none.
    fn locard(&self, arguments: &[&OsStr]) -> io::Result<Output> {
        program::locard(self.locard)
            .args(arguments)
            .env_remove("ANTHROPIC_API_KEY")
            .env_remove("OPENAI_API_KEY")
            .stdin(Stdio::null())
            .output()
    }
}

fn is_sealed(events: &[Event]) -> bool {
    matches!(events.last(), Some(Event::RunSealed(_)))
}

fn told(what: &str, ended: &Output, tell: &mut dyn FnMut(String)) {
    tell(format!("{what} ended with {}", ended.status));
    for text in [&ended.stdout, &ended.stderr] {
        tell(indented(&String::from_utf8_lossy(text)));
    }
}

fn events(run: &Path) -> io::Result<Vec<Event>> {
    let reader = Reader::open(run).map_err(io::Error::other)?;
    let events = reader.events().map(|event| event.map(|(_, event, _)| event)).collect::<Result<_, _>>();
    events.map_err(io::Error::other)
}

#[expect(clippy::disallowed_methods, reason = "a campaign measures how long the program takes")]
fn now() -> Instant {
    Instant::now()
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
