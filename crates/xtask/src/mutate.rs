//! `cargo xtask mutate` and `cargo xtask endure`: damaged files through the tools, none of which may panic or take long.
//!
//! `mutate [--count N] [--decoder NAME] [FILE…]` reads N damaged copies of every sample of a decoder and a fifth of that of every hive that the tests build, or N of each file named.
//! `endure FILE…` reads files as they stand, by every decoder and by the tools of hives and event logs; images and archives are opened and listed, too.
//! A line for each decoder; the chore fails when a call panicked or took longer than two seconds.

use crate::guard::{Guard, Tally, status};
use evidence::{EvidencePath, Tree, memory_tree};
use ledger::EvidenceKind;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Copies of each file where no number is told.
const COPIES: u64 = 1000;

/// The label of the tree in memory.
const LABEL: &str = "memory";

/// Of hives only every so many copies are read: each goes through some forty calls.
const HIVE_SHARE: u64 = 5;

/// What hives are called in the summary.
const HIVE: &str = "hive";

/// What is mutated.
struct Subject {
    /// The decoder, or [`HIVE`], or the name of a file of the examiner's.
    name: String,
    path: String,
    bytes: Vec<u8>,
    /// The decoder that reads what no decoder takes for its own.
    decoder: Option<&'static str>,
}

/// What was asked for.
struct Asked {
    count: u64,
    decoder: Option<String>,
    files: Vec<PathBuf>,
}

/// Mutates; fails when anything panicked or took too long.
pub(crate) fn mutate(say: fn(String)) -> io::Result<()> {
    let asked = asked(std::env::args().skip(2))?;
    let guard = Guard::new(say)?;
    let (mut total, mut by_name) = (Tally::default(), BTreeMap::<String, Tally>::new());
    for subject in subjects(&asked)? {
        let tally = by_name.entry(subject.name.clone()).or_default();
        let count = if subject.name == HIVE { asked.count / HIVE_SHARE } else { asked.count };
        for (number, mutant) in testkit::mutate::mutants(&subject.bytes, count).enumerate() {
            let place = format!("{} {number}", subject.path);
            tally.subjects += 1;
            read(&guard, tally, &place, &subject, mutant.into());
        }
    }
    for (name, tally) in by_name {
        tally.lines(&name).into_iter().for_each(say);
        total.join(tally);
    }
    finish(&total, say)
}

/// Reads files as they stand.
pub(crate) fn endure(say: fn(String)) -> io::Result<()> {
    let guard = Guard::new(say)?;
    let mut total = Tally::default();
    for path in std::env::args_os().skip(2).map(PathBuf::from) {
        let (bytes, name) = (std::fs::read(&path)?, file_name(&path));
        let mut tally = Tally::default();
        tally.subjects = 1;
        opened(&guard, &mut tally, &path);
        let bytes: Arc<[u8]> = bytes.into();
        for decoder in tools::decoders() {
            let place = format!("{name} as {decoder}");
            let call = |scratch: &Path| tools::decode_bytes(decoder, &name, &bytes, scratch);
            let outcome = guard.call(&place, call);
            tally.add(&place, outcome);
        }
        let trees = tree(&name, bytes);
        let mut calls = vec![("list_hives", json!({}))];
        calls.extend(of_files().into_iter().map(|source| ("records", json!({ "source": source }))));
        calls.push(("parse_file", json!({ "path": name })));
        calls.extend(of_hives(&name));
        run_all(&guard, &mut tally, &name, &trees, &calls);
        if tally.faults() > 0 {
            tally.lines(&path.display().to_string()).into_iter().for_each(say);
        }
        total.join(tally);
    }
    finish(&total, say)
}

fn finish(total: &Tally, say: fn(String)) -> io::Result<()> {
    total.lines("in all").into_iter().for_each(say);
    say(format!("highest address space {} KiB", status("VmPeak:")));
    match total.faults() {
        0 => Ok(()),
        faults => Err(io::Error::other(format!("{faults} panics or late calls"))),
    }
}

fn asked(mut words: impl Iterator<Item = String>) -> io::Result<Asked> {
    let mut asked = Asked { count: COPIES, decoder: None, files: Vec::new() };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--count" => {
                let count = words.next().and_then(|count| count.parse().ok());
                asked.count = count.ok_or_else(|| io::Error::other("--count needs a number"))?;
            }
            "--decoder" => asked.decoder = words.next(),
            _ => asked.files.push(PathBuf::from(word)),
        }
    }
    Ok(asked)
}

/// The samples, the hives and the files that were asked for.
fn subjects(asked: &Asked) -> io::Result<Vec<Subject>> {
    let all = testkit::samples::samples().into_iter().chain(testkit::samples::exported_logs());
    let samples = all.map(|sample| Subject {
        name: sample.decoder.to_owned(),
        path: sample.path.to_owned(),
        bytes: sample.bytes,
        decoder: Some(sample.decoder),
    });
    let hives = testkit::artifact_hives::files().into_iter().map(|(path, bytes)| Subject {
        name: HIVE.to_owned(),
        path: path.to_owned(),
        bytes,
        decoder: None,
    });
    let wanted = |subject: &Subject| asked.decoder.as_ref().is_none_or(|name| *name == subject.name);
    let mut subjects: Vec<_> = samples.chain(hives).filter(wanted).collect();
    if asked.decoder.is_none() && !asked.files.is_empty() {
        subjects.clear();
    }
    for path in &asked.files {
        let (name, bytes) = (file_name(path), std::fs::read(path)?);
        subjects.push(Subject { name: name.clone(), path: name, bytes, decoder: None });
    }
    Ok(subjects)
}

/// One mutant through the tools that its kind of file is read by.
fn read(guard: &Guard, tally: &mut Tally, place: &str, subject: &Subject, mutant: Arc<[u8]>) {
    let trees = tree(&subject.path, Arc::clone(&mutant));
    if subject.name == HIVE || subject.bytes.starts_with(b"regf") {
        return run_all(guard, tally, place, &trees, &of_hives(&subject.path));
    }
    let arguments = json!({ "path": subject.path, "limit": 10_000 });
    let outcome = guard.call(place, |scratch| tools::run("parse_file", &arguments, &trees, scratch));
    let refused = outcome.value.as_ref().is_some_and(|returned| returned.outcome == ledger::Outcome::Failed);
    match subject.decoder.filter(|_| refused) {
        // What its head no longer tells is read all the same.
        Some(decoder) => {
            let call = |scratch: &Path| tools::decode_bytes(decoder, &subject.path, &mutant, scratch);
            tally.add(place, guard.call(place, call));
        }
        None => tally.add(place, outcome),
    }
}

fn run_all(
    guard: &Guard,
    tally: &mut Tally,
    place: &str,
    trees: &[Box<dyn Tree>],
    calls: &[(&'static str, Value)],
) {
    for (tool, arguments) in calls {
        let source = arguments.get("source").and_then(Value::as_str).unwrap_or_default();
        let name = format!("{place} {tool} {source}");
        let outcome = guard.call(&name, |scratch| tools::run(tool, arguments, trees, scratch));
        tally.add(&name, outcome);
    }
}

/// Every way to read a hive.
fn of_hives(path: &str) -> Vec<(&'static str, Value)> {
    let mut calls = vec![
        ("list_hives", json!({})),
        ("search_registry", json!({ "hive": path, "text": "e", "in": "any" })),
        ("parse_registry_key", json!({ "hive": path, "key": "", "depth": 2 })),
        ("deleted_registry", json!({ "hive": path })),
    ];
    for artifact in artifacts() {
        calls.push(("records", json!({ "hive": path, "source": artifact })));
    }
    calls
}

/// What `records` is asked of every file, beside the artifacts of hives: the subjects, and decoders whose records it chooses among.
const GATHERED: [&str; 9] = [
    "browsing",
    "event_log",
    "logons",
    "mft",
    "persistence",
    "program_execution",
    "recycled",
    "user_activity",
    "usn_names",
];

/// The same with the journal's own records, of which `usn_names` is a summary.
fn of_files() -> Vec<&'static str> {
    GATHERED.into_iter().chain(["usn_journal"]).collect()
}

/// The artifacts of the registry that there are: the sources that are no decoder and no subject.
fn artifacts() -> Vec<String> {
    let spec = tools::catalogue().into_iter().find(|spec| spec.name == "records");
    let sources = spec.map(|spec| spec.sources).unwrap_or_default();
    let files = tools::decoders();
    let is_artifact = |name: &String| !files.contains(&name.as_str()) && !GATHERED.contains(&name.as_str());
    sources.into_keys().filter(is_artifact).collect()
}

fn tree(path: &str, bytes: Arc<[u8]>) -> Vec<Box<dyn Tree>> {
    let file = EvidencePath::parse(path).ok().map(|path| (path, bytes));
    vec![Box::new(memory_tree(LABEL, file))]
}

/// An image or an archive: opened, and every entry listed; where it cannot be opened there is nothing to list, which is a failed call.
fn opened(guard: &Guard, tally: &mut Tally, path: &Path) {
    let place = format!("{} opened", path.display());
    for kind in [EvidenceKind::Image, EvidenceKind::Archive] {
        let outcome = guard.call(&place, |scratch| {
            let trees: Vec<_> = evidence::open(kind, path, LABEL).into_iter().collect();
            tools::run("find_files", &json!({ "name": "*" }), &trees, scratch)
        });
        tally.add(&place, outcome);
    }
}

fn file_name(path: &Path) -> String {
    evidence::escape_name(path.file_name().unwrap_or_default().as_encoded_bytes())
}
