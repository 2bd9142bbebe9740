//! The timeline in whole runs: it reads case tables that the log names, is the same with and without a cache, and makes
//! the tables only on request.

use crate::support::Place;
use app::RunRequest;
use graph::Run;
use ledger::event::TablesRead;
use ledger::{Outcome, Rules, Stream};
use serde_json::json;
use std::collections::BTreeSet;
use testkit::scripted::{Scripted, calls, words};

/// An agent that queries the timeline and ends.
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

fn sealed(place: &Place, change: impl FnOnce(&mut RunRequest)) -> Run {
    let mut request = place.request(Rules::default(), vec![("timeline", asks()), ("registry", asks())]);
    change(&mut request);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let finished = runtime.block_on(app::run(request)).unwrap();
    assert!(app::verify(&finished.folder).holds());
    let run = app::load_run(&finished.folder).unwrap();
    for invocation in run.tasks.values().flat_map(|task| &task.invocations) {
        let outcome = invocation.ended.as_ref().unwrap().outcome;
        assert_eq!(outcome, Outcome::Ok, "{:?}", invocation.started);
    }
    run
}

fn heads(run: &Run) -> Vec<(Stream, String)> {
    let heads = &run.sealed.as_ref().unwrap().heads;
    heads.iter().map(|head| (Stream::Task(head.task), head.head.to_string())).collect()
}

#[test]
fn runs_are_the_same_with_tables_of_an_earlier_run_and_without_a_cache() {
    let place = Place::new();
    let cache = place.path("cache");
    let without = sealed(&place, |_| {});
    let groups: BTreeSet<_> = without.tables.iter().map(|TablesRead { group, .. }| group.as_str()).collect();
    assert!(groups.contains("file_system") && groups.contains("registry") && groups.contains("event_log"));
    assert!(!groups.contains("usn_names"), "the journal's own records have its times");
    let cold = sealed(&place, |request| request.work.cache = Some(cache.clone()));
    let warm = sealed(&place, |request| request.work.cache = Some(cache.clone()));
    for other in [&cold, &warm] {
        assert_eq!((&other.tables, heads(other)), (&without.tables, heads(&without)));
    }
    assert_eq!(std::fs::read_dir(place.path("indexes")).unwrap().count(), 0, "nothing of a run stays");
}

#[test]
fn a_timeline_of_one_source_needs_the_tables_of_that_source_alone() {
    let place = Place::new();
    let mut turn = 0;
    let script = Scripted::new(move |_| {
        turn += 1;
        let asked = ("timeline", json!({ "source": "prefetch", "limit": 5 }));
        Some(if turn == 1 { calls(turn, &[asked]) } else { words("done") })
    });
    let (_, run) = place.investigate(Rules::default(), vec![("timeline", script)]);
    assert!(run.tables.iter().all(|read| read.group == "prefetch"), "{:?}", run.tables);
    assert!(!run.tables.is_empty());
    let script = Scripted::new(|_| Some(words("done")));
    let (_, silent) = place.investigate(Rules::default(), vec![("timeline", script)]);
    assert!(silent.tables.is_empty());
}
