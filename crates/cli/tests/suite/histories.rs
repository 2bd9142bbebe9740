//! Stored histories: runs that were made once, and that every later version must verify and replay.
//!
//! A history is a file in `fixtures/histories` with one line per event, preceded by a line for each payload that it names first.
//! What the first events of many runs share (tools, vocabulary, writers) is in `parts`, in files named by digest.
//! With `UPDATE_GOLDEN=1`, the investigations below write the missing histories; existing ones are never rewritten.

mod lives;

use crate::support::{Place, str, text};
use ledger::{Digest, Event, FORMAT};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use store::Reader;
use testkit::stored_history::{self, SHARED, marked};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/histories")
}

fn part(digest: &str) -> PathBuf {
    fixtures().join(format!("parts/{digest}.json"))
}

/// Moves the shared members of a first event into files named by digest.
#[expect(clippy::disallowed_methods, reason = "a golden file is written where that was asked for")]
fn put_aside(line: &mut Value) {
    for member in SHARED {
        let Some(value) = line.pointer_mut(&format!("/event/fields/{member}")) else { continue };
        let text = serde_json::to_string(value).unwrap();
        let digest = Digest::of(text.as_bytes()).to_string();
        std::fs::create_dir_all(fixtures().join("parts")).unwrap();
        std::fs::write(part(&digest), text + "\n").unwrap();
        *value = Value::String(digest);
    }
}

/// Writes a run as a history.
fn history(run: &Path) -> String {
    let reader = Reader::open(run).unwrap();
    let (mut out, mut known) = (String::new(), BTreeSet::new());
    for event in reader.events() {
        let (link, event, circumstance) = event.unwrap();
        if let Some(digest) = event.payload().filter(|digest| known.insert(*digest)) {
            let payload = String::from_utf8(reader.payload(&digest).unwrap().unwrap()).unwrap();
            writeln!(out, "{}", json!({ "payload": payload })).unwrap();
        }
        let mut line = json!({"stream": link.stream.number(), "event": event, "circumstance": circumstance});
        put_aside(&mut line);
        // The evidence's path on the machine that made the history means nothing elsewhere.
        if let Some(places) = line.pointer_mut("/circumstance/evidence").and_then(Value::as_object_mut) {
            for place in places.values_mut() {
                let name = place.as_str().and_then(|place| place.rsplit('/').next()).unwrap().to_owned();
                *place = Value::String(format!("cases/demo/{name}"));
            }
        }
        writeln!(out, "{line}").unwrap();
    }
    out
}

/// Makes a run in `folder` from a history; it is sealed if the history is.
fn run_of(history: &str, folder: &Path) {
    stored_history::run_of(history, &fixtures(), folder).unwrap();
}

/// Changes a run's database by SQL.
fn edit(run: &Path, sql: &str) {
    stored_history::edit(run, sql).unwrap();
}

#[test]
fn every_stored_history_verifies_and_replays() {
    let place = Place::new();
    let entries = std::fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path());
    let names: Vec<_> = entries.filter(|path| path.extension().is_some_and(|it| it == "jsonl")).collect();
    assert!(names.len() >= lives::LIVES.len(), "UPDATE_GOLDEN=1 writes those that are missing: {names:?}");
    for path in names {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let folder = place.path(&name);
        run_of(&std::fs::read_to_string(&path).unwrap(), &folder);
        let replayed = app::replay(&folder, &app::ReplayRequest::default()).unwrap();
        assert!(replayed.iter().all(|task| task.divergence.is_none()), "{name}: {replayed:#?}");
        // A history has no manifest; a sealed run gets one when it is resumed.
        if Reader::open(&folder).unwrap().count("run_sealed").unwrap() == 1 {
            // How the run ended does not matter here: its model may have failed.
            let (code, told) = told(&place, &["resume", &name, "--runs", "."]);
            assert!(matches!(code, Some(0 | 50 | 60)), "{name}: {told}");
            place.locard_ends(0, &["verify", &name, "--runs", "."]);
        } else {
            place.locard_ends(0, &["verify", &name, "--runs", ".", "--unsealed"]);
        }
    }
}

#[test]
fn what_the_histories_were_made_of_still_replays_and_meets_what_it_was_made_for() {
    for life in lives::LIVES {
        let place = Place::new();
        let run = (life.live)(&place);
        let names: BTreeSet<&str> =
            Reader::open(&run).unwrap().events().map(|event| event.unwrap().1.name()).collect();
        for expected in life.meets {
            assert!(names.contains(expected), "{}: no {expected}", life.name);
        }
        let replayed = app::replay(&run, &app::ReplayRequest::default()).unwrap();
        assert!(replayed.iter().all(|task| task.divergence.is_none()), "{}: {replayed:#?}", life.name);
        store_missing(life.name, &run);
    }
}

#[expect(clippy::disallowed_methods, reason = "a golden file is written where that was asked for")]
fn store_missing(name: &str, run: &Path) {
    let path = fixtures().join(format!("{name}.jsonl"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() && !path.exists() {
        std::fs::write(path, history(run)).unwrap();
    }
}

/// The head of `runs/sample`, as its README gives it.
fn sample_head() -> String {
    let page = std::fs::read_to_string(fixtures().join("../../runs/README.md")).unwrap();
    page.split("--head ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned()
}

#[test]
fn the_sealed_sample_verifies_against_its_head_and_replays() {
    let place = Place::new();
    let folder = place.folder("runs/sample");
    for name in ["run.db", "manifest.json"] {
        let bytes = std::fs::read(fixtures().join("../../runs/sample").join(name)).unwrap();
        place.file(&format!("runs/sample/{name}"), bytes);
    }
    let told = place.locard_ends(0, &["verify", "sample", "--head", &sample_head()]);
    assert!(told.contains("verified: facts stand in stored outputs, head anchored outside"), "{told}");
    let page = place.locard_ends(0, &["report", "sample", "--format", "markdown"]);
    let of_agents: Vec<_> = page.lines().filter(|line| line.starts_with("Agent ")).collect();
    assert!(page.contains("The run does not list the questions of its case"), "{page}");
    assert!(of_agents[0].contains("9 open questions by today's rules; none by the run's own"));
    assert!(
        of_agents
            .iter()
            .all(|line| line.contains("by today's rules") || line.contains("among those it was given"))
    );
    let told = place.locard_ends(0, &["replay", "sample"]);
    assert!(told.contains("every event came out the same"), "{told}");
    place.locard_ends(0, &["report", str(&folder)]);
    let told =
        place.locard_ends(0, &["verify", "sample", "--evidence", str(&fixtures().join("../../cases/demo"))]);
    assert!(told.contains("157 the same, 18 not compared"), "{told}");
    assert!(told.contains("verified: raw spans read again from the evidence"), "{told}");
}

/// A run of the demo that was changed by SQL.
fn changed(place: &Place, sql: &str) -> PathBuf {
    place.has_demo_run(&[]);
    let run = place.only_run();
    edit(&run, sql);
    run
}

fn told(place: &Place, arguments: &[&str]) -> (Option<i32>, String) {
    let output = place.locard(arguments);
    (output.status.code(), text(&output.stderr) + &text(&output.stdout))
}

#[test]
fn a_run_of_a_newer_format_is_told_by_its_format() {
    let place = Place::new();
    let newer = marked(FORMAT) + 1;
    let run = changed(&place, &format!("PRAGMA user_version = {newer}"));
    for command in ["replay", "verify", "facts", "resume"] {
        let (code, told) = told(&place, &[command, str(&run)]);
        assert!(matches!(code, Some(2 | 31)), "{command}: {code:?}");
        let supported = format!("expected format {FORMAT} or an earlier one");
        assert!(told.contains(&supported), "{command}: {told}");
    }
}

#[test]
fn a_run_with_a_behaviour_of_a_newer_version_is_not_replayed_and_says_why() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let newer = crate::support::rechained(&place, &place.only_run(), "newer", |events| {
        if let Some((_, Event::RunOpened(opened), _)) = events.first_mut() {
            opened.behaviour.push(999);
        }
    });
    let (code, told) = told(&place, &["replay", str(&newer)]);
    assert_eq!(code, Some(31));
    assert!(told.contains("found 999: a newer Locard made the run"), "{told}");
    place.locard_ends(0, &["facts", str(&newer)]);
}

#[test]
fn a_cut_file_is_told_as_damaged_with_its_path() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let run = place.only_run();
    let bytes = std::fs::read(run.join("run.db")).unwrap();
    for part in [0, 50, 4096, bytes.len() / 2, bytes.len() - 1] {
        let folder = place.folder(&format!("cut-{part}"));
        place.file(&format!("cut-{part}/run.db"), &bytes[..part]);
        for command in ["replay", "verify", "facts"] {
            let (code, told) = told(&place, &[command, str(&folder)]);
            assert_eq!(code, Some(31), "{command} of {part} bytes: {told}");
            let place = [format!("cut-{part}"), "run.db".to_owned(), "position".to_owned()];
            assert!(place.iter().any(|place| told.contains(place)), "{command}: {told}");
        }
    }
}

#[test]
fn a_missing_output_is_named_by_its_digest() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let run = place.only_run();
    let delete = "DELETE FROM payloads WHERE rowid = 3;";
    let copy = crate::tampering::edited(&place, &run, "missing", delete);
    let (code, told) = told(&place, &["replay", str(&copy)]);
    assert_eq!(code, Some(30), "{told}");
    assert!(told.contains("is missing"), "{told}");
}
