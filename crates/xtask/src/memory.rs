//! A campaign against the memory across runs: `locard run` is killed at random moments of a batch, and several processes write at once.
//!
//! What a process reported as written must exist: each such line is looked up in the stores, by run and task, with its number of lessons.

use crate::program;
use ::memory::{Scope, Store};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread::JoinHandle;
use std::time::Instant;
use testkit::random::Random;

/// The number of cases in a batch.
const BATCH: usize = 3;
/// The number of processes that write at once.
const WRITERS: usize = 4;

/// The parameters of a campaign.
pub(crate) struct Campaign {
    locard: PathBuf,
    case: PathBuf,
    times: u32,
    place: PathBuf,
    seed: u64,
    /// Options of `locard run`.
    options: Vec<OsString>,
}

/// The tasks whose lessons a process reported as written, with their number.
type Said = BTreeMap<(String, u16), u32>;

impl Campaign {
    /// Parses the arguments; `None` if they are invalid.
    pub(crate) fn read(arguments: impl Iterator<Item = OsString>) -> Option<Campaign> {
        let mut arguments = arguments;
        let (locard, case) = (PathBuf::from(arguments.next()?), PathBuf::from(arguments.next()?));
        let times = arguments.next()?.to_str()?.parse().ok()?;
        let place = PathBuf::from(arguments.next()?);
        let (mut seed, mut options) = (7, Vec::new());
        while let Some(option) = arguments.next() {
            match option.to_str() {
                Some("--seed") => seed = arguments.next()?.to_str()?.parse().ok()?,
                Some("--") => options.extend(arguments.by_ref()),
                _ => return None,
            }
        }
        Some(Campaign { locard, case, times, place, seed, options })
    }

    fn memory(&self) -> PathBuf {
        self.place.join("memory")
    }

    /// Starts a batch over the case, and a thread that reads its output.
    fn started(&self, runs: &Path) -> io::Result<(Child, JoinHandle<Said>)> {
        let mut command = program::locard(&self.locard);
        command.arg("run").args(std::iter::repeat_n(&self.case, BATCH)).args([
            "--jobs",
            "2",
            "--report-memory",
        ]);
        command.arg("--memory").arg(self.memory()).arg("--runs").arg(runs).args(&self.options);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let told = child.stderr.take().ok_or_else(|| io::Error::other("there is no standard error"))?;
        let hearing = std::thread::spawn(move || {
            let lines = BufReader::new(told).lines().map_while(Result::ok);
            lines.filter_map(|line| said(&line)).collect()
        });
        Ok((child, hearing))
    }
}

/// Parses a line that reports lessons as written: `memory: RUN task-N AGENT: LESSONS lessons are written`.
fn said(line: &str) -> Option<((String, u16), u32)> {
    let mut words = line.strip_prefix("memory: ")?.strip_suffix(" lessons are written")?.split(' ');
    let (run, task) = (words.next()?.to_owned(), words.next()?.strip_prefix("task-")?.parse().ok()?);
    Some(((run, task), words.next_back()?.parse().ok()?))
}

/// Returns what the stores contain, added up.
fn held(memory: &Path) -> io::Result<Said> {
    let mut files = vec![(memory.join("general.sqlite"), Scope::General)];
    for entry in std::fs::read_dir(memory.join("cases")).into_iter().flatten() {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "sqlite") {
            files.push((path, Scope::Case));
        }
    }
    let mut held = Said::new();
    for (file, scope) in files {
        let Some(store) = Store::open_existing(&file, scope).map_err(io::Error::other)? else { continue };
        for (run, task, lessons) in store.tasks().map_err(io::Error::other)? {
            *held.entry((run, task)).or_default() += lessons;
        }
    }
    Ok(held)
}

/// Runs the campaign; reports the figures, and returns the number of tasks whose lessons are lost.
pub(crate) fn run(campaign: &Campaign, tell: &mut dyn FnMut(String)) -> io::Result<usize> {
    std::fs::create_dir_all(&campaign.place)?;
    let runs = campaign.place.join("runs");
    let begun = now();
    let mut all = ended(campaign.started(&runs)?)?;
    let took = begun.elapsed();
    tell(format!(
        "left alone: {} tasks say that their lessons are written, {:.1} s",
        all.len(),
        took.as_secs_f64()
    ));
    let mut random = Random::new(campaign.seed);
    let (mut killed, mut between) = (0, 0);
    for _ in 0..campaign.times {
        clean(&runs)?;
        let (mut child, hearing) = campaign.started(&runs)?;
        std::thread::sleep(took.mul_f64(random.below(1100) as f64 / 1000.0));
        if child.try_wait()?.is_none() {
            // On Unix this is SIGKILL.
            child.kill()?;
            killed += 1;
        }
        child.wait()?;
        let heard = heard(hearing)?;
        between += u32::from(!heard.is_empty());
        all.extend(heard);
    }
    let lost_by_kills = lost(&all, &held(&campaign.memory())?);
    tell(format!(
        "{killed} of {} batches were killed, {between} after a first task had ended: {} tasks said that their lessons are written, {} of them are lost",
        campaign.times,
        all.len(),
        lost_by_kills
    ));
    let places: Vec<PathBuf> =
        (0..WRITERS).map(|writer| campaign.place.join(format!("runs-{writer}"))).collect();
    let started = places.iter().map(|runs| campaign.started(runs)).collect::<io::Result<Vec<_>>>()?;
    let mut at_once = Said::new();
    for one in started {
        at_once.extend(ended(one)?);
    }
    let lost_at_once = lost(&at_once, &held(&campaign.memory())?);
    tell(format!("{WRITERS} processes at once: {} tasks, {lost_at_once} of them are lost", at_once.len()));
    for runs in places.iter().chain([&runs]) {
        clean(runs)?;
    }
    Ok(lost_by_kills + lost_at_once)
}

/// Waits for an undisturbed batch.
fn ended((mut child, hearing): (Child, JoinHandle<Said>)) -> io::Result<Said> {
    let status = child.wait()?;
    let said = heard(hearing)?;
    match status.success() && !said.is_empty() {
        true => Ok(said),
        false => Err(io::Error::other(format!(
            "a batch that is left alone ended with {status}, {} tasks",
            said.len()
        ))),
    }
}

fn heard(hearing: JoinHandle<Said>) -> io::Result<Said> {
    hearing.join().map_err(|_| io::Error::other("the thread that listens panicked"))
}

/// Counts the tasks for which the stores do not have as many lessons as reported.
fn lost(said: &Said, held: &Said) -> usize {
    said.iter().filter(|(task, lessons)| held.get(*task) != Some(*lessons)).count()
}

fn clean(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[expect(clippy::disallowed_methods, reason = "a campaign measures how long the program takes")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_what_is_not_held_as_said_is_lost() {
        let one = said("memory: 0a1b2c3d4e5f task-3 user-activity: 12 lessons are written").unwrap();
        assert_eq!(one, (("0a1b2c3d4e5f".to_owned(), 3), 12));
        assert_eq!(said("note: something else"), None);
        let all = Said::from([one.clone()]);
        assert_eq!(lost(&all, &Said::from([one.clone()])), 0);
        assert_eq!(lost(&all, &Said::from([(one.0, 11)])), 1);
        assert_eq!(lost(&all, &Said::new()), 1);
    }
}
