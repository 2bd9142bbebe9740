//! `locard replay`: the same steps over the stored log.

use crate::support::{Place, demo_folder, invocations, script, str};
use ledger::turn::{Answer, ReadingResult};
use ledger::{Event, Rules};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{Durability, Entry, Reader, Writer};
use testkit::scripted::calls;

fn replayed(place: &Place, code: i32, arguments: &[&str]) -> Value {
    let out = place.locard_ends(code, &[&["replay", "--format", "json"], arguments].concat());
    serde_json::from_str(&out).unwrap()
}

/// A copy of a run, chained anew, with its events changed.
pub(crate) fn rechained(place: &Place, run: &Path, name: &str, change: impl Fn(&mut Vec<Event>)) -> PathBuf {
    let reader = Reader::open(run).unwrap();
    let logged: Vec<_> = reader.events().map(Result::unwrap).collect();
    let mut events: Vec<Event> = logged.iter().map(|(_, event, _)| event.clone()).collect();
    change(&mut events);
    let copy = place.path(name);
    let writer = Writer::create(&copy).unwrap();
    for ((link, _, circumstance), event) in logged.iter().zip(events) {
        let payload = event.payload().and_then(|digest| reader.payload(&digest).unwrap()).map(Arc::from);
        let entry = Entry { stream: link.stream, event, circumstance: circumstance.clone(), payload };
        writer.append(vec![entry], Durability::Buffered).unwrap();
    }
    drop(writer);
    copy
}

#[test]
fn every_task_comes_out_the_same_without_evidence_or_model() {
    let place = Place::new();
    for model in ["playbook", "sloppy:3"] {
        place.locard_ends(0, &["run", str(&demo_folder()), "--model", model]);
        let json = replayed(&place, 0, &["latest"]);
        let tasks = json["tasks"].as_array().unwrap();
        assert_eq!((json["same"].as_bool(), tasks.len()), (Some(true), 7), "{json}");
        assert!(tasks.iter().all(|task| task["same"] == task["stored"] && task["ended"] == true), "{json}");
    }
    let told = place.locard_ends(0, &["replay", "latest", "--agent", "registry"]);
    assert_eq!(told.lines().count(), 2, "{told}");
    assert_eq!(replayed(&place, 0, &["latest", "--task", "1"])["tasks"][0]["task"], "task-1");
    place.locard_ends(2, &["replay", "latest", "--agent", "nobody"]);
}

#[test]
fn what_a_verdict_was_told_otherwise_diverges_and_is_shown_with_both_sides() {
    let place = Place::new();
    place.locard_ends(0, &["run", str(&demo_folder()), "--model", "sloppy:3"]);
    let copy = rechained(&place, &place.only_run(), "other", |events| {
        let rejected = events.iter_mut().find_map(|event| match event {
            Event::ClaimRejected(rejected) => Some(rejected),
            _ => None,
        });
        rejected.unwrap().rejection.reason = "no reason at all".to_owned();
    });
    let told = place.locard_ends(30, &["replay", str(&copy)]);
    assert!(told.contains("DIVERGED") && told.contains("no reason at all"), "{told}");
    let json = replayed(&place, 30, &[str(&copy)]);
    let diverged: Vec<&Value> =
        json["tasks"].as_array().unwrap().iter().filter(|task| !task["divergence"].is_null()).collect();
    assert_eq!(diverged.len(), 1, "{json}");
    let divergence = &diverged[0]["divergence"];
    let side = |name: &str| divergence[name].as_str().unwrap().to_owned();
    assert!(side("stored").contains("no reason at all") && !side("replayed").contains("no reason at all"));
    assert_eq!(divergence["event"], diverged[0]["same"]);
}

#[test]
fn a_run_that_broke_off_is_replayed_as_far_as_it_goes() {
    let place = Place::new();
    place.locard_ends(0, &["run", str(&demo_folder())]);
    let copy = rechained(&place, &place.only_run(), "broken", |events| events.truncate(events.len() / 2));
    let json = replayed(&place, 0, &[str(&copy)]);
    let tasks = json["tasks"].as_array().unwrap();
    assert!(tasks.iter().any(|task| task["ended"] == false), "{json}");
    assert!(tasks.iter().all(|task| task["same"] == task["stored"]), "{json}");
    let told = place.locard_ends(0, &["replay", str(&copy)]);
    assert!(told.contains("where its log breaks off"), "{told}");
}

#[test]
fn what_is_derived_from_facts_verifies_and_replays() {
    let place = Place::new();
    let key = r"ControlSet001\Control\ComputerName\ComputerName";
    let reading = |cited: &str| json!({"predicate": "configured", "values": {"name": "ComputerName", "data": "ALDER-07"}, "invocation": cited});
    let script = script(vec![
        Box::new(move |_| {
            calls(
                1,
                &[("parse_registry_key", json!({"hive": "p1/Windows/System32/config/SYSTEM", "key": key}))],
            )
        }),
        Box::new(move |request| {
            calls(2, &[("record_phenomenon", json!({"readings": [reading(&invocations(request)[0])]}))])
        }),
        Box::new(|request| {
            let fact = facts(request).remove(0);
            let terms = |fields: [&str; 2]| fields.map(|field| json!({"fact": fact, "field": field}));
            let derive =
                |form: &str, fields| ("record_derivation", json!({"form": form, "terms": terms(fields)}));
            calls(3, &[derive("different", ["name", "data"]), derive("same", ["name", "data"])])
        }),
    ]);
    let (finished, run) = place.investigate(Rules::default(), vec![("registry", script)]);
    assert_eq!((run.derivations().count(), graph::refused_claims(&run).len()), (1, 1));
    let folder = str(&finished.folder);
    place.locard_ends(0, &["verify", folder]);
    place.locard_ends(0, &["replay", folder]);
    assert!(place.locard_ends(0, &["facts", folder]).contains("different: "));
}

/// The facts that the turn before was told of.
fn facts(request: &ledger::turn::TurnRequest) -> Vec<String> {
    let told = crate::support::answers(request);
    let recorded = told.into_iter().filter_map(|answer| match answer {
        Answer::Recorded(recorded) => Some(recorded.readings),
        _ => None,
    });
    let accepted = recorded.flatten().filter_map(|reading| match reading {
        ReadingResult::Accepted { fact, .. } => Some(fact.to_string()),
        _ => None,
    });
    accepted.collect()
}
