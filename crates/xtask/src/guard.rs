//! Runs calls that may panic, hang or use too much memory, and measures them.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time limit of a call.
pub(crate) const BUDGET: Duration = Duration::from_secs(2);

/// How often the watcher checks.
const LOOK: Duration = Duration::from_millis(500);

/// The locations of panics since the last call; a panic hook can only store them globally.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The result of one call.
pub(crate) struct Outcome<T> {
    /// Its return value; `None` if it panicked.
    pub(crate) value: Option<T>,
    /// The locations of panics, including those that our own guards caught.
    pub(crate) panics: Vec<String>,
    /// How long it took.
    pub(crate) took: Duration,
    /// Its peak memory use above that before the call, in KiB.
    pub(crate) memory: u64,
}

/// Runs calls one after another, and reports one that does not return.
pub(crate) struct Guard {
    running: Arc<Mutex<Option<(Instant, String)>>>,
    scratch: PathBuf,
}

#[expect(clippy::disallowed_methods, reason = "the chore measures")]
fn now() -> Instant {
    Instant::now()
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Guard {
    /// Replaces the panic hook permanently.
    pub(crate) fn new(say: fn(String)) -> io::Result<Guard> {
        std::panic::set_hook(Box::new(|info| {
            let place = info.location().map_or("nowhere".to_owned(), ToString::to_string);
            let what = info.payload_as_str().unwrap_or("a panic");
            locked(&PANICS).push(format!("{place}: {what}"));
        }));
        let running = Arc::new(Mutex::new(None::<(Instant, String)>));
        let seen = Arc::clone(&running);
        std::thread::spawn(move || watch(&seen, say));
        let scratch = std::env::temp_dir().join(format!("locard-xtask-{}", std::process::id()));
        std::fs::create_dir_all(&scratch)?;
        Ok(Guard { running, scratch })
    }

    /// Runs one call, which gets an empty scratch folder.
    pub(crate) fn call<T>(&self, name: &str, call: impl FnOnce(&Path) -> T) -> Outcome<T> {
        let start = now();
        *locked(&self.running) = Some((start, name.to_owned()));
        reset_peak();
        let before = status("VmRSS:");
        let value = catch_unwind(AssertUnwindSafe(|| call(&self.scratch))).ok();
        let (took, memory) = (now() - start, status("VmHWM:").saturating_sub(before));
        *locked(&self.running) = None;
        self.clear();
        Outcome { value, panics: std::mem::take(&mut locked(&PANICS)), took, memory }
    }

    fn clear(&self) {
        for entry in std::fs::read_dir(&self.scratch).into_iter().flatten().flatten() {
            let path = entry.path();
            // What cannot be removed goes with the folder.
            let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}

/// Reports once if a call exceeds its time limit; runs as long as the chore.
fn watch(running: &Mutex<Option<(Instant, String)>>, say: fn(String)) {
    let mut told = None;
    loop {
        std::thread::sleep(LOOK);
        let late = locked(running).clone().filter(|(start, _)| now() - *start > BUDGET);
        if let Some((start, name)) = late.filter(|(start, _)| told != Some(*start)) {
            say(format!("{name}: not back after {} s", BUDGET.as_secs()));
            told = Some(start);
        }
    }
}

/// Resets the peak memory counter; on systems that cannot, it covers all calls so far.
pub(crate) fn reset_peak() {
    let file = std::fs::OpenOptions::new().write(true).open("/proc/self/clear_refs");
    let _ = file.and_then(|mut file| file.write_all(b"5"));
}

/// Returns a memory figure of this process in KiB; 0 if the system provides none.
pub(crate) fn status(word: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(word));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

/// The totals over many calls.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) subjects: u64,
    calls: u64,
    ok: u64,
    empty: u64,
    failed: u64,
    damaged: u64,
    /// The number of calls over the time limit.
    late: u64,
    /// Panics that ended a call, by location and message, with the first call.
    pub(crate) escaped: BTreeMap<String, (u64, String)>,
    /// Panics of libraries that our guards caught.
    caught: BTreeMap<String, u64>,
    slowest: (Duration, String),
    /// The largest memory use of one call, in KiB.
    largest: (u64, String),
}

impl Tally {
    /// Counts one call.
    pub(crate) fn add(&mut self, name: &str, outcome: Outcome<tools::Return>) {
        self.calls += 1;
        match outcome.value {
            Some(returned) => {
                match returned.outcome {
                    ledger::Outcome::Ok => self.ok += 1,
                    ledger::Outcome::Empty => self.empty += 1,
                    ledger::Outcome::Failed | ledger::Outcome::Timeout | ledger::Outcome::Denied => {
                        self.failed += 1;
                    }
                }
                let damaged = returned.records.iter().any(|record| !record.defects.is_empty());
                self.damaged += u64::from(damaged || !returned.defects.is_empty());
                outcome.panics.into_iter().for_each(|place| *self.caught.entry(place).or_default() += 1);
            }
            None => {
                let place = outcome.panics.last().cloned().unwrap_or_default();
                self.escaped.entry(place).or_insert((0, name.to_owned())).0 += 1;
            }
        }
        self.late += u64::from(outcome.took > BUDGET);
        if outcome.took > self.slowest.0 {
            self.slowest = (outcome.took, name.to_owned());
        }
        if outcome.memory > self.largest.0 {
            self.largest = (outcome.memory, name.to_owned());
        }
    }

    /// Returns how many panics ended a call, plus how many calls took too long.
    pub(crate) fn faults(&self) -> u64 {
        self.escaped.values().map(|(times, _)| times).sum::<u64>() + self.late
    }

    /// Formats a line with the figures, and one for each panic.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let Tally { subjects, calls, ok, empty, failed, damaged, late, .. } = self;
        let (panics, caught): (u64, u64) =
            (self.escaped.values().map(|(times, _)| times).sum(), self.caught.values().sum());
        let mut lines = vec![format!(
            "{name}: {subjects} files, {calls} calls: {ok} ok, {empty} empty, {failed} failed; {damaged} with damage, {panics} panics, {caught} caught, {late} late; slowest {} ms ({}), most memory {} KiB ({})",
            self.slowest.0.as_millis(),
            self.slowest.1,
            self.largest.0,
            self.largest.1
        )];
        for (place, (times, first)) in &self.escaped {
            lines.push(format!("  PANIC {times} times, first in {first}: {place}"));
        }
        lines.extend(self.caught.iter().map(|(place, times)| format!("  caught {times} times: {place}")));
        lines
    }

    /// Adds another tally.
    pub(crate) fn join(&mut self, other: Tally) {
        self.subjects += other.subjects;
        self.calls += other.calls;
        self.ok += other.ok;
        self.empty += other.empty;
        self.failed += other.failed;
        self.damaged += other.damaged;
        self.late += other.late;
        for (place, (times, first)) in other.escaped {
            self.escaped.entry(place).or_insert((0, first)).0 += times;
        }
        for (place, times) in other.caught {
            *self.caught.entry(place).or_default() += times;
        }
        self.slowest = self.slowest.clone().max(other.slowest);
        self.largest = self.largest.clone().max(other.largest);
    }
}

#[cfg(test)]
mod tests {
    use super::{Guard, Tally};

    #[test]
    fn a_panic_is_told_with_its_place_and_the_next_call_goes_on() {
        let guard = Guard::new(|_| {}).unwrap();
        let mut tally = Tally::default();
        tally.add("first", guard.call("first", |_| panic!("on purpose")));
        let outcome = guard.call("second", |scratch| scratch.is_dir());
        assert_eq!((outcome.value, outcome.panics), (Some(true), Vec::new()));
        assert_eq!(tally.faults(), 1);
        let (place, _) = tally.escaped.iter().next().unwrap();
        assert!(place.contains("guard.rs") && place.contains("on purpose"), "{place}");
    }
}
