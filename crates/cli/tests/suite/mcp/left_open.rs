//! What clients leave open: asked of a lead that wants to end, and by code when a run is closed.

use super::client::Client;
use super::{answer, demo_arguments, verified};
use crate::support::Place;
use serde_json::{Value, json};

/// What the examiners of a client did who were told that nothing is there, and had looked at a part or at nothing.
#[test]
fn what_a_client_leaves_open_is_asked_when_it_closes_its_run() {
    let place = Place::new();
    let mut client = Client::swept(&place, &demo_arguments().each_ref().map(String::as_str));
    let opened = client.open(&[]);
    let task = opened.task().to_owned();
    for (tool, mut given) in [
        ("records", json!({"record": "log_cleared"})),
        ("records", json!({"record": "log_cleared", "to": "1999-12-31T00:00:00Z"})),
        ("records", json!({"source": "services", "name": "zzz"})),
        ("list_hives", json!({})),
    ] {
        given["task"] = json!(task);
        assert_eq!(client.call(tool, given)["isError"], false);
    }
    let closed = client.call("close_run", json!({"run": opened.run}));
    assert_eq!(closed["structuredContent"]["verification"]["verified"], true, "{closed}");
    let report = place.locard_ends(0, &["report", &opened.name, "--format", "json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    for (id, left, now) in [
        ("cleared", "seen", "met"),
        ("services", "partly", "met"),
        ("remote-desktop", "not_asked", "met"),
        ("accounts", "not_asked", "met"),
    ] {
        let answers = report["answers"].as_array().unwrap().iter();
        let is_it = |it: &&Value| it["objective"] == id && it["answer"] == now && it["before_sweep"] == left;
        assert!(answers.clone().any(|it| is_it(&it)), "{id}: {report:#}");
    }
    let open = |it: &&Value| matches!(it["answer"].as_str(), Some("seen" | "not_asked"));
    let left: Vec<_> = report["answers"].as_array().unwrap().iter().filter(open).collect();
    assert!(left.is_empty(), "{left:#?}");
    verified(&place, &opened.name);
}

#[test]
fn a_lead_that_wants_to_end_is_asked_three_times_about_what_is_open() {
    let place = Place::new();
    let mut client = Client::swept(&place, &demo_arguments().each_ref().map(String::as_str));
    let opened = client.open(&["lead"]);
    let task = opened.task().to_owned();
    assert_eq!(answer(&client.call("agent_registry", json!({"task": task})))["type"], "reported");
    for asked in 1..=3 {
        let told = client.call("close_task", json!({"task": task, "words": "the computer is clean"}));
        let text = told.to_string();
        assert!(text.contains(&format!("This is reminder {asked} of 3")), "{told}");
        assert!(text.contains("agent_eventlog: ") && !text.contains("agent_registry: "), "{told}");
        assert_eq!(told["structuredContent"]["ended"], Value::Null, "{told}");
    }
    let ended = client.call("close_task", json!({"task": task, "words": "the computer is clean"}));
    assert_eq!(ended["structuredContent"]["ended"]["status"], "incomplete", "{ended}");
    client.call("close_run", json!({"run": opened.run}));
    let facts = place.locard_ends(0, &["report", &opened.name, "--format", "markdown"]);
    assert!(facts.contains("1 of 1 tasks accepted, 42 questions left open"), "{facts}");
    verified(&place, &opened.name);
    place.locard_ends(0, &["replay", &opened.name]);
}

#[test]
fn what_a_lead_declines_stays_open_is_swept_and_shows_its_reason() {
    let place = Place::new();
    let mut client = Client::swept(&place, &demo_arguments().each_ref().map(String::as_str));
    let opened = client.open(&["lead"]);
    let task = opened.task().to_owned();
    let decline = |client: &mut Client, agent: &str, questions: &[&str], reason: &str| {
        let given = json!({"task": task, "agent": agent, "questions": questions, "reason": reason});
        answer(&client.call("decline_questions", given)).clone()
    };
    for (agent, questions, reason) in [
        ("eventlog", &["no-such"][..], "why"),
        ("eventlog", &[], "why"),
        ("eventlog", &["cleared"], " "),
        ("nobody", &["cleared"], "why"),
    ] {
        let refused = decline(&mut client, agent, questions, reason);
        assert_eq!(refused["refusal"], "bad_arguments", "{agent} {questions:?} {reason:?}");
    }
    let declined =
        decline(&mut client, "agent_eventlog", &["cleared", "logons"], "the owner knows who did it");
    assert_eq!(declined["type"], "noted", "{declined}");
    let told = client.call("close_task", json!({"task": task, "words": "done"})).to_string();
    assert!(told.contains("say why with decline_questions") && told.contains("failed-logons ("), "{told}");
    assert!(!told.contains("cleared (") && !told.contains(": logons ("), "{told}");
    (2..=4).for_each(|_| drop(client.call("close_task", json!({"task": task, "words": "done"}))));
    client.call("close_run", json!({"run": opened.run}));
    let report = place.locard_ends(0, &["report", &opened.name, "--format", "json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let answers = report["answers"].as_array().unwrap();
    let cleared = answers.iter().find(|it| it["objective"] == "cleared").unwrap();
    assert_eq!(cleared["declined"], "the owner knows who did it");
    assert_eq!((&cleared["before_sweep"], &cleared["answer"]), (&json!("not_asked"), &json!("met")));
    let other = answers.iter().find(|it| it["objective"] == "failed-logons").unwrap();
    assert_eq!(other["declined"], Value::Null);
    for format in ["markdown", "html"] {
        let shown = place.locard_ends(0, &["report", &opened.name, "--format", format]);
        assert!(shown.contains("the owner knows who did it"), "{format}");
    }
    verified(&place, &opened.name);
    place.locard_ends(0, &["replay", &opened.name]);
}
