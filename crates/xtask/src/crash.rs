//! A crash campaign: `locard run`, one of its workers, or a call in a worker is killed at random moments;
//! `locard resume` continues the run if nothing else does; and the sealed result is compared with that of an undisturbed run.

use crate::program;
use ledger::Event;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use store::Reader;
use testkit::random::Random;

/// The parameters of a campaign.
pub(crate) struct Campaign {
    /// The `locard` program.
    pub(crate) locard: PathBuf,
    /// The case to investigate.
    pub(crate) case: PathBuf,
    /// The number of runs that are killed.
    pub(crate) times: u32,
    /// A folder of our own, in which run folders are created and removed.
    pub(crate) place: PathBuf,
}

/// The last stage that the log of a killed run reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reached {
    Nothing,
    Opened,
    Tasks,
    TasksEnded,
    Sealed,
}

impl Reached {
    const ALL: [(Reached, &str); 5] = [
        (Reached::Nothing, "before anything was recorded"),
        (Reached::Opened, "before the first step of a task"),
        (Reached::Tasks, "while tasks went on"),
        (Reached::TasksEnded, "after the last task, before the seal"),
        (Reached::Sealed, "after the seal"),
    ];
}

/// The process to kill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    /// The program and, every second time, also the resuming one.
    Program { twice: bool },
    /// A worker, which the program has to replace.
    Worker,
    /// The process of a call, which is then repeated.
    Call,
    /// A worker and, a moment later, the program.
    WorkerAndProgram,
}

impl Victim {
    fn of(round: u32) -> Victim {
        match round % 6 {
            0 => Victim::Program { twice: false },
            1 => Victim::Program { twice: true },
            2 => Victim::Worker,
            5 => Victim::WorkerAndProgram,
            _ => Victim::Call,
        }
    }

    /// Returns the number of generations between it and the program.
    fn depth(self) -> u32 {
        match self {
            Victim::Program { .. } => 0,
            Victim::Worker | Victim::WorkerAndProgram => 1,
            Victim::Call => 2,
        }
    }

    /// Returns its row in the second table.
    fn row(self) -> (usize, &'static str) {
        match self {
            Victim::Program { .. } => (0, "the program"),
            Victim::Worker => (1, "a worker"),
            Victim::Call => (2, "a call"),
            Victim::WorkerAndProgram => (3, "a worker, then the program"),
        }
    }

    const ROWS: usize = 4;
}

/// Counts of how often something was killed, and how often the result was the same.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    killed: u32,
    same: u32,
}

/// Runs the campaign; reports each difference and the tables, and returns the number of differences.
pub(crate) fn campaign(campaign: &Campaign, tell: &mut dyn FnMut(String)) -> io::Result<u32> {
    std::fs::create_dir_all(&campaign.place)?;
    let (whole, took) = campaign.left_alone()?;
    let expected = seal(&whole)?;
    tell(format!("left alone: {} events, {:.2} s", events(&whole)?, took.as_secs_f64()));
    let mut random = Random::new(7);
    let mut by_reach = [Count::default(); Reached::ALL.len()];
    let mut by_victim = [("", Count::default()); Victim::ROWS];
    let (mut different, mut twice, mut missed) = (0, 0, 0);
    for round in 0..campaign.times {
        let victim = Victim::of(round);
        let runs = campaign.place.join("killed");
        remove(&runs)?;
        let wait = took.mul_f64(random.below(1100) as f64 / 1000.0);
        let hit = campaign.struck(&["run".as_ref(), campaign.case.as_os_str()], &runs, wait, victim)?;
        if !hit {
            // The victim ended before its turn, and so did the run, normally.
            missed += 1;
        }
        let run = only(&runs)?;
        let reached = run.as_deref().map_or(Ok(Reached::Nothing), reached)?;
        if victim == (Victim::Program { twice: true }) && run.is_some() {
            let wait = took.mul_f64(random.below(600) as f64 / 1000.0);
            let again = campaign.struck(&["resume".as_ref(), "latest".as_ref()], &runs, wait, victim)?;
            twice += u32::from(again);
        }
        let same = match run.map(|run| campaign.gone_on(&run, &runs, &expected, reached)) {
            None | Some(Ok(true)) => true,
            Some(Ok(false)) => {
                tell(format!("round {round}: {victim:?} after {wait:?} ({reached:?}): not the same seal"));
                false
            }
            Some(Err(error)) => {
                tell(format!("round {round}: {victim:?} after {wait:?} ({reached:?}): {error}"));
                false
            }
        };
        different += u32::from(!same);
        let reach = Reached::ALL.iter().position(|(which, _)| *which == reached);
        let (row, name) = victim.row();
        let place = by_victim.get_mut(row).filter(|_| hit).map(|(called, count)| {
            *called = name;
            count
        });
        for count in [reach.and_then(|reach| by_reach.get_mut(reach)), place].into_iter().flatten() {
            count.killed += 1;
            count.same += u32::from(same);
        }
    }
    tell("| the log reached | runs | to the same seal |\n|---|---|---|".to_owned());
    for ((_, name), count) in Reached::ALL.iter().zip(&by_reach) {
        tell(format!("| {name} | {} | {} |", count.killed, count.same));
    }
    tell("\n| killed | runs | to the same seal |\n|---|---|---|".to_owned());
    for (name, count) in by_victim {
        tell(format!("| {name} | {} | {} |", count.killed, count.same));
    }
    tell(format!("{twice} programs were killed a second time while they went on; {missed} runs ended first"));
    Ok(different)
}

impl Campaign {
    fn left_alone(&self) -> io::Result<(PathBuf, Duration)> {
        let runs = self.place.join("whole");
        remove(&runs)?;
        let begun = now();
        let status = self.started(&["run".as_ref(), self.case.as_os_str()], &runs)?.wait()?;
        let took = begun.elapsed();
        if !status.success() {
            return Err(io::Error::other(format!("the run that is left alone ended with {status}")));
        }
        let run = only(&runs)?.ok_or_else(|| io::Error::other("there is no run folder"))?;
        Ok((run, took))
    }

    fn started(&self, arguments: &[&std::ffi::OsStr], runs: &Path) -> io::Result<Child> {
        program::locard(&self.locard)
            .args(arguments)
            .args(["--runs".as_ref(), runs.as_os_str()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    }

    /// Starts the program, waits, kills the victim, and waits for the end; returns whether there was a victim.
    fn struck(
        &self,
        arguments: &[&std::ffi::OsStr],
        runs: &Path,
        wait: Duration,
        victim: Victim,
    ) -> io::Result<bool> {
        let mut child = self.started(arguments, runs)?;
        std::thread::sleep(wait);
        let hit = match victim.depth() {
            0 => child.try_wait()?.is_none(),
            depth => kill_below(&mut child, depth)?,
        };
        if matches!(victim, Victim::WorkerAndProgram) {
            std::thread::sleep(Duration::from_millis(20));
        }
        if matches!(victim, Victim::Program { .. } | Victim::WorkerAndProgram) {
            // On Unix this is SIGKILL; a program that has already ended cannot be killed.
            child.kill()?;
        }
        child.wait().map(|_| hit)
    }

    /// Checks whether the resumed run gets the expected seal or, if nothing was recorded, whether the program says so.
    fn gone_on(&self, run: &Path, runs: &Path, expected: &Event, reached: Reached) -> io::Result<bool> {
        let status = self.started(&["resume".as_ref(), "latest".as_ref()], runs)?.wait()?;
        if reached == Reached::Nothing {
            // The file may not even be a run's yet.
            return Ok(matches!(status.code(), Some(2 | 31)));
        }
        if !status.success() {
            return Err(io::Error::other(format!("resume ended with {status}")));
        }
        let verified = self.started(&["verify".as_ref(), "latest".as_ref()], runs)?.wait()?.success();
        Ok(verified && seal(run)? == *expected)
    }
}

/// Kills one of the descendants `depth` generations below the program as soon as there is one; returns `false` if the program ends first.
fn kill_below(program: &mut Child, depth: u32) -> io::Result<bool> {
    loop {
        let mut generation = vec![program.id()];
        for _ in 0..depth {
            generation = generation.into_iter().flat_map(children).collect();
        }
        // The youngest: among calls, it is the one most likely to be still running when killed.
        if let Some(victim) = generation.last()
            && kill(*victim)?.success()
        {
            return Ok(true);
        }
        if program.try_wait()?.is_some() {
            return Ok(false);
        }
        std::thread::yield_now();
    }
}

/// Returns the children of all threads of a process, according to Linux.
fn children(of: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
    let told = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    told.flat_map(|told| told.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect()
}

#[expect(clippy::disallowed_methods, reason = "the standard library kills only its own children")]
fn kill(process: u32) -> io::Result<ExitStatus> {
    Command::new("kill").args(["-KILL", &process.to_string()]).stderr(Stdio::null()).status()
}

#[expect(clippy::disallowed_methods, reason = "a campaign measures how long the program takes")]
fn now() -> Instant {
    Instant::now()
}

fn remove(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn only(runs: &Path) -> io::Result<Option<PathBuf>> {
    match std::fs::read_dir(runs) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
        Ok(mut entries) => entries.next().transpose().map(|entry| entry.map(|entry| entry.path())),
    }
}

fn events(run: &Path) -> io::Result<usize> {
    Ok(Reader::open(run).map_err(io::Error::other)?.links().count())
}

/// Returns the last event: the seal, which contains the last link of every task.
fn seal(run: &Path) -> io::Result<Event> {
    let reader = Reader::open(run).map_err(io::Error::other)?;
    match reader.events().last() {
        Some(Ok((_, event @ Event::RunSealed(_), _))) => Ok(event),
        Some(Ok(_)) | None => Err(io::Error::other("the run is not sealed")),
        Some(Err(error)) => Err(io::Error::other(error)),
    }
}

fn reached(run: &Path) -> io::Result<Reached> {
    let Ok(reader) = Reader::open(run) else { return Ok(Reached::Nothing) };
    let mut counts = (0, 0, 0);
    let mut sealed = false;
    for event in reader.events() {
        match event.map_err(io::Error::other)?.1 {
            Event::TaskAssigned(_) => counts.0 += 1,
            Event::PhaseEntered(_) => counts.1 += 1,
            Event::TaskEnded(_) => counts.2 += 1,
            Event::RunSealed(_) => sealed = true,
            _ => {}
        }
    }
    Ok(match counts {
        _ if sealed => Reached::Sealed,
        (0, _, _) => Reached::Nothing,
        (_, 0, _) => Reached::Opened,
        (assigned, _, ended) if ended < assigned => Reached::Tasks,
        _ => Reached::TasksEnded,
    })
}
