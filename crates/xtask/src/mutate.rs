//! `cargo xtask mutate` and `cargo xtask endure`: passes damaged files through the tools; none may cause a panic or take long.
//!
//! `mutate [--count N] [--decoder NAME] [FILE…]` reads N damaged copies of every sample of a decoder and a fifth as many of every
//! hive that the tests build, or N copies of each given file.
//! `endure FILE…` reads files unchanged, with every decoder and the tools for hives and event logs;
//! images and archives are also opened and listed.
//! It prints a line for each decoder, and fails if a call panicked or took longer than two seconds.

use crate::guard::{Guard, Tally, status};
use evidence::{EvidencePath, Tree, memory_tree};
use ledger::EvidenceKind;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The default number of copies of each file.
const COPIES: u64 = 1000;

/// The label of the tree in memory.
const LABEL: &str = "memory";

/// Only one in this many copies of a hive is read, because each goes through about forty calls.
const HIVE_SHARE: u64 = 5;

/// The name of hives in the summary.
const HIVE: &str = "hive";

/// A file to mutate.
struct Subject {
    /// The decoder, or [`HIVE`], or the name of a file of the examiner's.
    name: String,
    path: String,
    bytes: Vec<u8>,
    /// The decoder for a file that no decoder recognises.
    decoder: Option<&'static str>,
}

/// The arguments.
struct Asked {
    count: u64,
    decoder: Option<String>,
    files: Vec<PathBuf>,
}

/// Mutates files; fails if anything panicked or took too long.
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

/// Reads files unchanged.
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

/// Returns the samples, the hives and the files that were requested.
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

/// Passes one mutant through the tools for its kind of file.
fn read(guard: &Guard, tally: &mut Tally, place: &str, subject: &Subject, mutant: Arc<[u8]>) {
    let trees = tree(&subject.path, Arc::clone(&mutant));
    if subject.name == HIVE || subject.bytes.starts_with(b"regf") {
        return run_all(guard, tally, place, &trees, &of_hives(&subject.path));
    }
    let arguments = json!({ "path": subject.path, "limit": 10_000 });
    let outcome = guard.call(place, |scratch| tools::run("parse_file", &arguments, &trees, scratch));
    let refused = outcome.value.as_ref().is_some_and(|returned| returned.outcome == ledger::Outcome::Failed);
    match subject.decoder.filter(|_| refused) {
        // It is decoded even if its header is no longer recognisable.
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

/// Returns every call that reads a hive.
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

/// The sources that `records` is asked for with every file, in addition to the artifacts of hives: the subjects,
/// and decoders among whose records it selects.
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

/// Returns [`GATHERED`] plus the journal's own records, which `usn_names` summarises.
fn of_files() -> Vec<&'static str> {
    GATHERED.into_iter().chain(["usn_journal"]).collect()
}

/// Returns the registry artifacts: the sources that are neither decoders nor subjects.
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

/// Opens an image or an archive and lists every entry; if it cannot be opened, that counts as a failed call.
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
