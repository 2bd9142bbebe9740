//! The fuzzing ledger: one line for each run of a target, never removed.

use std::fs;
use std::io;
use std::path::Path;

/// The header line.
const HEAD: &str = "day\ttarget\tcpu_seconds\texecutions\tedges\tfeatures\tinputs\tcrashes";

/// One run of one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// The date (year, month, day), UTC.
    pub(super) day: String,
    pub(super) target: String,
    pub(super) cpu_seconds: u64,
    /// The number of inputs that were tried.
    pub(super) executions: u64,
    /// The number of edges of the program that any input reached.
    pub(super) edges: u64,
    /// The number of edges, distinguished by how often they were taken.
    pub(super) features: u64,
    /// The number of inputs that each reach something unique.
    pub(super) inputs: u64,
    /// The number of inputs that ended the program, or took too much time or memory.
    pub(super) crashes: u64,
}

impl Entry {
    pub(super) fn line(&self) -> String {
        let Entry { day, target, cpu_seconds, executions, edges, features, inputs, crashes } = self;
        format!("{day}\t{target}\t{cpu_seconds}\t{executions}\t{edges}\t{features}\t{inputs}\t{crashes}")
    }

    fn read(line: &str) -> Option<Entry> {
        let parts: Vec<&str> = line.split('\t').collect();
        let [day, target, numbers @ ..] = parts.as_slice() else { return None };
        let numbers: Vec<u64> = numbers.iter().map(|number| number.parse().ok()).collect::<Option<_>>()?;
        let [cpu_seconds, executions, edges, features, inputs, crashes] = numbers.try_into().ok()?;
        let (day, target) = ((*day).to_owned(), (*target).to_owned());
        Some(Entry { day, target, cpu_seconds, executions, edges, features, inputs, crashes })
    }
}

/// Reads all entries; empty if there is no ledger yet.
pub(super) fn read(path: &Path) -> io::Result<Vec<Entry>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path)?;
    let wrong = |number: usize| io::Error::other(format!("{}: line {number} is no entry", path.display()));
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, line)| line != HEAD) {
        return Err(wrong(1));
    }
    lines.map(|(number, line)| Entry::read(line).ok_or_else(|| wrong(number + 1))).collect()
}

/// Adds an entry.
#[expect(clippy::disallowed_methods, reason = "the ledger is ours")]
pub(super) fn add(path: &Path, entry: &Entry) -> io::Result<()> {
    let before = if path.exists() { fs::read_to_string(path)? } else { format!("{HEAD}\n") };
    fs::write(path, format!("{before}{}\n", entry.line()))
}

/// Sums up all runs.
pub(super) fn sums(entries: &[Entry]) -> String {
    let sum = |of: fn(&Entry) -> u64| entries.iter().map(of).sum::<u64>();
    let seconds = sum(|entry| entry.cpu_seconds);
    format!(
        "{} runs: {}.{} CPU-hours, {} executions, {} crashes",
        entries.len(),
        seconds / 3600,
        seconds % 3600 * 10 / 3600,
        sum(|entry| entry.executions),
        sum(|entry| entry.crashes),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_of_the_project_can_be_read_and_names_targets_that_there_are() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(crate::fuzz::LEDGER);
        let entries = read(&path).unwrap();
        assert!(!entries.is_empty());
        for entry in entries {
            let is_target = entry.target == "hive" || tools::decoders().contains(&entry.target.as_str());
            assert!(is_target, "{}", entry.target);
            assert_eq!(Entry::read(&entry.line()), Some(entry));
        }
    }
}
