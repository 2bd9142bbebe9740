//! Runs `locard run` over each input under GNU time: the resources it took and how it ended.

use crate::place::Place;
use crate::program;
use serde_json::Value;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// A run and its resources, including workers.
struct Took {
    wall: f64,
    cpu: f64,
    /// The memory of the largest process, in MB.
    memory: f64,
    exit: i64,
    outcome: String,
    gaps: u64,
    defects: u64,
    facts: u64,
}

/// Runs over the existing inputs; prints a line for each.
pub(super) fn run(
    locard: &Path,
    folder: &Path,
    inputs: impl Iterator<Item = &'static str>,
    options: &[String],
    say: fn(String),
) -> io::Result<()> {
    let place = Place::new("slow")?;
    say(format!(
        "{:<16} {:>8} {:>8} {:>8} {:>5} {:>7} {:>7} {:>6}  outcome",
        "input", "wall s", "CPU s", "MB", "exit", "gaps", "defects", "facts"
    ));
    for name in inputs.filter(|name| folder.join(name).exists()) {
        let took = one(locard, &folder.join(name), options, place.path(), name)?;
        let Took { wall, cpu, memory, exit, outcome, gaps, defects, facts } = took;
        say(format!(
            "{name:<16} {wall:>8.2} {cpu:>8.2} {memory:>8.0} {exit:>5} {gaps:>7} {defects:>7} {facts:>6}  {outcome}"
        ));
    }
    say(format!("runs and outputs: {}", place.path().display()));
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the chore measures another program")]
fn one(locard: &Path, evidence: &Path, options: &[String], place: &Path, name: &str) -> io::Result<Took> {
    let timed = place.join(format!("{name}.time"));
    let mut command = Command::new("time");
    let output = program::noting_no_heads(&mut command)
        .args(["-f", "%e %U %S %M", "-o"])
        .arg(&timed)
        .arg(locard)
        .arg("run")
        .arg(evidence)
        .arg("--runs")
        .arg(place.join("runs"))
        .args(["--no-cache", "--quiet", "--format", "json"])
        .args(options)
        .stdin(Stdio::null())
        .output()?;
    std::fs::write(place.join(format!("{name}.json")), &output.stdout)?;
    std::fs::write(place.join(format!("{name}.stderr")), &output.stderr)?;
    let timed = std::fs::read_to_string(&timed)?;
    let numbers: Vec<f64> =
        timed.lines().last().unwrap_or_default().split(' ').filter_map(|word| word.parse().ok()).collect();
    let [wall, user, system, kibibytes] =
        numbers.try_into().map_err(|_| io::Error::other(format!("time said {timed}")))?;
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let case = &said["cases"][0];
    let many = |of: &str| case["result"][of].as_u64().unwrap_or_default();
    Ok(Took {
        wall,
        cpu: user + system,
        memory: kibibytes * 1024.0 / 1e6,
        exit: output.status.code().unwrap_or(-1).into(),
        outcome: case["outcome"].as_str().unwrap_or("none told").to_owned(),
        gaps: many("unexamined"),
        defects: many("damaged"),
        facts: many("facts"),
    })
}
