//! Scores how `locard ask` answers questions whose answers are known (`fixtures/questions/README.md` explains the scoring).

mod judge;

use judge::{Judged, judge};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const USAGE: &str = "usage: cargo xtask ask-score LOCARD QUESTIONS.toml --cases DIR [--each]";

/// A question with its correct answer.
#[derive(Debug)]
struct Known {
    id: String,
    case: String,
    text: String,
    right: judge::Right,
}

/// The result of one question.
struct Came {
    judged: Judged,
    calls: u64,
    took: Duration,
}

/// Asks all questions of a file about their cases, and prints the scores. A case that is missing from the folder of cases is taken
/// from our own.
///
/// # Errors
///
/// Fails if the questions cannot be read or the program does not start.
pub(crate) fn run(ours: &Path, say: &mut dyn FnMut(&str)) -> io::Result<()> {
    let mut arguments = std::env::args().skip(2);
    let (Some(locard), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err(io::Error::other(USAGE));
    };
    let (mut cases, mut each) = (None, false);
    while let Some(option) = arguments.next() {
        match option.as_str() {
            "--cases" => cases = arguments.next().map(PathBuf::from),
            "--each" => each = true,
            _ => return Err(io::Error::other(USAGE)),
        }
    }
    let cases = cases.ok_or_else(|| io::Error::other(USAGE))?;
    let known =
        read(&std::fs::read_to_string(&file)?).ok_or_else(|| io::Error::other("no file of questions"))?;
    let place = tempfile::tempdir()?;
    let mut all: Vec<(&Known, Came)> = Vec::new();
    for question in &known {
        let came = ask(Path::new(&locard), &case_of(&cases, ours, &question.case), place.path(), question)?;
        if each {
            say(&format!(
                "{:16} {:24} {:5.1} s  {}",
                question.id,
                came.judged.name(),
                came.took.as_secs_f64(),
                question.text
            ));
        }
        all.push((question, came));
    }
    say(&figures(&all));
    Ok(())
}

fn read(text: &str) -> Option<Vec<Known>> {
    let file: toml::Table = toml::from_str(text).ok()?;
    file.get("question")?.as_array()?.iter().map(known).collect()
}

fn known(question: &toml::Value) -> Option<Known> {
    let text = |name: &str| question.get(name)?.as_str().map(str::to_owned);
    let texts = |value: &toml::Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|it| it.as_str().map(str::to_owned)).collect()
    };
    let right = judge::Right {
        answer: text("answer")?,
        expect: question.get("expect")?.as_array()?.iter().map(texts).collect(),
        must_not: question.get("must_not").map(texts).unwrap_or_default(),
        reason: text("reason"),
    };
    Some(Known { id: text("id")?, case: text("case")?, text: text("text")?, right })
}

/// Returns the folder of a case: among the unpacked ones, which have their evidence in a subfolder, or among our own.
fn case_of(cases: &Path, ours: &Path, name: &str) -> PathBuf {
    let folder = cases.join(name);
    let unpacked = folder.join("evidence");
    match (folder.join("case.toml").is_file(), unpacked.is_dir(), folder.is_dir()) {
        (true, ..) | (false, false, true) => folder,
        (false, true, _) => unpacked,
        (false, false, false) => ours.join(name),
    }
}

fn ask(locard: &Path, case: &Path, place: &Path, known: &Known) -> io::Result<Came> {
    let begun = now();
    let mut command = crate::program::locard(locard);
    command.arg("ask").arg(case).arg(&known.text).args(["--format", "json"]);
    command.arg("--cache").arg(place.join("cache")).arg("--runs").arg(place.join("runs"));
    let output = command.output()?;
    let took = begun.elapsed();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let calls = answer.get("calls").and_then(Value::as_u64).unwrap_or(0);
    Ok(Came { judged: judge(&known.right, &answer), calls, took })
}

#[expect(clippy::disallowed_methods, reason = "the chore measures time")]
fn now() -> Instant {
    Instant::now()
}

fn figures(all: &[(&Known, Came)]) -> String {
    let mut out = String::new();
    let count = |of: &dyn Fn(&Known) -> String| {
        let mut counts: BTreeMap<String, BTreeMap<&'static str, usize>> = BTreeMap::new();
        for (known, came) in all {
            *counts.entry(of(known)).or_default().entry(came.judged.name()).or_default() += 1;
        }
        counts
    };
    let mut section = |title: &str, counts: BTreeMap<String, BTreeMap<&'static str, usize>>| {
        // Writing to a text cannot fail.
        let _ = writeln!(out, "{title}");
        for (name, counts) in counts {
            let counts: Vec<String> =
                counts.iter().map(|(judged, count)| format!("{count} {judged}")).collect();
            let _ = writeln!(out, "  {name}: {}", counts.join(", "));
        }
    };
    section("all", count(&|_| "questions".to_owned()));
    section("by case", count(&|known| known.case.clone()));
    section("by right answer", count(&|known| known.right.answer.clone()));
    let right = all.iter().filter(|(_, came)| came.judged.is_right()).count();
    let wrong = all.iter().filter(|(_, came)| came.judged.is_wrong()).count();
    let (calls, took) = (median(all.iter().map(|it| it.1.calls)), median(all.iter().map(|it| it.1.took)));
    let _ = writeln!(
        out,
        "{right} of {} answered rightly, {wrong} wrong; {} tool calls and {:.1} s in the median",
        all.len(),
        calls.unwrap_or(0),
        took.unwrap_or_default().as_secs_f64(),
    );
    out
}

fn median<T: Ord>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut values: Vec<T> = values.collect();
    values.sort();
    let middle = values.len() / 2;
    values.into_iter().nth(middle)
}
