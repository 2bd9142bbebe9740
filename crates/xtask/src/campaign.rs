//! Measures how much of recorded attacks `locard hunt` flags: `cargo xtask hunt-campaign` (docs/hunt-campaign.md).
//!
//! Third-party recordings are mixed with generated ordinary activity. Events that should be flagged are those that a public Sigma rule
//! of level medium or above matches, according to another engine.
//! Recordings are split into two halves in advance: one half may be used to improve rules, and the other gives the final figure.

mod judge;
mod label;
mod ordinary;
mod recordings;

use crate::program::locard;
use judge::Judged;
use label::Labels;
use recordings::{Half, Recording};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The arguments.
struct Asked {
    program: PathBuf,
    sources: PathBuf,
    half: Half,
    seed: u64,
    ordinary: usize,
    place: Option<PathBuf>,
}

/// Measures one half, and reports the result.
pub(crate) fn run(tell: &mut dyn FnMut(&str)) -> io::Result<()> {
    let asked = asked()?;
    let temporary = tempfile::tempdir()?;
    let place = asked.place.clone().unwrap_or_else(|| temporary.path().to_owned());
    let evidence = place.join("evidence");
    fs::create_dir_all(&evidence)?;
    let recordings = recordings::of(&asked.sources, asked.half)?;
    write(&evidence, &recordings, &asked)?;
    tell(&format!("{} recordings of the {} half", recordings.len(), asked.half.name()));
    let rules = label::Rules::read(&asked.sources.join("sigma"))?;
    tell(&format!("{} Sigma rules of level medium or above", rules.len()));
    let labels = labels(&evidence, &rules)?;
    let malicious = labels.values().map(|file| file.events.len()).sum::<usize>();
    let events = labels.values().map(|file| file.read).sum::<usize>();
    tell(&format!("{events} events, {malicious} of them labelled"));
    let (flagged, seconds) = hunted(&asked.program, &evidence)?;
    let judged = judge::judge(&labels, &flagged, seconds);
    judged.tell(tell);
    // For the half with the final figure, nothing else is shown, so that rules are not improved with it.
    if asked.half == Half::Development {
        judged.tell_missed(tell);
    }
    Ok(())
}

fn asked() -> io::Result<Asked> {
    let mut arguments = std::env::args_os().skip(2);
    let wrong = || {
        io::Error::other(
            "usage: hunt-campaign LOCARD SOURCES [--final] [--seed N] [--ordinary N] [--place FOLDER]",
        )
    };
    let program = PathBuf::from(arguments.next().ok_or_else(wrong)?);
    let sources = PathBuf::from(arguments.next().ok_or_else(wrong)?);
    let (half, seed, ordinary) = (Half::Development, 1, 100_000);
    let mut asked = Asked { program, sources, half, seed, ordinary, place: None };
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(wrong);
        let number = |value: std::ffi::OsString| value.to_string_lossy().parse::<u64>().map_err(|_| wrong());
        match argument.to_string_lossy().as_ref() {
            "--final" => asked.half = Half::Final,
            "--seed" => asked.seed = number(value()?)?,
            "--ordinary" => asked.ordinary = usize::try_from(number(value()?)?).map_err(|_| wrong())?,
            "--place" => asked.place = Some(PathBuf::from(value()?)),
            _ => return Err(wrong()),
        }
    }
    Ok(asked)
}

/// The maximum size of recordings in one folder, in bytes; each folder is hunted as a separate case.
const PORTION: usize = 96 << 20;

/// Writes recordings and ordinary activity together into folders of about the same size.
#[expect(clippy::disallowed_methods, reason = "a chore makes its own evidence")]
fn write(evidence: &Path, recordings: &[Recording], asked: &Asked) -> io::Result<()> {
    let (mut portion, mut size) = (0, 0);
    for recording in recordings {
        if size > 0 && size + recording.bytes.len() > PORTION {
            (portion, size) = (portion + 1, 0);
        }
        size += recording.bytes.len();
        let folder = evidence.join(format!("{portion:02}"));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(&recording.file), &recording.bytes)?;
    }
    for (number, (name, bytes)) in ordinary::logs(asked.seed, asked.ordinary).into_iter().enumerate() {
        fs::write(evidence.join(format!("{:02}", number % (portion + 1))).join(name), bytes)?;
    }
    Ok(())
}

/// Returns the contents of a folder, in order.
fn listed(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        all.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
    }
    all.sort();
    Ok(all)
}

/// Returns the labelled events of each file.
fn labels(evidence: &Path, rules: &label::Rules) -> io::Result<BTreeMap<String, Labels>> {
    let mut all = BTreeMap::new();
    for (portion, folder) in listed(evidence)? {
        for (name, path) in listed(&folder)? {
            all.insert(format!("{portion}/{name}"), label::of(&fs::read(&path)?, rules));
        }
    }
    Ok(all)
}

/// The flagged events by file and offset, each with its rule, and the number of seconds that the hunt took.
type Flagged = (BTreeMap<(String, u64), String>, f64);

/// Hunts in each folder.
fn hunted(program: &Path, evidence: &Path) -> io::Result<Flagged> {
    let (mut flagged, mut seconds) = (BTreeMap::new(), 0.0);
    for (portion, folder) in listed(evidence)? {
        #[expect(clippy::disallowed_methods, reason = "a chore measures")]
        let begun = Instant::now();
        let out = locard(program).arg("hunt").arg(&folder).args(["--format", "jsonl"]).output()?;
        seconds += begun.elapsed().as_secs_f64();
        if !out.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&out.stderr).into_owned()));
        }
        for line in String::from_utf8_lossy(&out.stdout).lines() {
            take(&portion, &serde_json::from_str(line).map_err(io::Error::other)?, &mut flagged);
        }
    }
    Ok((flagged, seconds))
}

/// Adds the records named in one line of a hunt: one record, or the first and last of several.
fn take(portion: &str, value: &serde_json::Value, flagged: &mut BTreeMap<(String, u64), String>) {
    let rule = value.pointer("/rules/0/rule").and_then(|rule| rule.as_str()).unwrap_or_default();
    for record in [value.pointer("/record"), value.pointer("/together/first")].into_iter().flatten() {
        let path = record.pointer("/locator/path").and_then(|path| path.as_str());
        let offset = record.pointer("/locator/span/offset").and_then(|offset| offset.as_u64());
        if let (Some(path), Some(offset)) = (path, offset) {
            flagged.entry((format!("{portion}/{path}"), offset)).or_insert_with(|| rule.to_owned());
        }
    }
}

impl Judged {
    fn tell(&self, tell: &mut dyn FnMut(&str)) {
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        tell(&format!(
            "flagged {} of {} labelled events: {:.1} %",
            self.found,
            self.labelled,
            percent(self.found, self.labelled)
        ));
        tell(&format!(
            "flagged {} events, {} of them labelled: precision {:.1} %; {} of ordinary activity",
            self.flagged,
            self.found,
            percent(self.found, self.flagged),
            self.ordinary
        ));
        tell(&format!(
            "recordings with a labelled event: {}; of these {} have one flagged",
            self.recordings.1, self.recordings.0
        ));
        tell(&format!("{:.1} s", self.seconds));
        for (tactic, (found, labelled)) in &self.tactics {
            tell(&format!("  {tactic}: {found} of {labelled}, {:.1} %", percent(*found, *labelled)));
        }
    }

    fn tell_missed(&self, tell: &mut dyn FnMut(&str)) {
        tell("not flagged, by the Sigma rule that labels them first:");
        for (title, number) in self.missed.iter().take(120) {
            tell(&format!("  {number:>6}  {title}"));
        }
        tell("flagged and not labelled, by rule:");
        for (rule, number) in self.extra.iter().take(60) {
            tell(&format!("  {number:>6}  {rule}"));
        }
    }
}
