//! `locard replay`: repeats the steps over the stored log.

use crate::support::{Place, answers, demo_folder, facts, invocations, rechained, script, str};
use ledger::turn::{Answer, TurnRequest};
use ledger::{Event, Rules};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};
use store::Reader;
use testkit::scripted::calls;

fn replayed(place: &Place, code: i32, arguments: &[&str]) -> Value {
    let out = place.locard_ends(code, &[&["replay", "--format", "json"], arguments].concat());
    serde_json::from_str(&out).unwrap()
}

#[test]
fn every_task_comes_out_the_same_without_evidence_or_model() {
    let models: [&[&str]; 2] = [&[], &["--model", "sloppy:3"]];
    for model in models {
        let place = Place::new();
        place.has_demo_run(model);
        let json = replayed(&place, 0, &["latest"]);
        let tasks = json["tasks"].as_array().unwrap();
        assert_eq!((json["same"].as_bool(), tasks.len()), (Some(true), 8), "{json}");
        assert!(tasks.iter().all(|task| task["same"] == task["stored"] && task["ended"] == true), "{json}");
        let told = place.locard_ends(0, &["replay", "latest", "--agent", "registry"]);
        assert_eq!(told.lines().count(), 2, "{told}");
        assert_eq!(replayed(&place, 0, &["latest", "--task", "1"])["tasks"][0]["task"], "task-1");
        place.locard_ends(2, &["replay", "latest", "--agent", "nobody"]);
    }
}

#[test]
fn what_a_verdict_was_told_otherwise_diverges_and_is_shown_with_both_sides() {
    let place = Place::new();
    place.locard_ends(0, &["run", str(&demo_folder()), "--side-by-side", "--model", "sloppy:3"]);
    let copy = rechained(&place, &place.only_run(), "other", |events| {
        let rejected = events.iter_mut().find_map(|(_, event, _)| match event {
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
    place.has_demo_run(&[]);
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

/// The time of each record in the last answer, as text.
fn times(request: &TurnRequest) -> Vec<String> {
    let of = |answer: Answer| match answer {
        Answer::Returned(returned) => returned.page.map(|page| page.output),
        _ => None,
    };
    let outputs: Vec<_> = answers(request).into_iter().filter_map(of).collect();
    let records = outputs.iter().flat_map(|output| output.records());
    records.map(|record| record.fields["time"].value.to_text().into_owned()).collect()
}

#[test]
fn an_order_of_times_rests_on_a_listing_of_the_steps_of_their_clock() {
    let place = Place::new();
    let order = |facts: Vec<String>| {
        let terms: Vec<_> = facts.iter().map(|fact| json!({"fact": fact, "field": "time"})).collect();
        ("record_derivation", json!({"form": "order", "terms": terms}))
    };
    let known = Arc::new(Mutex::new(Vec::new()));
    let (put, first, again) = (Arc::clone(&known), Arc::clone(&known), Arc::clone(&known));
    let script = script(vec![
        Box::new(|_| calls(1, &[("records", json!({"source": "event_log", "limit": 2}))])),
        Box::new(|request| {
            let (cited, times) = (invocations(request).remove(0), times(request));
            let reading = |(number, time): (usize, &String)| json!({"predicate": "recorded", "values": {"time": time}, "invocation": cited, "record": format!("r{number}")});
            let readings: Vec<_> = times.iter().enumerate().map(reading).collect();
            calls(2, &[("record_phenomenon", json!({"readings": readings}))])
        }),
        Box::new(move |request| {
            *put.lock().unwrap() = facts(request);
            calls(3, &[order(first.lock().unwrap().clone())])
        }),
        Box::new(|_| calls(4, &[("timeline_anomalies", json!({"record": "clock_step"}))])),
        Box::new(move |_| {
            let facts = again.lock().unwrap().clone();
            let turned = facts.iter().rev().cloned().collect();
            calls(5, &[order(facts), order(turned)])
        }),
    ]);
    let (finished, run) = place.investigate(Rules::default(), vec![("registry", script)]);
    assert_eq!(known.lock().unwrap().len(), 2);
    let refused: Vec<_> =
        graph::refused_claims(&run).into_iter().map(|it| it.rejection.reason.clone()).collect();
    assert!(refused.len() == 2 && refused[0].contains("no complete listing"), "{refused:?}");
    assert_eq!(run.derivations().map(|(_, it)| it.derivation.clocks.len()).collect::<Vec<_>>(), [1]);
    let folder = str(&finished.folder);
    place.locard_ends(0, &["verify", folder, "--evidence"]);
    place.locard_ends(0, &["replay", folder]);
    assert!(place.locard_ends(0, &["facts", folder]).contains("by the clock steps that inv-"));
}

#[test]
fn what_a_lead_handed_out_behind_a_branch_is_handed_out_again() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let parent = place.only_run();
    let name = str(&parent).to_owned();
    let fork =
        |agent: &str, turn: &str| place.locard(&["replay", &name, "--agent", agent, "--from-turn", turn]);
    let told = fork("registry", "2");
    assert_eq!(told.status.code(), Some(2));
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(told.contains("task-1 handed the task of \"registry\" out in its turn 1"), "{told}");
    for turn in ["1", "2"] {
        assert_eq!(fork("lead", turn).status.code(), Some(0), "turn {turn}");
        let same = place.runs().pop().unwrap();
        let tasks = |run: &Path| app::load_run(run).unwrap().tasks.len();
        assert_eq!(tasks(&same), tasks(&parent));
        place.locard_ends(0, &["verify", str(&same)]);
        place.locard_ends(0, &["replay", str(&same)]);
    }
}

#[test]
fn a_run_branches_off_at_a_turn_goes_on_live_and_names_its_parent() {
    let place = Place::new();
    place.locard_ends(0, &["run", str(&demo_folder()), "--side-by-side"]);
    let parent = place.only_run();
    let name = parent.file_name().unwrap().to_str().unwrap();
    let fork = |turn: &str, model: &str| {
        place.locard(&["replay", name, "--agent", "registry", "--from-turn", turn, "--model", model])
    };
    assert_eq!(fork("9999", "playbook").status.code(), Some(2));
    assert_eq!(fork("3", "nobody").status.code(), Some(2));
    assert_eq!(place.locard(&["replay", name, "--from-turn", "3"]).status.code(), Some(2), "which agent?");
    assert_eq!(place.runs().len(), 1, "what cannot be begun leaves no folder");

    // The same model makes the same run.
    assert_eq!(fork("3", "playbook").status.code(), Some(0));
    let same = place.runs().pop().unwrap();
    let sealed = |run: &Path| match Reader::open(run).unwrap().events().last().unwrap().unwrap().1 {
        Event::RunSealed(sealed) => sealed.heads,
        other => panic!("{other:?}"),
    };
    assert_eq!(sealed(&same), sealed(&parent));
    let Event::RunOpened(opened) = Reader::open(&same).unwrap().events().next().unwrap().unwrap().1 else {
        panic!("a run begins with its opening")
    };
    let branch = opened.parent.unwrap();
    assert_eq!((branch.run.as_str(), branch.turn), (name, 3));

    // Another model makes a different one, but only in its own task.
    assert_eq!(fork("3", "sloppy:9").status.code(), Some(0));
    let other = place.runs().pop().unwrap();
    let different: Vec<_> =
        sealed(&other).into_iter().filter(|head| !sealed(&parent).contains(head)).collect();
    assert_eq!(different.len(), 1);
    for run in [&same, &other] {
        place.locard_ends(0, &["verify", str(run)]);
        place.locard_ends(0, &["replay", str(run)]);
    }
}
