//! Timeline indexes of whole runs: made when the first call asks, kept for later runs, never trusted blindly, and never a reason to fail.

use crate::support::{Place, collect_demo};
use app::{Finished, Progress, RunError, RunRequest};
use graph::Run;
use ledger::{Outcome, Rules, Stream};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use testkit::scripted::{Scripted, calls, words};

/// An agent that asks the timeline and ends.
fn asks() -> Scripted {
    let mut turn = 0;
    Scripted::new(move |_| {
        turn += 1;
        Some(match turn {
            1 => calls(turn, &[("timeline", json!({ "limit": 50 })), ("timeline_histogram", json!({}))]),
            2 => calls(turn, &[("timeline", json!({ "limit": 50, "offset": 50 }))]),
            _ => words("done"),
        })
    })
}

/// What a run came to, and what was said of it.
fn run(place: &Place, change: impl FnOnce(&mut RunRequest)) -> (Result<Finished, RunError>, String) {
    let mut request = place.request(Rules::default(), vec![("timeline", asks()), ("registry", asks())]);
    let said = Arc::new(Mutex::new(String::new()));
    let notes = Arc::clone(&said);
    request.work.observe = Arc::new(move |progress| {
        if let Progress::Note(note) = progress {
            notes.lock().unwrap().push_str(&note);
        }
    });
    change(&mut request);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let finished = runtime.block_on(app::run(request));
    let said = said.lock().unwrap().clone();
    (finished, said)
}

fn sealed(place: &Place, change: impl FnOnce(&mut RunRequest)) -> (Run, String) {
    let (finished, said) = run(place, change);
    let finished = finished.unwrap();
    assert!(app::verify(&finished.folder).holds());
    let run = app::load_run(&finished.folder).unwrap();
    for invocation in run.tasks.values().flat_map(|task| &task.invocations) {
        let outcome = invocation.ended.as_ref().unwrap().outcome;
        assert_eq!(outcome, Outcome::Ok, "{:?}", invocation.started);
    }
    (run, said)
}

fn heads(run: &Run) -> Vec<(Stream, String)> {
    let heads = &run.sealed.as_ref().unwrap().heads;
    heads.iter().map(|head| (Stream::Task(head.task), head.head.to_string())).collect()
}

fn cached(place: &Place) -> Vec<PathBuf> {
    let files = std::fs::read_dir(place.path("cache")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("timeline-")).collect();
    files.sort();
    files
}

#[expect(clippy::disallowed_methods, reason = "the tests write their own files")]
fn replace(path: &PathBuf, bytes: &[u8]) {
    std::fs::remove_file(path).unwrap();
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn runs_are_the_same_with_an_index_of_an_earlier_run_and_without_a_cache() {
    let place = Place::new();
    let cache = place.path("cache");
    let (without, said) = sealed(&place, |_| {});
    assert!(!said.contains("timeline"), "{said}");
    let labels = without.opened.case.evidence.len();
    assert_eq!(without.timelines.len(), labels);
    assert!(without.timelines.iter().all(|indexed| indexed.events > 0 && indexed.sources > 0));
    let (cold, _) = sealed(&place, |request| request.work.cache = Some(cache.clone()));
    let (warm, _) = sealed(&place, |request| request.work.cache = Some(cache.clone()));
    assert_eq!(cached(&place).len(), 2 * labels);
    for other in [&cold, &warm] {
        assert_eq!((&other.timelines, heads(other)), (&without.timelines, heads(&without)));
    }
    assert_eq!(std::fs::read_dir(place.path("indexes")).unwrap().count(), 0, "nothing of a run stays");
}

#[test]
fn a_damaged_entry_of_the_cache_is_made_again_and_said_so() {
    let place = Place::new();
    let cache = place.path("cache");
    let (first, _) = sealed(&place, |request| request.work.cache = Some(cache.clone()));
    let index = cached(&place).remove(0);
    let mut bytes = std::fs::read(&index).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    replace(&index, &bytes);
    let (again, said) = sealed(&place, |request| request.work.cache = Some(cache.clone()));
    assert!(said.contains("the timeline index of") && said.contains("is built again"), "{said}");
    assert_eq!((heads(&again), again.timelines), (heads(&first), first.timelines));
}

#[test]
fn an_index_of_other_evidence_keeps_the_run_unsealed_and_leaves_the_cache() {
    let place = Place::new();
    let cache = place.path("cache");
    sealed(&place, |request| request.work.cache = Some(cache.clone()));
    let before = cached(&place).len();
    let known = cached(&place).into_iter().find(|path| path.extension().is_some()).unwrap();
    let mut told: Value = serde_json::from_slice(&std::fs::read(&known).unwrap()).unwrap();
    told["evidence"] = json!("0".repeat(64));
    replace(&known, told.to_string().as_bytes());
    let (finished, _) = run(&place, |request| request.work.cache = Some(cache.clone()));
    assert!(matches!(finished, Err(RunError::IndexOfOther { .. })), "{finished:?}");
    assert_eq!(cached(&place).len(), before - 2);
}

#[test]
fn a_folder_is_indexed_anew_from_what_did_not_change() {
    let place = Place::new();
    let (cache, folder) = (place.path("cache"), place.folder("folder"));
    collect_demo(&folder);
    let with = |request: &mut RunRequest| {
        request.case = app::load_case(&folder).unwrap();
        request.work.cache = Some(cache.clone());
    };
    let (first, _) = sealed(&place, with);
    let (again, _) = sealed(&place, with);
    assert_eq!((heads(&first), &first.timelines), (heads(&again), &again.timelines));
    assert_eq!(cached(&place).len(), 2);
}

#[test]
fn a_run_that_asks_no_timeline_makes_no_index() {
    let place = Place::new();
    let script = Scripted::new(|_| Some(words("done")));
    let (_, run) = place.investigate(Rules::default(), vec![("timeline", script)]);
    assert!(run.timelines.is_empty());
}
