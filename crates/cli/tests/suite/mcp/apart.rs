//! What a client says that is no fact of the evidence as it was: it stands apart, and decides nothing.

use super::client::Client;
use super::{over_demo, verified};
use crate::support::Place;
use serde_json::{Value, json};

/// The report of a run as JSON.
fn report(place: &Place, run: &str) -> Value {
    let told = place.locard_ends(0, &["report", run, "--runs", "runs", "--format", "json"]);
    serde_json::from_str(&told).unwrap()
}

fn noted(client: &mut Client, task: &str, note: &str) -> Value {
    client.call("record_phenomenon", json!({"task": task, "note": note}))
}

#[test]
fn a_note_of_a_client_is_kept_verifies_and_is_no_finding() {
    let place = Place::new();
    let mut client = over_demo(&place);
    let opened = client.open(&["examiner"]);
    let task = opened.task().to_owned();
    let said = noted(&mut client, &task, "Besitzer fragen, ob \"mara\" allein am Rechner war");
    assert_eq!(said["isError"], false, "{said}");
    let long = noted(&mut client, &task, &"x".repeat(1_001));
    assert_eq!(long["structuredContent"]["answer"]["refusal"], "bad_arguments", "{long}");
    client.call("close_run", json!({"run": opened.run}));
    verified(&place, &opened.name);
    let report = report(&place, &opened.name);
    assert_eq!(report["notes"].as_array().unwrap().len(), 1, "{}", report["notes"]);
    assert_eq!(report["notes"][0]["checked"], false);
    assert_eq!(report["narrative"], json!([]));
    let of_client = |list: &str| {
        let all = report[list].as_array().unwrap();
        all.iter().filter(|it| it["task"] == "task-1").count()
    };
    assert_eq!((of_client("facts"), of_client("phenomena")), (0, 0));
}
