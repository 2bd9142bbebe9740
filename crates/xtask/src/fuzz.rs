//! `cargo xtask fuzz`: runs the fuzz targets one after another, sums up executions and findings in a ledger, and keeps the corpus small.
//!
//! `fuzz [--seconds N] [--only TARGET]… [--small]` builds `fuzz/` with a nightly compiler,
//! runs every target for N seconds (default 60) and adds a line for each to `fuzz/ledger.tsv`.
//! It starts with the builders' samples and `fuzz/corpus`. With `--small`, new inputs are kept there if they are small and reach code
//! that the others do not.

mod ledger;
mod target;

use ledger::Entry;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use target::Site;

/// The path of the ledger, from the root of the workspace.
const LEDGER: &str = "fuzz/ledger.tsv";

/// The folder of the kept inputs.
const CORPUS: &str = "fuzz/corpus";

/// The maximum size of a kept input, in bytes.
const LARGEST_KEPT: u64 = 2048;

/// The maximum total size of a target's kept inputs, in bytes.
const MOST_KEPT: u64 = 32 << 10;

/// Runs the requested targets; fails if one found something.
pub(crate) fn run(root: &Path, say: fn(String)) -> io::Result<()> {
    let (mut seconds, mut only, mut small) = (60, Vec::new(), false);
    let mut words = std::env::args().skip(2);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| io::Error::other(format!("{word} needs a value")));
        match word.as_str() {
            "--seconds" => seconds = value()?.parse().map_err(io::Error::other)?,
            "--only" => only.push(value()?),
            "--small" => small = true,
            _ => return Err(io::Error::other(format!("no option {word}"))),
        }
    }
    let ledger = root.join(LEDGER);
    say(ledger::sums(&ledger::read(&ledger)?));
    let site = Site::build(root)?;
    let targets = ["hive"].into_iter().chain(tools::decoders());
    let mut found = 0;
    for name in targets.filter(|name| only.is_empty() || only.iter().any(|only| only == name)) {
        let entry = site.run(name, seconds)?;
        say(entry.line());
        ledger::add(&ledger, &entry)?;
        found += entry.crashes;
        if small {
            keep(&site, name, &root.join(CORPUS).join(name))?;
        }
    }
    say(ledger::sums(&ledger::read(&ledger)?));
    match found {
        0 => Ok(()),
        found => Err(io::Error::other(format!("{found} inputs, in {}", site.artifacts().display()))),
    }
}

/// Keeps the inputs found by a target that reach code which no shorter input reaches, shortest first.
fn keep(site: &Site, name: &str, kept: &Path) -> io::Result<()> {
    let merged = site.merged(name, LARGEST_KEPT)?;
    let mut inputs: Vec<(u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(merged)? {
        let entry = entry?;
        inputs.push((entry.metadata()?.len(), entry.path()));
    }
    inputs.sort();
    if kept.is_dir() {
        fs::remove_dir_all(kept)?;
    }
    fs::create_dir_all(kept)?;
    let mut room = MOST_KEPT;
    for (length, input) in inputs {
        let Some(left) = room.checked_sub(length) else { break };
        room = left;
        fs::copy(&input, kept.join(input.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

/// Parses a number from libFuzzer's output.
fn number(text: &str, before: &str) -> Option<u64> {
    let (_, rest) = text.rsplit_once(before)?;
    let digits = rest.trim_start();
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}

impl Entry {
    /// Creates an entry from the output of a target's run.
    fn of(target: &str, day: String, cpu_seconds: u64, crashes: u64, printed: &str) -> Entry {
        let said = |before: &str| number(printed, before).unwrap_or_default();
        Entry {
            day,
            target: target.to_owned(),
            cpu_seconds,
            executions: said("stat::number_of_executed_units:"),
            edges: said(" cov: "),
            features: said(" ft: "),
            inputs: said(" corp: "),
            crashes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_fuzzer_prints_is_read_from_its_last_line() {
        let printed = "#2\tINITED cov: 10 ft: 11 corp: 1/4b\n#90\tDONE   cov: 1234 ft: 5678 corp: 91/12Kb\nstat::number_of_executed_units: 90\n";
        let entry = Entry::of("lnk", "2026-01-02".to_owned(), 7, 0, printed);
        assert_eq!(entry.line(), "2026-01-02\tlnk\t7\t90\t1234\t5678\t91\t0");
    }
}
