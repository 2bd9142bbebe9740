//! A crash campaign: `locard run` is killed at random moments, `locard resume` goes on, and what is sealed is held against a run that was left alone.

use ledger::Event;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use store::Reader;
use testkit::random::Random;

/// What is tried, and how often.
pub(crate) struct Campaign {
    /// The program.
    pub(crate) locard: PathBuf,
    /// What it investigates.
    pub(crate) case: PathBuf,
    /// How many runs are killed.
    pub(crate) times: u32,
    /// A folder of ours, in which run folders are made and removed.
    pub(crate) place: PathBuf,
}

/// How far the log of a killed run went.
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

/// Runs the campaign; tells each difference and the table, and gives the number of differences.
pub(crate) fn campaign(campaign: &Campaign, tell: &mut dyn FnMut(String)) -> io::Result<u32> {
    std::fs::create_dir_all(&campaign.place)?;
    let (whole, took) = campaign.left_alone()?;
    let expected = seal(&whole)?;
    tell(format!("left alone: {} events, {:.2} s", events(&whole)?, took.as_secs_f64()));
    let mut random = Random::new(7);
    let mut table = vec![(0, 0); Reached::ALL.len()];
    let (mut different, mut twice) = (0, 0);
    for round in 0..campaign.times {
        let runs = campaign.place.join("killed");
        remove(&runs)?;
        let wait = took.mul_f64(random.below(1100) as f64 / 1000.0);
        campaign.killed(&["run".as_ref(), campaign.case.as_os_str()], &runs, wait)?;
        let run = only(&runs)?;
        let reached = run.as_deref().map_or(Ok(Reached::Nothing), reached)?;
        // Every second run is killed again while it is gone on with.
        if round % 2 == 1 && run.is_some() {
            let wait = took.mul_f64(random.below(600) as f64 / 1000.0);
            campaign.killed(&["resume".as_ref(), "latest".as_ref()], &runs, wait)?;
            twice += 1;
        }
        let Some((_, (count, same))) =
            Reached::ALL.iter().zip(&mut table).find(|((which, _), _)| *which == reached)
        else {
            continue;
        };
        *count += 1;
        match run.map(|run| campaign.gone_on(&run, &runs, &expected, reached)) {
            None | Some(Ok(true)) => *same += 1,
            Some(Ok(false)) => {
                different += 1;
                tell(format!("round {round}: killed after {wait:?} ({reached:?}): not the same seal"));
            }
            Some(Err(error)) => {
                different += 1;
                tell(format!("round {round}: killed after {wait:?} ({reached:?}): {error}"));
            }
        }
    }
    tell("| killed | runs | gone on with, to the same seal |\n|---|---|---|".to_owned());
    for ((_, name), (count, same)) in Reached::ALL.iter().zip(&table) {
        tell(format!("| {name} | {count} | {same} |"));
    }
    tell(format!("{twice} of them were killed a second time while they were gone on with"));
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

    #[expect(clippy::disallowed_methods, reason = "the campaign starts the program as a person does")]
    fn started(&self, arguments: &[&std::ffi::OsStr], runs: &Path) -> io::Result<Child> {
        Command::new(&self.locard)
            .args(arguments)
            .args(["--runs".as_ref(), runs.as_os_str()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    }

    fn killed(&self, arguments: &[&std::ffi::OsStr], runs: &Path, wait: Duration) -> io::Result<()> {
        let mut child = self.started(arguments, runs)?;
        std::thread::sleep(wait);
        // On Unix this is SIGKILL; a program that has ended already is none to be killed.
        child.kill()?;
        child.wait().map(drop)
    }

    /// Whether the run comes to the seal that is expected; of a run of which nothing was recorded, whether that is said.
    fn gone_on(&self, run: &Path, runs: &Path, expected: &Event, reached: Reached) -> io::Result<bool> {
        let status = self.started(&["resume".as_ref(), "latest".as_ref()], runs)?.wait()?;
        if reached == Reached::Nothing {
            // The file may not even be one of a run yet.
            return Ok(matches!(status.code(), Some(2 | 31)));
        }
        if !status.success() {
            return Err(io::Error::other(format!("resume ended with {status}")));
        }
        let verified = self.started(&["verify".as_ref(), "latest".as_ref()], runs)?.wait()?.success();
        Ok(verified && seal(run)? == *expected)
    }
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

/// The last event: the seal, which names the last link of every task.
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
