//! Runs with weaker guarantees: unconfined ones, and ones that broke off.

use crate::support::{Place, copy_folder, demo_folder, invocations, script, str, text};
use ledger::Rules;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::mpsc::channel;
use testkit::scripted::{calls, words};

#[test]
fn an_unconfined_run_works_and_everything_says_so() {
    let place = Place::new();
    let out = place.locard_ends(0, &["run", str(&demo_folder()), "--unconfined"]);
    assert!(out.contains("unconfined"), "{out}");
    let name = str(&place.only_run()).to_owned();
    for command in ["facts", "report", "verify"] {
        let out = place.locard_ends(0, &[command, &name]);
        assert!(out.contains("ools ran unconfined"), "{command}: {out}");
        let out = place.locard_ends(0, &[command, &name, "--format", "json"]);
        let value: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(value["confined"], false, "{command}");
    }
}

#[test]
fn a_confined_run_does_not_say_that_it_was_not() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let name = str(&place.only_run()).to_owned();
    for command in ["facts", "report", "verify"] {
        let out = place.locard_ends(0, &[command, &name]);
        assert!(!out.contains("unconfined") && !out.contains("broke off"), "{command}: {out}");
    }
}

/// A copy of a run folder as a power cut would leave it, taken while the agent, which has recorded a fact, is asked for another turn.
pub(crate) fn broken_off(place: &Place) -> PathBuf {
    let (asked, is_asked) = channel();
    let (go_on, may_go_on) = channel::<()>();
    let agent = script(vec![
        Box::new(|_| {
            let arguments = json!({"hive": "p1/Windows/System32/config/SYSTEM", "key": "Select"});
            calls(1, &[("parse_registry_key", arguments)])
        }),
        Box::new(|request| {
            let cited = &invocations(request)[0];
            let reading =
                json!({"predicate": "configured", "values": {"name": "Current"}, "invocation": cited});
            calls(2, &[("record_phenomenon", json!({"readings": [reading]}))])
        }),
        Box::new(move |_| {
            asked.send(()).unwrap();
            // If the other end is gone, the copy failed, and the test fails anyway.
            let _ = may_go_on.recv();
            words("done")
        }),
    ]);
    let copy = place.path("broken off");
    std::thread::scope(|scope| {
        let running = scope.spawn(|| place.investigate(Rules::default(), vec![("registry", agent)]));
        is_asked.recv().unwrap();
        copy_folder(&place.only_run(), &copy);
        go_on.send(()).unwrap();
        running.join().unwrap();
    });
    copy
}

#[test]
fn a_run_that_broke_off_can_be_read_and_is_not_taken_for_a_sealed_one() {
    let place = Place::new();
    let copy = broken_off(&place);
    let facts = place.locard_ends(0, &["facts", str(&copy)]);
    assert!(facts.contains("1 facts") && facts.contains("it broke off"), "{facts}");
    let report = place.locard_ends(0, &["report", str(&copy)]);
    assert!(report.contains("not sealed"), "{report}");
    let out = place.locard_ends(32, &["verify", str(&copy)]);
    assert!(out.contains("not sealed: events may be missing at its end"), "{out}");
    assert!(out.contains("NOT VERIFIED"), "{out}");
    let out = place.locard_ends(0, &["verify", str(&copy), "--unsealed"]);
    assert!(out.contains("not sealed: events may") && out.contains("verified: facts stand"), "{out}");
    let out = place.locard_ends(32, &["verify", str(&copy), "--format", "json"]);
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&value["verified"], &value["certificate"]["sealed"]), (&false.into(), &false.into()));
}

#[test]
fn what_is_wrong_with_an_unsealed_run_is_wrong_with_the_flag_too() {
    let place = Place::new();
    let copy = broken_off(&place);
    place.file("broken off/manifest.json", "{}");
    let output = place.locard(&["verify", str(&copy), "--unsealed"]);
    assert_eq!(output.status.code(), Some(31), "{}", text(&output.stdout));
}
