//! Case tables that calls of a run read: the log names them, equal runs have equal logs, and a poisoned cache is found.

use crate::support::{Place, demo_folder, str};
use graph::Run;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// Runs the playbook over the demo and loads the run.
fn recorded(place: &Place, runs: &str, cache: &[&str]) -> (PathBuf, Run) {
    let demo = demo_folder();
    place.locard_ends(0, &[&["run", str(&demo), "--runs", runs, "--quiet"], cache].concat());
    let mut folders = fs::read_dir(place.path(runs)).unwrap().map(|entry| entry.unwrap().path());
    let folder = folders.find(|path| path.is_dir()).unwrap();
    let run = app::load_run(&folder).unwrap();
    (folder, run)
}

fn heads(run: &Run) -> Vec<String> {
    run.sealed.as_ref().unwrap().heads.iter().map(|head| format!("{:?} {}", head.task, head.head)).collect()
}

/// The cached tables that include this one, their metadata file, and its content.
fn cached(place: &Place, table: &str) -> (PathBuf, PathBuf, Value) {
    let files = fs::read_dir(place.path("cache")).unwrap().map(|entry| entry.unwrap().path());
    let about = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let mut known = about.map(|path| {
        let known: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        (path.with_extension(""), path, known)
    });
    let holds = |known: &Value| {
        known["tables"].as_array().is_some_and(|tables| tables.iter().any(|one| one["table"] == table))
    };
    known.find(|(.., known)| holds(known)).unwrap()
}

#[test]
fn a_run_tells_the_tables_that_it_read_whether_they_were_made_or_cached() {
    let place = Place::new();
    let (folder, cold) = recorded(&place, "cold", &["--cache", "cache"]);
    let (_, warm) = recorded(&place, "warm", &["--cache", "cache"]);
    let (_, without) = recorded(&place, "without", &["--no-cache"]);
    let logs = cold.tables.iter().find(|read| read.group == "event_log").unwrap();
    assert!(logs.tables.iter().any(|table| table.table == "logon" && table.rows > 0), "{logs:?}");
    assert!(cold.tables.is_sorted_by_key(|read| (&read.group, &read.evidence)));
    for other in [&warm, &without] {
        assert_eq!((&other.tables, heads(other)), (&cold.tables, heads(&cold)));
    }
    place.locard_ends(0, &["verify", str(&folder), "--evidence"]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test poisons files of its own")]
fn what_a_poisoned_cache_put_into_a_run_is_found_over_the_evidence() {
    let place = Place::new();
    recorded(&place, "first", &["--cache", "cache"]);
    let (file, about, mut known) = cached(&place, "logon");
    let connection = rusqlite::Connection::open(&file).unwrap();
    assert!(connection.execute("UPDATE logon SET account = 'mallory'", []).unwrap() > 0);
    connection.close().unwrap();
    known["index"] = ledger::Digest::of(&fs::read(&file).unwrap()).to_string().into();
    fs::write(about, crate::support::with_own_check(&known)).unwrap();
    let (folder, _) = recorded(&place, "poisoned", &["--cache", "cache"]);
    let facts = place.locard_ends(0, &["facts", str(&folder)]);
    assert!(facts.contains("mallory"), "the poison did not reach the run: the test shows nothing\n{facts}");
    let found = place.locard_ends(34, &["verify", str(&folder), "--evidence"]);
    assert!(found.contains("says something else now"), "{found}");
}
